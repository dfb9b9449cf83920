/*
 * A short scan by flags or keys on CUDA: a thread has one vector of the output, and its marks, in registers
 * (scan/cuda/few_tiles.cuh).
 */
#ifndef PARSCAN_APPS_SEGMENTED_FEW_CUH
#define PARSCAN_APPS_SEGMENTED_FEW_CUH

#include "apps/segmented/segmented_pass.cuh"
#include "scan/single_pass/few_kernel.cuh"

/* The operator on pairs (segmented_tile.cuh). The identity has a mark of its own, so that it is combined with no
   value. */
template <typename OPERATOR>
struct pairs_operator {
    static const bool commutes = false;
};
#define NO_ELEMENTS 2u /* in place of the heads of a pair */

template <typename OPERATOR>
struct pairs_identity {
    template <typename T>
    __device__ operator segment_sum<T>() const
    {
        return sum_of((T)identity(OPERATOR()), NO_ELEMENTS);
    }
};
template <typename OPERATOR>
static __device__ __forceinline__ pairs_identity<OPERATOR> identity(pairs_operator<OPERATOR>)
{
    return pairs_identity<OPERATOR>();
}

template <typename OPERATOR, typename T>
static __device__ __forceinline__ segment_sum<T>
combine(pairs_operator<OPERATOR>, const segment_sum<T> &a, const segment_sum<T> &b)
{
    if (b.heads == NO_ELEMENTS)
        return a;
    if (b.heads != 0 || a.heads == NO_ELEMENTS)
        return b;
    return sum_of(combine(OPERATOR(), value_of(a), value_of(b)), a.heads);
}

/* Returns the heads of a thread's vector as bits, in the order of combination. */
template <typename S, bool REVERSE, typename MARKS>
static __device__ __forceinline__ uint32_t find_heads(const segmented_pass_params<S> &params,
                                                      const tile_extent<S, REVERSE> &extent)
{
    typedef typename MARKS::K K;
    const size_t index = extent.at * S::TILE - params.plain.head_padding; /* of position 0 */
    const size_t n = params.plain.n;
    const K *const marks = (const K *)params.marks.marks + index;
    const unsigned first = position_of<S, REVERSE>(threadIdx.x);
    const unsigned BYTES = S::LANE * sizeof(K);
    const auto is_there = [&](unsigned at) { return at >= extent.begin && at < extent.end; };
    K x[1][S::LANE], before = K();
    if (is_there(first) && is_there(first + S::LANE - 1) &&
        params.marks.misalignment % (BYTES < 16 ? BYTES : 16) == 0) {
        load_vectors<mark_shape<S, K>, REVERSE>(marks, 0, threadIdx.x, x);
    } else {
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const unsigned at = first + (REVERSE ? S::LANE - 1 - e : e);
            x[0][e] = is_there(at) ? marks[at] : K();
        }
    }
    const unsigned last =
        REVERSE ? first + S::LANE - 1 : first; /* the first in the order of combination */
    const size_t beside = index + last + (REVERSE ? 1 : ~(size_t)0);
    if (is_there(last) && beside < n)
        before = ((const K *)params.marks.marks)[beside];
    uint32_t bits = 0;
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++) {
        const unsigned at = first + (REVERSE ? S::LANE - 1 - e : e);
        const K here = x[0][e], previous = e == 0 ? before : x[0][e == 0 ? 0 : e - 1];
        const bool head = (REVERSE ? MARKS::part(here, previous) : MARKS::part(previous, here)) ||
                          index + at == (REVERSE ? n - 1 : 0);
        bits |= (uint32_t)(head && is_there(at)) << e;
    }
    return bits;
}

/* No chunk: nothing comes before the first element, which is a head. */
template <typename S, bool REVERSE, typename OPERATOR>
static __global__ void FEW_BOUNDS
scan_few_segments(const __grid_constant__ segmented_pass_params<S> given)
{
    typedef few_shared<S::SCANNERS, segment_sum<typename S::T>> shared_type;
    const OPERATOR op = OPERATOR();
    segmented_pass_params<S> params = segments_at_their_lengths(given);
    __shared__ shared_type shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const few_entry entry(params.plain.chain);
    read_init(params);
    const single_pass_params<S> &plain = params.plain;
    const tile_extent<S, REVERSE> extent = extent_of_block<S, REVERSE>(plain);
    const size_t moved = extent.at * S::TILE - plain.head_padding;
    segment_rows<S> rows;
    load_of_thread(op, extent, plain.in + moved, plain.misalignment, rows.x);
    rows.heads[0] = with_marks(params.marks, [&](auto kind) {
        return find_heads<S, REVERSE, decltype(kind)>(params, extent);
    });
    scan_rows(op, plain, lane, rows);
    const segment_sum<typename S::T> before =
        prefix_of_warp(pairs_operator<OPERATOR>(), entry,
                       sum_of(rows.end[0], (uint32_t)(rows.lanes[0] != 0)), shared);
    rows.join(op, value_of(before), lane);
    store_rows(op, plain, extent, rows, plain.out + moved, warp * 32, lane);
    entry.leave(shared.epoch);
}

#endif
