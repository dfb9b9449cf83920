/*
 * Tests of more than 2^32 elements.
 */
#ifndef PARSCAN_TESTS_LARGE_H
#define PARSCAN_TESTS_LARGE_H

#include <stddef.h>
#include <stdint.h>

/* Skips the test with a word where that much memory is not free, sizes have 32 bits, or under a
   sanitizer. */
void large_fits_or_skip(uint64_t kib);

/* Zeros. Pages that nobody writes take no memory, however often they are read. */
void *large_zeros(size_t bytes);
void large_free(void *memory, size_t bytes);

#endif
