/* The sums of parts of segments on CUDA: what is published of them, and how those of lanes are joined. */
#ifndef PARSCAN_APPS_SEGMENTS_SEGMENT_SUM_CUH
#define PARSCAN_APPS_SEGMENTS_SEGMENT_SUM_CUH

#include "scan/cuda/warp_scan.cuh"

/* The pair of a part or a tile, as it is published: in words, so that it has no padding. */
template <typename T>
struct segment_sum {
    uint32_t value[(sizeof(T) + 3) / 4];
    uint32_t heads;
};

template <typename T>
static __device__ __forceinline__ segment_sum<T> sum_of(T value, uint32_t heads)
{
    segment_sum<T> sum = {};
    memcpy(sum.value, &value, sizeof value);
    sum.heads = heads;
    return sum;
}

template <typename T>
static __device__ __forceinline__ T value_of(const segment_sum<T> &sum)
{
    T value;
    memcpy(&value, sum.value, sizeof value);
    return value;
}

/* Scans the values of the lanes in GROUP rows at once. The sum at a lane starts with the last
   lane at or before it whose bit in `lanes` is set, or with lane 0 if there is none. */
template <typename OPERATOR, typename T, unsigned GROUP>
static __device__ __forceinline__ void scan_lanes(OPERATOR op, T (&values)[GROUP],
                                                  const uint32_t (&lanes)[GROUP], unsigned lane)
{
    unsigned known[GROUP]; /* lanes before this one that are included */
#pragma unroll
    for (unsigned g = 0; g < GROUP; g++) {
        const uint32_t upto = lanes[g] & (0xffffffffu >> (31 - lane));
        known[g] = upto == 0 ? lane : lane - (31 - (unsigned)__clz((int)upto));
    }
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++) {
            const T up = warp_shuffle_up(values[g], delta);
            if (known[g] >= delta)
                values[g] = combine(op, up, values[g]);
        }
    }
}

#endif
