/*
 * Expansion and packing on CUDA, by load-balanced search. Each item costs 1 and 1 a slot; a tile is
 * SLOTS_WORK of that work in a row, so that neither one huge item nor many empty ones are left to one
 * block. A warp finds the ends of a tile in the offsets, 32 places at a look; items that begin in it mark
 * the slot where they do; a slot belongs to the last mark up to it.
 *
 * Slots of an expansion are indices. Those of records are pieces of 16 aligned bytes of the output: a lane
 * moves one, lanes side by side move what lies side by side.
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
    SLOTS_ROWS = 16, /* slots of a lane */
    SLOTS_PART = 32 * SLOTS_ROWS,
    SLOTS_WORK = SLOTS_WARPS * SLOTS_PART /* below 2^16 */
};

/* A place in the work. */
struct slots_place {
    size_t item;
    uint64_t slot;
};

struct slots_shared {
    slots_place begin, end;
    int last[SLOTS_WARPS]; /* the last mark of each part; -1: none */
    __align__(
        16) uint16_t item_at[SLOTS_WORK]; /* behind the tile's first; 0: no item begins here */
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

/* Each slot of a tile, by use.slot(item, slot, the item's first slot). */
template <typename Use>
static __device__ __forceinline__ void use_slots(const slots_call &call, slots_shared &shared,
                                                 const Use &use)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const slots_place begin = shared.begin;
    const unsigned count = (unsigned)(shared.end.slot - begin.slot);
    unsigned marks[SLOTS_ROWS];
    int last = -1;
#pragma unroll
    for (unsigned row = 0; row < SLOTS_ROWS; row++) {
        const unsigned at = warp * SLOTS_PART + row * 32;
        marks[row] = __ballot_sync(0xffffffffu, shared.item_at[at + lane] != 0);
        if (marks[row] != 0)
            last = (int)(at + 31 - __clz((int)marks[row]));
    }
    if (lane == 0)
        shared.last[warp] = last;
    __syncthreads();
    last = -1;
    for (unsigned w = 0; w < warp; w++)
        last = shared.last[w] >= 0 ? shared.last[w] : last;
    const uint64_t first = call.offsets[begin.item];
#pragma unroll
    for (unsigned row = 0; row < SLOTS_ROWS; row++) {
        const unsigned at = warp * SLOTS_PART + row * 32;
        const unsigned up_to = marks[row] & (0xffffffffu >> (31 - lane));
        const int mark = up_to != 0 ? (int)(at + 31 - __clz((int)up_to)) : last;
        if (marks[row] != 0)
            last = (int)(at + 31 - __clz((int)marks[row]));
        if (at + lane < count)
            use.slot(begin.item + (mark < 0 ? 0 : shared.item_at[mark]), begin.slot + at + lane,
                     mark < 0 ? first : begin.slot + mark);
    }
}

/* Where the items that begin in the tile do. */
static __device__ __forceinline__ void mark_items(const slots_call &call, slots_shared &shared)
{
    const slots_place begin = shared.begin, end = shared.end;
    const uint4 zero = {};
    for (unsigned k = threadIdx.x; k < sizeof shared.item_at / 16; k += SLOTS_THREADS)
        ((uint4 *)shared.item_at)[k] = zero;
    __syncthreads();
#pragma unroll 1
    for (size_t item = begin.item + 1 + threadIdx.x; item <= end.item; item += SLOTS_THREADS) {
        const uint64_t slot = call.offsets[item];
        if (slot < end.slot && call.offsets[item + 1] > slot)
            shared.item_at[slot - begin.slot] = (uint16_t)(item - begin.item);
    }
    __syncthreads();
}

template <typename Use>
static __device__ __forceinline__ void share_slots(const slots_call &call, const Use &use)
{
    __shared__ slots_shared shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t work = call.offsets[call.n] + call.n;
    const uint64_t tiles = work / SLOTS_WORK + (work % SLOTS_WORK != 0);
#pragma unroll 1
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (warp < 2) {
            const uint64_t begin = (tile + warp) * SLOTS_WORK;
            const slots_place place = find_place(call, begin < work ? begin : work, lane);
            if (lane == 0)
                *(warp == 0 ? &shared.begin : &shared.end) = place;
        }
        __syncthreads();
        mark_items(call, shared);
        use_slots(call, shared, use);
        __syncthreads();
    }
}

template <typename Index>
struct expand_slots {
    Index *owner, *rank;
    __device__ __forceinline__ void slot(size_t item, uint64_t slot, uint64_t first) const
    {
        if (owner != NULL)
            owner[slot] = (Index)item;
        if (rank != NULL)
            rank[slot] = (Index)(slot - first);
    }
};

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

template <typename Index>
static __global__ void __launch_bounds__(SLOTS_THREADS, SLOTS_BLOCKS)
    expand_items(const __grid_constant__ slots_call call)
{
    if (has_failed(call))
        return;
    share_slots(call, expand_slots<Index>{(Index *)call.owner, (Index *)call.rank});
}

/* 16 bytes from any address; of those around them, none after `end` is read. */
static __device__ __forceinline__ uint4 load_anywhere(const char *from, const char *end)
{
    const unsigned shift = (unsigned)((uintptr_t)from % 4);
    if ((uintptr_t)from % 16 == 0)
        return *(const uint4 *)from;
    const uint32_t *const words = (const uint32_t *)(from - shift);
    uint32_t w[5];
#pragma unroll
    for (unsigned k = 0; k < 4; k++)
        w[k] = words[k];
    w[4] = 0;
    if (shift != 0 && from + 16 < end - 2) {
        w[4] = words[4];
    } else {
        for (unsigned k = 0; k < shift; k++)
            w[4] |= (uint32_t)(unsigned char)from[16 - shift + k] << 8 * k;
    }
    uint4 value;
    value.x = __funnelshift_r(w[0], w[1], 8 * shift);
    value.y = __funnelshift_r(w[1], w[2], 8 * shift);
    value.z = __funnelshift_r(w[2], w[3], 8 * shift);
    value.w = __funnelshift_r(w[3], w[4], 8 * shift);
    return value;
}

/* Fewer than 16 bytes. */
static __device__ __forceinline__ void copy_few(char *to, const char *from, unsigned bytes)
{
    unsigned k = 0;
    if (((uintptr_t)to ^ (uintptr_t)from) % 4 == 0) {
        while (k < bytes && (uintptr_t)(to + k) % 4 != 0) {
            to[k] = from[k];
            k++;
        }
        for (; k + 4 <= bytes; k += 4)
            *(uint32_t *)(to + k) = *(const uint32_t *)(from + k);
    }
    for (; k < bytes; k++)
        to[k] = from[k];
}

struct pack_slots {
    const slots_call &call;
    __device__ __forceinline__ void slot(size_t item, uint64_t slot, uint64_t first) const
    {
        const uint64_t size = size_at(call.size_type, call.sizes, item);
        const char *const in = call.in + size_at(call.offset_type, call.in_offsets, item);
        char *const out = call.out + size_at(call.offset_type, call.out_offsets, item);
        const uint64_t before = (uintptr_t)out % 16, piece = 16 * (slot - first);
        const uint64_t begin = piece < before ? 0 : piece - before;
        const uint64_t end = piece + 16 - before < size ? piece + 16 - before : size;
        if (end - begin == 16)
            __stwb((uint4 *)(out + begin), load_anywhere(in + begin, in + size));
        else
            copy_few(out + begin, in + begin, (unsigned)(end - begin));
    }
};

static __global__ void __launch_bounds__(SLOTS_THREADS, SLOTS_BLOCKS)
    pack_items(const __grid_constant__ slots_call call)
{
    if (has_failed(call))
        return;
    share_slots(call, pack_slots{call});
}

static __global__ void find_extent(const __grid_constant__ extent_call call)
{
    uint64_t begin = UINT64_MAX, end = 0;
    const size_t step = (size_t)gridDim.x * blockDim.x;
#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < call.n; i += step) {
        const uint64_t size = size_at(call.size_type, call.sizes, i);
        const uint64_t offset = size_at(call.offset_type, call.offsets, i);
        if (size == 0)
            continue;
        begin = offset < begin ? offset : begin;
        end = offset + size > end ? offset + size : end;
    }
    if (end == 0)
        return;
    atomicMin((unsigned long long *)call.extent, (unsigned long long)begin);
    atomicMax((unsigned long long *)call.extent + 1, (unsigned long long)end);
}

#endif
