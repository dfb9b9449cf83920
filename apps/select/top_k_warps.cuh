/*
 * Top-k of short segments on CUDA, a warp each, or half a warp if two segments are very short. Of G lanes each has every
 * G-th element in registers. The k-th of the lanes' least ranks is a limit that at least k elements pass, and seldom
 * many more: up to 2 G of them are sorted by the lanes. If more pass, the limit is found bit by bit. Of elements
 * with the limit's rank, the first ones are taken. Lanes of both halves take all steps together.
 */
#ifndef PARSCAN_APPS_TOP_K_WARPS_CUH
#define PARSCAN_APPS_TOP_K_WARPS_CUH

#include "apps/select/top_k_params.cuh"

enum { WARPS_THREADS = 128, WARP_TAKES = 64, HALF_WARP = 16 };

template <typename CODE>
struct warp_rooms {
    CODE codes[WARPS_THREADS / 32][WARP_TAKES];
};

/* One step of a bitonic network: the lanes whose numbers differ in bit `step` exchange values. */
template <typename V>
static __device__ __forceinline__ V compare_lanes(V mine, unsigned step, bool ascends,
                                                  unsigned lane)
{
    const V other = warp_shuffle_xor(mine, step);
    const bool lower = (lane & step) == 0;
    return (lower == ascends) == (other < mine) ? other : mine;
}

/* G lanes, the whole warp or each half of it. */
template <unsigned G>
struct lane_group {
    unsigned lane, first; /* in the group; the group's first lane in the warp */

    /* Sorts the lanes' values. */
    template <typename V>
    __device__ __forceinline__ V sort(V mine) const
    {
#pragma unroll
        for (unsigned run = 2; run <= G; run *= 2)
#pragma unroll
            for (unsigned step = run / 2; step > 0; step /= 2)
                mine = compare_lanes(mine, step, (lane & run) == 0 || run == G, lane);
        return mine;
    }

    template <typename V>
    __device__ __forceinline__ V value_of(V mine, unsigned of) const
    {
        return warp_shuffle(mine, first + of % G);
    }

    __device__ __forceinline__ unsigned sum_by_shuffles(unsigned value) const
    {
#pragma unroll
        for (unsigned step = G / 2; step > 0; step /= 2)
            value += warp_shuffle_xor(value, step);
        return value;
    }

    __device__ __forceinline__ unsigned sum(unsigned value) const
    {
#if __CUDA_ARCH__ >= 800
        if constexpr (G == 32)
            return __reduce_add_sync(0xffffffffu, value);
        else
#endif
            return sum_by_shuffles(value);
    }

    /* The sum of the values up to this lane's. */
    __device__ __forceinline__ unsigned through(unsigned value) const
    {
#pragma unroll
        for (unsigned delta = 1; delta < G; delta *= 2) {
            const unsigned before = warp_shuffle_up(value, delta);
            value += lane >= delta ? before : 0;
        }
        return value;
    }

    __device__ __forceinline__ uint32_t votes(bool vote) const
    {
        const uint32_t all = __ballot_sync(0xffffffffu, vote) >> first;
        return G == 32 ? all : all & ((1u << G % 32) - 1);
    }
};

/* The elements of a segment, EACH in a lane. */
template <unsigned G, unsigned EACH, typename BITS, typename CODE>
struct group_choice {
    typedef typename code_of<CODE>::PART PART;
    const element_source<BITS, CODE> elements;
    const unsigned length, results; /* results: up to G, and not more than length */
    const lane_group<G> group;
    PART ranks[EACH]; /* the last rank behind the segment */

    __device__ __forceinline__ group_choice(const element_source<BITS, CODE> &source,
                                            unsigned given_length, unsigned given_results,
                                            const lane_group<G> &given_group)
        : elements(source), length(given_length), results(given_results), group(given_group)
    {
        BITS keys[EACH];
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            keys[e] = place(e) < length ? elements.in[place(e)] : BITS{};
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            ranks[e] = place(e) < length ? (PART)elements.ranks.rank(keys[e]) : (PART) ~(PART)0;
    }

    __device__ __forceinline__ unsigned place(unsigned e) const
    {
        return e * G + group.lane;
    }

    __device__ __forceinline__ PART least() const
    {
        PART rank = ranks[0];
#pragma unroll
        for (unsigned e = 1; e < EACH; e++)
            rank = ranks[e] < rank ? ranks[e] : rank;
        return rank;
    }

    /* A bit for each of the lane's elements with a lesser rank. */
    __device__ __forceinline__ uint32_t below(PART limit) const
    {
        uint32_t bits = 0;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            bits |= (uint32_t)(ranks[e] < limit) << e;
        return bits;
    }

    __device__ __forceinline__ uint32_t equal(PART limit) const
    {
        uint32_t bits = 0;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            bits |= (uint32_t)(ranks[e] == limit && place(e) < length) << e;
        return bits;
    }

    /* The greatest rank that fewer than `results` elements are below: that of the last result. */
    __device__ __forceinline__ PART rank_by_bits() const
    {
        PART limit = 0;
#pragma unroll 1
        for (unsigned bit = 8 * sizeof(BITS); bit-- > 0;) {
            const PART higher = limit | (PART)1 << bit;
            if (group.sum((unsigned)__popc(below(higher))) < results)
                limit = higher;
        }
        return limit;
    }

    /* The first `count` of the elements in `bits` by their places. */
    __device__ __forceinline__ uint32_t first_of(uint32_t bits, unsigned count) const
    {
        uint32_t taken = 0;
#pragma unroll 1
        for (unsigned e = 0; e < EACH; e++) {
            const uint32_t votes = group.votes((bits >> e & 1) != 0);
            const unsigned before = (unsigned)__popc(votes & ((1u << group.lane) - 1));
            const unsigned all = (unsigned)__popc(votes);
            taken |= (uint32_t)((bits >> e & 1) != 0 && before < count) << e;
            count -= all < count ? all : count;
        }
        return taken;
    }

    /* The elements that are sorted: at least `results`, at most 2 G. */
    __device__ __forceinline__ uint32_t take() const
    {
        PART limit = group.value_of(group.sort(least()), results - 1);
        uint32_t taken = below(limit);
        unsigned count = group.sum((unsigned)__popc(taken));
        if (__any_sync(0xffffffffu, count > 2 * G)) {
            limit = rank_by_bits();
            taken = below(limit);
            count = group.sum((unsigned)__popc(taken));
        }
        const unsigned missing = count < results ? results - count : 0;
        if (!__any_sync(0xffffffffu, missing > 0))
            return taken;
        const uint32_t equals = equal(limit);
        const unsigned all = group.sum((unsigned)__popc(equals));
        if (__any_sync(0xffffffffu, missing > 0 && all > missing))
            return taken | first_of(equals, missing);
        return missing > 0 ? taken | equals : taken;
    }

    /* The codes in order, the j-th at lane j < results. room: for 2 G codes, of this group alone. */
    __device__ __forceinline__ CODE choose(CODE *room) const
    {
        uint32_t taken = take();
        const unsigned lane = group.lane, mine = (unsigned)__popc(taken);
        const unsigned through = group.through(mine), count = group.value_of(through, G - 1);
        for (unsigned at = through - mine; taken != 0; taken &= taken - 1, at++)
            room[at] = elements.get(place((unsigned)__ffs((int)taken) - 1));
        __syncwarp();
        CODE code = group.sort(lane < count ? room[lane] : code_of<CODE>::last());
        if (__any_sync(0xffffffffu, count > G)) {
            /* The lesser ones of two runs, one of them reversed, fall after they have risen. */
            const CODE more = group.sort(lane + G < count ? room[lane + G] : code_of<CODE>::last());
            const CODE turned = warp_shuffle_xor(more, G - 1);
            code = turned < code ? turned : code;
#pragma unroll
            for (unsigned step = G / 2; step > 0; step /= 2)
                code = compare_lanes(code, step, true, lane);
        }
        __syncwarp(); /* room has been read */
        return code;
    }
};

/* Stores the results of a segment, or of one for each half of the warp. A group without a segment has no length. */
template <unsigned G, unsigned EACH, typename BITS, typename CODE>
static __device__ __forceinline__ void choose_segment(const top_params<BITS, CODE> &params,
                                                      size_t segment, const segment_range &range,
                                                      CODE *room, unsigned lane)
{
    const lane_group<G> group = {lane % G, lane / G * G};
    const unsigned length = (unsigned)range.length;
    const unsigned results = params.to.k < length ? (unsigned)params.to.k : length;
    element_source<BITS, CODE> elements = params.elements;
    elements.in += range.begin;
    const group_choice<G, EACH, BITS, CODE> choice(elements, length, results, group);
    const CODE code = choice.choose(room + group.first * 2);
    if (group.lane < results)
        params.to.store(segment, group.lane, range.begin, length,
                        (size_t)code_of<CODE>::place(code));
}

/* One segment by the whole warp. Blocks take those with more than TOP_K_WARP_ELEMENTS. */
template <typename BITS, typename CODE>
static __device__ __forceinline__ void choose_by_warp(const top_params<BITS, CODE> &params,
                                                      size_t segment, const segment_range &range,
                                                      CODE *room, unsigned lane)
{
    if (range.length == 0 || range.length > TOP_K_WARP_ELEMENTS)
        return;
    if (range.length <= 64)
        choose_segment<32, 2>(params, segment, range, room, lane);
    else if (range.length <= 256)
        choose_segment<32, 8>(params, segment, range, room, lane);
    else
        choose_segment<32, 32>(params, segment, range, room, lane);
}

/* A warp has two segments at a time. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(WARPS_THREADS,
                                         BLOCKS_HELD(WARPS_THREADS, sizeof(CODE) > 8 ? 2 : 4))
    top_k_choose_by_warps(const __grid_constant__ top_params<BITS, CODE> given)
{
    __shared__ warp_rooms<CODE> shared;
    const segment_offsets offsets = at_their_lengths(given.offsets);
    wait_for_previous_kernel();
    const unsigned lane = threadIdx.x % 32;
    const size_t warps = (size_t)gridDim.x * (WARPS_THREADS / 32);
    const size_t first = ((size_t)blockIdx.x * WARPS_THREADS + threadIdx.x) / 32;
    CODE *const room = shared.codes[threadIdx.x / 32];
    if (first == 0 && lane == 0)
        end_segments(offsets, given.to);
#pragma unroll 1
    for (size_t pair = 2 * first; pair < offsets.count; pair += 2 * warps) {
        const size_t segment = pair + lane / HALF_WARP;
        segment_range range = {0, 0, false};
        if (segment < offsets.count)
            range = range_of(offsets, segment, lane % HALF_WARP == 0);
        range = warp_shuffle(range, lane / HALF_WARP * HALF_WARP);
        if (!range.right)
            range = {0, 0, false};
        const bool mine = range.right && range.length <= TOP_K_WARP_ELEMENTS;
        if (mine && given.to.counts != NULL && lane % HALF_WARP == 0)
            given.to.counts[segment] = given.to.k < range.length ? given.to.k : range.length;
        const bool are_short = !__any_sync(0xffffffffu, range.length > 4 * HALF_WARP);
        if (are_short && given.to.k <= HALF_WARP) {
            choose_segment<HALF_WARP, 4>(given, segment, range, room, lane);
            continue;
        }
#pragma unroll 1
        for (unsigned half = 0; half < 2; half++)
            choose_by_warp(given, pair + half, warp_shuffle(range, half * HALF_WARP), room, lane);
    }
}

#endif
