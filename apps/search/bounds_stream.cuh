/*
 * A search for bounds of needles in order on CUDA, a kernel before the search by the tree. A block has a span of
 * the needles, and takes tile after tile of it:
 *
 *     look     one more warp looks at 32 needles of the tile after the next. If they are in order, it searches
 *              for the bound of the last one, in the keys from the bound of the tile before it on
 *     stage    the next tile's needles and the keys between its bounds are copied to shared memory
 *     search   each warp finds the bounds of every 32nd needle, which cut the keys into short ranges; a row of
 *              32 needles then takes few steps, and its lanes read few words
 *
 * A tile whose needles are not in order, or have too many keys, is left to the kernels of the tree, which read
 * what the blocks have left.
 */
#ifndef PARSCAN_APPS_BOUNDS_STREAM_CUH
#define PARSCAN_APPS_BOUNDS_STREAM_CUH

#include "apps/merge/merge_path.cuh"
#include "apps/merge/stage_parts.cuh"
#include "apps/search/bounds_kernels.cuh"

template <typename RANKS>
struct stream_shape {
    typedef typename RANKS::key key;
    static const unsigned THREADS = BOUNDS_STREAM_THREADS, WARPS = THREADS / 32;
    static const unsigned ALL_THREADS = THREADS + 32, BLOCKS = 2, TOGETHER = 4;
    static const unsigned KEYS = BOUNDS_STREAM_KEYS_OF(sizeof(key));
    static const unsigned STAGE = KEYS / 3 * 5 * sizeof(key) + 4 * STAGED_PIECE;
    static const size_t SHARED_BYTES = 2 * STAGE;
    static_assert(SHARED_BYTES <= BOUNDS_STREAM_BYTES, "");
};

/* A tile of needles, and the keys between its bounds. */
struct stream_tile {
    size_t first, begin;    /* its first needle and key */
    unsigned count, length; /* needles and keys */
    bool left;              /* to the tree */
};

/* The keys and needles, and this block's span of the needles. */
template <typename RANKS>
struct stream_view : stream_shape<RANKS> {
    typedef typename RANKS::key key;
    static const key GREATEST = (key) ~(key)0;
    const bounds_at_length &params;
    const key *sorted, *values;
    size_t count, n, end;
    bool upper;

    __device__ __forceinline__ key rank(key of) const { return RANKS::rank(params.order, of); }
    /* What has the bound of a needle as its lower one, up to the greatest rank. */
    __device__ __forceinline__ key sought(key needle, bool above) const
    {
        return (key)(needle + (above && needle != GREATEST));
    }
    __device__ __forceinline__ unsigned count_of(size_t first) const
    {
        const size_t left = first < end ? end - first : 0;
        return left < params.plan.stream_needles ? (unsigned)left : params.plan.stream_needles;
    }
};

/* ---- the warp that looks ahead ---- */

/* What it knows: the bound of the needle before the tile. */
template <typename KEY>
struct stream_ahead {
    bool known;
    KEY needle;
    size_t bound;
};

/* Looks at a tile. needle: of this lane, one of 32 that are the tile's first and last one and others between. */
template <typename RANKS>
static __device__ __forceinline__ stream_tile look_at(const stream_view<RANKS> &view, size_t first,
                                                      typename RANKS::key needle,
                                                      stream_ahead<typename RANKS::key> &ahead,
                                                      unsigned lane)
{
    typedef typename RANKS::key key;
    const unsigned KEYS = stream_shape<RANKS>::KEYS;
    stream_tile tile = {first, 0, view.count_of(first), 0, true};
    if (tile.count == 0)
        return tile;
    const key after = from_lane(needle, (lane + 1) % 32);
    const bool in_order = !__any_sync(~0u, lane < 31 && needle > after);
    const key low = from_lane(needle, 0), high = from_lane(needle, 31);
    const auto search = [&](size_t begin, size_t end, key sought) {
        return first_not_by_warp(begin, end, lane,
                                 [&](size_t k) { return view.rank(view.sorted[k]) < sought; });
    };
    if (!in_order) {
        ahead.known = false;
        return tile;
    }
    tile.begin = ahead.known && low >= ahead.needle
                     ? ahead.bound
                     : search(0, view.count, view.sought(low, view.upper));
    const size_t left = view.count - tile.begin;
    const unsigned room = left < KEYS + 1 ? (unsigned)left : KEYS + 1;
    const key *const keys = view.sorted + tile.begin;
    const auto bound_of = [&](key sought) {
        return first_not_of_many<8>(0, room, lane,
                                    [&](unsigned k) { return view.rank(keys[k]) < sought; });
    };
    tile.length = bound_of(view.sought(high, view.upper));
    tile.left = tile.length > KEYS;
    ahead = {tile.length <= KEYS, high, tile.begin + tile.length};
    if (lane == 0 && ahead.known && ahead.bound + KEYS + 16 < view.count)
        prefetch_bulk(view.sorted + ahead.bound, KEYS * sizeof(key));
    return tile;
}

/* The needle of a lane that look_at() takes. */
template <typename RANKS>
static __device__ __forceinline__ typename RANKS::key sampled(const stream_view<RANKS> &view,
                                                              size_t first, unsigned lane)
{
    const unsigned count = view.count_of(first);
    return count > 0 ? view.rank(view.values[first + (size_t)(count - 1) * lane / 31]) : 0;
}

/* ---- the warps that search ---- */

/* A tile in shared memory. */
template <typename KEY>
struct staged_search {
    const KEY *needles, *keys;
    unsigned count, length;
};

template <typename RANKS>
static __device__ __forceinline__ void stage_search(const stream_view<RANKS> &view,
                                                    const stream_tile &tile, unsigned char *to)
{
    const unsigned THREADS = stream_shape<RANKS>::THREADS;
    const unsigned bytes =
        stage_part(to, view.values, view.n, view.values + tile.first, tile.count, THREADS);
    stage_part(to + bytes, view.sorted, view.count, view.sorted + tile.begin, tile.length, THREADS);
}

template <typename RANKS>
static __device__ __forceinline__ staged_search<typename RANKS::key>
search_in(const stream_view<RANKS> &view, const stream_tile &tile, const unsigned char *stage)
{
    typedef typename RANKS::key key;
    const unsigned PIECE = STAGED_PIECE / sizeof(key);
    const unsigned skew = staged_skew(view.values + tile.first);
    const unsigned before = (skew + tile.count + PIECE - 1) / PIECE * PIECE;
    const key *const all = (const key *)stage;
    return {all + skew, all + before + staged_skew(view.sorted + tile.begin), tile.count,
            tile.length};
}

/* Halves ranges of keys, of which the longest has `longest`: at[] becomes how many keys of the tile are below. */
template <unsigned E, typename RANKS>
static __device__ __forceinline__ void
halve_rows(const stream_view<RANKS> &view, const staged_search<typename RANKS::key> &tile,
           unsigned longest, const typename RANKS::key (&sought)[E], unsigned (&at)[E])
{
    const unsigned last = tile.length > 0 ? tile.length - 1 : 0;
#pragma unroll 1
    for (unsigned half = longest > 0 ? 1u << (31 - __clz((int)longest)) : 0; half > 0; half /= 2)
#pragma unroll
        for (unsigned e = 0; e < E; e++) {
            const unsigned probe = at[e] + half - 1;
            at[e] += view.rank(tile.keys[probe < last ? probe : last]) < sought[e] ? half : 0;
        }
}

/* The number of keys that are below the needle before row `row`, which is the lane's. */
template <typename RANKS>
static __device__ __forceinline__ unsigned below_row(const stream_view<RANKS> &view,
                                                     const staged_search<typename RANKS::key> &tile,
                                                     unsigned row)
{
    const unsigned before = row * 32 < tile.count ? row * 32 : tile.count;
    unsigned at[1] = {0};
    const typename RANKS::key sought[1] = {
        view.sought(before > 0 ? view.rank(tile.needles[before - 1]) : 0, view.upper)};
    halve_rows(view, tile, tile.length, sought, at);
    return before == 0 ? 0 : at[0] < tile.length ? at[0] : tile.length;
}

/* Searches some of the rows of a warp, which has the tile's rows from `row` on, and stores the bounds. below: of
   row + lane, what below_row() tells. */
template <typename RANKS>
static __device__ __forceinline__ void
search_rows(const stream_view<RANKS> &view, const stream_tile &tile,
            const staged_search<typename RANKS::key> &staged, unsigned row, unsigned from,
            unsigned rows, unsigned below, unsigned lane)
{
    typedef typename RANKS::key key;
    const unsigned TOGETHER = stream_shape<RANKS>::TOGETHER;
    key needles[TOGETHER], sought[TOGETHER];
    unsigned at[TOGETHER], to[TOGETHER], longest = 0;
#pragma unroll
    for (unsigned e = 0; e < TOGETHER; e++) {
        const unsigned place = (row + from + e) * 32 + lane;
        needles[e] = view.rank(staged.needles[place < staged.count ? place : staged.count - 1]);
        sought[e] = view.sought(needles[e], view.upper);
        at[e] = __shfl_sync(~0u, below, (int)(from + e));
        to[e] = __shfl_sync(~0u, below, (int)(from + e + 1));
        longest = to[e] - at[e] > longest ? to[e] - at[e] : longest;
    }
    halve_rows(view, staged, longest, sought, at);
#pragma unroll
    for (unsigned e = 0; e < TOGETHER; e++)
        at[e] = at[e] < to[e] ? at[e] : to[e];
#pragma unroll
    for (unsigned e = 0; e < TOGETHER; e++) {
        const unsigned place = (row + from + e) * 32 + lane;
        const size_t bound =
            view.upper && needles[e] == view.GREATEST ? view.count : tile.begin + at[e];
        const bool is_there = from + e < rows && place < staged.count;
        if (is_there)
            put_number(view.params.wide, view.params.out, tile.first + place, bound);
    }
}

/* Whether the needles of this warp's rows, and the one before them, are in order. */
template <typename RANKS>
static __device__ __forceinline__ bool
rows_in_order(const stream_view<RANKS> &view, const staged_search<typename RANKS::key> &staged,
              unsigned row, unsigned rows, unsigned lane)
{
    bool in_order = true;
#pragma unroll 4
    for (unsigned e = 0; e < rows; e++) {
        const unsigned place = (row + e) * 32 + lane;
        if (place > 0 && place < staged.count)
            in_order = in_order &&
                       view.rank(staged.needles[place - 1]) <= view.rank(staged.needles[place]);
    }
    return !__any_sync(~0u, !in_order);
}

/* Searches a tile. Returns false if its needles are not in order; then no bound is stored, since that may be in
   the place of a needle. broken: shared by the warps, 0. */
template <typename RANKS>
static __device__ __forceinline__ bool
search_staged(const stream_view<RANKS> &view, const stream_tile &tile,
              const staged_search<typename RANKS::key> &staged, unsigned *broken, unsigned warp,
              unsigned lane)
{
    const unsigned TOGETHER = stream_shape<RANKS>::TOGETHER;
    const unsigned rows = view.params.plan.stream_needles / stream_shape<RANKS>::THREADS;
    const unsigned row = warp * rows;
    if (!rows_in_order(view, staged, row, rows, lane) && lane == 0)
        store_alike(broken, 1u);
    warps_sync<stream_shape<RANKS>::WARPS>(1);
    if (*(volatile unsigned *)broken != 0)
        return false;
    const unsigned below = below_row(view, staged, row + (lane < rows ? lane : rows));
#pragma unroll 1
    for (unsigned from = 0; from < rows && (row + from) * 32 < staged.count; from += TOGETHER)
        search_rows(view, tile, staged, row, from, rows, below, lane);
    return true;
}

/* What the block shares: tile t in tiles[t % 4], and whether its needles are not in order in broken[t % 2]. */
struct needle_shared {
    stream_tile tiles[4];
    unsigned broken[2];
};

template <typename RANKS>
static __global__ void __launch_bounds__(stream_shape<RANKS>::ALL_THREADS,
                                         BLOCKS_HELD(stream_shape<RANKS>::ALL_THREADS,
                                                     stream_shape<RANKS>::BLOCKS))
    stream_bounds(const __grid_constant__ bounds_at_length params)
{
    typedef stream_shape<RANKS> S;
    typedef typename S::key key;
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ needle_shared shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool looks = threadIdx.x >= S::THREADS;
    wait_for_previous_kernel();
    stream_view<RANKS> view = {{},
                               params,
                               (const key *)params.sorted,
                               (const key *)params.values,
                               length_of(params.sorted_length, params.count),
                               length_of(params.values_length, params.n),
                               0,
                               params.upper};
    const size_t size = params.plan.stream_needles, tiles = (view.n + size - 1) / size;
    const size_t each = (tiles + gridDim.x - 1) / gridDim.x * size, first = blockIdx.x * each;
    view.end = first + each < view.n ? first + each : view.n;
    unsigned char *const left = params.left(), *const left_of_tiles = params.left_of_tiles();
    if (blockIdx.x == 0)
        for (unsigned k = gridDim.x + threadIdx.x; k < BOUNDS_STREAM_BLOCKS; k += S::ALL_THREADS)
            left[k] = 0;
    if (threadIdx.x == 0) {
        shared.broken[0] = left[blockIdx.x] = 0;
        if (first < view.end)
            left_of_tiles[first / size] = 0;
    }
    stream_ahead<key> ahead = {false, 0, 0};
    key needle = 0;
    if (looks && first < view.end) {
        const stream_tile tile = look_at(view, first, sampled(view, first, lane), ahead, lane);
        if (lane == 0)
            shared.tiles[0] = tile;
        needle = sampled(view, first + size, lane);
    }
    __syncthreads();
    if (!looks && first < view.end && !shared.tiles[0].left)
        stage_search(view, shared.tiles[0], memory);
    size_t at = first;
#pragma unroll 1
    for (unsigned t = 0; at < view.end; t++, at += size) {
        if (looks && t == 0) { /* later ones are looked at a tile ahead */
            const stream_tile tile = look_at(view, at + size, needle, ahead, lane);
            if (lane == 0)
                shared.tiles[1] = tile;
            needle = sampled(view, at + 2 * size, lane);
        }
        pieces_wait();
        __syncthreads(); /* the tile is there, the one before it is done */
        const stream_tile tile = shared.tiles[t % 4], next = shared.tiles[(t + 1) % 4];
        if (looks) {
            const stream_tile after = look_at(view, at + 2 * size, needle, ahead, lane);
            if (lane == 0)
                shared.tiles[(t + 2) % 4] = after;
            needle = sampled(view, at + 3 * size, lane);
            continue;
        }
        if (next.count > 0 && !next.left)
            stage_search(view, next, memory + (t + 1) % 2 * S::STAGE);
        bool done = false;
        if (!tile.left)
            done = search_staged(view, tile, search_in(view, tile, memory + t % 2 * S::STAGE),
                                 &shared.broken[t % 2], warp, lane);
        if (!done && lane == 0) {
            store_alike<unsigned char>(&left_of_tiles[at / size], 1);
            store_alike<unsigned char>(&left[blockIdx.x], 1);
        }
        if (threadIdx.x == 0 && next.count > 0) /* warps set them after the next barrier */
            left_of_tiles[at / size + 1] = 0, shared.broken[(t + 1) % 2] = 0;
    }
}

#endif
