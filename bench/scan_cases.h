/* The cases of bench_scan. */
#ifndef PARSCAN_BENCH_SCAN_CASES_H
#define PARSCAN_BENCH_SCAN_CASES_H

#include "copy_cases.h"
#include "elements.h"
#include "harness.h"
#include "numpy.h"

typedef struct scan_work scan_work;

/* One case: what it calls, and what the result must be. */
typedef struct scan_call_case {
    scan_work *work;
    parscan_scan_options options;
    bench_meaning meaning;
    bool in_place;
    bench_scan_function *peer;
    unsigned threads;
} scan_call_case;

/* The arrays and the engine that the cases of a group share. For cold figures the arrays are one
   of many pairs, in two pools. */
struct scan_work {
    parscan_type type;
    size_t n, bytes;
    unsigned threads;
    const bench_element *element;
    parscan_context *engine;
    const void *in;
    void *out;
    const char *in_pool;
    char *out_pool;
    size_t pool_bytes, pair;
    uint64_t result[2]; /* of a reduction */
    bench_copies copies, copies_1;
    bench_numpy_work numpy;
    size_t count;
    scan_call_case cases[BENCH_MAX_CASES];
};

/* Adds every case that suits the group's type, size and threads. */
void scan_add_cases(bench_group *group, scan_work *work);

/* The function bench_group.rotate of these groups. */
void scan_rotate(void *work);

#endif
