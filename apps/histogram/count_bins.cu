/* Counts 2^32 bins on CUDA, for calls of parscan_bin() without values. */
#include "apps/histogram/bin_cuda.h"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"

static __global__ void count_all_bins(const __grid_constant__ count_bins_params params)
{
    const sort_bins &bins = params.bins;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    const size_t n = length_of(device_length{params.n_at, params.deferred}, params.n);
#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const uint64_t bin = bins.size == 1   ? ((const uint8_t *)params.bin_of)[i]
                             : bins.size == 2 ? ((const uint16_t *)params.bin_of)[i]
                             : bins.size == 4 ? ((const uint32_t *)params.bin_of)[i]
                                              : ((const uint64_t *)params.bin_of)[i];
        if (bin >= bins.count)
            continue;
        if (bins.wide)
            atomicAdd((unsigned long long *)bins.offsets + bin, 1ull);
        else
            atomicAdd((uint32_t *)bins.offsets + bin, 1u);
    }
}

cudaError_t parscan_bin_count_launch(parscan_cuda *cuda, const count_bins_params *params)
{
    const unsigned threads = 256;
    return launch_persistent(count_all_bins, cuda, params->n / threads + 1, threads, 0, *params);
}
