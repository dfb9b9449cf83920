/*
 * A segmented scan or reduction of few elements by offsets on CUDA: a block has a segment, and no other. Nothing is
 * looked for, so a block with a short segment waits for memory twice, for its offsets and for its elements.
 */
#ifndef PARSCAN_APPS_SEGMENTED_BLOCK_EACH_CUH
#define PARSCAN_APPS_SEGMENTED_BLOCK_EACH_CUH

#include "apps/segmented/segmented_direct.cuh"
#include "scan/single_pass/reduce_kernels.cuh"

#define BLOCK_EACH_WARPS 8u
#define BLOCK_EACH_THREADS (32 * BLOCK_EACH_WARPS)
#define BLOCK_EACH_ROWS 8u    /* elements that a thread has in flight, */
#define BLOCK_EACH_VECTORS 4u /* or vectors of 16 bytes, of a long segment */

/* Reduces a thread's share of a segment, ROWS elements at once. */
template <unsigned ROWS, typename T, typename OPERATOR, typename In>
static __device__ __forceinline__ T reduce_share(OPERATOR op, const In *in, uint32_t length)
{
    T x[ROWS], sum = identity(op);
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++) {
        const uint32_t i = threadIdx.x + k * BLOCK_EACH_THREADS;
        x[k] = i < length ? widened<T>(in[i]) : identity(op);
    }
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++)
        sum = combine(op, sum, x[k]);
    return sum;
}

template <typename T>
struct block_each_shared {
    direct_run segment;
    T sums[BLOCK_EACH_WARPS];
};

/* Reads the block's segment: by one thread, since another kernel may change the offsets between two reads.
   Returns false if there is nothing to do. */
template <typename T>
static __device__ __forceinline__ bool read_own_segment(const segment_offsets &offsets,
                                                        block_each_shared<T> &shared)
{
    if (threadIdx.x == 0) {
        direct_run segment = {DIRECT_NONE, 0};
        if (blockIdx.x == 0)
            end_segments(offsets);
        if (blockIdx.x < offsets.count && !read_segment(offsets, blockIdx.x, true, segment))
            segment.begin = DIRECT_NONE;
        shared.segment = segment;
    }
    __syncthreads();
    return shared.segment.begin != DIRECT_NONE;
}

template <typename OPERATOR, typename In, typename T, typename Out>
static __device__ __forceinline__ void reduce_own_segment(const direct_params<In, T, Out> &params,
                                                          block_each_shared<T> &shared)
{
    const OPERATOR op = OPERATOR();
    const direct_run segment = shared.segment;
    const In *const in = params.in + segment.begin;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T sum;
    if (segment.length <= BLOCK_EACH_THREADS)
        sum = reduce_share<1, T>(op, in, segment.length);
    else if (segment.length <= BLOCK_EACH_ROWS * BLOCK_EACH_THREADS)
        sum = reduce_share<BLOCK_EACH_ROWS, T>(op, in, segment.length);
    else
        sum = reduce_strided<BLOCK_EACH_VECTORS, OPERATOR, In, T>(
            op, in, 0, segment.length, reduce_sharers{threadIdx.x, BLOCK_EACH_THREADS});
    sum = warp_reduce(op, sum);
    if (segment.length > 32) {
        if (lane == 0)
            shared.sums[warp] = sum;
        __syncthreads();
        if (warp == 0)
            sum = combine_pieces(op, shared.sums, 0, BLOCK_EACH_WARPS, lane);
    }
    if (threadIdx.x == 0)
        store_segment(op, params, blockIdx.x, segment, sum);
}

/* A long segment is read twice: each warp has a piece. */
template <typename OPERATOR, typename In, typename T, typename Out>
static __device__ __forceinline__ void scan_own_segment(const direct_params<In, T, Out> &params,
                                                        block_each_shared<T> &shared)
{
    const OPERATOR op = OPERATOR();
    const direct_run segment = shared.segment;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    direct_prefix<T> before = {params.start_of_segment(), !params.keeps};
    if (segment.length <= DIRECT_LEAST_PIECE) {
        if (warp == 0)
            scan_by_warp(op, params, segment, before, lane);
        return;
    }
    const uint32_t size =
        ((segment.length - 1) / BLOCK_EACH_WARPS / DIRECT_LEAST_PIECE + 1) * DIRECT_LEAST_PIECE;
    const uint32_t from = warp * size < segment.length ? warp * size : segment.length;
    const uint32_t end = segment.length - from < size ? segment.length : from + size;
    const direct_run piece = segment.part(from, end, params.reverse);
    const T sum = reduce_by_warp<T>(op, params.in + piece.begin, piece.length, lane);
    if (lane == 0)
        shared.sums[warp] = sum;
    __syncthreads();
    if (warp > 0) {
        const T earlier = combine_pieces(op, shared.sums, 0, warp, lane);
        before = {before.join(op, warp_shuffle(earlier, 0)), true};
    }
    scan_by_warp(op, params, piece, before, lane);
}

template <typename In, typename T, typename OPERATOR, bool SCANS, typename Out>
static __global__ void __launch_bounds__(BLOCK_EACH_THREADS, BLOCKS_HELD(BLOCK_EACH_THREADS, 4))
    segments_by_blocks(const __grid_constant__ direct_params<In, T, Out> given)
{
    typedef block_each_shared<T> shared_type;
    __shared__ shared_type shared;
    direct_params<In, T, Out> params = given;
    params.offsets = at_their_lengths(given.offsets);
    params.offsets.n = (uint32_t)params.offsets.n; /* few: registers of 32 bits */
    params.offsets.count = (uint32_t)params.offsets.count;
    wait_for_previous_kernel();
    if (!read_own_segment(params.offsets, shared))
        return;
    if constexpr (SCANS)
        scan_own_segment<OPERATOR>(params, shared);
    else
        reduce_own_segment<OPERATOR>(params, shared);
}

#endif
