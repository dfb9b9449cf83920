/* One thread's part of a copy, or of reading. */
#ifndef PARSCAN_BENCH_COPY_H
#define PARSCAN_BENCH_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Copies with non-temporal stores of the widest vectors that the processor has, so that lines
   are not read before they are overwritten. Without such stores it is memcpy. */
void bench_nt_copy_share(void *to, const void *from, size_t bytes);

/* Reads everything and writes nothing. Returns the sum of the 64-bit words. `bytes` must be a
   multiple of 8. */
uint64_t bench_read_share(const void *from, size_t bytes);

/* Where the share of thread k begins: a multiple of 4096. The last share ends at `bytes`. */
size_t bench_share_begin(size_t bytes, unsigned threads, unsigned k);

/* Names the instructions that these use. The string is static. */
const char *bench_copy_isa(void);

#endif
