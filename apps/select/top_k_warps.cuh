/*
 * Top-k of short segments on CUDA, a warp each. A lane has every 32nd element in registers. The k-th of the lanes' least
 * ranks is a limit that at least k elements pass, and seldom many more: up to 64 of them are sorted by the
 * warp. If more pass, the limit is found bit by bit. Of elements with the limit's rank, the first ones are taken.
 */
#ifndef PARSCAN_APPS_TOP_K_WARPS_CUH
#define PARSCAN_APPS_TOP_K_WARPS_CUH

#include "apps/select/top_k_kernels.cuh"

enum { WARPS_THREADS = 128, WARP_TAKES = 64 };

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

/* Sorts the lanes' values. */
template <typename V>
static __device__ __forceinline__ V sort_lanes(V mine, unsigned lane)
{
#pragma unroll
    for (unsigned run = 2; run <= 32; run *= 2)
#pragma unroll
        for (unsigned step = run / 2; step > 0; step /= 2)
            mine = compare_lanes(mine, step, (lane & run) == 0, lane);
    return mine;
}

static __device__ __forceinline__ unsigned sum_of_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, value);
#else
    return warp_shuffle(warp_reduce(parscan_operator_SUM(), value), 0);
#endif
}

/* The elements of a segment, EACH in a lane. */
template <unsigned EACH, typename BITS, typename CODE>
struct warp_choice {
    typedef typename code_of<CODE>::PART PART;
    const element_source<BITS, CODE> elements;
    const unsigned length, results, lane; /* results: 1 to 32, and not more than length */
    PART ranks[EACH];                     /* the last rank behind the segment */

    __device__ __forceinline__ warp_choice(const element_source<BITS, CODE> &source,
                                           unsigned given_length, unsigned given_results,
                                           unsigned given_lane)
        : elements(source), length(given_length), results(given_results), lane(given_lane)
    {
        BITS keys[EACH];
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            keys[e] = e * 32 + lane < length ? elements.in[e * 32 + lane] : BITS{};
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            ranks[e] =
                e * 32 + lane < length ? (PART)elements.ranks.rank(keys[e]) : (PART) ~(PART)0;
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
            bits |= (uint32_t)(ranks[e] == limit && e * 32 + lane < length) << e;
        return bits;
    }

    /* The greatest rank that fewer than `results` elements are below: that of the last result. */
    __device__ __forceinline__ PART rank_by_bits() const
    {
        PART limit = 0;
#pragma unroll 1
        for (unsigned bit = 8 * sizeof(BITS); bit-- > 0;) {
            const PART higher = limit | (PART)1 << bit;
            if (sum_of_lanes((unsigned)__popc(below(higher))) < results)
                limit = higher;
        }
        return limit;
    }

    /* The first `count` of the elements in `bits` by their places. */
    __device__ __forceinline__ uint32_t first_of(uint32_t bits, unsigned count) const
    {
        uint32_t taken = 0;
#pragma unroll 1
        for (unsigned e = 0; e < EACH && count > 0; e++) {
            const uint32_t votes = __ballot_sync(0xffffffffu, (bits >> e & 1) != 0);
            const unsigned before = (unsigned)__popc(votes & ((1u << lane) - 1));
            const unsigned all = (unsigned)__popc(votes);
            taken |= (uint32_t)((bits >> e & 1) != 0 && before < count) << e;
            count -= all < count ? all : count;
        }
        return taken;
    }

    /* The elements that are sorted: at least `results`, at most WARP_TAKES. */
    __device__ __forceinline__ uint32_t take() const
    {
        PART limit = warp_shuffle(sort_lanes(least(), lane), results - 1);
        uint32_t taken = below(limit);
        unsigned count = sum_of_lanes((unsigned)__popc(taken));
        if (count > WARP_TAKES) {
            limit = rank_by_bits();
            taken = below(limit);
            count = sum_of_lanes((unsigned)__popc(taken));
        }
        if (count < results) {
            const uint32_t equals = equal(limit);
            const bool all = sum_of_lanes((unsigned)__popc(equals)) <= results - count;
            taken |= all ? equals : first_of(equals, results - count);
        }
        return taken;
    }

    /* The codes in order, the j-th at lane j < results. room: for WARP_TAKES codes, of this warp alone. */
    __device__ __forceinline__ CODE choose(CODE *room) const
    {
        uint32_t taken = take();
        const unsigned mine = (unsigned)__popc(taken);
        const unsigned through = warp_scan(parscan_operator_SUM(), mine, lane);
        const unsigned count = warp_shuffle(through, 31);
        for (unsigned at = through - mine; taken != 0; taken &= taken - 1, at++)
            room[at] = elements.get(((unsigned)__ffs((int)taken) - 1) * 32 + lane);
        __syncwarp();
        CODE code = sort_lanes(lane < count ? room[lane] : code_of<CODE>::last(), lane);
        if (count > 32) {
            /* The lesser one of the two runs, one of them reversed, is a run that rises and falls. */
            const CODE more =
                sort_lanes(lane + 32 < count ? room[lane + 32] : code_of<CODE>::last(), lane);
            const CODE turned = warp_shuffle_xor(more, 31);
            code = turned < code ? turned : code;
#pragma unroll
            for (unsigned step = 16; step > 0; step /= 2)
                code = compare_lanes(code, step, true, lane);
        }
        __syncwarp(); /* room has been read */
        return code;
    }
};

/* Stores the results of a segment. */
template <unsigned EACH, typename BITS, typename CODE>
static __device__ __forceinline__ void choose_segment(const top_params<BITS, CODE> &params,
                                                      size_t segment, const segment_range &range,
                                                      unsigned results, CODE *room, unsigned lane)
{
    element_source<BITS, CODE> elements = params.elements;
    elements.in += range.begin;
    const warp_choice<EACH, BITS, CODE> choice(elements, (unsigned)range.length, results, lane);
    const CODE code = choice.choose(room);
    if (lane < results)
        params.to.store(segment, lane, range.begin, range.length,
                        (size_t)code_of<CODE>::place(code));
}

/* A warp for each segment of up to TOP_K_WARP_ELEMENTS; blocks take the others. */
template <typename BITS, typename CODE>
static __global__ void __launch_bounds__(WARPS_THREADS,
                                         BLOCKS_HELD(WARPS_THREADS, sizeof(CODE) > 8 ? 2 : 5))
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
    for (size_t segment = first; segment < offsets.count; segment += warps) {
        const segment_range range = warp_shuffle(range_of(offsets, segment, lane == 0), 0);
        if (!range.right || range.length > TOP_K_WARP_ELEMENTS)
            continue;
        const unsigned length = (unsigned)range.length;
        const unsigned results = given.to.k < length ? (unsigned)given.to.k : length;
        if (given.to.counts != NULL && lane == 0)
            given.to.counts[segment] = results;
        if (results == 0)
            continue;
        if (length <= 64)
            choose_segment<2>(given, segment, range, results, room, lane);
        else if (length <= 256)
            choose_segment<8>(given, segment, range, results, room, lane);
        else
            choose_segment<32>(given, segment, range, results, room, lane);
    }
}

#endif
