/*
 * SimdTest(Suite, Name) is Test(Suite, Name) whose body runs once for each set of SIMD instructions
 * that the library was built with and the processor has, on the same random inputs each time. The
 * oracle's answers are remembered from one run to the next (tests/support/remember.h). On CUDA, and
 * where the environment names a set in PARSCAN_SIMD, the body runs once. With PARSCAN_TEST_SETS=one in
 * the environment it runs with one of the sets, and tests that differ in the type alone share them.
 * With PARSCAN_TEST_SETS=two it runs with two of three, by chance (tests/support/random.h).
 */
#ifndef PARSCAN_TESTS_EVERY_SIMD_H
#define PARSCAN_TESTS_EVERY_SIMD_H

#include <criterion/criterion.h>

#define SimdTest(Suite, Name)                                \
    static void Suite##_##Name##_body(void);                 \
    Test(Suite, Name)                                        \
    {                                                        \
        every_simd(#Suite "/" #Name, Suite##_##Name##_body); \
    }                                                        \
    static void Suite##_##Name##_body(void)

void every_simd(const char *name, void (*body)(void));

#endif
