/*
 * Expansion and packing on CUDA, by load-balanced search. Each item costs 1 and 1 a slot; a tile is
 * about SLOTS_MOST of that work in a row, so that neither one huge item nor many empty ones are left to one
 * block. A warp finds the ends of a tile in the offsets, 32 places at a look; items that begin in it mark
 * the slot where they do; a slot belongs to the last mark up to it.
 *
 * Slots of an expansion are indices (expand_kernels.cuh). Those of records are pieces of 16 aligned bytes
 * of the output (pack_kernels.cuh).
 *
 * Source: S. Baxter, Load-balancing search, moderngpu, 2013; O. Green, R. McColl, D. A. Bader, GPU Merge
 * Path, ICS 2012.
 */
#ifndef PARSCAN_APPS_SLOTS_KERNELS_CUH
#define PARSCAN_APPS_SLOTS_KERNELS_CUH

#include "apps/allocate/units_sum.cuh"

/* The shape, to be tuned. */
enum : unsigned {
    SLOTS_THREADS = 256,
    SLOTS_BLOCKS = 6, /* a multiprocessor, at least */
    SLOTS_WARPS = SLOTS_THREADS / 32,
    SLOTS_PART = 512, /* slots of a warp */
    SLOTS_MOST = SLOTS_WARPS * SLOTS_PART
};
static_assert(SLOTS_MOST <= 65536, "marks have 16 bits");

/* A place in the work. */
struct slots_place {
    size_t item;
    uint64_t slot;
};

struct slots_shared {
    slots_place ends[2][2]; /* of a tile and the block's next one: where it begins and ends */
    int last[SLOTS_WARPS];  /* the last mark of each part; -1: none */
    __align__(
        16) uint16_t item_at[SLOTS_MOST]; /* behind the tile's first; 0: no item begins here */
};

/* A tile, whose slots are counted from `base`, a multiple of a Use's LANE. */
struct slots_tile {
    size_t item;          /* that it begins in */
    uint64_t base, first; /* first: slot of that item */
    unsigned begin, end;  /* slots, less base */
    unsigned turn;        /* where its ends are in shared memory */
    bool is_last;         /* of the block */
    uint64_t next;        /* of the first two warps: the work before an end of the next tile */
};

/* The place with `work` before it; the whole warp. */
static __device__ __forceinline__ slots_place find_place(const slots_call &call, uint64_t work,
                                                         unsigned lane)
{
    size_t low = 0, high = call.n;
#pragma unroll 1
    while (high - low > 1) {
        const size_t step = (high - low + 31) / 32, at = low + lane * step;
        const unsigned before =
            __ballot_sync(0xffffffffu, at < high && call.offsets[at] + at <= work);
        low += (31 - __clz((int)before)) * step;
        high = low + step < high ? low + step : high;
    }
    const uint64_t slot = work - low, end = call.offsets[low + 1];
    return slots_place{low, slot < end ? slot : end};
}

/* Where the items that begin in the tile do. */
static __device__ __forceinline__ void mark_items(const slots_call &call, slots_shared &shared,
                                                  const slots_tile &tile)
{
    const slots_place end = shared.ends[tile.turn][1];
    const uint4 zero = {};
    for (unsigned k = threadIdx.x; k < sizeof shared.item_at / 16; k += SLOTS_THREADS)
        ((uint4 *)shared.item_at)[k] = zero;
    __syncthreads();
#pragma unroll 1
    for (size_t item = tile.item + 1 + threadIdx.x; item <= end.item; item += SLOTS_THREADS) {
        const uint64_t slot = call.offsets[item];
        if (slot < end.slot && call.offsets[item + 1] > slot)
            shared.item_at[slot - tile.base] = (uint16_t)(item - tile.item);
    }
    __syncthreads();
}

/* An end of a tile, by one of the first two warps. */
static __device__ __forceinline__ void learn_end(const slots_call &call, slots_shared &shared,
                                                 unsigned turn, uint64_t work, unsigned warp,
                                                 unsigned lane)
{
    const slots_place place = find_place(call, work, lane);
    if (lane == 0)
        shared.ends[turn][warp] = place;
}

/* What each part begins in, when all warps have said where their last marks are. Then two of them look
   for the next tile while the others go on. */
static __device__ __forceinline__ int mark_before(const slots_call &call, slots_shared &shared,
                                                  const slots_tile &tile, unsigned warp,
                                                  unsigned lane, int last)
{
    if (lane == 0)
        shared.last[warp] = last;
    __syncthreads();
    last = -1;
    for (unsigned w = 0; w < warp; w++)
        last = shared.last[w] >= 0 ? shared.last[w] : last;
    if (warp < 2 && !tile.is_last)
        learn_end(call, shared, tile.turn ^ 1, tile.next, warp, lane);
    return last;
}

/* All slots, by use(shared, tile, warp, lane), which meets all threads once, in mark_before(). Parts begin at
   multiples of Use::LANE slots. */
template <typename Use>
struct slots_work {
    static const unsigned count = SLOTS_MOST - (Use::LANE - 1); /* of a tile */
};

static __device__ __forceinline__ uint64_t end_of(uint64_t work, uint64_t tiles, unsigned size)
{
    return tiles * size < work ? tiles * size : work;
}

template <typename Use>
static __device__ __forceinline__ void share_slots(const slots_call &call, const Use &use)
{
    __shared__ slots_shared shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t work = call.offsets[call.n] + call.n;
    const unsigned WORK = slots_work<Use>::count;
    const uint64_t tiles = work / WORK + (work % WORK != 0);
    slots_tile tile;
    tile.turn = 0;
    if (warp < 2 && blockIdx.x < tiles)
        learn_end(call, shared, 0, end_of(work, (uint64_t)blockIdx.x + warp, WORK), warp, lane);
    __syncthreads();
#pragma unroll 1
    for (uint64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        const slots_place begin = shared.ends[tile.turn][0];
        tile.item = begin.item;
        tile.base = begin.slot / Use::LANE * Use::LANE;
        tile.first = call.offsets[begin.item];
        tile.begin = (unsigned)(begin.slot - tile.base);
        tile.end = (unsigned)(shared.ends[tile.turn][1].slot - tile.base);
        tile.is_last = number + gridDim.x >= tiles;
        tile.next = end_of(work, number + gridDim.x + warp, WORK);
        mark_items(call, shared, tile);
        use(shared, tile, warp, lane);
        __syncthreads();
        tile.turn ^= 1;
    }
}

/* Whether what the scan of the sizes found keeps the call from doing anything; the first thread says so. */
static __device__ __forceinline__ bool has_failed(const slots_call &call)
{
    uint64_t status = call.state[UNITS_STATUS];
    if (call.limited && call.state[UNITS_LARGE] != 0)
        status = PARSCAN_ERROR_OVERFLOW;
    if (status == PARSCAN_OK)
        return false;
    if (call.deferred != NULL && blockIdx.x == 0 && threadIdx.x == 0)
        leave_error(call.deferred, (parscan_status)status, call.state[UNITS_TOTAL]);
    return true;
}

#endif
