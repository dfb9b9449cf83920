/*
 * Where records' pieces of 16 aligned bytes of the output begin among all pieces: a scan of how many each
 * record touches, in one pass.
 *
 * A block has a tile's counts in registers, four in a row a lane, publishes their sum, learns from the tile
 * prefix (tile_prefix.cuh) what is before them, and stores the sums; other blocks of the multiprocessor
 * keep memory busy meanwhile.
 *
 * Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA, 2016.
 */
#ifndef PARSCAN_APPS_PIECES_KERNELS_CUH
#define PARSCAN_APPS_PIECES_KERNELS_CUH

#include <string.h>

#include "apps/allocate/units_sum.cuh"
#include "scan/single_pass/tile_prefix.cuh"

/* The shape, to be tuned. */
enum : unsigned {
    PIECES_THREADS = 256,
    PIECES_BLOCKS = 3, /* a multiprocessor, at least */
    PIECES_VECTORS = 4,
    PIECES_LANE = 4, /* records of a vector */
    PIECES_WARPS = PIECES_THREADS / 32,
    PIECES_TILE = PIECES_THREADS * PIECES_VECTORS * PIECES_LANE
};

struct pieces_on_device : units_call {
    size_t tiles;
    tile_chain chain;
};

/* Four integers in a row. */
template <typename In>
static __device__ __forceinline__ void load_four(const In *from, uint64_t (&x)[PIECES_LANE])
{
    In raw[PIECES_LANE];
    if (sizeof(In) >= 4 && (uintptr_t)from % 16 == 0) {
        uint4 vectors[(sizeof raw + 15) / 16];
#pragma unroll
        for (uint4 &vector : vectors)
            vector = ((const uint4 *)from)[&vector - vectors];
        memcpy(raw, vectors, sizeof raw);
    } else {
#pragma unroll
        for (unsigned e = 0; e < PIECES_LANE; e++)
            raw[e] = from[e];
    }
#pragma unroll
    for (unsigned e = 0; e < PIECES_LANE; e++)
        x[e] = raw[e];
}

static __device__ __forceinline__ void load_four(parscan_type type, const void *array, size_t at,
                                                 size_t n, uint64_t (&x)[PIECES_LANE])
{
    if (at + PIECES_LANE > n) {
#pragma unroll
        for (unsigned e = 0; e < PIECES_LANE; e++)
            x[e] = at + e < n ? size_at(type, array, at + e) : 0;
    } else if (type == PARSCAN_U8) {
        load_four((const uint8_t *)array + at, x);
    } else if (type == PARSCAN_U16) {
        load_four((const uint16_t *)array + at, x);
    } else if (type == PARSCAN_U32) {
        load_four((const uint32_t *)array + at, x);
    } else {
        load_four((const uint64_t *)array + at, x);
    }
}

/* Pieces that each of four records touches. */
static __device__ __forceinline__ void load_pieces(const pieces_on_device &call, size_t at,
                                                   uint64_t (&pieces)[PIECES_LANE])
{
    uint64_t sizes[PIECES_LANE], to[PIECES_LANE];
    load_four(call.size_type, call.sizes, at, call.n, sizes);
    load_four(call.offset_type, call.out_offsets, at, call.n, to);
#pragma unroll
    for (unsigned e = 0; e < PIECES_LANE; e++) {
        const unsigned begin = (unsigned)(call.out + to[e]) % 16;
        pieces[e] = sizes[e] == 0 ? 0 : sizes[e] / 16 + ((unsigned)sizes[e] % 16 + begin + 15) / 16;
    }
}

static __device__ __forceinline__ void store_four(const pieces_on_device &call, size_t at,
                                                  const uint64_t (&y)[PIECES_LANE])
{
    uint64_t *const to = (uint64_t *)call.offsets + at;
    if (at + PIECES_LANE <= call.n) {
#pragma unroll
        for (unsigned half = 0; half < 2; half++)
            __stwb((uint4 *)to + half,
                   make_uint4((uint32_t)y[2 * half], (uint32_t)(y[2 * half] >> 32),
                              (uint32_t)y[2 * half + 1], (uint32_t)(y[2 * half + 1] >> 32)));
        return;
    }
#pragma unroll
    for (unsigned e = 0; e < PIECES_LANE; e++)
        if (at + e < call.n)
            to[e] = y[e];
}

/* The sums of one warp's part of a tile. through[v]: inclusive sums over the lanes. */
static __device__ __forceinline__ void
store_pieces(const pieces_on_device &call, size_t first, uint64_t before,
             const uint64_t (&pieces)[PIECES_VECTORS][PIECES_LANE],
             const units_sum (&through)[PIECES_VECTORS], unsigned lane)
{
#pragma unroll
    for (unsigned v = 0; v < PIECES_VECTORS; v++) {
        const uint64_t up = warp_shuffle_up(through[v].sum(), 1);
        uint64_t sum = before + (lane == 0 ? 0 : up), y[PIECES_LANE];
#pragma unroll
        for (unsigned e = 0; e < PIECES_LANE; e++) {
            y[e] = sum;
            sum += pieces[v][e];
        }
        before += warp_shuffle(through[v].sum(), 31);
        store_four(call, first + v * 32 * PIECES_LANE, y);
    }
}

static __global__ void __launch_bounds__(PIECES_THREADS, PIECES_BLOCKS)
    scan_pieces(const __grid_constant__ pieces_on_device call)
{
    const units_operator op = units_operator();
    __shared__ units_sum sums[PIECES_WARPS], before_tile;
    __shared__ uint32_t shared_tag;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    units_sum before = units_of(0);
    size_t known = 0; /* tiles that are in it */
    if (threadIdx.x == 0)
        shared_tag = tile_chain_begin(call.chain);
    __syncthreads();
    const uint32_t tag = shared_tag;
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < call.tiles; tile += gridDim.x) {
        const size_t first = tile * PIECES_TILE + (warp * PIECES_VECTORS * 32 + lane) * PIECES_LANE;
        uint64_t pieces[PIECES_VECTORS][PIECES_LANE];
        units_sum through[PIECES_VECTORS], sum = units_of(0);
#pragma unroll
        for (unsigned v = 0; v < PIECES_VECTORS; v++)
            load_pieces(call, first + v * 32 * PIECES_LANE, pieces[v]);
#pragma unroll
        for (unsigned v = 0; v < PIECES_VECTORS; v++) {
            through[v] = units_of(pieces[v][0]);
#pragma unroll
            for (unsigned e = 1; e < PIECES_LANE; e++)
                through[v] = combine(op, through[v], units_of(pieces[v][e]));
            through[v] = warp_scan(op, through[v], lane);
            sum = combine(op, sum, through[v]);
        }
        if (lane == 31)
            sums[warp] = sum;
        __syncthreads();
        if (warp == 0) {
            units_sum all = units_of(0);
            if (lane < PIECES_WARPS)
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
        uint64_t mine = before_tile.sum();
        for (unsigned w = 0; w < warp; w++)
            mine += sums[w].sum();
        store_pieces(call, first, mine, pieces, through, lane);
        __syncthreads();
    }
    tile_chain_end(call.chain, tag);
}

#endif
