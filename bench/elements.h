/* The data of a benchmark and the peers, for every element type of scan/tables.h. */
#ifndef PARSCAN_BENCH_ELEMENTS_H
#define PARSCAN_BENCH_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/types.h"
#include "scan/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a result must be: the sums, or for MAX the maxima. */
typedef enum bench_meaning {
    BENCH_INCLUSIVE,
    BENCH_EXCLUSIVE,
    BENCH_REVERSE,
    BENCH_MAX,
    BENCH_REDUCTION
} bench_meaning;

/* A peer: the inclusive scan for the sum. */
typedef void bench_scan_function(const void *in, void *out, size_t n, unsigned threads);

typedef struct bench_element {
    /* Integers of any bits. Floats are multiples of 1/16 with a mean of 0, so that every sum of
       up to 2^29 of them is exact: each grouping gives the same bits. */
    void (*fill)(void *data, size_t n, uint64_t seed);

    /* Whether `out` is the result of a plain loop over `in`. */
    bool (*check)(bench_meaning meaning, const void *in, const void *out, size_t n);

    /* One peer on one thread, one on many. */
    bench_scan_function *openmp_simd, *openmp_parallel;
} bench_element;

const bench_element *bench_element_of(parscan_type type);

/* Whether openmp_parallel can handle so many bytes. */
bool bench_openmp_parallel_fits(size_t bytes);

/* std::inclusive_scan, and the same with std::execution::par_unseq. NULL: not built. */
bench_scan_function *bench_std_scan(parscan_type type);
bench_scan_function *bench_std_par_unseq(parscan_type type);

/* thrust::inclusive_scan with its OpenMP backend. NULL: not built. */
bench_scan_function *bench_thrust_scan(parscan_type type);

/* The names and versions of the C++ peers that were built. The string is static. */
const char *bench_peer_versions(void);

/* Limits the threads of TBB, which bench_std_par_unseq() and some sorts use. */
void bench_std_threads(unsigned threads);

#ifdef __cplusplus
}
#endif
#endif
