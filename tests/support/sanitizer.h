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

#endif
