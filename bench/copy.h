/*
 * What memory can do, measured beside everything else: copies and a read of the same bytes on the
 * same number of threads, each thread a contiguous share.
 */
#ifndef PARSCAN_BENCH_COPY_H
#define PARSCAN_BENCH_COPY_H

#include <stddef.h>
#include <stdint.h>

/* The C library's memcpy. */
void bench_memcpy(void *to, const void *from, size_t bytes, unsigned threads);

/* Stores that go past the caches, so that lines about to be overwritten are not read first: with
   the widest vectors that the processor has; where there are none such, memcpy. */
void bench_nt_copy(void *to, const void *from, size_t bytes, unsigned threads);

/* Reads everything and writes nothing: the sum of the 64-bit words. bytes is a multiple of 8. */
uint64_t bench_read(const void *from, size_t bytes, unsigned threads);

/* The instructions that bench_nt_copy() and bench_read() use, in words. */
const char *bench_copy_isa(void);

#endif
