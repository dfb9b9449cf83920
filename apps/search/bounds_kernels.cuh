/*
 * The kernels of a search for bounds. Keys are compared by ranks (apps/merge/key_ranks.cuh).
 *
 *     tree      level 0 has the rank of the last key of each block of keys, 128 bytes; each further level
 *               has the last rank of each node of the level below it. A node is read by one or two
 *               loads. The last level fits shared memory.
 *     search    A block of threads has the last level in shared memory, or, without a tree, samples of the
 *               keys. A lane searches four needles together, so that their loads wait together: in
 *               shared memory by halves, then node by node, then in a block of keys by halves.
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

#include <string.h>

#include <type_traits>

#include "apps/merge/key_ranks.cuh"
#include "apps/search/bounds_cuda.h"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

struct bounds_at_length : bounds_params {
    device_length sorted_length, values_length;
};

enum : unsigned { BOUNDS_BUILD_THREADS = 256, BOUNDS_AT_ONCE = 8 };

/* The order in which -0 is +0. */
template <typename KEYS>
struct by_value : KEYS {
    static __device__ __forceinline__ typename KEYS::key rank(const key_order &order,
                                                              typename KEYS::key key)
    {
        return KEYS::rank_of_value(order, key);
    }
};

template <typename RANKS>
struct bounds_shape {
    typedef typename RANKS::key key;
    static const unsigned SIZE = sizeof(key), FANOUT_BITS = SIZE > 4 ? 2 : 3,
                          FANOUT = 1u << FANOUT_BITS, STAGE = BOUNDS_STAGE_BYTES / SIZE,
                          BLOCK_BITS = SIZE == 1   ? 7
                                       : SIZE == 2 ? 6
                                       : SIZE == 4 ? 5
                                                   : 4,
                          TOGETHER = BOUNDS_BATCH_OF(SIZE), EACH = TOGETHER * BOUNDS_BATCHES,
                          SECTOR = BOUNDS_NODE_BYTES / SIZE; /* keys */
    static const key GREATEST = (key) ~(key)0;
    typedef typename std::conditional<(FANOUT * SIZE < 16), uint2, uint4>::type vector;
    static_assert(SIZE << BLOCK_BITS == BOUNDS_BLOCK_BYTES, "");
    static_assert(FANOUT == BOUNDS_MOST_FANOUT || FANOUT * SIZE == BOUNDS_NODE_BYTES, "");
};

/* The keys, in blocks of 1 << block_bits, and their samples. */
template <typename RANKS>
struct bounds_view : bounds_shape<RANKS> {
    typedef bounds_shape<RANKS> S;
    typedef typename S::key key;
    const bounds_at_length &params;
    size_t count;
    unsigned block_bits, blocks;

    __device__ __forceinline__ bounds_view(const bounds_at_length &given, size_t keys)
        : params(given), count(keys), block_bits(S::BLOCK_BITS)
    {
        if (params.plan.variant == BOUNDS_DIRECT)
            for (block_bits = 0; (count - 1) >> block_bits >= params.plan.top && count > 0;)
                block_bits++;
        blocks = count > 0 ? (unsigned)((count - 1) >> block_bits) + 1 : 0;
    }
    /* Keys that do not fit L2 are read once or twice, and must not take the place of samples there. */
    template <typename T>
    __device__ __forceinline__ T load(const T *from) const
    {
        return params.plan.far ? __ldcs(from) : *from;
    }
    __device__ __forceinline__ key rank_at(size_t i) const
    {
        return RANKS::rank(params.order, load((const key *)params.sorted + i));
    }
    /* The rank of a block's last key. */
    __device__ __forceinline__ key sample(unsigned block) const
    {
        const size_t end = ((size_t)block + 1) << block_bits;
        return rank_at((end < count ? end : count) - 1);
    }
    __device__ __forceinline__ unsigned length_of_level(unsigned level) const
    {
        return ((blocks - 1) >> S::FANOUT_BITS * level) + 1;
    }
    __device__ __forceinline__ key *level(unsigned number) const
    {
        return (key *)params.tree + params.plan.level_at[number];
    }
};

/* ---- the tree ---- */

/* What nobody has as a sample is after all needles. */
template <typename RANKS>
static __device__ __forceinline__ void fill_nodes(const bounds_view<RANKS> &view)
{
    typedef bounds_shape<RANKS> S;
    for (unsigned l = 0; l < view.params.plan.levels; l++) {
        const unsigned at = view.length_of_level(l) + threadIdx.x;
        if (threadIdx.x < S::FANOUT && at % S::FANOUT > threadIdx.x)
            view.level(l)[at] = S::GREATEST;
    }
}

template <typename RANKS>
static __global__ void __launch_bounds__(BOUNDS_BUILD_THREADS)
    build_tree(const __grid_constant__ bounds_at_length params)
{
    typedef bounds_shape<RANKS> S;
    wait_for_previous_kernel();
    const bounds_view<RANKS> view(params, length_of(params.sorted_length, params.count));
    const size_t step = (size_t)gridDim.x * BOUNDS_BUILD_THREADS;
    size_t block = (size_t)blockIdx.x * BOUNDS_BUILD_THREADS + threadIdx.x;
    if (blockIdx.x == 0 && view.blocks > 0)
        fill_nodes(view);
    for (; block < view.blocks; block += step) {
        const typename S::key last = view.sample((unsigned)block);
        for (unsigned l = 0; l < params.plan.levels; l++) {
            const unsigned place = (unsigned)block >> S::FANOUT_BITS * l;
            if (block + 1 < view.blocks && (block + 1) % ((size_t)1 << S::FANOUT_BITS * l) != 0)
                break;
            view.level(l)[place] = last;
        }
    }
}

/* ---- searches ---- */

/* The smallest power of two that is not below n. */
static __device__ __forceinline__ unsigned power_from(unsigned n)
{
    return n <= 1 ? 1 : 1u << (32 - __clz((int)(n - 1)));
}

/* Finds how many of `power` - 1 sorted ranks are below each needle. */
template <unsigned E, typename KEY>
static __device__ __forceinline__ void halve_shared(const KEY *ranks, unsigned power,
                                                    const KEY (&needles)[E], unsigned (&at)[E])
{
#pragma unroll
    for (unsigned e = 0; e < E; e++)
        at[e] = 0;
#pragma unroll 1
    for (unsigned half = power / 2; half > 0; half /= 2)
#pragma unroll
        for (unsigned e = 0; e < E; e++)
            at[e] += ranks[at[e] + half - 1] < needles[e] ? half : 0;
}

/* The number of ranks of a node that are below a needle. */
template <typename S>
static __device__ __forceinline__ unsigned below_in_node(const typename S::key *node,
                                                         typename S::key needle)
{
    typedef typename S::vector vector;
    const unsigned LOADS = S::FANOUT * S::SIZE / sizeof(vector);
    vector raw[LOADS];
    typename S::key ranks[S::FANOUT];
    unsigned below = 0;
#pragma unroll
    for (unsigned k = 0; k < LOADS; k++)
        raw[k] = ((const vector *)node)[k];
    memcpy(ranks, raw, sizeof ranks);
#pragma unroll
    for (unsigned k = 0; k < S::FANOUT; k++)
        below += ranks[k] < needle;
    return below;
}

/* Finds the blocks in which the bounds of needles are; the last one, where all keys are below. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void
find_blocks(const bounds_view<RANKS> &view, const typename RANKS::key *top,
            const typename RANKS::key (&needles)[E], unsigned (&at)[E])
{
    typedef bounds_shape<RANKS> S;
    const unsigned levels = view.params.plan.levels, above = levels > 0 ? levels - 1 : 0;
    const unsigned length = view.length_of_level(above);
    halve_shared(top, power_from(length), needles, at);
#pragma unroll
    for (unsigned e = 0; e < E; e++)
        at[e] = at[e] < length ? at[e] : length - 1;
#pragma unroll 1
    for (unsigned l = above; l-- > 0;) {
        const typename S::key *const level = view.level(l);
        const unsigned last = view.length_of_level(l) - 1;
#pragma unroll
        for (unsigned e = 0; e < E; e++) {
            const size_t node = (size_t)at[e] * S::FANOUT;
            const unsigned found = (unsigned)node + below_in_node<S>(level + node, needles[e]);
            at[e] = found < last ? found : last;
        }
    }
}

/* Halves the parts of blocks, from `half` on, in which the bounds are, until they have `least` keys. last: of the
   block, of which a probe goes no further. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void
halve_blocks(const bounds_view<RANKS> &view, const typename RANKS::key (&needles)[E],
             const size_t (&begins)[E], const unsigned (&last)[E], unsigned half, unsigned least,
             unsigned (&at)[E])
{
#pragma unroll 1
    for (; half >= least; half /= 2)
#pragma unroll
        for (unsigned e = 0; e < E; e++) {
            const unsigned probe = at[e] + half - 1;
            const typename RANKS::key rank =
                view.rank_at(begins[e] + (probe < last[e] ? probe : last[e]));
            at[e] += rank < needles[e] ? half : 0;
        }
}

/* Whether keys can be read by sectors, all of those that the lanes want. By a whole warp. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ bool
can_read_sectors(const bounds_view<RANKS> &view, const size_t (&begins)[E], const unsigned (&at)[E])
{
    bool inside = true;
#pragma unroll
    for (unsigned e = 0; e < E; e++)
        inside = inside && begins[e] + at[e] + bounds_shape<RANKS>::SECTOR <= view.count;
    return !__any_sync(~0u, !inside);
}

/* Counts the keys below the needles in a sector each. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void find_in_sectors(const bounds_view<RANKS> &view,
                                                       const typename RANKS::key (&needles)[E],
                                                       const size_t (&begins)[E], unsigned (&at)[E])
{
    typedef bounds_shape<RANKS> S;
    uint4 raw[E][2];
#pragma unroll
    for (unsigned e = 0; e < E; e++) {
        const typename S::key *const keys = (const typename S::key *)view.params.sorted;
        const uint4 *const sector = (const uint4 *)(keys + begins[e] + at[e]);
        raw[e][0] = view.load(sector);
        raw[e][1] = view.load(sector + 1);
    }
#pragma unroll
    for (unsigned e = 0; e < E; e++) {
        typename S::key keys[S::SECTOR];
        memcpy(keys, raw[e], sizeof keys);
#pragma unroll
        for (unsigned k = 0; k < S::SECTOR; k++)
            at[e] += RANKS::rank(view.params.order, keys[k]) < needles[e];
    }
}

/* Finds the bounds in these blocks. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void
find_in_blocks(const bounds_view<RANKS> &view, const typename RANKS::key (&needles)[E],
               const unsigned (&blocks)[E], size_t (&bounds)[E])
{
    typedef bounds_shape<RANKS> S;
    const size_t size = (size_t)1 << view.block_bits;
    const bool sectors = S::SIZE >= 4 && view.params.plan.sectors && size > S::SECTOR;
    unsigned at[E], last[E];
#pragma unroll
    for (unsigned e = 0; e < E; e++) {
        bounds[e] = (size_t)blocks[e] << view.block_bits;
        const size_t left = view.count - bounds[e];
        last[e] = (unsigned)((left < size ? left : size) - 1);
        at[e] = 0;
    }
    unsigned half = (unsigned)(size / 2);
    if (sectors) {
        halve_blocks(view, needles, bounds, last, half, S::SECTOR, at);
        half = S::SECTOR / 2;
    }
    if (sectors && can_read_sectors(view, bounds, at))
        find_in_sectors(view, needles, bounds, at);
    else
        halve_blocks(view, needles, bounds, last, half, 1, at);
#pragma unroll
    for (unsigned e = 0; e < E; e++) {
        bounds[e] += at[e] < last[e] ? at[e] : last[e];
        if (bounds[e] + 1 == view.count)
            bounds[e] += view.rank_at(bounds[e]) < needles[e];
    }
}

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
    wait_for_previous_kernel();
    const bounds_view<RANKS> view(params, length_of(params.sorted_length, params.count));
    const size_t n = length_of(params.values_length, params.n);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
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
        search_tile<RANGES>(view, top, room, needles, first, first + size < n ? first + size : n,
                            lane);
    }
}

#endif
