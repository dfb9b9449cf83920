/*
 * Which sanitizer the tests are compiled with. Under one a test takes many times as long: tests take
 * fewer of the cases that are alike, never other kinds of cases. tests/run.sh has all of them.
 */
#ifndef PARSCAN_TESTS_SANITIZER_H
#define PARSCAN_TESTS_SANITIZER_H

#if defined __has_feature
#define UNDER_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#define UNDER_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#if defined __SANITIZE_ADDRESS__
#define UNDER_ADDRESS_SANITIZER 1
#else
#define UNDER_ADDRESS_SANITIZER 0
#endif
#if defined __SANITIZE_THREAD__
#define UNDER_THREAD_SANITIZER 1
#else
#define UNDER_THREAD_SANITIZER 0
#endif
#endif
#define UNDER_SANITIZER (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER)

/* One of the two numbers: how often something is done, or how large it is. */
#define LESS_UNDER_SANITIZER(all, less) (UNDER_SANITIZER ? (less) : (all))
#define LESS_UNDER_THREAD_SANITIZER(all, less) (UNDER_THREAD_SANITIZER ? (less) : (all))

/* In an emulator of another processor, too (tests/CMakeLists.txt). What tests look for there is what another compiler
   and instruction set may change: rounding, conversions, long double, signedness, vectors. */
#ifdef PARSCAN_TESTS_EMULATED
#define LESS_IN_EMULATOR(all, less) (less)
#else
#define LESS_IN_EMULATOR(all, less) (all)
#endif

/* Under sanitizers and in an emulator. */
#define LESS_IF_SLOW(all, less) LESS_IN_EMULATOR(LESS_UNDER_SANITIZER(all, less), less)

/* Where a loop over 1, 2 and 3 threads starts, and one over an array of 1, 2, 3 and 7. ThreadSanitizer tells a race
   by the order of events, not by luck: one thread has none, and what two do three do too. */
#define FEWEST_THREADS LESS_UNDER_THREAD_SANITIZER(1u, 3u)
#define FIRST_OF_1_2_3_7_THREADS LESS_UNDER_THREAD_SANITIZER((size_t)0, (size_t)2)

#endif
