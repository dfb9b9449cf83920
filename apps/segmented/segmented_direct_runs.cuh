/*
 * What warps do with runs of elements in a segmented scan or reduction of few elements
 * (segmented_direct.cuh): a warp reduces or scans a run, and the warps of a block share long ones.
 */
#ifndef PARSCAN_APPS_SEGMENTED_DIRECT_RUNS_CUH
#define PARSCAN_APPS_SEGMENTED_DIRECT_RUNS_CUH

#include "apps/segmented/segmented_plan.h"
#include "apps/segments/segment_search.cuh"
#include "apps/segments/segment_starts.cuh"
#include "scan/single_pass/single_pass_tile.cuh"

#define DIRECT_WARPS 16u
#define DIRECT_THREADS (DIRECT_WARPS * 32)
#define DIRECT_ROWS 8u /* rows of 32 elements that a warp has in flight */
#define DIRECT_LEAST_PIECE (32 * DIRECT_ROWS)
#define DIRECT_MOST_PIECES (DIRECT_WARPS + DIRECT_EACH)

template <typename In, typename T, typename Out = T>
struct direct_params
    : segment_starts<T, Out> { /* empty: also the first element of an exclusive scan */
    const In *in;
    Out *out;
    segment_offsets offsets;
    bool exclusive, reverse;
    unsigned finders, each; /* blocks with segments; segments of each */
    uint32_t tile;          /* elements of a tile. Without tile blocks no row is longer */
    tile_chain chain; /* one word a finder; then, from the next even one on, the sums of tiles */
};

/* Elements in a row: a segment, or a part of it. */
struct direct_run {
    uint32_t begin, length;

    /* The elements from `from` to `end` - 1, counted in the order of the scan. */
    __device__ __forceinline__ direct_run part(uint32_t from, uint32_t end, bool reverse) const
    {
        return {reverse ? begin + length - end : begin + from, end - from};
    }
};

/* Reduces `length` elements. Only lane 0's result counts. Called by a warp. */
template <typename T, typename OPERATOR, typename In>
static __device__ __forceinline__ T reduce_by_warp(OPERATOR op, const In *in, uint32_t length,
                                                   unsigned lane)
{
    T sum = identity(op);
#pragma unroll 1
    for (uint32_t from = 0; from < length; from += DIRECT_ROWS * 32) {
        T x[DIRECT_ROWS];
#pragma unroll
        for (unsigned k = 0; k < DIRECT_ROWS; k++) {
            const uint32_t i = from + k * 32 + lane;
            x[k] = identity(op);
            if (i < length)
                x[k] = widened<T>(in[i]);
        }
#pragma unroll
        for (unsigned k = 0; k < DIRECT_ROWS; k++)
            sum = combine(op, sum, x[k]);
    }
    return warp_reduce(op, sum);
}

/* What comes before a run in its segment. */
template <typename T>
struct direct_prefix {
    T value;
    bool any; /* there is a value */

    template <typename OPERATOR>
    __device__ __forceinline__ T join(OPERATOR op, T x) const
    {
        return any ? combine(op, value, x) : x;
    }
};

/* Scans ROWS rows of 32 elements, of which `left` are the run's. The first is at `place`, each other
   at `step` from the one before. Returns what comes after them. Called by a warp. */
template <unsigned ROWS, typename OPERATOR, typename In, typename T, typename Out>
static __device__ __forceinline__ direct_prefix<T>
scan_direct_rows(OPERATOR op, const direct_params<In, T, Out> &params, uint32_t place,
                 uint32_t step, uint32_t left, direct_prefix<T> before, unsigned lane)
{
    T x[ROWS], all[ROWS], previous[ROWS];
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++) {
        x[k] = identity(op);
        if (k * 32 + lane < left)
            x[k] = widened<T>(params.in[place + step * (k * 32 + lane)]);
    }
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++) {
        x[k] = warp_scan(op, x[k], lane);
        all[k] = warp_shuffle(x[k], 31);
        previous[k] = warp_shuffle_up(x[k], 1);
    }
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++) {
        T y = before.join(op, params.exclusive ? previous[k] : x[k]);
        if (params.exclusive && lane == 0)
            y = before.any ? before.value : params.empty;
        before = {before.join(op, all[k]), true};
        if (k * 32 + lane < left)
            params.out[place + step * (k * 32 + lane)] = rounded<Out>(y);
    }
    return before;
}

/* Scans a run. Called by a warp. */
template <typename OPERATOR, typename In, typename T, typename Out>
static __device__ __forceinline__ void
scan_by_warp(OPERATOR op, const direct_params<In, T, Out> &params, direct_run run,
             direct_prefix<T> before, unsigned lane)
{
    const unsigned ROWS = sizeof(T) > 4 ? DIRECT_ROWS / 2 : DIRECT_ROWS; /* no registers spill */
    const uint32_t step = params.reverse ? ~0u : 1u;
    uint32_t place = params.reverse ? run.begin + run.length - 1 : run.begin, left = run.length;
#pragma unroll 1
    while (left > 32) {
        before = scan_direct_rows<ROWS>(op, params, place, step, left, before, lane);
        place += step * (ROWS * 32);
        left -= left < ROWS * 32 ? left : ROWS * 32;
    }
    if (left > 0)
        scan_direct_rows<1>(op, params, place, step, left, before, lane);
}

/* The pieces of the runs that a block's warps share, numbered in the order of the scan. There are
   fewer than DIRECT_MOST_PIECES: each warp would have one, but each of at most DIRECT_EACH runs may
   end in a shorter one. */
struct direct_pieces {
    direct_run run;  /* lane w: run w, which may be empty */
    uint32_t size;   /* elements of a piece, or fewer at the end of a run */
    uint32_t before; /* lane w: the number of pieces of the runs before run w */
    uint32_t through;
    uint32_t count;

    __device__ __forceinline__ direct_pieces(direct_run run_, unsigned lane) : run(run_)
    {
        const parscan_operator_SUM add;
        const uint32_t all = warp_shuffle(warp_scan(add, run.length, lane), 31);
        size = ((all - 1) / DIRECT_WARPS / DIRECT_LEAST_PIECE + 1) * DIRECT_LEAST_PIECE;
        const uint32_t pieces = (run.length + size - 1) / size;
        through = warp_scan(add, pieces, lane);
        before = through - pieces;
        count = warp_shuffle(through, 31);
    }

    /* Calls body(w, p, first, piece) for the warp's pieces p, from piece `begin` on; each is of run w,
       whose first piece is `first`. */
    template <typename Body>
    __device__ __forceinline__ void for_each(bool reverse, unsigned begin, Body body) const
    {
#pragma unroll 1
        for (uint32_t p = begin; p < count; p += DIRECT_WARPS) {
            const unsigned w = (unsigned)__popc(__ballot_sync(0xffffffffu, through <= p));
            const uint32_t first = warp_shuffle(before, w), from = (p - first) * size;
            const direct_run whole = {warp_shuffle(run.begin, w), warp_shuffle(run.length, w)};
            const uint32_t end = whole.length - from < size ? whole.length : from + size;
            body(w, p, first, whole.part(from, end, reverse));
        }
    }
};

/* Combines sums[first] to sums[end - 1]. Only lane 0's result counts. Called by a warp. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ T combine_pieces(OPERATOR op, const T *sums, uint32_t first,
                                                   uint32_t end, unsigned lane)
{
    T sum = identity(op);
    for (uint32_t p = first + lane; p < end; p += 32)
        sum = combine(op, sum, sums[p]);
    return warp_reduce(op, sum);
}

#endif
