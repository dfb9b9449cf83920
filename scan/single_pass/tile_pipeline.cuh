/*
 * The pipeline of a single-pass kernel on CUDA (compute capability 9.0): the warps of a block have roles,
 * tiles pass through stages of shared memory from one role to the next.
 *
 *     load      one warp copies tiles, in bulk, into the stages
 *     reduce    REDUCERS warps reduce a tile the moment it lands, and publish its aggregate
 *     prefix    one warp looks back (tile_prefix.cuh) and learns what comes before the tile
 *     scan      SCANNERS warps finish their parts of the tile and store them
 *
 * Nobody who loads waits for anybody who looks back, and a tile's aggregate is out before anybody
 * waits for its prefix: so memory stays busy while prefixes travel.
 *
 * What a role does to one tile is a PASS, an object that all threads have (single_pass_kernels.cuh has
 * the plain scan's):
 *
 *     SCANNERS, REDUCERS, MOST_STAGES     of warps, and of stages
 *     prefix                              what comes before a tile
 *     size_t tiles(), unsigned stages(), const tile_chain &chain()
 *     load(stage, tile, full, lane)       every lane arrives at `full`, with what it has under way
 *     reduce(stage, tile, landed, reducer, lane)   waits for `landed`, then reduces parts of the tile
 *     publish(stage, tile, tag, lane)     by reducer 0, when all have reduced
 *     prefix first()                      what comes before tile 0
 *     advance(before, known, tile, tag, lane)      from tile `known` on to `tile`; counts at lane 0
 *     keep(stage, before)                 by lane 0, for scan()
 *     scan(stage, tile, prefixed, part, lane)      waits for `prefixed` where it needs what was kept
 */
#ifndef PARSCAN_SCAN_TILE_PIPELINE_CUH
#define PARSCAN_SCAN_TILE_PIPELINE_CUH

#include "scan/single_pass/pipeline.cuh"
#include "scan/single_pass/tile_prefix.cuh"

/* Loads that are under way at once: more would not be faster, and the status words that a look-back asks
   for would wait behind them. */
#define LOADS_UNDER_WAY 2u

/* Every lane that has touched a stage says so itself. */
template <unsigned MOST_STAGES>
struct pipeline_barriers {
    uint64_t full[MOST_STAGES], reduced[MOST_STAGES], prefixed[MOST_STAGES], freed[MOST_STAGES];
    uint32_t tag;
};

/* Something of a tile that is waited for. */
struct tile_event {
    uint64_t *barrier;
    unsigned parity;
    __device__ __forceinline__ void wait() const { barrier_wait(barrier, parity); }
};

/* The tiles of a block, with the stage that each passes through. */
struct tile_walk {
    size_t tile;
    unsigned stage, parity;
    __device__ tile_walk() : tile(blockIdx.x), stage(0), parity(0) {}
    __device__ void next(unsigned stages)
    {
        tile += gridDim.x;
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

template <typename PASS>
static __device__ __forceinline__ void
load_tiles(const PASS &pass, pipeline_barriers<PASS::MOST_STAGES> &barriers, unsigned lane)
{
    unsigned loads = 0;
    bool reused = false;
    tile_walk landing;
#pragma unroll 1
    for (tile_walk walk; walk.tile < pass.tiles(); walk.next(pass.stages())) {
        reused = reused || walk.parity == 1;
        if (reused)
            barrier_wait(&barriers.freed[walk.stage], walk.parity ^ 1);
        if (loads++ >= LOADS_UNDER_WAY) {
            barrier_wait(&barriers.full[landing.stage], landing.parity);
            landing.next(pass.stages());
        }
        pass.load(walk.stage, walk.tile, &barriers.full[walk.stage], lane);
        __syncwarp();
    }
}

template <typename PASS>
static __device__ __forceinline__ void reduce_tiles(const PASS &pass,
                                                    pipeline_barriers<PASS::MOST_STAGES> &barriers,
                                                    unsigned reducer, unsigned lane)
{
#pragma unroll 1
    for (tile_walk walk; walk.tile < pass.tiles(); walk.next(pass.stages())) {
        pass.reduce(walk.stage, walk.tile, tile_event{&barriers.full[walk.stage], walk.parity},
                    reducer, lane);
        asm volatile("bar.sync 1, %0;" ::"n"(PASS::REDUCERS * 32) : "memory");
        if (reducer == 0)
            pass.publish(walk.stage, walk.tile, barriers.tag, lane);
        if (lane == 0)
            barrier_arrive(&barriers.reduced[walk.stage]);
    }
}

template <typename PASS>
static __device__ __forceinline__ void
learn_prefixes(const PASS &pass, pipeline_barriers<PASS::MOST_STAGES> &barriers, unsigned lane)
{
    typename PASS::prefix before = pass.first();
    size_t known = 0; /* tiles that are in it */
#pragma unroll 1
    for (tile_walk walk; walk.tile < pass.tiles(); walk.next(pass.stages())) {
        pass.advance(before, known, walk.tile, barriers.tag, lane);
        known = walk.tile;
        /* The stage is this tile's: what was kept of it has been read. */
        barrier_wait(&barriers.full[walk.stage], walk.parity);
        __syncwarp(); /* only lane 0 arrives: nothing else keeps the stage for one that still waits */
        if (lane == 0) {
            pass.keep(walk.stage, before);
            barrier_arrive(&barriers.prefixed[walk.stage]);
        }
    }
}

template <typename PASS>
static __device__ __forceinline__ void scan_tiles(const PASS &pass,
                                                  pipeline_barriers<PASS::MOST_STAGES> &barriers,
                                                  unsigned part, unsigned lane)
{
#pragma unroll 1
    for (tile_walk walk; walk.tile < pass.tiles(); walk.next(pass.stages())) {
        barrier_wait(&barriers.full[walk.stage], walk.parity);
        barrier_wait(&barriers.reduced[walk.stage], walk.parity);
        pass.scan(walk.stage, walk.tile, tile_event{&barriers.prefixed[walk.stage], walk.parity},
                  part, lane);
        barrier_arrive(&barriers.freed[walk.stage]);
    }
}

/* By all threads of a block, (SCANNERS + REDUCERS + 2) * 32. */
template <typename PASS>
static __device__ __forceinline__ void run_pipeline(const PASS &pass,
                                                    pipeline_barriers<PASS::MOST_STAGES> &barriers)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < pass.stages(); s++) {
            barrier_init(&barriers.full[s], 32);
            barrier_init(&barriers.reduced[s], PASS::REDUCERS);
            barrier_init(&barriers.prefixed[s], 1);
            barrier_init(&barriers.freed[s], PASS::SCANNERS * 32);
        }
        barriers_are_initialised();
    }
    if (threadIdx.x == 32)
        barriers.tag = tile_chain_begin(pass.chain());
    __syncthreads();
    if (warp == 0)
        load_tiles(pass, barriers, lane);
    else if (warp == 1)
        learn_prefixes(pass, barriers, lane);
    else if (warp < 2 + PASS::REDUCERS)
        reduce_tiles(pass, barriers, warp - 2, lane);
    else
        scan_tiles(pass, barriers, warp - 2 - PASS::REDUCERS, lane);
    tile_chain_end(pass.chain(), barriers.tag);
}

/* Pieces of 16 bytes, those begin to end - 1 of both, by `THREADS` threads, several of a thread on their way
   at once. For kernels whose warps have no roles. */
template <unsigned THREADS>
static __device__ __forceinline__ void load_pieces(unsigned char *to, const char *from,
                                                   unsigned begin, unsigned end)
{
    const unsigned AT_ONCE = 4, STEP = THREADS * 16;
#pragma unroll 1
    for (unsigned byte = begin + threadIdx.x * 16; byte < end; byte += AT_ONCE * STEP) {
        uint4 raw[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (byte + k * STEP < end)
                raw[k] = __ldcs((const uint4 *)(from + byte + k * STEP));
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (byte + k * STEP < end)
                *(uint4 *)(to + byte + k * STEP) = raw[k];
    }
}

#endif
