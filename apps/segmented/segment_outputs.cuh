/*
 * What a segmented reduction stores of a tile on CUDA: a head stores the sum of the segment that ends before it,
 * where the number of heads so far says; by offsets, if there are empty segments, which have no head, where
 * the offsets say.
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
    bool looks_up;      /* there are empty segments: */
    uint64_t low, high; /* those that the tile ends are after low, up to high */

    __device__ __forceinline__ segment_outputs(const segmented_pass_call<S> &call, size_t tile,
                                               uint64_t heads)
        : out(call.plain.out), offsets(call.offsets), first(tile * S::TILE - call.plain.lead),
          heads(heads), looks_up(offsets.data != NULL && *offsets.empties != 0), low(0), high(0)
    {
        if (looks_up) {
            low = offsets.segments[tile];
            high = offsets.segments[tile + 1];
        }
    }

    /* The segment that ends before `position`; of this tile's heads, so many come before. By offsets empty
       segments may lie between: then it is looked for. */
    __device__ __forceinline__ void store(unsigned position, uint32_t rank,
                                          typename S::T value) const
    {
        if (!looks_up) {
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

/* How many heads the lanes before this one have of a vector; *all: the warp. */
template <unsigned LANE>
static __device__ __forceinline__ uint32_t heads_before(uint32_t heads, unsigned lane,
                                                        uint32_t *all)
{
    if constexpr (LANE > 4) {
        const uint32_t count = (uint32_t)__popc(heads);
        const uint32_t through = warp_scan(parscan_operator_SUM(), count, lane);
        *all = warp_shuffle(through, 31);
        return through - count;
    }
    uint32_t before = 0;
    *all = 0;
#pragma unroll
    for (unsigned e = 0; e < LANE; e++) {
        const uint32_t lanes = __ballot_sync(0xffffffffu, heads >> e & 1);
        before += (uint32_t)__popc(lanes & ((1u << lane) - 1));
        *all += (uint32_t)__popc(lanes);
    }
    return before;
}

/* Of one part of a tile, after `before` and after `rank` heads of the tile. Returns what comes after
   it. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
store_segments(OPERATOR op, const single_pass_call<S> &call, const segment_outputs<S> &outputs,
               const typename S::In *tile, const typename head_bits<S::LANE>::type *heads,
               uint32_t rank, unsigned part, typename S::T before, unsigned lane)
{
#pragma unroll 1
    for (unsigned v = 0; v < S::VECTORS; v += S::GROUP) {
        const unsigned vector = (part * S::VECTORS + v) * 32;
        segment_rows<S> rows;
        before = scan_rows<S, false>(op, call, tile, heads, vector, before, lane, rows);
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++) {
            uint32_t all, mine = rank + heads_before<S::LANE>(rows.heads[g], lane, &all);
            const unsigned position = (vector + g * 32 + lane) * S::LANE;
            rank += all;
#pragma unroll
            for (unsigned e = 0; e < S::LANE; e++) {
                if (!(rows.heads[g] >> e & 1))
                    continue;
                /* The array's first element ends no segment. */
                if (outputs.first + position + e != 0)
                    outputs.store(position + e, mine,
                                  e == 0 ? rows.before[g]
                                         : rows.through(op, g, e == 0 ? 0 : e - 1));
                mine++;
            }
        }
    }
    return before;
}

#endif
