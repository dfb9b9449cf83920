/* The scan of OpenMP 5.0. Compiled once for each element type (scan/cpu/element.h), for this
   machine. */
#include "scan/cpu/element.h"

#include "element_functions.h"

void NAMED(bench_openmp_simd)(const void *from, void *to, size_t n, unsigned threads)
{
    (void)threads;
    const T *const in = from;
    T *const out = to;
    T sum = 0;
#pragma omp simd reduction(inscan, + : sum)
    for (size_t i = 0; i < n; i++) {
        sum += in[i];
#pragma omp scan inclusive(sum)
        out[i] = sum;
    }
}

void NAMED(bench_openmp_parallel)(const void *from, void *to, size_t n, unsigned threads)
{
    const T *const in = from;
    T *const out = to;
    T sum = 0;
#pragma omp parallel for simd num_threads(threads) reduction(inscan, + : sum)
    for (size_t i = 0; i < n; i++) {
        sum += in[i];
#pragma omp scan inclusive(sum)
        out[i] = sum;
    }
}
