/* Kernels of number_rows.h. */
#ifndef PARSCAN_APPS_SORT_NUMBER_ROWS_KERNELS_CUH
#define PARSCAN_APPS_SORT_NUMBER_ROWS_KERNELS_CUH

#include <stddef.h>
#include <stdint.h>

#include "scan/cuda/pipeline.cuh"

enum { NUMBER_THREADS = 256 };

struct number_params {
    const void *in; /* indices, of 32 bits, or elements */
    void *out;
    size_t all, n;
};

/* A thread divides once: then its row and its place there move on by the same step. */
template <typename OUT, bool PLACES>
static __global__ void __launch_bounds__(NUMBER_THREADS)
    number_elements(const __grid_constant__ number_params params)
{
    const size_t step = (size_t)gridDim.x * NUMBER_THREADS, n = params.n;
    size_t i = (size_t)blockIdx.x * NUMBER_THREADS + threadIdx.x;
    OUT *const out = (OUT *)params.out;
    const size_t rows = step / n, places = step % n;
    size_t row = i / n, place = i % n;
    wait_for_previous_kernel();
    for (; i < params.all; i += step) {
        out[i] = (OUT)(PLACES ? place : row);
        row += rows;
        place += places;
        if (place >= n) {
            place -= n;
            row++;
        }
    }
}

template <typename OUT, bool PLACES>
static __global__ void __launch_bounds__(NUMBER_THREADS)
    divide_indices(const __grid_constant__ number_params params)
{
    const size_t step = (size_t)gridDim.x * NUMBER_THREADS;
    const uint32_t n = (uint32_t)params.n;
    size_t i = (size_t)blockIdx.x * NUMBER_THREADS + threadIdx.x;
    OUT *const out = (OUT *)params.out;
    wait_for_previous_kernel();
#pragma unroll 4
    for (; i < params.all; i += step) {
        const uint32_t index = ((const uint32_t *)params.in)[i];
        out[i] = (OUT)(PLACES ? index % n : index / n);
    }
}

template <typename IN, typename OUT>
static __global__ void __launch_bounds__(NUMBER_THREADS)
    change_width(const __grid_constant__ number_params params)
{
    const size_t step = (size_t)gridDim.x * NUMBER_THREADS;
    size_t i = (size_t)blockIdx.x * NUMBER_THREADS + threadIdx.x;
    wait_for_previous_kernel();
#pragma unroll 4
    for (; i < params.all; i += step)
        ((OUT *)params.out)[i] = (OUT)((const IN *)params.in)[i];
}

#endif
