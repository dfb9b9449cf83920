/*
 * Tests that go through very many small cases take fewer of them on CUDA, where a call of a few
 * elements takes some hundred times as long as on the CPU: one in eight, by chance, another with each
 * seed (tests/support/random.h). PARSCAN_TEST_CASES=all in the environment takes all.
 */
#ifndef PARSCAN_TESTS_FEWER_CASES_H
#define PARSCAN_TESTS_FEWER_CASES_H

#include <stdbool.h>

/* Whether the next case is taken: on the CPU each is. */
bool takes_case(void);

#endif
