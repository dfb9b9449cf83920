/*
 * The kernel of a search for bounds.
 *
 *     search    A block of threads has the last level of the tree (bounds_tree.cuh) in shared memory, or,
 *               without a tree, samples of the keys. A lane searches four needles together (bounds_descent.cuh).
 *     in order  The needles of a warp that are in order have their bounds in a range of blocks, which the first
 *               and the last needle tell. If it is short, the warp takes its ranks to shared memory, and
 *               searches there.
 *
 * Upper bounds are lower bounds of rank + 1. With counts (joins) both are found. Whatever the keys are,
 * each bound stays between 0 and count.
 *
 * Lower bound: one read of the needles and of the keys, if needles are in order; else, where keys do not fit
 * L2, a line of keys for each needle. One write of the bounds.
 */
#ifndef PARSCAN_APPS_BOUNDS_KERNELS_CUH
#define PARSCAN_APPS_BOUNDS_KERNELS_CUH

#include <type_traits>

#include "apps/search/bounds_descent.cuh"
#include "scan/cuda/launch.cuh"

enum : unsigned { BOUNDS_AT_ONCE = 8 };

/* Where a warp's needles that are in order have their bounds. */
struct staged_range {
    bool held; /* in shared memory; else the range is too long */
    size_t begin;
    unsigned power; /* ranks are followed by the greatest rank up to power - 1 */
};

/* The blocks between the bounds of the first and the last needle, which the whole warp has. */
template <typename RANKS>
static __device__ __forceinline__ staged_range
stage(const bounds_view<RANKS> &view, const typename RANKS::key *top, typename RANKS::key *to,
      typename RANKS::key first, typename RANKS::key last, bool to_end, unsigned lane)
{
    typedef bounds_shape<RANKS> S;
    const typename S::key ends[1] = {lane % 2 == 0 ? first : last};
    unsigned at[1];
    find_blocks(view, top, ends, at);
    const unsigned from = __shfl_sync(~0u, at[0], 0), up_to = __shfl_sync(~0u, at[0], 1);
    const unsigned end_block = to_end ? view.blocks - 1 : up_to > from ? up_to : from;
    const size_t begin = (size_t)from << view.block_bits;
    const size_t all = ((size_t)end_block + 1) << view.block_bits;
    const size_t length = (all < view.count ? all : view.count) - begin;
    if (length >= S::STAGE)
        return {false, 0, 0};
    const unsigned power = power_from((unsigned)length + 1);
    for (unsigned first = lane; first < power; first += 32 * BOUNDS_AT_ONCE) {
        typename S::key ranks[BOUNDS_AT_ONCE]; /* read together */
#pragma unroll
        for (unsigned k = 0; k < BOUNDS_AT_ONCE; k++)
            ranks[k] = first + k * 32 < length ? view.rank_at(begin + first + k * 32) : S::GREATEST;
#pragma unroll
        for (unsigned k = 0; k < BOUNDS_AT_ONCE; k++)
            if (first + k * 32 < power)
                to[first + k * 32] = ranks[k];
    }
    __syncwarp();
    return {true, begin, power};
}

/* ---- the needles of a warp ---- */

template <typename KEY>
static __device__ __forceinline__ KEY from_lane(KEY value, unsigned lane)
{
    typedef typename std::conditional<sizeof(KEY) == 8, unsigned long long, unsigned>::type word;
    return (KEY)__shfl_sync(~0u, (word)value, (int)lane);
}

/* Needle e of lane l is number 32 * e + l. */
template <unsigned EACH, typename KEY>
static __device__ __forceinline__ bool are_in_order(const KEY (&needles)[EACH], unsigned lane)
{
    bool in_order = true;
#pragma unroll
    for (unsigned e = 0; e < EACH; e++) {
        const KEY next = needles[e + 1 < EACH ? e + 1 : e];
        const KEY after = from_lane(lane == 0 ? next : needles[e], (lane + 1) % 32);
        in_order = in_order && (needles[e] <= after || (lane == 31 && e + 1 == EACH));
    }
    return !__any_sync(~0u, !in_order);
}

static __device__ __forceinline__ void put_number(bool wide, void *out, size_t i, uint64_t number)
{
    if (wide)
        __stcs((uint64_t *)out + i, number);
    else
        __stcs((uint32_t *)out + i, (uint32_t)number);
}

/* Stores what is wanted of the keys from `bound` up to `end` that are equal to needle i. */
static __device__ __forceinline__ void put_range(const bounds_params &params, size_t count,
                                                 size_t i, size_t bound, size_t end)
{
    const size_t equal = end > bound ? end - bound : 0;
    const bool missing = equal == 0;
    const bool left = params.counted == BOUNDS_COUNT_LEFT;
    const uint64_t counted = params.counted == BOUNDS_COUNT_MISSING ? missing
                             : params.counted == BOUNDS_COUNT_ANY   ? !missing
                             : left && missing                      ? 1
                                                                    : equal;
    put_number(params.wide, params.counts, i, counted);
    if (params.out != NULL)
        put_number(params.wide, params.out, i, left && missing ? count : bound);
}

/* Finds lower bounds of needles, or with `upper` of what follows them. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void
find_batch(const bounds_view<RANKS> &view, const typename RANKS::key *top,
           const typename RANKS::key *room, const staged_range &range,
           const typename RANKS::key (&needles)[E], bool upper, size_t (&bounds)[E])
{
    typedef bounds_shape<RANKS> S;
    typename S::key sought[E];
    unsigned at[E];
#pragma unroll
    for (unsigned e = 0; e < E; e++)
        sought[e] = (typename S::key)(needles[e] + upper);
    if (range.held) {
        halve_shared(room, range.power, sought, at);
#pragma unroll
        for (unsigned e = 0; e < E; e++)
            bounds[e] = range.begin + at[e];
    } else {
        find_blocks(view, top, sought, at);
        find_in_blocks(view, sought, at, bounds);
    }
#pragma unroll
    for (unsigned e = 0; e < E; e++)
        bounds[e] = upper && needles[e] == S::GREATEST ? view.count : bounds[e];
}

/* Stores the bounds of a batch, whose first needle of this lane has the number `first`. */
template <bool RANGES, unsigned E, typename RANKS>
static __device__ __forceinline__ void
search_batch(const bounds_view<RANKS> &view, const typename RANKS::key *top,
             const typename RANKS::key *room, const staged_range &range,
             const typename RANKS::key (&needles)[E], size_t first, size_t n)
{
    const bounds_params &params = view.params;
    size_t bounds[E] = {}, ends[E] = {};
    if (view.count > 0)
        find_batch(view, top, room, range, needles, !RANGES && params.upper, bounds);
    if (RANGES && view.count > 0)
        find_batch(view, top, room, range, needles, true, ends);
#pragma unroll
    for (unsigned e = 0; e < E; e++) {
        const size_t i = first + e * 32;
        if (i < n && RANGES)
            put_range(params, view.count, i, bounds[e], ends[e]);
        if (i < n && !RANGES)
            put_number(params.wide, params.out, i, bounds[e]);
    }
}

/* Needles beyond the end repeat the last one. */
template <unsigned EACH, typename KEY>
static __device__ __forceinline__ void load_needles(const KEY *values, size_t first, size_t n,
                                                    KEY (&needles)[EACH], unsigned lane)
{
#pragma unroll
    for (unsigned e = 0; e < EACH; e++) {
        const size_t i = first + e * 32 + lane;
        needles[e] = __ldcs(values + (i < n ? i : n - 1));
    }
}

template <bool RANGES, unsigned EACH, typename RANKS>
static __device__ __forceinline__ void
search_tile(const bounds_view<RANKS> &view, const typename RANKS::key *top,
            typename RANKS::key *room, const typename RANKS::key (&needles)[EACH], size_t first,
            size_t n, unsigned lane)
{
    typedef bounds_shape<RANKS> S;
    typedef typename S::key key;
    const unsigned TOGETHER =
        RANGES ? S::TOGETHER / 2 : S::TOGETHER; /* two bounds take registers */
    const bool upper = RANGES || view.params.upper;
    staged_range range = {false, 0, 0};
    if (view.count > 0 && are_in_order(needles, lane)) {
        const key low = from_lane(needles[0], 0), high = from_lane(needles[EACH - 1], 31);
        range = stage(view, top, room, (key)(low + (upper && !RANGES && low != S::GREATEST)),
                      (key)(high + upper), upper && high == S::GREATEST, lane);
    }
#pragma unroll
    for (unsigned b = 0; b < EACH / TOGETHER; b++) {
        key batch[TOGETHER];
#pragma unroll
        for (unsigned e = 0; e < TOGETHER; e++)
            batch[e] = needles[b * TOGETHER + e];
        if (b * TOGETHER < view.params.plan.batches * S::TOGETHER)
            search_batch<RANGES>(view, top, room, range, batch, first + b * TOGETHER * 32 + lane,
                                 n);
    }
    __syncwarp(); /* the range is read, another one takes its place */
}

template <typename RANKS>
static __device__ __forceinline__ void load_top(const bounds_view<RANKS> &view,
                                                typename RANKS::key *top)
{
    typedef bounds_shape<RANKS> S;
    typedef typename S::vector vector;
    const unsigned levels = view.params.plan.levels;
    const unsigned length = view.length_of_level(levels > 0 ? levels - 1 : 0);
    const unsigned power = power_from(length);
    unsigned filled = levels > 0 ? (length + S::FANOUT - 1) / S::FANOUT * S::FANOUT : 0;
    const vector *const level = levels > 0 ? (const vector *)view.level(levels - 1) : NULL;
#pragma unroll 8
    for (unsigned k = threadIdx.x; k < filled * S::SIZE / sizeof(vector); k += BOUNDS_THREADS)
        ((vector *)top)[k] = level[k];
#pragma unroll 4
    for (unsigned k = filled + threadIdx.x; k < power; k += BOUNDS_THREADS)
        top[k] = k < length ? view.sample(k) : S::GREATEST;
}

template <typename RANKS, bool RANGES>
static __global__ void __launch_bounds__(BOUNDS_THREADS, BLOCKS_HELD(BOUNDS_THREADS, 2))
    find_bounds(const __grid_constant__ bounds_at_length params)
{
    typedef bounds_shape<RANKS> S;
    typedef typename S::key key;
    extern __shared__ __align__(16) unsigned char memory[];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    wait_for_previous_kernel();
    if (!params.is_left(lane))
        return;
    const bounds_view<RANKS> view(params, length_of(params.sorted_length, params.count));
    const size_t n = length_of(params.values_length, params.n);
    key *const top = (key *)memory;
    key *const room = top + params.plan.top + warp * S::STAGE;
    const size_t size = (size_t)params.plan.batches * S::TOGETHER * 32;
    const size_t step = size * gridDim.x * BOUNDS_WARPS;
    const key *const values = (const key *)params.values;
    size_t first = size * (blockIdx.x + (size_t)gridDim.x * warp);
    key next[S::EACH];
    if (first < n)
        load_needles(values, first, first + size < n ? first + size : n, next, lane);
    if (view.count > 0)
        load_top(view, top);
    __syncthreads();
    for (; first < n; first += step) {
        key needles[S::EACH];
#pragma unroll
        for (unsigned e = 0; e < S::EACH; e++)
            needles[e] = RANKS::rank(params.order, next[e]);
        const size_t after = first + step;
        if (after < n)
            load_needles(values, after, after + size < n ? after + size : n, next, lane);
        if (params.plan.stream_needles == 0 ||
            params.left_of_tiles()[first / params.plan.stream_needles] != 0)
            search_tile<RANGES>(view, top, room, needles, first,
                                first + size < n ? first + size : n, lane);
    }
}
#endif
