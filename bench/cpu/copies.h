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

#endif
