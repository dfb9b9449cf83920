/*
 * What single-pass kernels of any kind share: how the tiles of a block pass through its stages, and how
 * they are loaded. A shape S has STAGES of shared memory.
 *
 * Pipelined (compute capability 9.0): a warp loads tiles, in bulk, into the stages; others reduce a tile the
 * moment it lands and publish its aggregate; one learns what comes before it; others, at last, consume
 * it and free its stage. In turns, elsewhere: all warps of a block do all of that, one after another.
 */
#ifndef PARSCAN_SCAN_TILE_PIPELINE_CUH
#define PARSCAN_SCAN_TILE_PIPELINE_CUH

#include "scan/single_pass/pipeline.cuh"
#include "scan/single_pass/tile_prefix.cuh"

/* Loads that are under way at once: more would not be faster, and the status words that a look-back asks
   for would wait behind them. */
#define LOADS_UNDER_WAY 2u

/* Where a tile is in its stage: landed, reduced, its prefix known, consumed. */
template <unsigned STAGES>
struct tile_barriers {
    uint64_t full[STAGES], reduced[STAGES], prefixed[STAGES], freed[STAGES];
};

/* By one thread, before a __syncthreads(). Every lane that has touched a stage says so itself. */
template <unsigned STAGES>
static __device__ __forceinline__ void tile_barriers_init(tile_barriers<STAGES> &barriers,
                                                          unsigned reducers, unsigned consumers)
{
    for (unsigned s = 0; s < STAGES; s++) {
        barrier_init(&barriers.full[s], 32);
        barrier_init(&barriers.reduced[s], reducers);
        barrier_init(&barriers.prefixed[s], 1);
        barrier_init(&barriers.freed[s], consumers * 32);
    }
    barriers_are_initialised();
}

/* The tiles of a block, with the stage that each passes through. */
template <typename S>
struct tile_walk {
    size_t tile;
    unsigned stage, parity;
    __device__ tile_walk() : tile(blockIdx.x), stage(0), parity(0) {}
    __device__ void next()
    {
        tile += gridDim.x;
        if (++stage == S::STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* By one warp: load(tile, stage, full) for every tile in turn, once its stage is free; by all lanes, each of
   which arrives at `full`, lane 0 with the bytes that are to come. */
template <typename S, typename Load>
static __device__ __forceinline__ void load_tiles(size_t tiles, tile_barriers<S::STAGES> &barriers,
                                                  Load load)
{
    unsigned loads = 0;
    bool reused = false;
    tile_walk<S> landing;
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < tiles; walk.next()) {
        reused = reused || walk.parity == 1;
        if (reused)
            barrier_wait(&barriers.freed[walk.stage], walk.parity ^ 1);
        if (loads++ >= LOADS_UNDER_WAY) {
            barrier_wait(&barriers.full[landing.stage], landing.parity);
            landing.next();
        }
        load(walk.tile, walk.stage, &barriers.full[walk.stage]);
        __syncwarp();
    }
}

/* Bytes of a stage, which begins at an aligned place of memory, at or before its tile. */
struct tile_bytes {
    unsigned whole_begin, whole_end; /* the pieces of 16 bytes that the array has, in one run */
    unsigned begin, end;             /* of the tile and its surroundings, what the array has */
    bool whole;                      /* the array has all */
};

/* A stage of `span` bytes from byte `at` on, of an array that has the bytes begin to end - 1. */
static __device__ __forceinline__ tile_bytes cut_bytes(size_t begin, size_t end, size_t at,
                                                       unsigned span)
{
    const size_t rest = end - at;
    tile_bytes bytes;
    bytes.begin = at < begin ? (unsigned)(begin - at) : 0;
    bytes.end = rest < span ? (unsigned)rest : span;
    bytes.whole = bytes.begin == 0 && bytes.end == span;
    bytes.whole_begin = (bytes.begin + 15) / 16 * 16;
    bytes.whole_end = bytes.end / 16 * 16;
    if (bytes.whole_begin >= bytes.whole_end)
        bytes.whole_begin = bytes.whole_end = bytes.end;
    return bytes;
}

/* How many bytes the whole pieces of a stage are. */
static __device__ __forceinline__ unsigned whole_of(const tile_bytes &bytes)
{
    return bytes.whole_end - bytes.whole_begin;
}

/* By one warp: so many bytes of bulk copies are about to be asked for. */
static __device__ __forceinline__ void expect_bulk(uint64_t *full, unsigned bytes, unsigned lane)
{
    if (lane == 0)
        barrier_arrive_expecting(full, bytes);
    else
        barrier_arrive(full);
}

/* By one warp: the whole pieces of a stage, whose bytes are expected. */
static __device__ __forceinline__ void load_bulk(unsigned char *to, const char *from,
                                                 const tile_bytes &bytes, uint64_t *full,
                                                 unsigned lane)
{
    if (lane == 0 && whole_of(bytes) != 0)
        bulk_load(to + bytes.whole_begin, from + bytes.whole_begin, whole_of(bytes), full);
}

/* The whole pieces of a tile, several of a thread on their way at once. */
template <unsigned THREADS>
static __device__ __forceinline__ void load_whole(unsigned char *to, const char *from,
                                                  const tile_bytes &bytes)
{
    const unsigned AT_ONCE = 4, STEP = THREADS * 16;
#pragma unroll 1
    for (unsigned byte = bytes.whole_begin + threadIdx.x * 16; byte < bytes.whole_end;
         byte += AT_ONCE * STEP) {
        uint4 raw[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (byte + k * STEP < bytes.whole_end)
                raw[k] = __ldcs((const uint4 *)(from + byte + k * STEP));
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (byte + k * STEP < bytes.whole_end)
                *(uint4 *)(to + byte + k * STEP) = raw[k];
    }
}

#endif
