/*
 * What a segmented scan and reduction do to a tile on CUDA.
 *
 * The operator on pairs of a value and a number of heads,
 *
 *     (a, f) + (b, g) = (g > 0 ? b : a + b, f + g)
 *
 * does not commute, but what comes before the last head counts for nothing: of a run of pairs those from
 * the last with a head on are combined, in any order, since the operator on values commutes. In a warp
 * that is a ballot, not a flag that travels along with each value.
 *
 * No value is ever combined with the identity where it is a segment's first and only one, so that it is
 * what the caller gave, to the bit.
 *
 * Source: G. Blelloch, Prefix sums and their applications, 1990; S. Sengupta, M. Harris, M. Garland,
 * Efficient Parallel Scan Algorithms for GPUs, 2008 (the lane from which on a warp's lanes are combined).
 */
#ifndef PARSCAN_APPS_SEGMENTED_TILE_CUH
#define PARSCAN_APPS_SEGMENTED_TILE_CUH

#include "apps/segmented/segment_marks.cuh"
#include "apps/segmented/segment_search.cuh"

/* A part's or a tile's pair, as it is published: words, so that it has no holes. */
template <typename T>
struct segment_sum {
    uint32_t value[(sizeof(T) + 3) / 4];
    uint32_t heads;
};

template <typename T>
static __device__ __forceinline__ segment_sum<T> sum_of(T value, uint32_t heads)
{
    segment_sum<T> sum = {};
    memcpy(sum.value, &value, sizeof value);
    sum.heads = heads;
    return sum;
}

template <typename T>
static __device__ __forceinline__ T value_of(const segment_sum<T> &sum)
{
    T value;
    memcpy(&value, sum.value, sizeof value);
    return value;
}

/* What comes before a tile. */
template <typename T>
struct segment_prefix {
    T value;        /* of the segment that is open */
    uint64_t heads; /* of a reduction: so far */
};

template <typename S>
struct segmented_pass_call {
    single_pass_call<S> plain; /* start: init, or the identity; keeps: there is no init */
    mark_call marks;
    segment_offsets offsets; /* of a reduction by offsets */
    uint64_t *count;         /* of a reduction by others: where the number of segments goes */
    unsigned stage_bytes, stages;
    unsigned marks_at, heads_at, ranks_at; /* bytes from a stage's begin */
};

/* A tile's heads in its stage. */
struct tile_heads {
    uint32_t *words; /* bit p % 32 of word p / 32: position p begins a segment */
    uint16_t *ranks; /* of a reduction: heads of the part before each word */
};

/* The first element of a segment, after init. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T begun(OPERATOR op, const single_pass_call<S> &call,
                                                      typename S::T x)
{
    return call.keeps ? x : combine(op, call.start, x);
}

static __device__ __forceinline__ uint32_t warp_total(uint32_t value)
{
#pragma unroll
    for (unsigned delta = 16; delta > 0; delta /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, delta);
    return value;
}

/* The place in a part, in the order of combination, of its last head; 0 if it has none. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ unsigned last_head(uint32_t word, uint32_t lanes)
{
    if (lanes == 0)
        return 0;
    if (REVERSE) {
        const unsigned lane = (unsigned)__ffs((int)lanes) - 1;
        const uint32_t first = __shfl_sync(0xffffffffu, word, lane);
        return S::PART - 1 - (lane * 32 + (unsigned)__ffs((int)first) - 1);
    }
    const unsigned lane = 31 - (unsigned)__clz((int)lanes);
    const uint32_t last = __shfl_sync(0xffffffffu, word, lane);
    return lane * 32 + 31 - (unsigned)__clz((int)last);
}

/* The sum of a part's elements from its place `from` on, at lane 0. */
template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ typename S::T
reduce_from(OPERATOR op, const single_pass_call<S> &call, const typename S::In *tile, unsigned part,
            unsigned from, unsigned lane)
{
    typedef typename S::T T;
    const unsigned ROW = 32 * S::LANE;
    T sum = identity(op);
#pragma unroll 1
    for (unsigned v = from / (S::GROUP * ROW) * S::GROUP; v < S::VECTORS; v += S::GROUP) {
        T x[S::GROUP][S::LANE];
        load_vectors<S, REVERSE>(tile, call.skew, (part * S::VECTORS + v) * 32 + lane, x);
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++)
#pragma unroll
            for (unsigned e = 0; e < S::LANE; e++)
                if ((v + g) * ROW + lane * S::LANE + e >= from)
                    sum = combine(op, sum, x[g][e]);
    }
    return warp_reduce(op, sum);
}

/* A part's pair, at lane 0; word: its heads. */
template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR>
static __device__ __forceinline__ segment_sum<typename S::T>
reduce_segments(OPERATOR op, const single_pass_call<S> &call, const typename S::In *tile,
                uint32_t word, unsigned part, unsigned lane)
{
    typedef typename S::T T;
    static_assert(OPERATOR::commutes, "values of a segment are combined in any order");
    const uint32_t lanes = __ballot_sync(0xffffffffu, word != 0);
    const unsigned from = last_head<S, REVERSE>(word, lanes);
    T value;
    if (lanes != 0 && from == S::PART - 1) {
        const unsigned begin = part_position<S, REVERSE>(part);
        value = (T)tile[REVERSE ? begin : begin + S::PART - 1];
    } else {
        value = reduce_from<S, REVERSE>(op, call, tile, part, from, lane);
    }
    if (lanes != 0)
        value = begun<S>(op, call, value);
    return sum_of(value, REDUCES ? warp_total((uint32_t)__popc(word)) : (uint32_t)(lanes != 0));
}

/* The pair of all parts, at lane 0; the whole warp. */
template <typename S, bool REDUCES, typename OPERATOR>
static __device__ __forceinline__ segment_sum<typename S::T>
sum_of_segments(OPERATOR op, const segment_sum<typename S::T> (&sums)[S::SCANNERS], unsigned lane)
{
    typedef typename S::T T;
    T value = identity(op);
    uint32_t heads = 0;
    if (lane < S::SCANNERS) {
        value = value_of(sums[lane]);
        heads = sums[lane].heads;
    }
    const uint32_t lanes = __ballot_sync(0xffffffffu, heads != 0);
    const unsigned last = lanes == 0 ? 0 : 31 - (unsigned)__clz((int)lanes);
    const uint32_t all = REDUCES ? warp_total(heads) : (uint32_t)(lanes != 0);
    if (lanes != 0 && last == S::SCANNERS - 1)
        return sum_of((T)warp_shuffle(value, last), all);
    if (lane < last)
        value = identity(op);
    return sum_of(warp_reduce(op, value), all);
}

/* What comes before a part of a tile: in the segment that is open, and how many heads of the tile. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
before_part(OPERATOR op, const segment_sum<typename S::T> (&sums)[S::SCANNERS],
            typename S::T before, unsigned part, uint32_t *heads)
{
    uint32_t all = 0;
#pragma unroll
    for (unsigned p = 0; p + 1 < S::SCANNERS; p++) {
        const segment_sum<typename S::T> sum = sums[p];
        if (p < part) {
            before = sum.heads != 0 ? value_of(sum) : combine(op, before, value_of(sum));
            all += sum.heads;
        }
    }
    *heads = all;
    return before;
}

/* Rows of 32 aggregates that are read at once: those of as many blocks as most devices hold. */
#define SEGMENT_ROWS 5u

/* From what comes before tile `known` on to tile `end`; at lane 0. Only the aggregates from the last that
   has a head on count; if that is the last of all, it is the answer. */
template <typename OPERATOR, typename T>
static __device__ __forceinline__ void look_back_segments(OPERATOR op, const tile_chain &chain,
                                                          uint32_t tag, size_t known, size_t end,
                                                          unsigned lane, segment_prefix<T> &before)
{
    const unsigned ROWS = SEGMENT_ROWS;
    T column = identity(op), last_value = identity(op);
    bool any = false, ends = false; /* there is a head; in the last tile */
    uint32_t heads = 0;
    if (known == end)
        return;
#pragma unroll 1
    for (size_t from = known; from < end; from += 32 * ROWS) {
        segment_sum<T> sums[ROWS];
#pragma unroll
        for (segment_sum<T> &sum : sums)
            sum = sum_of((T)identity(op), 0);
        tile_read(chain, tag, from, end, lane, sums);
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            const T value = value_of(sums[row]);
            const uint32_t lanes = __ballot_sync(0xffffffffu, sums[row].heads != 0);
            heads += sums[row].heads;
            if (lanes == 0) {
                column = combine(op, column, value);
                continue;
            }
            const unsigned last = 31 - (unsigned)__clz((int)lanes);
            any = true;
            ends = from + row * 32 + last + 1 == end;
            last_value = warp_shuffle(value, last);
            column = identity(op);
            if (lane >= last)
                column = value;
        }
    }
    const T sum = ends ? last_value : warp_reduce(op, column);
    before.value = any ? sum : combine(op, before.value, sum);
    before.heads += warp_total(heads);
}

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

/* Scans a group of vectors of each lane, after `before`, and stores them; or stores the sums of the
   segments that end in them: `rank` heads of the tile come before the part. Returns what comes after
   them. */
template <typename S, bool REVERSE, bool REDUCES, typename OPERATOR>
static __device__ __forceinline__ typename S::T
scan_segments(OPERATOR op, const single_pass_call<S> &call, const tile_place<S, REVERSE> &place,
              const typename S::In *tile, const tile_heads &heads, typename S::T *out,
              const segment_outputs<S> *outputs, uint32_t rank, unsigned vector,
              typename S::T before, unsigned lane)
{
    typedef typename S::T T;
    const uint32_t ALL = (1u << S::LANE) - 1;
    T x[S::GROUP][S::LANE], through[S::GROUP];
    uint32_t head[S::GROUP],
        lanes[S::GROUP]; /* a lane's elements; the warp's lanes that have one */
    load_vectors<S, REVERSE>(tile, call.skew, vector + lane, x);
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        const unsigned first = position_of<S, REVERSE>(vector + g * 32 + lane);
        const uint32_t bits = heads.words[first / 32] >> first % 32 & ALL;
        head[g] = REVERSE ? __brev(bits) >> (32 - S::LANE) : bits;
        lanes[g] = __ballot_sync(0xffffffffu, head[g] != 0);
        if (head[g] & 1)
            x[g][0] = begun<S>(op, call, x[g][0]);
#pragma unroll
        for (unsigned e = 1; e < S::LANE; e++)
            x[g][e] =
                head[g] >> e & 1 ? begun<S>(op, call, x[g][e]) : combine(op, x[g][e - 1], x[g][e]);
        through[g] = x[g][S::LANE - 1];
    }
    const uint32_t upto = 0xffffffffu >> (31 - lane); /* lanes to this one */
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
#pragma unroll
        for (unsigned g = 0; g < S::GROUP; g++) {
            const uint32_t mine = lanes[g] & upto;
            const unsigned from = mine == 0 ? 0 : 31 - (unsigned)__clz((int)mine);
            const T up = warp_shuffle_up(through[g], delta);
            if (lane >= from + delta)
                through[g] = combine(op, up, through[g]);
        }
    }
    __align__(16) T y[S::GROUP][S::LANE];
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        const unsigned first = position_of<S, REVERSE>(vector + g * 32 + lane);
        const T up = warp_shuffle_up(through[g], 1);
        const T end = warp_shuffle(through[g], 31);
        T previous = before;
        if (lane != 0)
            previous = lanes[g] & upto >> 1 ? up : combine(op, before, up);
        before = lanes[g] != 0 ? end : combine(op, before, end);
        const T mine = previous;
        uint32_t number = rank;
        if (REDUCES)
            number += heads.ranks[first / 32] +
                      __popc(heads.words[first / 32] & ((1u << first % 32) - 1));
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const bool here = head[g] >> e & 1, begins = (head[g] & ((2u << e) - 1)) != 0;
            const T inclusive = begins ? x[g][e] : combine(op, mine, x[g][e]);
            if (REDUCES) {
                /* The array's first element ends no segment. */
                if (here && outputs->first + first + e != 0)
                    outputs->store(first + e, number, previous);
                number += here;
            } else {
                y[g][REVERSE ? S::LANE - 1 - e : e] = !call.exclusive ? inclusive
                                                      : here          ? call.first
                                                                      : previous;
            }
            previous = inclusive;
        }
    }
    if (REDUCES)
        return before;
    const bool partial = __builtin_expect(place.partial(), 0);
#pragma unroll
    for (unsigned g = 0; g < S::GROUP; g++) {
        const unsigned first = position_of<S, REVERSE>(vector + g * 32 + lane);
        if (__builtin_expect(!partial || (first >= place.begin && first + S::LANE <= place.end), 1))
            __stwb((uint4 *)(out + first), *(uint4 *)y[g]);
        else
            store_edge<S, REVERSE>(place, out, first, y[g]);
    }
    return before;
}

#endif
