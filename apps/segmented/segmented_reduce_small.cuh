/*
 * A segmented reduction of few elements by offsets on CUDA, in one launch without tiles. Each warp
 * reduces one segment; all warps of a block together reduce a segment that is too long for one
 * warp.
 */
#ifndef PARSCAN_APPS_SEGMENT_DIRECT_CUH
#define PARSCAN_APPS_SEGMENT_DIRECT_CUH

#include "apps/segmented/segmented_tile.cuh"
#include "apps/segments/segment_search.cuh"

/* The most elements and segments for which this is no slower than a pass over tiles, whatever
   the lengths of the segments. */
#define DIRECT_MOST ((size_t)1 << 17)
#define DIRECT_SEGMENTS ((size_t)1 << 15)
/* The most elements where segments of at most this mean length are twice as fast as by tiles. A
   segment that is long all the same costs up to 15 us more. */
#define DIRECT_MOST_SHORT ((size_t)1 << 19)
#define DIRECT_MEAN ((size_t)1 << 10)
#define DIRECT_WARPS 32u
#define DIRECT_AT_ONCE 8u /* elements that a thread has in flight */
/* Elements that are too many for one warp: more than it has in flight, if other warps have nothing to do. */
#define DIRECT_LONG 1024u
#define DIRECT_LONG_ALONE (32 * DIRECT_AT_ONCE)
#define DIRECT_BLOCKS 264u /* the least number of blocks that get segments, if there are so many */

template <typename In, typename T>
struct reduce_small_params {
    const In *in;
    T *out;
    segment_offsets offsets;
    T start, empty; /* what segments begin with, unless `keeps`; the result of empty segments */
    bool keeps;
    unsigned each; /* segments of a block */
};

/* Reduces the elements begin + thread, begin + thread + threads, ... */
template <typename OPERATOR, typename In, typename T>
static __device__ __forceinline__ T reduce_strided(OPERATOR op, const In *in, size_t begin,
                                                   size_t end, unsigned thread, unsigned threads,
                                                   T sum)
{
#pragma unroll 1
    for (size_t from = begin + thread; from < end; from += threads * DIRECT_AT_ONCE) {
        T x[DIRECT_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < DIRECT_AT_ONCE; k++) {
            x[k] = identity(op);
            if (from + k * threads < end)
                x[k] = (T)in[from + k * threads];
        }
#pragma unroll
        for (unsigned k = 0; k < DIRECT_AT_ONCE; k++)
            sum = combine(op, sum, x[k]);
    }
    return sum;
}

template <typename OPERATOR, typename In, typename T>
static __device__ __forceinline__ void
store_reduced(OPERATOR op, const reduce_small_params<In, T> &params, size_t segment, size_t begin,
              size_t length, T sum)
{
    if (length == 1)
        sum = (T)params.in[begin]; /* the element itself, to the bit */
    if (length != 0 && !params.keeps)
        sum = combine(op, params.start, sum);
    params.out[segment] = length == 0 ? params.empty : sum;
}

template <typename In, typename T, typename OPERATOR, typename OFFSET>
static __device__ __forceinline__ void reduce_block(const reduce_small_params<In, T> &params)
{
    const OPERATOR op = OPERATOR();
    __shared__ T sums[DIRECT_WARPS];
    __shared__ bool is_long[DIRECT_WARPS];
    const OFFSET *const data = (const OFFSET *)params.offsets.data;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t first = (size_t)blockIdx.x * params.each, segment = first + warp;
    bool later = false;
    if (warp < params.each && segment < params.offsets.count) {
        const size_t begin = data[segment], end = data[segment + 1];
        const bool wrong = (segment == 0 && offset_is_wrong(params.offsets, 0, begin, 0)) ||
                           offset_is_wrong(params.offsets, segment + 1, end, begin);
        if (wrong && lane == 0)
            leave_error(params.offsets, segment == 0 && begin != 0 ? 0 : segment + 1);
        later = !wrong && end - begin > (params.each == 1 ? DIRECT_LONG_ALONE : DIRECT_LONG);
        if (!wrong && !later) {
            const T none = identity(op);
            const T sum =
                warp_reduce(op, reduce_strided(op, params.in, begin, end, lane, 32, none));
            if (lane == 0)
                store_reduced(op, params, segment, begin, end - begin, sum);
        }
    }
    if (lane == 0)
        is_long[warp] = later;
    __syncthreads();
#pragma unroll 1
    for (unsigned w = 0; w < params.each; w++) {
        if (!is_long[w])
            continue;
        const size_t begin = data[first + w], end = data[first + w + 1];
        T sum = identity(op);
        sum = warp_reduce(
            op, reduce_strided(op, params.in, begin, end, threadIdx.x, DIRECT_WARPS * 32, sum));
        if (lane == 0)
            sums[warp] = sum;
        __syncthreads();
        sum = warp_reduce(op, sums[lane]);
        if (threadIdx.x == 0)
            store_reduced(op, params, first + w, begin, end - begin, sum);
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0 && params.offsets.number != NULL)
        *params.offsets.number = params.offsets.count;
}

template <typename In, typename T, typename OPERATOR>
static __global__ void __launch_bounds__(DIRECT_WARPS * 32)
    reduce_directly(const __grid_constant__ reduce_small_params<In, T> params)
{
    wait_for_previous_kernel();
    if (params.offsets.wide)
        reduce_block<In, T, OPERATOR, uint64_t>(params);
    else
        reduce_block<In, T, OPERATOR, uint32_t>(params);
}

#endif
