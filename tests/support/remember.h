/*
 * What an oracle has answered in this process, so that a loop over algorithms or sets of SIMD
 * instructions asks it once for each input. A question is known by a fingerprint of its input and
 * of everything else that the answer depends on.
 */
#ifndef PARSCAN_TESTS_REMEMBER_H
#define PARSCAN_TESTS_REMEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A fingerprint of the bytes and of what was taken in before, which starts with 0. */
uint64_t fingerprint(uint64_t before, const void *bytes, size_t n);
uint64_t fingerprint_number(uint64_t before, uint64_t number);

/* The answer of `bytes` bytes that was remembered for the question; false if there is none. */
bool recall(uint64_t question, void *answer, size_t bytes);

/* Keeps a copy of the answer, if there is room for it. An answer may have no bytes: the question is
   then a whole claim, such as that these outputs are right for these inputs. */
void remember(uint64_t question, const void *answer, size_t bytes);

#endif
