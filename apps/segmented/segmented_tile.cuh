/*
 * What a segmented scan and reduction do with a tile on CUDA.
 *
 * The operator on pairs of a value and a number of heads is
 *
 *     (a, f) + (b, g) = (g > 0 ? b : a + b, f + g)
 *
 * It does not commute, but nothing before the last head matters. In a run of pairs, only those from
 * the last pair with a head on are combined, in any order, since the operator on values commutes.
 * In a warp this takes one ballot instead of a flag that is shuffled with each value.
 *
 * A value that is alone in its segment is never combined with the identity, so the result is
 * bit-identical to the input.
 *
 * Source: G. Blelloch, Prefix sums and their applications, 1990; S. Sengupta, M. Harris, M.
 * Garland, Efficient Parallel Scan Algorithms for GPUs, 2008 (the lane from which on a warp's lanes
 * are combined).
 */
#ifndef PARSCAN_APPS_SEGMENTED_TILE_CUH
#define PARSCAN_APPS_SEGMENTED_TILE_CUH

#include "apps/segmented/segment_marks.cuh"
#include "apps/segments/segment_sum.cuh"

/* What comes before a tile. */
template <typename T>
struct segment_prefix {
    T value;        /* the sum of the open segment */
    uint64_t heads; /* for a reduction: the number of heads so far */
};

template <typename S>
struct segmented_pass_params {
    single_pass_params<S> plain; /* start: init, or the identity; keeps: there is no init */
    mark_params marks;
    typename S::T
        open;        /* the sum of the segment that the first element goes on with; else as start */
    bool continues;  /* the first element goes on with a segment */
    uint64_t *count; /* for a reduction: receives the number of segments */
    uint64_t capacity; /* for a reduction: so many are written at most */
    /* For a reduction by keys: receives the first key of each segment, of key_bytes. NULL: not wanted.
       keys: where they are, if the marks are not they; else NULL. */
    void *keys_out;
    const char *keys;
    unsigned key_bytes;
    unsigned stage_bytes, stages;
    unsigned marks_at, heads_at; /* in bytes from the start of a stage */
    typename S::T *through; /* of a reduction, or if results are rounded: receives the sum of the
                               segment that is open at the end, as it is not; NULL: not wanted. A
                               reduction does not store that sum then */
};

/* The first element of a segment, combined with init. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
begun(OPERATOR op, const single_pass_params<S> &params, typename S::T x)
{
    return params.keeps ? x : combine(op, params.start, x);
}

/* Scans a lane's elements of a vector: each becomes the sum from the last head on, or from the
   vector's first element. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void scan_elements(OPERATOR op,
                                                     const single_pass_params<S> &params,
                                                     uint32_t heads, typename S::T (&x)[S::LANE])
{
    if (heads & 1)
        x[0] = begun<S>(op, params, x[0]);
#pragma unroll
    for (unsigned e = 1; e < S::LANE; e++)
        x[e] = heads >> e & 1 ? begun<S>(op, params, x[e]) : combine(op, x[e - 1], x[e]);
}

/* Returns the pair of a part, at lane 0. `end`: the position after the array is a head too, but
   not one of the part's. */
template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR>
static __device__ __forceinline__ segment_sum<typename S::T>
reduce_segments(OPERATOR op, const single_pass_params<S> &params, const typename S::In *tile,
                const typename head_bits<S::LANE>::type *heads, unsigned end, unsigned part,
                unsigned lane)
{
    typedef typename S::T T;
    static_assert(OPERATOR::commutes, "values of a segment are combined in any order");
    T column = identity(op), last_element = column;
    bool any = false, ends = false; /* there is a head; it is at the last element */
    uint32_t count = 0;
#pragma unroll 1
    for (unsigned v = 0; v < S::VECTORS; v += S::GROUP) {
        const unsigned vector = (part * S::VECTORS + v) * 32 + lane;
        T x[S::GROUP][S::LANE];
        load_vectors<S, REVERSE>(tile, params.misalignment, vector, x);
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++) {
            uint32_t mine = heads[vector + 32 * g];
            if (REDUCES && end - (vector + 32 * g) * S::LANE < S::LANE)
                mine &= ~(1u << (end - (vector + 32 * g) * S::LANE));
            const uint32_t lanes = __ballot_sync(0xffffffffu, mine != 0);
            last_element = x[g][S::LANE - 1];
            T sum = x[g][0];
#pragma unroll
            for (unsigned e = 1; e < S::LANE; e++)
                sum = mine >> e & 1 ? x[g][e] : combine(op, sum, x[g][e]);
            if (lanes == 0) {
                column = combine(op, column, sum);
                ends = false;
                continue;
            }
            column = identity(op);
            if (lane >= 31 - (unsigned)__clz((int)lanes))
                column = sum;
            any = true;
            ends = mine >> (S::LANE - 1);
            count += (uint32_t)__popc(mine);
        }
    }
    T value = warp_reduce(op, column);
    if (__ballot_sync(0xffffffffu, ends) >> 31)
        value = warp_shuffle(last_element, 31);
    if (any)
        value = begun<S>(op, params, value);
    return sum_of(value, REDUCES ? warp_total(count) : (uint32_t)any);
}

/* Returns the pair of all parts, at lane SCANNERS - 1, and replaces the pair of each part by
   that of the parts before it. Called by a whole warp. */
template <typename S, bool REDUCES, typename OPERATOR>
static __device__ __forceinline__ segment_sum<typename S::T>
scan_parts(OPERATOR op, segment_sum<typename S::T> (&sums)[S::SCANNERS], unsigned lane)
{
    typedef typename S::T T;
    T value[1] = {identity(op)};
    uint32_t count = 0;
    if (lane < S::SCANNERS) {
        value[0] = value_of(sums[lane]);
        count = sums[lane].heads;
    }
    const uint32_t lanes[1] = {__ballot_sync(0xffffffffu, count != 0)};
    scan_lanes(op, value, lanes, lane);
    const uint32_t through = REDUCES ? warp_scan(parscan_operator_SUM(), count, lane)
                                     : (uint32_t)((lanes[0] & (0xffffffffu >> (31 - lane))) != 0);
    const segment_sum<T> all = sum_of(value[0], through);
    const segment_sum<T> before = warp_shuffle_up(all, 1);
    if (lane < S::SCANNERS)
        sums[lane] = lane == 0 ? sum_of((T)identity(op), 0) : before;
    return all;
}

/* Returns what comes before a part of a tile in the open segment. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ T before_part(OPERATOR op, const segment_sum<T> &parts, T before,
                                                unsigned part)
{
    if (part == 0)
        return before;
    return parts.heads != 0 ? value_of(parts) : combine(op, before, value_of(parts));
}

/* Rows of 32 aggregates that are read at once: enough for the number of blocks that most devices
   hold. */
#define SEGMENT_ROWS 5u

/* Extends what comes before tile `known` to what comes before tile `end`; at lane 0. Only the
   aggregates from the last one with a head on count. If that is the last of all, its value is
   the result. Only a reduction counts heads. */
template <bool REDUCES, typename OPERATOR, typename T>
static __device__ __forceinline__ void look_back_segments(OPERATOR op, const tile_chain &chain,
                                                          uint32_t epoch, size_t known, size_t end,
                                                          unsigned lane, segment_prefix<T> &before)
{
    const unsigned ROWS = SEGMENT_ROWS;
    T column = identity(op), last_row = identity(op);
    unsigned last = 0;              /* the lane of the last head, whose row is last_row */
    bool any = false, ends = false; /* there is a head; it is in the last tile */
    uint32_t heads = 0;
    if (known == end)
        return;
#pragma unroll 1
    for (size_t from = known; from < end; from += 32 * ROWS) {
        segment_sum<T> sums[ROWS];
#pragma unroll
        for (segment_sum<T> &sum : sums)
            sum = sum_of((T)identity(op), 0);
        tile_read(chain, epoch, from, end, lane, sums);
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            const T value = value_of(sums[row]);
            const uint32_t lanes = __ballot_sync(0xffffffffu, sums[row].heads != 0);
            heads += sums[row].heads;
            if (lanes == 0) {
                column = combine(op, column, value);
                continue;
            }
            last = 31 - (unsigned)__clz((int)lanes);
            any = true;
            ends = from + row * 32 + last + 1 == end;
            last_row = value;
            column = identity(op);
            if (lane >= last)
                column = value;
        }
    }
    const T sum = ends ? warp_shuffle(last_row, last) : warp_reduce(op, column);
    before.value = any ? sum : combine(op, before.value, sum);
    if (REDUCES)
        before.heads += warp_total(heads);
}

/* A group of vectors of each lane, each scanned from its last head on. */
template <typename S>
struct segment_rows {
    typedef typename S::T T;
    T x[S::GROUP][S::LANE];
    T before[S::GROUP], end[S::GROUP]; /* the sums of the lanes before this one, and of all */
    uint32_t heads[S::GROUP], lanes[S::GROUP]; /* the lanes that have a head */

    /* Returns the sum through element e, within its segment. */
    template <typename OPERATOR>
    __device__ __forceinline__ T through(OPERATOR op, unsigned g, unsigned e) const
    {
        return heads[g] & ((2u << e) - 1) ? x[g][e] : combine(op, before[g], x[g][e]);
    }

    /* Puts `prefix` before the group. Returns what comes after it. */
    template <typename OPERATOR>
    __device__ __forceinline__ T join(OPERATOR op, T prefix, unsigned lane)
    {
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++) {
            if (lane == 0)
                before[g] = prefix;
            else if (!(lanes[g] & ((1u << lane) - 1)))
                before[g] = combine(op, prefix, before[g]);
            prefix = lanes[g] != 0 ? end[g] : combine(op, prefix, end[g]);
        }
        return prefix;
    }
};

/* Scans each vector of a group. Its elements and heads are there. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void scan_rows(OPERATOR op, const single_pass_params<S> &params,
                                                 unsigned lane, segment_rows<S> &rows)
{
    typename S::T through[S::GROUP];
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        rows.lanes[g] = __ballot_sync(0xffffffffu, rows.heads[g] != 0);
        scan_elements<S>(op, params, rows.heads[g], rows.x[g]);
        through[g] = rows.x[g][S::LANE - 1];
    }
    scan_lanes(op, through, rows.lanes, lane);
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        rows.before[g] = warp_shuffle_up(through[g], 1);
        rows.end[g] = warp_shuffle(through[g], 31);
    }
}

/* Stores the results of a group from `vector` on, which has been joined with what comes before. */
template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void
store_rows(OPERATOR op, const single_pass_params<S> &params, const tile_extent<S, REVERSE> &extent,
           const segment_rows<S> &rows, typename S::Out *out, unsigned vector, unsigned lane)
{
    typedef typename S::T T;
    __align__(16) T y[S::GROUP][S::LANE];
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        T previous = rows.before[g];
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const T inclusive = rows.through(op, g, e);
            const bool here = rows.heads[g] >> e & 1;
            y[g][REVERSE ? S::LANE - 1 - e : e] = !params.exclusive ? inclusive
                                                  : here            ? widened<T>(params.first)
                                                                    : previous;
            previous = inclusive;
        }
    }
    store_vectors<S, REVERSE>(extent, out, vector, y, lane);
}

/* Scans a group of vectors of each lane, and stores the results. prefix() returns what comes before
   the group; it is called when all is scanned that does not need it, since it may have to wait.
   Returns what comes after the group. */
template <typename S, bool REVERSE, typename OPERATOR, typename PREFIX>
static __device__ __forceinline__ typename S::T
scan_segments(OPERATOR op, const single_pass_params<S> &params,
              const tile_extent<S, REVERSE> &extent, const typename S::In *tile,
              const typename head_bits<S::LANE>::type *heads, typename S::Out *out, unsigned vector,
              PREFIX prefix, unsigned lane)
{
    typedef typename S::T T;
    segment_rows<S> rows;
    load_vectors<S, REVERSE>(tile, params.misalignment, vector + lane, rows.x);
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++)
        rows.heads[g] = heads[vector + g * 32 + lane];
    scan_rows(op, params, lane, rows);
    const T after = rows.join(op, prefix(), lane);
    store_rows(op, params, extent, rows, out, vector, lane);
    return after;
}

#endif
