/* The functions that are compiled once for each element type. bench_element_of() returns them. */
#ifndef PARSCAN_BENCH_ELEMENT_FUNCTIONS_H
#define PARSCAN_BENCH_ELEMENT_FUNCTIONS_H

#include "elements.h"

#define X(ctx, NAME, number, name, ...)                                                        \
    void bench_fill_##name(void *data, size_t n, uint64_t seed);                               \
    bool bench_check_##name(bench_meaning meaning, const void *in, const void *out, size_t n); \
    bench_scan_function bench_openmp_simd_##name, bench_openmp_parallel_##name;
PARSCAN_TYPES(X, )
#undef X

#endif
