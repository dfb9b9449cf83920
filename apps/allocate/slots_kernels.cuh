/*
 * Expansion on CUDA by load-balanced search. Each item costs 1, and so does each slot. A tile is
 * about SLOTS_MOST of consecutive work, so that neither one huge item nor many empty items are left
 * to one block; a block has consecutive tiles. A warp searches the offsets for the start of the
 * block's first tile, and then for the end of each tile, which is not far from its start. Items
 * that start in the tile mark the slot where they start; a slot belongs to the last mark at or
 * before it. expand_kernels.cuh uses the slots.
 *
 * Source: S. Baxter, Load-balancing search, moderngpu, 2013; O. Green, R. McColl, D. A. Bader, GPU
 * Merge Path, ICS 2012.
 */
#ifndef PARSCAN_APPS_SLOTS_KERNELS_CUH
#define PARSCAN_APPS_SLOTS_KERNELS_CUH

#include "apps/allocate/last_before.cuh"
#include "apps/allocate/units_sum.cuh"
#include "scan/cuda/pipeline.cuh"

/* The shape: parameters for tuning. */
enum : unsigned {
    SLOTS_THREADS = 256,
    SLOTS_BLOCKS = 6, /* blocks on a multiprocessor, at least */
    SLOTS_WARPS = SLOTS_THREADS / 32,
    SLOTS_PART = 512,  /* slots of a warp */
    SLOTS_AT_ONCE = 4, /* items of a thread whose offsets are loaded at once */
    SLOTS_MOST = SLOTS_WARPS * SLOTS_PART
};
static_assert(SLOTS_MOST <= 65536, "marks have 16 bits");

/* A position in the work. */
struct slots_place {
    size_t item;
    uint64_t slot;
};

struct slots_shared {
    slots_place ends[2][2]; /* begin and end of the current and of the next tile */
    int last[SLOTS_WARPS];  /* the last mark of each part, or -1 */
    __align__(
        16) uint16_t item_at[SLOTS_MOST]; /* item that starts at a slot, less the first; or 0 */
};

/* A tile. Its slots are counted from `base`, a multiple of Use::LANE. */
struct slots_tile {
    size_t item;          /* the item in which the tile starts */
    uint64_t base, first; /* first: the first slot of that item */
    unsigned begin, end;  /* the slots of the tile, relative to base */
    unsigned turn;        /* the index of its ends in slots_shared.ends */
    bool is_last;         /* the block's last tile */
    uint64_t next;        /* the work before the end of the next tile */
};

/* Returns the position that has `work` before it; it is in one of `count` items from `item` on.
   Offset is 32 bits wide if every total that does not fit is an error. Called by a whole warp. */
template <typename Offset>
static __device__ __forceinline__ slots_place find_place(const slots_params &params, size_t item,
                                                         size_t count, uint64_t work, unsigned lane)
{
    const Offset *const offsets = (const Offset *)params.offsets;
    const size_t low = item + last_before(count, lane, [&](size_t k) {
                           return (uint64_t)offsets[item + k] + item + k <= work;
                       });
    const uint64_t slot = work - low, end = offsets[low + 1];
    return slots_place{low, slot < end ? slot : end};
}

/* Marks the slots where the items of the tile start. */
template <typename Offset>
static __device__ __forceinline__ void mark_items(const slots_params &params, slots_shared &shared,
                                                  const slots_tile &tile)
{
    const Offset *const offsets = (const Offset *)params.offsets;
    const slots_place end = shared.ends[tile.turn][1];
    const uint4 zero = {};
    for (unsigned k = threadIdx.x; k < sizeof shared.item_at / 16; k += SLOTS_THREADS)
        ((uint4 *)shared.item_at)[k] = zero;
    __syncthreads();
#pragma unroll 1
    for (size_t item = tile.item + 1 + threadIdx.x; item <= end.item;
         item += SLOTS_AT_ONCE * SLOTS_THREADS) {
        Offset slots[SLOTS_AT_ONCE], behind[SLOTS_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < SLOTS_AT_ONCE; k++) {
            const bool there = item + k * SLOTS_THREADS <= end.item;
            slots[k] = there ? offsets[item + k * SLOTS_THREADS] : 0;
            behind[k] = there ? offsets[item + k * SLOTS_THREADS + 1] : 0;
        }
#pragma unroll
        for (unsigned k = 0; k < SLOTS_AT_ONCE; k++)
            if (behind[k] > slots[k] && slots[k] < end.slot)
                shared.item_at[slots[k] - tile.base] =
                    (uint16_t)(item + k * SLOTS_THREADS - tile.item);
    }
    __syncthreads();
}

/* The scan of the sizes has told how many there are. */
static __device__ __forceinline__ size_t items_of(const slots_params &params)
{
    return params.state[UNITS_COUNT];
}

/* Finds the end of a tile that starts at `begin`. Called by one warp. A tile spans few items,
   since every item costs at least 1. */
template <typename Offset>
static __device__ __forceinline__ void
learn_ends(const slots_params &params, slots_shared &shared, size_t items, unsigned turn,
           const slots_place &begin, uint64_t work, unsigned lane)
{
    const size_t left = items - begin.item, most = SLOTS_MOST + 1;
    const slots_place end =
        find_place<Offset>(params, begin.item, left < most ? left : most, work, lane);
    if (lane == 0) {
        shared.ends[turn][0] = begin;
        shared.ends[turn][1] = end;
    }
}

/* Returns the last mark before each part, after all warps have stored their own last marks. Then
   one warp searches for the end of the next tile while the others go on. */
template <typename Offset>
static __device__ __forceinline__ int mark_before(const slots_params &params, slots_shared &shared,
                                                  const slots_tile &tile, unsigned warp,
                                                  unsigned lane, int last)
{
    if (lane == 0)
        shared.last[warp] = last;
    __syncthreads();
    last = -1;
    for (unsigned w = 0; w < warp; w++)
        last = shared.last[w] >= 0 ? shared.last[w] : last;
    if (warp == 0 && !tile.is_last)
        learn_ends<Offset>(params, shared, items_of(params), tile.turn ^ 1,
                           shared.ends[tile.turn][1], tile.next, lane);
    return last;
}

/* Passes all slots to use(shared, tile, warp, lane). That function synchronises all threads
   exactly once, in mark_before(). Parts start at multiples of Use::LANE slots. */
template <typename Use>
struct slots_work {
    static const unsigned count = SLOTS_MOST - (Use::LANE - 1); /* slots in a tile */
};

static __device__ __forceinline__ uint64_t end_of(uint64_t work, uint64_t tiles, unsigned size)
{
    return tiles * size < work ? tiles * size : work;
}

template <typename Use>
static __device__ __forceinline__ void share_slots(const slots_params &params, const Use &use)
{
    typedef typename Use::Offset Offset;
    __shared__ slots_shared shared;
    const Offset *const offsets = (const Offset *)params.offsets;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    slots_tile tile;
    const size_t items = items_of(params);
    const uint64_t work = offsets[items] + (uint64_t)items;
    const unsigned WORK = slots_work<Use>::count;
    const uint64_t tiles = work / WORK + (work % WORK != 0);
    const uint64_t each = tiles / gridDim.x, more = tiles % gridDim.x;
    const uint64_t from = each * blockIdx.x + (blockIdx.x < more ? blockIdx.x : more);
    const uint64_t to = from + each + (blockIdx.x < more);
    tile.turn = 0;
    if (warp == 0 && from < to)
        learn_ends<Offset>(params, shared, items, 0,
                           find_place<Offset>(params, 0, items, end_of(work, from, WORK), lane),
                           end_of(work, from + 1, WORK), lane);
    __syncthreads();
#pragma unroll 1
    for (uint64_t number = from; number < to; number++) {
        const slots_place begin = shared.ends[tile.turn][0];
        tile.item = begin.item;
        tile.base = begin.slot / Use::LANE * Use::LANE;
        tile.first = offsets[begin.item];
        tile.begin = (unsigned)(begin.slot - tile.base);
        tile.end = (unsigned)(shared.ends[tile.turn][1].slot - tile.base);
        tile.is_last = number + 1 == to;
        tile.next = end_of(work, number + 2, WORK);
        mark_items<Offset>(params, shared, tile);
        use(shared, tile, warp, lane);
        __syncthreads();
        tile.turn ^= 1;
    }
}

/* Whether the scan of the sizes has found an error, so that there is nothing to do. */
static __device__ __forceinline__ bool has_failed(const slots_params &params)
{
    const bool large = params.limited && params.state[UNITS_LARGE] != 0;
    return says_error(params.state, large ? PARSCAN_ERROR_OVERFLOW : params.state[UNITS_STATUS],
                      params.deferred);
}

#endif
