/*
 * Short scans and reductions by flags or keys on CUDA: a thread has one vector of at most four elements, and their marks,
 * in registers (scan/cuda/few_tiles.cuh). More elements of narrow types would be one after another.
 */
#ifndef PARSCAN_APPS_SEGMENTED_FEW_CUH
#define PARSCAN_APPS_SEGMENTED_FEW_CUH

#include "apps/segmented/segmented_pass.cuh"
#include "apps/segmented/segmented_plan.h"
#include "scan/single_pass/few_kernel.cuh"

template <typename In, typename T, typename Out>
using few_segments_shape = single_pass_shape<In, T, FEW_THREADS_OF_TILE / 32, 0, 1, 1, Out,
                                             16 / SEGMENTED_FEW_ELEMENT(sizeof(Out))>;

/* The operator on pairs (segmented_tile.cuh). The identity has a mark of its own, so that it is combined with no
   value. There are fewer heads than NO_ELEMENTS. */
template <typename OPERATOR>
struct pairs_operator {
    static const bool commutes = false;
};
#define NO_ELEMENTS 0x80000000u /* in place of the heads of a pair */

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
    if (a.heads == NO_ELEMENTS)
        return b;
    if (b.heads != 0)
        return sum_of(value_of(b), a.heads + b.heads);
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

template <typename S, bool REVERSE>
static __device__ __forceinline__ uint32_t heads_of_vector(const segmented_pass_params<S> &params,
                                                           const tile_extent<S, REVERSE> &extent)
{
    return with_marks(params.marks, [&](auto kind) {
        return find_heads<S, REVERSE, decltype(kind)>(params, extent);
    });
}

/* A thread's vector of the tile that is moved by so many elements, and its heads. */
template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ segment_rows<S>
rows_of_thread(OPERATOR op, const segmented_pass_params<S> &params,
               const tile_extent<S, REVERSE> &extent, size_t moved)
{
    segment_rows<S> rows;
    load_of_thread(op, extent, params.plain.in + moved, params.plain.misalignment, rows.x);
    rows.heads[0] = heads_of_vector(params, extent);
    return rows;
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
    segment_rows<S> rows = rows_of_thread(op, params, extent, moved);
    scan_rows(op, plain, lane, rows);
    const segment_sum<typename S::T> before =
        prefix_of_warp(pairs_operator<OPERATOR>(), entry,
                       sum_of(rows.end[0], (uint32_t)(rows.lanes[0] != 0)), shared);
    rows.join(op, value_of(before), lane);
    store_rows(op, plain, extent, rows, plain.out + moved, warp * 32, lane);
    entry.leave(shared.epoch);
}

template <typename S>
struct few_sums_shared : few_shared<S::SCANNERS, segment_sum<typename S::T>> {
    alignas(16) unsigned char keys[S::TILE * sizeof(uint64_t)];
};

/* Copies the keys of a thread's vector to shared memory: outputs may overwrite them. */
template <typename S, typename K>
static __device__ __forceinline__ void stage_keys(const char *keys,
                                                  const tile_extent<S, false> &extent, void *to)
{
    const unsigned first = threadIdx.x * S::LANE;
#pragma unroll
    for (unsigned at = first; at < first + S::LANE; at++)
        if (at >= extent.begin && at < extent.end)
            ((K *)to)[at] = ((const K *)keys)[at];
}

/* Calls with(K()) for the type of so many bytes. */
template <typename With>
static __device__ __forceinline__ void with_key(unsigned bytes, With with)
{
    if (bytes == 1)
        with(uint8_t());
    else if (bytes == 2)
        with(uint16_t());
    else if (bytes == 4)
        with(uint32_t());
    else
        with(uint64_t());
}

/* A head stores the sum of the segment before it, and its own key; the last element the last sum. No chunk. */
template <typename S, typename OPERATOR>
static __global__ void FEW_BOUNDS
reduce_few_segments(const __grid_constant__ segmented_pass_params<S> given)
{
    typedef typename S::T T;
    typedef few_sums_shared<S> shared_type;
    const OPERATOR op = OPERATOR();
    segmented_pass_params<S> params = segments_at_their_lengths(given);
    __shared__ shared_type shared;
    const unsigned lane = threadIdx.x % 32;
    const few_entry entry(params.plain.chain);
    read_init(params);
    const single_pass_params<S> &plain = params.plain;
    const tile_extent<S, false> extent = extent_of_block<S, false>(plain);
    const size_t moved = extent.at * S::TILE - plain.head_padding;
    segment_rows<S> rows = rows_of_thread(op, params, extent, moved);
    if (params.keys_out != NULL) {
        const char *const keys = params.keys != NULL ? params.keys : params.marks.marks;
        with_key(params.key_bytes, [&](auto key) {
            stage_keys<S, decltype(key)>(keys + moved * sizeof key, extent, shared.keys);
        });
    }
    scan_rows(op, plain, lane, rows);
    const uint32_t count = (uint32_t)__popc(rows.heads[0]);
    const uint32_t through = warp_scan(parscan_operator_SUM(), count, lane);
    const segment_sum<T> before =
        prefix_of_warp(pairs_operator<OPERATOR>(), entry,
                       sum_of(rows.end[0], __shfl_sync(0xffffffffu, through, 31)), shared);
    uint32_t heads = (before.heads & ~NO_ELEMENTS) + through - count;
    rows.join(op, value_of(before), lane);
    const segment_outputs<S> outputs = {plain.out, 0, params.capacity};
    T sum = rows.before[0];
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++) {
        const unsigned at = threadIdx.x * S::LANE + e;
        if (rows.heads[0] >> e & 1) {
            outputs.store(heads, rounded<typename S::Out>(sum));
            if (params.keys_out != NULL && heads < params.capacity)
                with_key(params.key_bytes, [&](auto key) {
                    typedef decltype(key) K;
                    ((K *)params.keys_out)[heads] = ((const K *)shared.keys)[at];
                });
            heads++;
        }
        sum = rows.through(op, 0, e);
        if (at >= extent.begin && at + 1 == extent.end && moved + at + 1 == plain.n) {
            outputs.store(heads, rounded<typename S::Out>(sum));
            if (params.count != NULL)
                *params.count = heads;
            if (heads > params.capacity)
                leave_capacity(params.marks.offsets.deferred, heads);
        }
    }
    entry.leave(shared.epoch);
}

#endif
