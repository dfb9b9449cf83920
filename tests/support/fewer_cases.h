/*
 * Tests that go through very many small cases take fewer of them on CUDA, where a call of a few
 * elements takes some hundred times as long as on the CPU: one in eight, by chance, others with each
 * seed (tests/support/random.h). PARSCAN_TEST_CASES=8 in the environment takes one in eight, on any engine:
 * it is set where a suite runs again, under sanitizers, by clang and in an emulator. PARSCAN_TEST_CASES=all takes all.
 */
#ifndef PARSCAN_TESTS_FEWER_CASES_H
#define PARSCAN_TESTS_FEWER_CASES_H

#include <stdbool.h>

/* Whether the next case is taken: on the CPU each is, if the environment does not tell otherwise. */
bool takes_case(void);

/* The same, for cases that are all taken on CUDA, too. */
bool takes_larger_case(void);

#endif
