/* Shuffles move 32 bits: values of any size go word by word. */
#ifndef PARSCAN_SCAN_BLOCK_WARP_SHUFFLE_CUH
#define PARSCAN_SCAN_BLOCK_WARP_SHUFFLE_CUH

#include <stdint.h>
#include <string.h>

/* move(word) is one of CUDA's shuffles. */
template <typename T, typename MOVE>
static __device__ __forceinline__ T warp_move(T value, MOVE move)
{
    uint32_t parts[(sizeof value + 3) / 4] = {};
    memcpy(parts, &value, sizeof value);
#pragma unroll
    for (uint32_t &part : parts)
        part = move(part);
    memcpy(&value, parts, sizeof value);
    return value;
}

/* What one lane has, at all of them. */
template <typename T>
static __device__ __forceinline__ T warp_shuffle(T value, unsigned lane)
{
    return warp_move(value, [=](uint32_t part) { return __shfl_sync(0xffffffffu, part, lane); });
}

template <typename T>
static __device__ __forceinline__ T warp_shuffle_up(T value, unsigned delta)
{
    return warp_move(value,
                     [=](uint32_t part) { return __shfl_up_sync(0xffffffffu, part, delta); });
}

template <typename T>
static __device__ __forceinline__ T warp_shuffle_down(T value, unsigned delta)
{
    return warp_move(value,
                     [=](uint32_t part) { return __shfl_down_sync(0xffffffffu, part, delta); });
}

#endif
