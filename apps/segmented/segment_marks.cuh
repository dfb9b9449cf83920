/*
 * Segment heads of a tile as bits in shared memory, on CUDA. The marks (flags, keys or bits made of
 * offsets) are loaded into the tile's stage beside its elements, and are compared once, in vectors
 * like the elements.
 *
 * Each vector of elements has an entry of bits, in the order of combination. Bit e tells that
 * element e is the first of its segment in that order. In reverse this is the last element of the
 * segment, whose right neighbour starts a segment.
 */
#ifndef PARSCAN_APPS_SEGMENT_MARKS_CUH
#define PARSCAN_APPS_SEGMENT_MARKS_CUH

#include "apps/segmented/segmented_cuda.h"
#include "apps/segments/segment_search.cuh"
#include "scan/single_pass/single_pass_tile.cuh"

struct mark_params {
    const char *marks;       /* NULL: flags, which the blocks make of `offsets` */
    unsigned own;            /* the most tiles of a block, if the blocks make flags; else 0 */
    segment_offsets offsets; /* of flags and keys only the lengths */
    segment_mark mark;
    unsigned bytes;        /* of a mark; 0 for bits */
    unsigned misalignment; /* of the first tile's marks, in bytes */
};

/* The type that holds the heads of one vector. */
template <unsigned LANE>
struct head_bits {
    typedef uint8_t type;
};
template <>
struct head_bits<16> {
    typedef uint16_t type;
};

/* Returns the mark beyond the edge of a tile, as bits: the one before the tile or, in reverse,
   the one after it. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ uint64_t mark_beyond(const single_pass_params<S> &params,
                                                       const mark_params &marks,
                                                       const tile_extent<S, REVERSE> &extent)
{
    const size_t i = extent.at * S::TILE - params.head_padding + (REVERSE ? S::TILE : ~(size_t)0);
    if (marks.mark == SEGMENT_BITS || (REVERSE ? i >= params.n : extent.at == 0))
        return 0;
    const void *const from = marks.marks + i * marks.bytes;
    switch (marks.bytes) {
    case 1:
        return *(const uint8_t *)from;
    case 2:
        return *(const uint16_t *)from;
    case 4:
        return *(const uint32_t *)from;
    default:
        return *(const uint64_t *)from;
    }
}

/* part(before, after): whether there is a head between two marks that are neighbours in memory. */
struct flag_marks {
    typedef uint8_t K;
    static __device__ __forceinline__ bool part(K, K after) { return after != 0; }
};
template <typename K_>
struct key_marks {
    typedef K_ K;
    static __device__ __forceinline__ bool part(K before, K after) { return before != after; }
};
/* Compares as != does, except that NaN equals NaN. */
template <typename K_>
struct float_marks {
    typedef K_ K;
    static __device__ __forceinline__ bool part(K before, K after)
    {
        return before != after && (before == before || after == after);
    }
};

/* The shape of a tile's marks, for load_vectors(). */
template <typename S, typename K>
struct mark_shape {
    typedef K In;
    typedef K T;
    enum : unsigned { LANE = S::LANE, TILE = S::TILE };
};

/* Finds the heads of VECTORS vectors of each lane, which lie 32 apart, from `vector` on.
   `beyond`: the mark before the tile's first. */
template <typename S, bool REVERSE, typename MARKS>
static __device__ __forceinline__ void
compare_marks(const mark_params &params, const unsigned char *marks, unsigned vector,
              uint64_t beyond, typename head_bits<S::LANE>::type *heads, unsigned lane)
{
    typedef typename MARKS::K K;
    const K *const tile = (const K *)marks;
#pragma unroll 2
    for (unsigned v = 0; v < S::VECTORS; v++, vector += 32) {
        K x[1][S::LANE];
        load_vectors<mark_shape<S, K>, REVERSE>(tile, params.misalignment, vector + lane, x);
        K before = warp_shuffle_up(x[0][S::LANE - 1], 1);
        if (lane == 0) {
            if (vector == 0)
                memcpy(&before, &beyond, sizeof before);
            else
                before = tile[REVERSE ? S::TILE - vector * S::LANE : vector * S::LANE - 1];
        }
        uint32_t bits = 0;
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const K here = x[0][e], previous = e == 0 ? before : x[0][e == 0 ? 0 : e - 1];
            const bool head = REVERSE ? MARKS::part(here, previous) : MARKS::part(previous, here);
            bits |= (uint32_t)head << e;
        }
        heads[vector + lane] = (typename head_bits<S::LANE>::type)bits;
    }
}

/* The same for marks that are bits: one for each element, and some of the next tile. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ void cut_bits(const unsigned char *marks, unsigned vector,
                                                typename head_bits<S::LANE>::type *heads,
                                                unsigned lane)
{
    const uint32_t *const words = (const uint32_t *)marks;
#pragma unroll 2
    for (unsigned v = 0; v < S::VECTORS; v++, vector += 32) {
        /* in reverse, the bit of the right neighbour */
        const unsigned first = position_of<S, REVERSE>(vector + lane) + (REVERSE ? 1 : 0);
        uint32_t bits = __funnelshift_r(words[first / 32], words[first / 32 + 1], first % 32);
        if (REVERSE)
            bits = __brev(bits) >> (32 - S::LANE);
        heads[vector + lane] = (typename head_bits<S::LANE>::type)(bits & ((1u << S::LANE) - 1));
    }
}

/* The positions of a tile that the array has, in the order of combination. */
template <typename S, bool REVERSE>
struct tile_range {
    unsigned begin, end;
    __device__ __forceinline__ tile_range(const tile_extent<S, REVERSE> &extent)
        : begin(REVERSE ? S::TILE - extent.end : extent.begin),
          end(REVERSE ? S::TILE - extent.begin : extent.end)
    {
    }
};

/* Corrects the heads at the array's ends. The array's first element, in the order of
   combination, is a head, whatever the marks say, unless it goes on with a segment of the chunk
   before (continues). Positions outside of the array are no heads;
   but for a reduction the position after its last element is one, which stores the last
   segment. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ void
heads_at_edges(const tile_range<S, REVERSE> &range, bool first, bool continues, bool ends,
               unsigned vector, typename head_bits<S::LANE>::type *heads, unsigned lane)
{
#pragma unroll 1
    for (unsigned v = 0; v < S::VECTORS; v++, vector += 32) {
        const unsigned low = (vector + lane) * S::LANE;
        const unsigned from = range.begin > low ? range.begin - low : 0;
        const unsigned to = range.end > low ? range.end - low : 0;
        uint32_t bits = heads[vector + lane];
        bits &= from < 32 ? 0xffffffffu << from : 0;
        bits &= to < 32 ? (1u << to) - 1 : 0xffffffffu;
        if (first && range.begin - low < S::LANE) {
            const uint32_t bit = 1u << (range.begin - low);
            bits = continues ? bits & ~bit : bits | bit;
        }
        if (ends && range.end - low < S::LANE)
            bits |= 1u << (range.end - low);
        heads[vector + lane] = (typename head_bits<S::LANE>::type)bits;
    }
}

/* Returns with(MARKS()) for the kind of flags or keys. */
template <typename With>
static __device__ __forceinline__ auto with_marks(const mark_params &params, With with)
{
    switch (params.mark) {
    case SEGMENT_FLAGS:
        return with(flag_marks());
    case SEGMENT_FLOATS_4:
        return with(float_marks<float>());
    case SEGMENT_FLOATS_8:
        return with(float_marks<double>());
    default:
        break;
    }
    if (params.bytes == 1)
        return with(key_marks<uint8_t>());
    if (params.bytes == 2)
        return with(key_marks<uint16_t>());
    if (params.bytes == 4)
        return with(key_marks<uint32_t>());
    return with(key_marks<uint64_t>());
}

/* Computes the heads of one part of a tile. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ void
heads_of_part(const mark_params &params, const unsigned char *marks, unsigned part, uint64_t beyond,
              typename head_bits<S::LANE>::type *heads, unsigned lane)
{
    const unsigned vector = part * S::VECTORS * 32;
    if (params.mark == SEGMENT_BITS)
        return cut_bits<S, REVERSE>(marks, vector, heads, lane);
    with_marks(params, [&](auto kind) {
        compare_marks<S, REVERSE, decltype(kind)>(params, marks, vector, beyond, heads, lane);
    });
}

/* The source from which a tile's marks are copied to its stage. Empty if the block makes them
   there. */
template <typename S>
static __device__ __forceinline__ tile_source marks_of(const single_pass_params<S> &params,
                                                       const mark_params &marks, size_t at,
                                                       unsigned char *to)
{
    const unsigned bits = S::TILE / 8 + SEGMENT_BITS_BEYOND / 8;
    if (marks.marks == NULL)
        return tile_source{to, NULL, tile_bytes{0, 0, 0, 0, true}};
    if (marks.mark == SEGMENT_BITS)
        return tile_source{to, marks.marks + at * (S::TILE / 8),
                           tile_bytes{0, bits, 0, bits, true}};
    return source_in<S::TILE>(marks.marks, marks.bytes, marks.misalignment, params.head_padding,
                              params.n, at, to);
}

static __device__ __forceinline__ uint32_t warp_total(uint32_t value)
{
#pragma unroll
    for (unsigned delta = 16; delta > 0; delta /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, delta);
    return value;
}

/* Warps that make the flags of one of their block's tiles together. */
struct mark_group {
    unsigned warps, tile; /* how many; which of the block's tiles, from 0 on */
    unsigned first;       /* the first of the warps */
    __device__ mark_group(unsigned most, unsigned own, unsigned warp)
        : warps(most), tile(0), first(0)
    {
        if (own == 1)
            return;
        warps = most / own;
        tile = warp / warps;
        first = tile * warps;
    }
    __device__ unsigned threads() const { return warps * 32; }
};

/* The elements of a tile, and where their offsets are: the first offset that is not below `low`
   (`next_low`) is at index `first` (`next`) or up to `range` after. `next` is the next tile's
   `first`, also if offsets are out of order. */
struct tile_offsets {
    unsigned low, next_low; /* the first element of this tile and of the next */
    unsigned length;        /* the elements, and the one after the tile, if there is one */
    unsigned begin;         /* where the first element's flag is among those of the tile */
    unsigned first, next, range;

    /* The end of the indices that are read. */
    __device__ unsigned end(unsigned count) const
    {
        return next + range + 1 < count ? next + range + 1 : count;
    }
};

/* With at most so many offsets for each thread of a group, the group reads all of them, without a
   search. */
#define OFFSETS_READ 2u

/* A tile with more offsets for each thread of its group is left to all warps of the block. */
#define OFFSETS_ALONE 64u

/* Finds `first`, `next` and `range`. In each step every thread of the group tests one offset for
   `first` and one for `next`. Called by WARPS warps, for all of their groups at once. */
template <unsigned WARPS, typename OFFSET>
static __device__ __forceinline__ void
search_in_group(const OFFSET *data, unsigned count, const mark_group &group, unsigned warp,
                unsigned lane, uint32_t (&votes)[2][WARPS], tile_offsets &tile)
{
    unsigned turn = 0;
    tile.first = tile.next = 0;
    tile.range = count;
#pragma unroll 1
    for (; tile.range > OFFSETS_READ * group.threads(); turn ^= 1) {
        const unsigned step = (tile.range + group.threads() - 1) / group.threads();
        const unsigned last = ((warp - group.first) * 32 + lane + 1) * step - 1;
        const bool low = tile.first + last < count && data[tile.first + last] < tile.low;
        const bool high = tile.next + last < count && data[tile.next + last] < tile.next_low;
        const unsigned lows = (unsigned)__popc(__ballot_sync(0xffffffffu, low));
        const unsigned highs = (unsigned)__popc(__ballot_sync(0xffffffffu, high));
        if (lane == 0)
            votes[turn][warp] = lows | highs << 16;
        warps_sync<WARPS>(2);
        uint32_t pieces = 0;
        if (lane < group.warps && group.first + lane < WARPS)
            pieces = votes[turn][group.first + lane];
        pieces = warp_total(pieces);
        tile.first += (pieces & 0xffff) * step;
        tile.next += (pieces >> 16) * step;
        tile.range = step;
    }
}

/* Makes the flags of a tile from the offsets. flags[0] is the first element's. Returns whether some
   of the offsets that this warp has read decrease. Called by `warps` warps; this one is number
   `warp`. */
template <typename OFFSET>
static __device__ __forceinline__ bool mark_elements(const OFFSET *data, unsigned count,
                                                     unsigned warps, unsigned warp, unsigned lane,
                                                     const tile_offsets &tile, unsigned char *flags)
{
    const unsigned ROWS = 10; /* of 32 offsets, which a warp has in flight */
    const unsigned end = tile.end(count);
    bool decreases = false;
#pragma unroll 1
    for (unsigned from = tile.first + warp * 32 * ROWS; from < end; from += warps * 32 * ROWS) {
        OFFSET some[ROWS], before = 0;
        if (lane == 0 && from > 0)
            before = data[from - 1];
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            const unsigned at = from + row * 32 + lane;
            some[row] = at < end ? data[at] : (OFFSET) ~(OFFSET)0;
        }
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            const OFFSET left = warp_shuffle(some[row], (lane + 31) % 32);
            decreases = decreases || some[row] < (lane == 0 ? before : left);
            before = left;
            if (some[row] - tile.low < tile.length) /* lower ones wrap around */
                flags[some[row] - tile.low] = 1;
        }
    }
    return decreases;
}

#endif
