/*
 * An allocation on CUDA: an exclusive scan that widens, rounds up and watches its end, in one pass.
 *
 * A block has a tile's sizes in registers, four in a row a lane, publishes their sum, learns from the tile
 * prefix (tile_prefix.cuh) what is before them, and stores the offsets; other blocks of the multiprocessor
 * keep memory busy meanwhile. Sums are of units of the alignment, exact in 64 bits and a flag for what is
 * beyond, so that no total that wraps around can be taken for one that fits.
 *
 * Floor: one read of the sizes, one write of the offsets.
 * Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA, 2016.
 */
#ifndef PARSCAN_APPS_UNITS_KERNELS_CUH
#define PARSCAN_APPS_UNITS_KERNELS_CUH

#include <string.h>

#include "apps/allocate/allocate_cuda.h"
#include "scan/block/block_cuda.h"
#include "scan/context/deferred.cuh"
#include "scan/single_pass/tile_prefix.cuh"

/* The shape, to be tuned. */
enum : unsigned {
    UNITS_THREADS = 256,
    UNITS_BLOCKS = 4, /* a multiprocessor, at least */
    UNITS_VECTORS = 4,
    UNITS_LANE = 4, /* sizes of a vector */
    UNITS_WARPS = UNITS_THREADS / 32,
    UNITS_TILE = UNITS_THREADS * UNITS_VECTORS * UNITS_LANE
};

/* An exact sum, as far as it matters: modulo 2^64, and whether it is beyond. */
struct units_sum {
    uint32_t low, high, beyond;
    __device__ __forceinline__ uint64_t sum() const { return (uint64_t)high << 32 | low; }
};

struct units_operator {
    static const bool commutes = true;
};

static __device__ __forceinline__ units_sum units_of(uint64_t sum, uint32_t beyond)
{
    return units_sum{(uint32_t)sum, (uint32_t)(sum >> 32), beyond};
}

static __device__ __forceinline__ units_sum combine(units_operator, units_sum a, units_sum b)
{
    const uint64_t sum = a.sum() + b.sum();
    return units_of(sum, a.beyond | b.beyond | (sum < a.sum()));
}

static __device__ __forceinline__ void identity_of(units_operator, units_sum *value)
{
    *value = units_sum{0, 0, 0};
}

/* Element i of an array of an unsigned type that is known when the call is made. */
static __device__ __forceinline__ uint64_t size_at(parscan_type type, const void *array, size_t i)
{
    switch (type) {
    case PARSCAN_U8:
        return ((const uint8_t *)array)[i];
    case PARSCAN_U16:
        return ((const uint16_t *)array)[i];
    case PARSCAN_U32:
        return ((const uint32_t *)array)[i];
    default:
        return ((const uint64_t *)array)[i];
    }
}

struct units_on_device : units_call {
    size_t tiles;
    bool vectors_in, vectors_out; /* aligned for it */
    tile_chain chain;
};

/* What units are made of: sizes of type In. */
template <typename In>
struct sizes_source {
    typedef In Unit;

    static __device__ __forceinline__ In round_up(const units_on_device &call, In size)
    {
        const uint64_t wide = size, mask = (1ull << call.shift) - 1;
        if (sizeof(In) == 8 && call.largest < wide)
            call.state[UNITS_LARGE] = 1;
        return (In)((wide >> call.shift) + ((wide & mask) != 0));
    }
    static __device__ __forceinline__ void load(const units_on_device &call, size_t at,
                                                In (&units)[UNITS_LANE])
    {
        const In *const from = (const In *)call.sizes + at;
        if (call.vectors_in && at + UNITS_LANE <= call.n) {
            if constexpr (sizeof(In) == 8) {
                const uint4 first = __ldcs((const uint4 *)from),
                            second = __ldcs((const uint4 *)from + 1);
                memcpy(units, &first, sizeof first);
                memcpy(units + 2, &second, sizeof second);
            } else if constexpr (sizeof(In) == 4) {
                const uint4 all = __ldcs((const uint4 *)from);
                memcpy(units, &all, sizeof all);
            } else if constexpr (sizeof(In) == 2) {
                const uint2 all = __ldcs((const uint2 *)from);
                memcpy(units, &all, sizeof all);
            } else {
                const uint32_t all = __ldcs((const uint32_t *)from);
                memcpy(units, &all, sizeof all);
            }
        } else {
#pragma unroll
            for (unsigned e = 0; e < UNITS_LANE; e++)
                units[e] = at + e < call.n ? from[e] : 0;
        }
#pragma unroll
        for (unsigned e = 0; e < UNITS_LANE; e++)
            units[e] = round_up(call, units[e]);
    }
};

/* Records: pieces of 16 aligned bytes of the output that each touches. */
struct records_source {
    typedef uint64_t Unit;

    static __device__ __forceinline__ void load(const units_on_device &call, size_t at,
                                                uint64_t (&units)[UNITS_LANE])
    {
#pragma unroll
        for (unsigned e = 0; e < UNITS_LANE; e++) {
            units[e] = 0;
            if (at + e >= call.n)
                continue;
            const uint64_t size = size_at(call.size_type, call.sizes, at + e);
            const uint64_t to = call.out + size_at(call.offset_type, call.out_offsets, at + e);
            if (size != 0)
                units[e] = size / 16 + (size % 16 + to % 16 + 15) / 16;
        }
    }
};

/* What is known when the last tile is: the total, in bytes, and what is wrong with it. */
static __device__ __forceinline__ void finish_units(const units_on_device &call, units_sum all)
{
    const bool beyond = all.beyond != 0 || all.sum() > UINT64_MAX >> call.shift;
    const uint64_t total = beyond ? UINT64_MAX : all.sum() << call.shift;
    const parscan_status status = beyond || total > call.most ? PARSCAN_ERROR_OVERFLOW
                                  : total > call.capacity     ? PARSCAN_ERROR_CAPACITY
                                                              : PARSCAN_OK;
    if (call.state != NULL) {
        call.state[UNITS_STATUS] = status;
        call.state[UNITS_TOTAL] = total;
    }
    if (call.total != NULL)
        *call.total = total;
    if (call.deferred != NULL && status != PARSCAN_OK)
        leave_error(call.deferred, status, total);
    if (call.ends)
        ((uint64_t *)call.offsets)[call.n] = total;
}

template <typename Out>
static __device__ __forceinline__ void store_offsets(const units_on_device &call, size_t at,
                                                     const Out (&y)[UNITS_LANE])
{
    const unsigned WORDS = UNITS_LANE * sizeof(Out) / 16;
    Out *const to = (Out *)call.offsets + at;
    if (call.vectors_out && at + UNITS_LANE <= call.n) {
        uint4 raw[WORDS];
        memcpy(raw, y, sizeof raw);
#pragma unroll
        for (unsigned w = 0; w < WORDS; w++)
            __stwb((uint4 *)to + w, raw[w]);
        return;
    }
#pragma unroll
    for (unsigned e = 0; e < UNITS_LANE; e++)
        if (at + e < call.n)
            to[e] = y[e];
}

/* The offsets of one warp's part of a tile. through[v]: inclusive sums over the lanes. */
template <typename Unit, typename Out>
static __device__ __forceinline__ void
scan_units(const units_on_device &call, size_t first, units_sum before,
           const Unit (&units)[UNITS_VECTORS][UNITS_LANE],
           const units_sum (&through)[UNITS_VECTORS], unsigned lane)
{
    uint64_t row = before.sum();
#pragma unroll
    for (unsigned v = 0; v < UNITS_VECTORS; v++) {
        const uint64_t up = warp_shuffle_up(through[v].sum(), 1);
        uint64_t sum = row + (lane == 0 ? 0 : up);
        Out y[UNITS_LANE];
#pragma unroll
        for (unsigned e = 0; e < UNITS_LANE; e++) {
            y[e] = (Out)(sum << call.shift);
            sum += units[v][e];
        }
        row += warp_shuffle(through[v].sum(), 31);
        store_offsets<Out>(call, first + v * 32 * UNITS_LANE, y);
    }
}

template <typename SOURCE, typename Out>
static __global__ void __launch_bounds__(UNITS_THREADS, UNITS_BLOCKS)
    allocate_units(const __grid_constant__ units_on_device call)
{
    typedef typename SOURCE::Unit Unit;
    const units_operator op = units_operator();
    __shared__ units_sum sums[UNITS_WARPS], before_tile;
    __shared__ uint32_t shared_tag;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    units_sum before = units_of(0, 0);
    size_t known = 0; /* tiles that are in it */
    if (threadIdx.x == 0)
        shared_tag = tile_chain_begin(call.chain);
    __syncthreads();
    const uint32_t tag = shared_tag;
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < call.tiles; tile += gridDim.x) {
        const size_t first = tile * UNITS_TILE + (warp * UNITS_VECTORS * 32 + lane) * UNITS_LANE;
        Unit units[UNITS_VECTORS][UNITS_LANE];
        units_sum through[UNITS_VECTORS], sum = units_of(0, 0);
#pragma unroll
        for (unsigned v = 0; v < UNITS_VECTORS; v++)
            SOURCE::load(call, first + v * 32 * UNITS_LANE, units[v]);
#pragma unroll
        for (unsigned v = 0; v < UNITS_VECTORS; v++) {
            through[v] = units_of(units[v][0], 0);
#pragma unroll
            for (unsigned e = 1; e < UNITS_LANE; e++)
                through[v] = combine(op, through[v], units_of(units[v][e], 0));
            through[v] = warp_scan(op, through[v], lane);
            sum = combine(op, sum, through[v]);
        }
        if (lane == 31)
            sums[warp] = sum;
        __syncthreads();
        if (warp == 0) {
            units_sum all = units_of(0, 0);
            if (lane < UNITS_WARPS)
                all = sums[lane];
            all = warp_reduce(op, all);
            if (lane == 0)
                tile_publish(call.chain, tag, tile, all);
            before = combine(
                op, before,
                tile_look_back<units_operator, units_sum>(op, call.chain, tag, known, tile, lane));
            known = tile;
            if (lane == 0)
                before_tile = before;
            if (lane == 0 && tile + 1 == call.tiles)
                finish_units(call, combine(op, before, all));
        }
        __syncthreads();
        units_sum mine = before_tile;
        for (unsigned w = 0; w < warp; w++)
            mine = combine(op, mine, sums[w]);
        if (call.offsets != NULL)
            scan_units<Unit, Out>(call, first, mine, units, through, lane);
        __syncthreads();
    }
    tile_chain_end(call.chain, tag);
}

#endif
