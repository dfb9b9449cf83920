/*
 * A segmented reduction of few elements by offsets on CUDA, in one launch without tiles. Each warp
 * reduces one segment. Segments that are too long for one warp are cut into pieces, which all warps of
 * the block share.
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
   segment that is long all the same costs more: a block reduces it alone. */
#define DIRECT_MOST_SHORT ((size_t)1 << 19)
#define DIRECT_MEAN ((size_t)1 << 10)
#define DIRECT_WARPS 32u
#define DIRECT_AT_ONCE 8u /* elements that a thread has in flight */
/* Elements that are too many for one warp: more than it has in flight, if other warps have nothing to do. */
#define DIRECT_LONG 1024u
#define DIRECT_LONG_ALONE (32 * DIRECT_AT_ONCE)
#define DIRECT_LEAST_PIECE (32 * DIRECT_AT_ONCE)
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

/* Reduces the elements begin to end - 1. Called by a warp. */
template <typename T, typename OPERATOR, typename In>
static __device__ __forceinline__ T reduce_by_warp(OPERATOR op, const In *in, size_t begin,
                                                   size_t end, unsigned lane)
{
    T sum = identity(op);
    size_t from = begin + lane;
#pragma unroll 1
    for (; from + (DIRECT_AT_ONCE - 1) * 32 < end; from += DIRECT_AT_ONCE * 32) {
        In x[DIRECT_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < DIRECT_AT_ONCE; k++)
            x[k] = in[from + k * 32];
#pragma unroll
        for (unsigned k = 0; k < DIRECT_AT_ONCE; k++)
            sum = combine(op, sum, (T)x[k]);
    }
    if (from < end) {
        T x[DIRECT_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < DIRECT_AT_ONCE; k++) {
            x[k] = identity(op);
            if (from + k * 32 < end)
                x[k] = (T)in[from + k * 32];
        }
#pragma unroll
        for (unsigned k = 0; k < DIRECT_AT_ONCE; k++)
            sum = combine(op, sum, x[k]);
    }
    return warp_reduce(op, sum);
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

/* Reduces the long segments of a block; `data` has their offsets, and lane w the length of segment w, or 0.
   There are fewer than 64 pieces: each warp would have one, but each of at most 32 segments may end in a
   shorter one. Returns the sum of segment `warp` if it is long. Called by the whole block. */
template <typename T, typename OPERATOR, typename In, typename OFFSET>
static __device__ __forceinline__ T reduce_pieces(OPERATOR op, const In *in, const OFFSET *data,
                                                  uint32_t length, unsigned warp, unsigned lane)
{
    __shared__ T sums[2 * DIRECT_WARPS];
    const parscan_operator_SUM add;
    const uint32_t all = warp_shuffle(warp_scan(add, length, lane), 31);
    const uint32_t piece = (all / DIRECT_WARPS / DIRECT_LEAST_PIECE + 1) * DIRECT_LEAST_PIECE;
    const uint32_t pieces = (length + piece - 1) / piece;
    const uint32_t through = warp_scan(add, pieces, lane), before = through - pieces;
#pragma unroll 1
    for (uint32_t p = warp; p < warp_shuffle(through, 31); p += DIRECT_WARPS) {
        const unsigned w = (unsigned)__popc(__ballot_sync(0xffffffffu, through <= p));
        const size_t begin = data[w] + (size_t)(p - warp_shuffle(before, w)) * piece;
        const size_t end = data[w + 1];
        const T sum =
            reduce_by_warp<T>(op, in, begin, end - begin < piece ? end : begin + piece, lane);
        if (lane == 0)
            sums[p] = sum;
    }
    __syncthreads();
    const uint32_t first = warp_shuffle(before, warp), last = warp_shuffle(through, warp);
    T sum = identity(op);
    for (uint32_t p = first + lane; p < last; p += 32)
        sum = combine(op, sum, sums[p]);
    return warp_reduce(op, sum);
}

template <typename In, typename T, typename OPERATOR, typename OFFSET>
static __device__ __forceinline__ void reduce_block(const reduce_small_params<In, T> &params)
{
    const OPERATOR op = OPERATOR();
    __shared__ uint32_t long_lengths[DIRECT_WARPS]; /* 0: the segment is not long */
    const OFFSET *const data = (const OFFSET *)params.offsets.data;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t first = (size_t)blockIdx.x * params.each, segment = first + warp;
    size_t begin = 0, end = 0;
    bool later = false;
    if (warp < params.each && segment < params.offsets.count) {
        begin = data[segment];
        end = data[segment + 1];
        const bool wrong = (segment == 0 && offset_is_wrong(params.offsets, 0, begin, 0)) ||
                           offset_is_wrong(params.offsets, segment + 1, end, begin);
        if (wrong && lane == 0)
            leave_error(params.offsets, segment == 0 && begin != 0 ? 0 : segment + 1);
        later = !wrong && end - begin > (params.each == 1 ? DIRECT_LONG_ALONE : DIRECT_LONG);
        if (!wrong && !later) {
            const T sum = reduce_by_warp<T>(op, params.in, begin, end, lane);
            if (lane == 0)
                store_reduced(op, params, segment, begin, end - begin, sum);
        }
    }
    if (lane == 0)
        long_lengths[warp] = later ? (uint32_t)(end - begin) : 0;
    __syncthreads();
    const uint32_t length = long_lengths[lane];
    if (__any_sync(0xffffffffu, length != 0)) {
        const T sum = reduce_pieces<T>(op, params.in, data + first, length, warp, lane);
        if (later && lane == 0)
            store_reduced(op, params, segment, begin, end - begin, sum);
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
