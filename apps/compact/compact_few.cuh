/*
 * Compaction and partition of few elements on CUDA: a thread has one vector of 16 bytes in registers
 * (scan/cuda/few_tiles.cuh). What is kept is gathered in shared memory while the look-back waits, and written in
 * whole lines. A partition gathers the others behind it; its blocks wait for those behind them, too, and need all
 * of them on the device.
 *
 * It is safe in place, as compact_tiles.cuh tells: a block has read its tile before it publishes it, and writes at
 * or before its own place; a partition writes when all blocks have published.
 */
#ifndef PARSCAN_APPS_COMPACT_FEW_CUH
#define PARSCAN_APPS_COMPACT_FEW_CUH

#include "apps/compact/compact_store.cuh"
#include "scan/cuda/few_tiles.cuh"

/* HALVES: floats of 16 bits. Without lengths of runs, rows and records. */
template <unsigned WIDTH_, compact_test TEST_, bool HALVES_ = false,
          unsigned THREADS_ = FEW_THREADS_OF_TILE>
struct compact_few_shape {
    typedef typename compact_word<WIDTH_>::U U;
    static const compact_test TEST = TEST_;
    static const bool PARTS = TEST == COMPACT_PARTS, IN_RANGE = TEST == COMPACT_RANGE || PARTS,
                      HEADS = TEST == COMPACT_HEADS, MATRIX = false;
    static const bool FLOATS = WIDTH_ >= 4 || HALVES_, HALVES = HALVES_;
    enum : unsigned {
        WIDTH = WIDTH_,
        THREADS = THREADS_,
        WARPS = THREADS / 32,
        LANE = 16 / WIDTH,
        TILE = THREADS * LANE
    };
};

template <typename S>
struct compact_few_shared : few_shared<S::WARPS, uint32_t> {
    alignas(16) typename S::U gathered[S::TILE];
    uint16_t places[S::TILE]; /* of the kept elements in the tile */
    uint32_t behind;          /* kept by the blocks behind this one */
};

/* Loads a thread's elements, or their flags, of which `from` has the tile's first. `aligned`: to vectors. */
template <unsigned LANE, typename U>
static __device__ __forceinline__ void load_of_few(const U *from, bool aligned, unsigned begin,
                                                   unsigned end, U (&x)[LANE])
{
    const unsigned first = threadIdx.x * LANE;
    if (aligned && first >= begin && first + LANE <= end) {
        memcpy(x, __builtin_assume_aligned(from + first, sizeof x), sizeof x);
        return;
    }
#pragma unroll
    for (unsigned e = 0; e < LANE; e++)
        x[e] = first + e >= begin && first + e < end ? from[first + e] : U();
}

template <typename S>
static __device__ __forceinline__ bool begins_run_of(const compact_params &params,
                                                     typename S::U before, typename S::U x)
{
    if constexpr (S::HALVES) {
        const unsigned a = before & 0x7fffu, b = x & 0x7fffu;
        return before != x && (a | b) != 0 && !(a > params.infinity && b > params.infinity);
    } else {
        return S::FLOATS && params.floats ? begins_run<S::FLOATS>(before, x)
                                          : begins_run<false>(before, x);
    }
}

/* Returns which of a thread's elements are kept, as bits. */
template <typename S>
static __device__ __forceinline__ uint32_t test_of_few(const compact_params &params,
                                                       const compact_extent<S> &extent,
                                                       const typename S::U (&x)[S::LANE])
{
    typedef typename S::U U;
    const unsigned first = threadIdx.x * S::LANE;
    uint32_t bits = 0;
    if constexpr (S::TEST == COMPACT_FLAGS) {
        uint8_t flags[S::LANE];
        load_of_few<S::LANE>(params.flags + extent.index, params.flag_misalignment % S::LANE == 0,
                             extent.begin, extent.end, flags);
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++)
            bits |= (uint32_t)(flags[e] != 0) << e;
    } else if constexpr (S::HEADS) {
        U before = U();
        if (first >= extent.begin && first < extent.end && extent.index + first != 0)
            before = ((const U *)params.in)[extent.index + first - 1];
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const bool begins = extent.index + first + e == 0
                                    ? !params.continues
                                    : begins_run_of<S>(params, e == 0 ? before : x[e - 1], x[e]);
            bits |= (uint32_t)begins << e;
        }
    } else {
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            const bool inside = S::FLOATS && (S::HALVES || params.floats)
                                    ? in_range<S::FLOATS, S::HALVES>(params, x[e])
                                    : in_range<false>(params, x[e]);
            bits |= (uint32_t)(inside != params.outside) << e;
        }
    }
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++)
        if (first + e < extent.begin || first + e >= extent.end)
            bits &= ~(1u << e);
    return bits;
}

/* Writes what the block keeps, and where it was. before: what is kept before it. */
template <typename S>
static __device__ __forceinline__ void store_kept(const compact_params &params, uint64_t before,
                                                  uint32_t kept, uint64_t first_index,
                                                  const compact_few_shared<S> &shared)
{
    typedef typename S::U U;
    const uint64_t room = params.capacity - (before < params.capacity ? before : params.capacity);
    const uint32_t stored = S::PARTS || kept < room ? kept : (uint32_t)room;
    for (unsigned r = threadIdx.x; r < stored; r += S::THREADS) {
        if (params.values != NULL)
            ((U *)params.values)[before + r] = shared.gathered[r];
        if (params.indices != NULL)
            store_number(params.wide, params.indices, before + r, first_index + shared.places[r]);
    }
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, PARSCAN_FEW_BLOCKS)
    compact_few(const __grid_constant__ compact_params given)
{
    typedef typename S::U U;
    typedef compact_few_shared<S> shared_type;
    const kept_operator op;
    size_t columns;
    const compact_params params = at_its_lengths<S>(given, &columns);
    __shared__ shared_type shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const few_entry entry(params.chain);
    compact_extent<S> extent(params, blockIdx.x);
    if (blockIdx.x >= params.tiles) /* the length in device memory leaves nothing to this block */
        extent.begin = extent.end = 0;
    U x[S::LANE];
    load_of_few<S::LANE>((const U *)params.in + extent.index, true, extent.begin, extent.end, x);
    const uint32_t bits = test_of_few<S>(params, extent, x);
    const uint32_t count = (uint32_t)__popc(bits), through = warp_scan(op, count, lane);
    uint32_t kept;
    uint32_t rank =
        prefix_in_block(op, __shfl_sync(0xffffffffu, through, 31), shared, &kept) + through - count;
    publish_block(entry, kept, shared);
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++) {
        const unsigned place = threadIdx.x * S::LANE + e;
        if (bits >> e & 1) {
            shared.gathered[rank] = x[e];
            shared.places[rank++] = (uint16_t)place;
        } else if (S::PARTS && place >= extent.begin && place < extent.end) {
            shared.gathered[kept + place - extent.begin - rank] = x[e];
        }
    }
    if constexpr (S::PARTS) {
        if (threadIdx.x == 0)
            shared.behind = 0;
        __syncthreads(); /* the epoch is known */
        if (entry.chained() && warp == S::WARPS - 1) {
            const uint32_t behind = tile_look_back<kept_operator, uint32_t>(
                op, entry.chain, shared.epoch, blockIdx.x + 1, gridDim.x, lane);
            if (lane == 0)
                shared.behind = behind;
        }
    }
    const uint32_t before = prefix_of_block(op, entry, shared);
    store_kept<S>(params, before, kept, params.first_index + extent.index, shared);
    const uint32_t total = before + kept + (S::PARTS ? shared.behind : 0);
    if constexpr (S::PARTS) {
        const uint64_t others = extent.index + extent.begin - before;
        for (unsigned r = threadIdx.x; r < extent.end - extent.begin - kept; r += S::THREADS)
            ((U *)params.values)[total + others + r] = shared.gathered[kept + r];
    }
    if (threadIdx.x == 0 &&
        (params.tiles == 0 ? blockIdx.x == 0 : blockIdx.x + 1 == params.tiles)) {
        *params.count = total;
        if (!S::PARTS && total > params.capacity)
            leave_error(params.exceeded, PARSCAN_ERROR_CAPACITY, PARSCAN_IS_COUNT | total);
    }
    entry.leave(shared.epoch);
}

#endif
