/* Reductions and scans of the lanes of a warp, by any operator that has a combine(). */
#ifndef PARSCAN_SCAN_CUDA_WARP_SCAN_CUH
#define PARSCAN_SCAN_CUDA_WARP_SCAN_CUH

#include "scan/cuda/warp_shuffle.cuh"

/* Combines the values of all lanes in the order of lanes. Only lane 0's result counts. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ T warp_reduce(OPERATOR op, T value)
{
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2)
        value = combine(op, value, warp_shuffle_down(value, delta));
    return value;
}

/* The inclusive scan of the lanes' values, by Kogge-Stone. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ T warp_scan(OPERATOR op, T value, unsigned lane)
{
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const T before = warp_shuffle_up(value, delta);
        if (lane >= delta)
            value = combine(op, before, value);
    }
    return value;
}

#endif
