/* The limit of the CPU's groups, as cases: copies of an array, and reading it. */
#ifndef PARSCAN_BENCH_COPY_CASES_H
#define PARSCAN_BENCH_COPY_CASES_H

#include "harness.h"

/* Lives as long as the group that its cases are in. */
typedef struct bench_copies {
    const void *in;
    void *out;
    size_t bytes; /* read, and as many written: a multiple of 8 */
    unsigned threads;
    uint64_t sum;
} bench_copies;

/* memcpy, nt-copy, and read. The fastest copy is the group's limit. */
void bench_add_copies(bench_group *group, bench_copies *copies);

/* The same on one thread, which is faster for short arrays. */
void bench_add_copies_1(bench_group *group, bench_copies *copies);

#endif
