/* Reductions and scans of the lanes of a warp, by any operator that has a combine(), and what most lanes have. */
#ifndef PARSCAN_SCAN_CUDA_WARP_SCAN_CUH
#define PARSCAN_SCAN_CUDA_WARP_SCAN_CUH

#include "scan/cuda/warp_instructions.cuh"
#include "scan/cuda/warp_shuffle.cuh"

/* Combines the values of all lanes in the order of lanes. Only lane 0's result counts. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ T warp_reduce(OPERATOR op, T value)
{
    if constexpr (warp_instruction<OPERATOR, T>::exists) {
        return warp_instruction<OPERATOR, T>::of(value);
    } else {
#pragma unroll
        for (unsigned delta = 1; delta < 32; delta *= 2)
            value = combine(op, value, warp_shuffle_down(value, delta));
        return value;
    }
}

/* Of values of 16 bits, the one that most lanes have: its number of lanes times 2^16, and the value. */
static __device__ __forceinline__ uint32_t most_frequent_of_lanes(uint32_t value)
{
    uint32_t most = (uint32_t)__popc(__match_any_sync(0xffffffffu, value)) << 16 | value;
#pragma unroll
    for (unsigned delta = 16; delta > 0; delta /= 2) {
        const uint32_t other = __shfl_xor_sync(0xffffffffu, most, delta);
        most = other > most ? other : most;
    }
    return most;
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
