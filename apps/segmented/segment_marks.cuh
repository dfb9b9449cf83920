/*
 * Segment heads of a tile as bits in shared memory, on CUDA: whatever says where segments begin lies in the
 * tile's stage beside its elements, and is compared once, 32 neighbours of it by a warp at a time.
 *
 * Bit p of a tile, in the order of memory: the element at position p is the first of its segment in
 * the order of combination. Backwards that is the last of the segment, whose right neighbour begins one.
 */
#ifndef PARSCAN_APPS_SEGMENT_MARKS_CUH
#define PARSCAN_APPS_SEGMENT_MARKS_CUH

#include "apps/segmented/segmented_cuda.h"
#include "scan/single_pass/single_pass_tile.cuh"

struct mark_call {
    const char *marks;
    segment_mark mark;
    unsigned bytes; /* of one; of bits 0 */
    unsigned skew;  /* bytes from an aligned place to the first tile's marks */
};

template <typename K>
static __device__ __forceinline__ bool keys_differ(K a, K b)
{
    return a != b && (a == a || b == b);
}

/* A mark beyond the edge of a tile, as bits: the key before it or, backwards, what follows it. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ uint64_t mark_beyond(const single_pass_call<S> &call,
                                                       const mark_call &marks,
                                                       const tile_place<S, REVERSE> &place)
{
    const size_t begin = place.at * S::TILE;
    if (marks.mark == SEGMENT_BITS)
        return REVERSE ? ((const uint32_t *)marks.marks)[(begin + S::TILE) / 32] : 0;
    const size_t i = begin - call.lead + (REVERSE ? S::TILE : ~(size_t)0);
    if (REVERSE ? i >= call.n : place.at == 0)
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

/* Whether a head is between two marks that are neighbours. */
template <typename K>
static __device__ __forceinline__ bool marks_part(segment_mark mark, K before, K after)
{
    if constexpr (sizeof(K) == 1)
        if (mark == SEGMENT_FLAGS)
            return after != 0;
    bool differ = before != after;
    if constexpr (sizeof(K) == 4)
        if (mark == SEGMENT_FLOATS_4)
            differ = keys_differ(__uint_as_float(before), __uint_as_float(after));
    if constexpr (sizeof(K) == 8)
        if (mark == SEGMENT_FLOATS_8)
            differ = keys_differ(__longlong_as_double((long long)before),
                                 __longlong_as_double((long long)after));
    return differ;
}

/* The bits of ROWS times 32 positions from `begin` on: those of row k at lane k. */
template <typename S, bool REVERSE, unsigned ROWS, typename K>
static __device__ __forceinline__ uint32_t compare_rows(segment_mark mark, const void *marks,
                                                        unsigned begin, K beyond, unsigned lane)
{
    const K *const tile = (const K *)marks;
    uint32_t mine = 0;
#pragma unroll 2
    for (unsigned row = 0; row < ROWS; row++) {
        const unsigned p = begin + row * 32 + lane;
        const K here = tile[p];
        K next = beyond;
        if (REVERSE ? p + 1 < S::TILE : p > 0)
            next = REVERSE ? tile[p + 1] : tile[(int)p - 1];
        const bool head = REVERSE ? marks_part(mark, here, next) : marks_part(mark, next, here);
        const uint32_t word = __ballot_sync(0xffffffffu, head);
        mine = lane == row ? word : mine;
    }
    return mine;
}

template <typename S, bool REVERSE, unsigned ROWS>
static __device__ __forceinline__ uint32_t head_rows(const mark_call &marks,
                                                     const unsigned char *tile, unsigned begin,
                                                     uint64_t beyond, unsigned lane)
{
    if (marks.bytes == 1)
        return compare_rows<S, REVERSE, ROWS>(marks.mark, tile, begin, (uint8_t)beyond, lane);
    if (marks.bytes == 2)
        return compare_rows<S, REVERSE, ROWS>(marks.mark, tile, begin, (uint16_t)beyond, lane);
    if (marks.bytes == 4)
        return compare_rows<S, REVERSE, ROWS>(marks.mark, tile, begin, (uint32_t)beyond, lane);
    if (marks.bytes == 8)
        return compare_rows<S, REVERSE, ROWS>(marks.mark, tile, begin, beyond, lane);
    const uint32_t *const words = (const uint32_t *)tile;
    const unsigned at = begin / 32 + lane;
    if (lane >= ROWS)
        return 0;
    if (!REVERSE)
        return words[at];
    return __funnelshift_r(words[at], at + 1 < S::TILE / 32 ? words[at + 1] : (uint32_t)beyond, 1);
}

/* Where a part of a tile begins in memory. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ unsigned part_position(unsigned part)
{
    return REVERSE ? S::TILE - (part + 1) * S::PART : part * S::PART;
}

/* The heads of one part of a tile, one word of 32 positions a lane: the array's first element in the order of
   combination is one, whatever the marks say; what the array does not have is none. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ uint32_t heads_of_part(const mark_call &marks,
                                                         const tile_place<S, REVERSE> &place,
                                                         const unsigned char *tile, size_t number,
                                                         unsigned part, uint64_t beyond,
                                                         unsigned lane)
{
    const unsigned ROWS = S::PART / 32, begin = part_position<S, REVERSE>(part);
    static_assert(ROWS <= 32, "a word a lane");
    uint32_t word = head_rows<S, REVERSE, ROWS>(marks, tile, begin, beyond, lane);
    if (__builtin_expect(number == 0 || place.partial(), 0)) {
        const unsigned low = begin + lane * 32; /* of the word */
        const unsigned from = place.begin > low ? place.begin - low : 0;
        const unsigned to = place.end > low ? place.end - low : 0;
        const uint32_t above = from < 32 ? 0xffffffffu << from : 0;
        const uint32_t below = to < 32 ? (1u << to) - 1 : 0xffffffffu;
        word &= above & below;
        const unsigned first = (REVERSE ? place.end - 1 : place.begin) - low;
        if (number == 0 && first < 32)
            word |= 1u << first;
    }
    return lane < ROWS ? word : 0;
}

/* A tile's marks, on their way into its stage. */
template <typename S>
static __device__ __forceinline__ tile_source marks_of(const single_pass_call<S> &call,
                                                       const mark_call &marks, size_t at,
                                                       unsigned char *to)
{
    if (marks.mark == SEGMENT_BITS)
        return tile_source{to, marks.marks + at * (S::TILE / 8),
                           tile_bytes{0, S::TILE / 8, 0, S::TILE / 8, true}};
    return source_in<S::TILE>(marks.marks, marks.bytes, marks.skew, call.lead, call.n, at, to);
}

#endif
