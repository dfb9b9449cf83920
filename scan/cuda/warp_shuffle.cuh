/* Shuffles of values of any size. CUDA's shuffles move 32 bits, so a value goes word by word. */
#ifndef PARSCAN_SCAN_CUDA_WARP_SHUFFLE_CUH
#define PARSCAN_SCAN_CUDA_WARP_SHUFFLE_CUH

#include <stdint.h>
#include <string.h>

/* Applies move(word), one of CUDA's shuffles, to all words of a value. */
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

/* All lanes get the value of one lane. */
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

template <typename T>
static __device__ __forceinline__ T warp_shuffle_xor(T value, unsigned mask)
{
    return warp_move(value,
                     [=](uint32_t part) { return __shfl_xor_sync(0xffffffffu, part, mask); });
}

#endif
