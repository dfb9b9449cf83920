/*
 * Launches for the kernels of a sort, and for kernels that have one thread or one warp an element
 * and stride over the array.
 */
#ifndef PARSCAN_APPS_RADIX_LAUNCH_RADIX_CUH
#define PARSCAN_APPS_RADIX_LAUNCH_RADIX_CUH

#include "apps/radix/digit_keys.cuh"
#include "scan/context/context_state.h"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/pipeline.cuh"

enum { FLAT_THREADS = 256 };

/* The kernel must call wait_for_previous_kernel(). */
template <typename Params>
static cudaError_t launch_flat(parscan_context *context, void (*function)(Params), Params &params,
                               size_t threads)
{
    return launch_dependent_persistent(function, context->cuda, threads / FLAT_THREADS + 1,
                                       FLAT_THREADS, 0, params);
}

/* Clears the part of `count` plans that must be 0 before a sort, and `rows` rows of each. */
static cudaError_t clear_plans(const parscan_cuda *cuda, sort_state *plans, unsigned count,
                               size_t rows)
{
    const size_t bytes = offsetof(sort_state, rows) - offsetof(sort_state, counts) +
                         rows * SORT_ROW_WORDS * sizeof(uint64_t);
    return cudaMemset2DAsync(&plans->counts, sizeof *plans, 0, bytes, count, cuda->stream);
}

#endif
