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

/* The elements of a segment, EACH in a lane: V that follow one another, then V of the next lane. V is 1, or the elements are
   aligned vectors of 16 bytes. FULL: the segment has G * EACH elements. */
template <unsigned G, unsigned EACH, unsigned V, bool FULL, typename BITS, typename CODE>
struct group_choice {
    typedef typename code_of<CODE>::PART PART;
    static const unsigned VECTORS = EACH / V;
    const element_source<BITS, CODE> elements;
    const unsigned given_length, results; /* results: up to G, and not more than the length */
    const lane_group<G> group;
    PART ranks[EACH]; /* the last rank behind the segment */

    __device__ __forceinline__ group_choice(const element_source<BITS, CODE> &source,
                                            unsigned length, unsigned wanted,
                                            const lane_group<G> &given_group)
        : elements(source), given_length(length), results(wanted), group(given_group)
    {
        BITS keys[EACH];
        if constexpr (V == 1) {
#pragma unroll
            for (unsigned e = 0; e < EACH; e++)
                keys[e] = is_there(e) ? elements.in[place(e)] : BITS{};
        } else {
            static_assert(V * sizeof(BITS) == 16, "a vector");
            uint4 raw[VECTORS];
#pragma unroll
            for (unsigned v = 0; v < VECTORS; v++)
                if (is_there(v * V))
                    raw[v] = ((const uint4 *)elements.in)[v * G + group.lane];
            memcpy(keys, raw, sizeof keys);
        }
        BITS greatest = 0;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++) {
            const BITS size = is_there(e) ? elements.ranks.size(keys[e]) : (BITS)0;
            greatest = size > greatest ? size : greatest;
            ranks[e] = is_there(e) ? (PART)elements.ranks.number_rank(keys[e]) : (PART) ~(PART)0;
        }
        if (elements.ranks.exceeds(greatest))
#pragma unroll
            for (unsigned e = 0; e < EACH; e++)
                if (is_there(e))
                    ranks[e] =
                        (PART)elements.ranks.with_nan((typename rank_type<BITS>::RANK)ranks[e]);
    }

    __device__ __forceinline__ unsigned place(unsigned e) const
    {
        return (e / V * G + group.lane) * V + e % V;
    }

    /* The elements of a vector are all there or none. */
    __device__ __forceinline__ bool is_there(unsigned e) const
    {
        return FULL || place(e / V * V) < given_length;
    }

    __device__ __forceinline__ PART least() const
    {
        PART rank = ranks[0];
#pragma unroll
        for (unsigned e = 1; e < EACH; e++)
            rank = ranks[e] < rank ? ranks[e] : rank;
        return rank;
    }

    /* A bit for each of the lane's elements with a rank up to `limit`. */
    __device__ __forceinline__ uint32_t through(PART limit) const
    {
        uint32_t bits = 0;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            if (ranks[e] <= limit && is_there(e))
                bits |= (uint32_t)1 << e;
        return bits;
    }

    __device__ __forceinline__ uint32_t below(PART limit) const
    {
        uint32_t bits = 0;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            bits |= (uint32_t)(ranks[e] < limit) << e;
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
        for (unsigned v = 0; v < VECTORS && __any_sync(0xffffffffu, count > 0); v++) {
            uint32_t mine = bits & ((((uint32_t)1 << (V - 1) << 1) - 1) << v * V);
            const unsigned through = group.through((unsigned)__popc(mine)),
                           all = group.value_of(through, G - 1);
            for (unsigned at = through - (unsigned)__popc(mine); mine != 0 && at < count; at++) {
                taken |= mine & (0 - mine);
                mine &= mine - 1;
            }
            count -= all < count ? all : count;
        }
        return taken;
    }

    /* The elements that are sorted: at least `results`, at most 2 G. */
    __device__ __forceinline__ uint32_t take() const
    {
        PART limit = group.value_of(group.sort(least()), results - 1);
        uint32_t taken = through(limit);
        if (!__any_sync(0xffffffffu, group.sum((unsigned)__popc(taken)) > 2 * G))
            return taken;
        uint32_t lesser = below(limit);
        unsigned count = group.sum((unsigned)__popc(lesser));
        if (__any_sync(0xffffffffu, count > 2 * G)) {
            limit = rank_by_bits();
            taken = through(limit);
            lesser = below(limit);
            count = group.sum((unsigned)__popc(lesser));
        }
        return lesser | first_of(taken & ~lesser, results > count ? results - count : 0);
    }

    /* Calls store(j, code) for result j. room: for 2 G codes, of this group alone. */
    template <typename STORE>
    __device__ __forceinline__ void choose(CODE *room, STORE store) const
    {
        uint32_t taken = take();
        const unsigned lane = group.lane, mine = (unsigned)__popc(taken);
        const unsigned up_to = group.through(mine), count = group.value_of(up_to, G - 1);
        for (unsigned at = up_to - mine; taken != 0; taken &= taken - 1, at++)
            room[at] = elements.get(place((unsigned)__ffs((int)taken) - 1));
        __syncwarp();
        const CODE codes[2] = {lane < count ? room[lane] : code_of<CODE>::last(),
                               lane + G < count ? room[lane + G] : code_of<CODE>::last()};
        unsigned before[2] = {};
#pragma unroll 4
        for (unsigned i = 0; i < count; i++) {
            const CODE other = room[i];
#pragma unroll
            for (unsigned k = 0; k < 2; k++)
                if (other < codes[k])
                    before[k]++;
        }
#pragma unroll
        for (unsigned k = 0; k < 2; k++)
            if (lane + k * G < count && before[k] < results)
                store(before[k], codes[k]);
        __syncwarp(); /* room has been read */
    }
};

/* Stores the results of a segment, or of one for each half of the warp. A group without a segment has no length. */
template <unsigned G, unsigned EACH, unsigned V = 1, bool FULL = false, typename BITS,
          typename CODE>
static __device__ __forceinline__ void choose_segment(const top_params<BITS, CODE> &params,
                                                      size_t segment, const segment_range &range,
                                                      CODE *room, unsigned lane)
{
    const lane_group<G> group = {lane % G, lane / G * G};
    const unsigned length = (unsigned)range.length;
    const unsigned results = params.to.k < length ? (unsigned)params.to.k : length;
    element_source<BITS, CODE> elements = params.elements;
    elements.in += range.begin;
    const group_choice<G, EACH, V, FULL, BITS, CODE> choice(elements, length, results, group);
    choice.choose(room + group.first * 2, [&](unsigned j, CODE code) {
        params.to.store_code(segment, j, range.begin, length, code, elements.ranks);
    });
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

/* Rows of params.row elements, a warp each. */
template <unsigned EACH, unsigned V, bool FULL, typename BITS, typename CODE>
static __global__ void __launch_bounds__(WARPS_THREADS,
                                         BLOCKS_HELD(WARPS_THREADS, sizeof(CODE) > 8 ? 2 : 6))
    top_k_rows_by_warps(const __grid_constant__ top_params<BITS, CODE> params)
{
    __shared__ warp_rooms<CODE> shared;
    wait_for_previous_kernel();
    const unsigned lane = threadIdx.x % 32;
    const size_t warps = (size_t)gridDim.x * (WARPS_THREADS / 32), rows = params.n / params.row;
    const size_t first = ((size_t)blockIdx.x * WARPS_THREADS + threadIdx.x) / 32;
    CODE *const room = shared.codes[threadIdx.x / 32];
    if (first == 0 && lane == 0 && params.to.count != NULL)
        *params.to.count = rows;
#pragma unroll 1
    for (size_t row = first; row < rows; row += warps) {
        const segment_range range = {row * params.row, params.row, true};
        choose_segment<32, EACH, V, FULL>(params, row, range, room, lane);
        if (params.to.counts != NULL && lane == 0)
            params.to.counts[row] = params.to.k < params.row ? params.to.k : params.row;
    }
}

#endif
