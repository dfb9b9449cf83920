/* The sum, the least and the greatest of the lanes' values, for all lanes. */
#ifndef PARSCAN_SCAN_CUDA_LANE_TOTALS_CUH
#define PARSCAN_SCAN_CUDA_LANE_TOTALS_CUH

#include "scan/cuda/operators.cuh"
#include "scan/cuda/warp_scan.cuh"

/* From compute capability 8.0 on it is one instruction. */
#if __CUDA_ARCH__ >= 800
static __device__ __forceinline__ uint32_t sum_of_lanes(uint32_t value)
{
    return __reduce_add_sync(0xffffffffu, value);
}
static __device__ __forceinline__ uint32_t least_of_lanes(uint32_t value)
{
    return __reduce_min_sync(0xffffffffu, value);
}
static __device__ __forceinline__ uint32_t most_of_lanes(uint32_t value)
{
    return __reduce_max_sync(0xffffffffu, value);
}
#else
template <typename OPERATOR>
static __device__ __forceinline__ uint32_t join_lanes(OPERATOR op, uint32_t value)
{
    return warp_shuffle(warp_reduce(op, value), 0);
}
static __device__ __forceinline__ uint32_t sum_of_lanes(uint32_t value)
{
    return join_lanes(parscan_operator_SUM(), value);
}
static __device__ __forceinline__ uint32_t least_of_lanes(uint32_t value)
{
    return join_lanes(parscan_operator_MIN(), value);
}
static __device__ __forceinline__ uint32_t most_of_lanes(uint32_t value)
{
    return join_lanes(parscan_operator_MAX(), value);
}
#endif
static __device__ __forceinline__ uint64_t least_of_lanes(uint64_t value)
{
    const uint32_t high = least_of_lanes((uint32_t)(value >> 32));
    const bool among = (uint32_t)(value >> 32) == high;
    return (uint64_t)high << 32 | least_of_lanes(among ? (uint32_t)value : 0xffffffffu);
}
static __device__ __forceinline__ uint64_t most_of_lanes(uint64_t value)
{
    return ~least_of_lanes(~value);
}

#endif
