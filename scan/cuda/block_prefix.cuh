/*
 * Prefix sums over the threads of a block, or over its first threads, in whole warps:
 *
 *     through = prefix_in_warp(value, sums, warp, lane);    of this warp
 *     __syncthreads();                                      or what else lets these warps wait for each other
 *     through = with_warps_before(through, sums, warp);     of the block: the sum up to this thread's value
 *
 * sums: a word of shared memory for each warp.
 */
#ifndef PARSCAN_SCAN_CUDA_BLOCK_PREFIX_CUH
#define PARSCAN_SCAN_CUDA_BLOCK_PREFIX_CUH

#include "scan/cuda/operators.cuh"
#include "scan/cuda/warp_scan.cuh"

/* Returns the sum of the values of the warp's lanes up to this one, and leaves that of all lanes. */
template <typename T>
static __device__ __forceinline__ T prefix_in_warp(T value, T *sums, unsigned warp, unsigned lane)
{
    const T through = warp_scan(parscan_operator_SUM(), value, lane);
    if (lane == 31)
        sums[warp] = through;
    return through;
}

/* Adds the sums of the warps before this one. */
template <typename T>
static __device__ __forceinline__ T with_warps_before(T through, const T *sums, unsigned warp)
{
    for (unsigned w = 0; w < warp; w++)
        through += sums[w];
    return through;
}

/* The same where the number of warps is known: without branches. */
template <unsigned WARPS, typename T>
static __device__ __forceinline__ T with_warps_before(T through, const T *sums, unsigned warp)
{
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++)
        through += w < warp ? sums[w] : 0;
    return through;
}

#endif
