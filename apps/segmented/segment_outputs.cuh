/*
 * What a segmented reduction stores of a tile on CUDA: a head stores the sum of the segment that ends before it,
 * where the number of heads so far says; by offsets, whose empty segments have no head, where the
 * offsets say. Elements that are between two heads and have none of a warp's vector are only summed up.
 */
#ifndef PARSCAN_APPS_SEGMENT_OUTPUTS_CUH
#define PARSCAN_APPS_SEGMENT_OUTPUTS_CUH

#include "apps/segmented/segment_search.cuh"
#include "apps/segmented/segmented_tile.cuh"

/* Where the sum of a segment goes. */
template <typename S>
struct segment_outputs {
    typename S::T *out;
    const segment_offsets &offsets;
    size_t first; /* the element at the tile's position 0, or that many before the array, wrapped */
    uint64_t heads;     /* before the tile */
    uint64_t low, high; /* by offsets: the segments that the tile ends are after low, up to high */

    __device__ __forceinline__ segment_outputs(const segmented_pass_call<S> &call, size_t tile,
                                               uint64_t heads)
        : out(call.plain.out), offsets(call.offsets), first(tile * S::TILE - call.plain.lead),
          heads(heads), low(0), high(0)
    {
        if (offsets.data != NULL) {
            low = offsets.segments[tile];
            high = offsets.segments[tile + 1];
        }
    }

    /* The segment that ends before `position`; of this tile's heads, so many come before. By offsets empty
       segments may lie between: then it is looked for. */
    __device__ __forceinline__ void store(unsigned position, uint32_t rank,
                                          typename S::T value) const
    {
        if (offsets.data == NULL) {
            out[heads + rank - 1] = value;
            return;
        }
        const uint64_t segment =
            offsets.wide ? find<uint64_t>(position, rank) : find<uint32_t>(position, rank);
        if (segment < offsets.count)
            out[segment] = value;
    }

    template <typename OFFSET>
    __device__ __forceinline__ uint64_t find(unsigned position, uint32_t rank) const
    {
        const OFFSET *const data = (const OFFSET *)offsets.data;
        const uint64_t end = first + position, guess = low + rank; /* no less */
        if (guess + 1 <= offsets.count && data[guess + 1] >= end)
            return guess;
        const uint64_t most = high < offsets.count ? high + 1 : offsets.count;
        return segment_ending(data, end, guess + 1, most);
    }
};

/* Stores the sums of the segments that end in a lane's elements of a vector: `previous` comes before them,
   after `rank` heads of the tile. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void
store_ended(OPERATOR op, const single_pass_call<S> &call, const segment_outputs<S> &outputs,
            unsigned position, uint32_t heads, uint32_t rank, typename S::T previous,
            const typename S::T (&x)[S::LANE])
{
    if (heads == 0)
        return;
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++) {
        if (heads >> e & 1) {
            /* The array's first element ends no segment. */
            if (outputs.first + position + e != 0)
                outputs.store(position + e, rank, previous);
            rank++;
            previous = begun<S>(op, call, x[e]);
        } else {
            previous = combine(op, previous, x[e]);
        }
    }
}

/* Of one part of a tile, after `before` and after `rank` heads of the tile. Returns what comes after
   it. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
store_segments(OPERATOR op, const single_pass_call<S> &call, const segment_outputs<S> &outputs,
               const typename S::In *tile, const typename head_bits<S::LANE>::type *heads,
               uint32_t rank, unsigned part, typename S::T before, unsigned lane)
{
    typedef typename S::T T;
    T column = before;    /* elements behind `before`, a lane's own */
    bool waiting = false; /* there are such */
#pragma unroll 1
    for (unsigned v = 0; v < S::VECTORS; v += S::GROUP) {
        const unsigned vector = (part * S::VECTORS + v) * 32 + lane;
        T x[S::GROUP][S::LANE];
        load_vectors<S, false>(tile, call.skew, vector, x);
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++) {
            const uint32_t mine = heads[vector + 32 * g];
            const uint32_t lanes[1] = {__ballot_sync(0xffffffffu, mine != 0)};
            T sum = x[g][0];
            if (lanes[0] == 0) {
#pragma unroll
                for (unsigned e = 1; e < S::LANE; e++)
                    sum = combine(op, sum, x[g][e]);
                column = waiting ? combine(op, column, sum) : sum;
                waiting = true;
                continue;
            }
            if (waiting)
                before = combine(op, before, warp_shuffle(warp_reduce(op, column), 0));
            waiting = false;
            if (mine & 1)
                sum = begun<S>(op, call, sum);
#pragma unroll
            for (unsigned e = 1; e < S::LANE; e++)
                sum = mine >> e & 1 ? begun<S>(op, call, x[g][e]) : combine(op, sum, x[g][e]);
            T through[1] = {sum};
            scan_lanes(op, through, lanes, lane);
            const T up = warp_shuffle_up(through[0], 1);
            T previous = before;
            if (lane != 0)
                previous = lanes[0] & ((1u << lane) - 1) ? up : combine(op, before, up);
            const uint32_t count = (uint32_t)__popc(mine);
            const uint32_t ranks = warp_scan(parscan_operator_SUM(), count, lane);
            store_ended(op, call, outputs, (vector + 32 * g) * S::LANE, mine, rank + ranks - count,
                        previous, x[g]);
            before = warp_shuffle(through[0], 31);
            rank += warp_shuffle(ranks, 31);
        }
    }
    return waiting ? combine(op, before, warp_shuffle(warp_reduce(op, column), 0)) : before;
}

#endif
