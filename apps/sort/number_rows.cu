#include "apps/sort/number_rows.h"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/pipeline.cuh"

enum { NUMBER_THREADS = 256 };

struct number_params {
    void *indices;
    size_t all, n;
};

/* A thread divides once: then its place in a row moves on by the same step. */
template <typename INDEX>
static __global__ void __launch_bounds__(NUMBER_THREADS)
    number_rows(const __grid_constant__ number_params params)
{
    const size_t step = (size_t)gridDim.x * NUMBER_THREADS, n = params.n;
    size_t i = (size_t)blockIdx.x * NUMBER_THREADS + threadIdx.x;
    INDEX *const indices = (INDEX *)params.indices;
    const size_t step_in_row = step % n;
    size_t at = i % n;
    wait_for_previous_kernel();
    for (; i < params.all; i += step) {
        indices[i] = (INDEX)at;
        at += step_in_row;
        at -= at >= n ? n : 0;
    }
}

cudaError_t parscan_number_rows_launch(parscan_cuda *cuda, void *indices, size_t size, size_t rows,
                                       size_t n)
{
    const number_params params = {indices, rows * n, n};
    return launch_dependent_persistent(size == 4 ? number_rows<uint32_t> : number_rows<uint64_t>,
                                       cuda, (params.all - 1) / NUMBER_THREADS + 1, NUMBER_THREADS,
                                       0, params);
}
