/* The bandwidth limit of a row, as cases: copies of an array, and reading it, each thread a contiguous share. */
#ifndef PARSCAN_BENCH_COPIES_H
#define PARSCAN_BENCH_COPIES_H

#include "harness.h"
#include "workers.h"

/* The context of these cases. It must outlive the group. */
typedef struct bench_copies {
    workers *team; /* the threads that copy */
    const void *in;
    void *out;
    size_t bytes; /* bytes read, and as many written; a multiple of 8 */
    _Atomic uint64_t sum;
} bench_copies;

/* Adds memcpy, nt-copy and read; with a team of one thread they are named memcpy-1, ... if `one` is true. The
   fastest copy is the group's limit. */
void bench_add_copies(bench_group *group, bench_copies *copies, bool one);

/* One thread's part of a copy, or of reading, from here on. */

/* Copies with non-temporal stores of the widest vectors that the processor has, so that lines
   are not read before they are overwritten. Without such stores it is memcpy. */
void bench_nt_copy_share(void *to, const void *from, size_t bytes);

/* Reads everything and writes nothing. Returns the sum of the 64-bit words. `bytes` must be a
   multiple of 8. */
uint64_t bench_read_share(const void *from, size_t bytes);

/* Where the share of thread k starts: a multiple of 4096. The last share ends at `bytes`. */
size_t bench_share_begin(size_t bytes, unsigned threads, unsigned k);

/* Names the instructions that these use. The string is static. */
const char *bench_copy_isa(void);

#endif
