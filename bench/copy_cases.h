/* The bandwidth limit of a CPU group, as cases: copies of an array, and reading it. */
#ifndef PARSCAN_BENCH_COPY_CASES_H
#define PARSCAN_BENCH_COPY_CASES_H

#include "harness.h"

/* The context of these cases. It must outlive the group. */
typedef struct bench_copies {
    const void *in;
    void *out;
    size_t bytes; /* bytes read, and as many written; a multiple of 8 */
    unsigned threads;
    uint64_t sum;
} bench_copies;

/* Adds memcpy, nt-copy and read. The fastest copy is the group's limit. */
void bench_add_copies(bench_group *group, bench_copies *copies);

/* Adds the same on one thread, which is faster for short arrays. */
void bench_add_copies_1(bench_group *group, bench_copies *copies);

#endif
