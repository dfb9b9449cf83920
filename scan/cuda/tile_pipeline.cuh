/*
 * The single-pass kernels of CUDA: how the tiles of a block go from step to step. There are two
 * forms.
 *
 * Warp-specialised, where there are bulk copies and enough shared memory for stages (compute
 * capability 9.0 to 11.0). The warps of a block have roles, and tiles go from role to role in
 * stages of shared memory:
 *
 *     load      one warp copies tiles into the stages by bulk copies
 *     reduce    REDUCERS warps reduce a tile as soon as it has landed, and publish its aggregate
 *     prefix    one warp looks back (tile_prefix.cuh) and computes the tile's prefix
 *     scan      SCANNERS warps scan their parts of the tile and store them
 *
 * The warps that reduce never wait for a prefix, so every aggregate is published, whatever the
 * look-backs do. The load warp waits until a stage has been freed, and a stage is freed after its
 * tile's prefix is known. So loads run ahead of a slow look-back until all stages are full, and
 * memory stays busy that long.
 *
 * What each step waits for, and which mbarrier of the stage it arrives at:
 *
 *     warps          step                                    waits for               arrives at
 *     load           copies the tile in bulk                 freed [1]               full (by bytes)
 *     REDUCERS       reduce(): sums parts of the tile        full
 *       the first    publish(): stores the status words      a named barrier [2]     reduced (all)
 *     prefix         advance(): looks back                   reduced, status words
 *                    keep(): stores the prefix for scan()                            prefixed
 *     SCANNERS       scan(): sums the parts before its own,  full, reduced
 *                    scans, adds the prefix, stores          prefixed [3]            freed
 *
 *     [1] of the tile that had the stage before, and, with loads() loads in flight, the `full` of the
 *         load so many before
 *     [2] of the reducing warps: all parts are summed. Before the first tile also `begun`: the epoch is
 *         known
 *     [3] after their first group of vectors, which does not need the prefix
 *
 * The prefix warp looks back when the block's own tile has been reduced. The other blocks' tiles are
 * then about as far, and asking earlier would only delay loads.
 *
 * Unspecialised, on other devices. All warps of a block load a tile, reduce it, wait for its
 * prefix, scan it and store it, one step after the other. Meanwhile the other blocks of the
 * multiprocessor keep memory busy.
 *
 * A PASS defines what is done to one tile. It is an object that all threads have. For the plain
 * scan see single_pass_kernels.cuh. Its members:
 *
 *     SCANNERS, REDUCERS                  numbers of warps; unspecialised: REDUCERS = SCANNERS
 *     MOST_STAGES                         the largest number of stages
 *     SOURCES                             the number of input arrays
 *     STORES_IN_STAGES                    1 if scan() stores to the stages
 *     prefix                              the type of a tile's prefix
 *     size_t tiles(), unsigned stages(), const tile_chain &chain()
 *     unsigned loads()                    how many tiles are loaded at once. More would not be
 *                                         faster, and reads of status words would queue behind them
 *     tile_source source(k, stage, tile)  where a tile of array k is, and its stage
 *     prepare(warp, lane)                 called once, by the warps that reduce and scan, before
 *                                         their first tile; the load warp does not wait for it
 *     load_ends(stage, tile, thread, threads)    loads what is not a whole 16-byte piece
 *     reduce(stage, tile, landed, reducer, lane) waits for `landed`, then reduces parts of the tile
 *     publish(stage, tile, epoch, lane)   called by reducer 0, after all parts have been reduced
 *     prefix first()                      the prefix of tile 0
 *     advance(before, known, tile, epoch, lane)  `before` is the prefix of tile `known`; makes it
 *                                                the prefix of `tile`; only lane 0's result counts
 *     keep(stage, before)                 called by lane 0; stores the prefix for scan()
 *     scan(stage, tile, prefixed, part, lane)    waits for `prefixed`, then uses what keep() has
 *                                                stored; if unspecialised, also what publish() has
 */
#ifndef PARSCAN_SCAN_TILE_PIPELINE_CUH
#define PARSCAN_SCAN_TILE_PIPELINE_CUH

#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/plan.h"
#include "scan/cuda/tile_prefix.cuh"
#include "scan/cuda/tile_source.cuh"

/* The mbarriers of each stage. full: the tile has landed; reduced: it has been reduced; prefixed:
   keep() has been called; freed: it has been scanned. Every lane that has used a stage arrives
   itself, at `prefixed` every lane that has stored what scan() uses: lane 0 of the prefix warp, or
   prefixing_lanes of them. */
template <unsigned MOST_STAGES>
struct pipeline_barriers {
    uint64_t full[MOST_STAGES], reduced[MOST_STAGES], prefixed[MOST_STAGES], freed[MOST_STAGES];
    uint64_t begun; /* the epoch is known; once */
    uint32_t epoch;
};

/* What a step waits for: one barrier of a stage, or all threads of the block. A scan() that can do
   much before it needs the prefix calls wait_first() at its start, and wait_late() when it needs
   the prefix. Only one of the two waits: wait_late(), but in the unspecialised form wait_first(),
   since there the registers that are kept while it waits would be spilled. */
struct stage_event {
    uint64_t *barrier;
    unsigned parity;
    __device__ __forceinline__ void wait() const { barrier_wait(barrier, parity); }
    __device__ __forceinline__ void wait_first() const {}
    __device__ __forceinline__ void wait_late() const { wait(); }
};
struct block_event {
    __device__ __forceinline__ void wait() const { __syncthreads(); }
    __device__ __forceinline__ void wait_first() const { wait(); }
    __device__ __forceinline__ void wait_late() const {}
};

/* Iterates over the tiles of a block, each with its stage and the parity of its barriers. */
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

/* The sources of a tile in all arrays. */
template <typename PASS>
struct tile_sources {
    tile_source of[PASS::SOURCES];
    unsigned bytes; /* of all whole 16-byte pieces */
    bool whole;     /* the tile consists of whole pieces only */
    __device__ __forceinline__ tile_sources(const PASS &pass, unsigned stage, size_t tile)
        : bytes(0), whole(true)
    {
#pragma unroll
        for (unsigned k = 0; k < PASS::SOURCES; k++) {
            of[k] = pass.source(k, stage, tile);
            bytes += whole_bytes(of[k]);
            whole = whole && of[k].bytes.whole;
        }
    }
};

template <typename PASS>
static __device__ __forceinline__ void load_in_bulk(const PASS &pass, unsigned stage, size_t tile,
                                                    uint64_t *full, unsigned lane)
{
    const tile_sources<PASS> sources(pass, stage, tile);
    if (__builtin_expect(!sources.whole, 0)) {
        pass.load_ends(stage, tile, lane, 32);
        fence_async_proxy();
        __syncwarp();
    }
    if (lane != 0) {
        barrier_arrive(full);
        return;
    }
    barrier_arrive_expecting(full, sources.bytes);
#pragma unroll
    for (const tile_source &source : sources.of)
        if (whole_bytes(source) != 0)
            bulk_load(source.to + source.bytes.whole_begin, source.from + source.bytes.whole_begin,
                      whole_bytes(source), full);
}

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
        if (loads++ >= pass.loads()) {
            barrier_wait(&barriers.full[landing.stage], landing.parity);
            landing.next(pass.stages());
        }
        load_in_bulk(pass, walk.stage, walk.tile, &barriers.full[walk.stage], lane);
        __syncwarp();
    }
}

template <typename PASS>
static __device__ __forceinline__ void reduce_tiles(const PASS &pass,
                                                    pipeline_barriers<PASS::MOST_STAGES> &barriers,
                                                    unsigned reducer, unsigned lane)
{
    uint32_t epoch = 0; /* of no launch */
#pragma unroll 1
    for (tile_walk walk; walk.tile < pass.tiles(); walk.next(pass.stages())) {
        pass.reduce(walk.stage, walk.tile, stage_event{&barriers.full[walk.stage], walk.parity},
                    reducer, lane);
        warps_sync<PASS::REDUCERS>(1);
        if (reducer == 0) {
            if (epoch == 0) {
                barrier_wait(&barriers.begun, 0);
                epoch = barriers.epoch;
            }
            pass.publish(walk.stage, walk.tile, epoch, lane);
        }
        barrier_arrive(&barriers.reduced[walk.stage]);
    }
}

template <typename PASS>
static __device__ __forceinline__ void
learn_prefixes(const PASS &pass, pipeline_barriers<PASS::MOST_STAGES> &barriers,
               unsigned long long entered, unsigned lane)
{
    typename PASS::prefix before = pass.first();
    size_t known = 0; /* `before` is the prefix of this tile */
    if (lane == 0) {
        barriers.epoch = tile_chain_epoch(pass.chain(), entered);
        barrier_arrive(&barriers.begun);
    }
    __syncwarp();
#pragma unroll 1
    for (tile_walk walk; walk.tile < pass.tiles(); walk.next(pass.stages())) {
        /* The other blocks' tiles are about as far as this one; asking earlier would delay loads.
           And this tile landed only after the prefix kept for the stage's last tile was read. */
        barrier_wait(&barriers.reduced[walk.stage], walk.parity);
        pass.advance(before, known, walk.tile, barriers.epoch, lane);
        known = walk.tile;
        __syncwarp(); /* the stage may be reused once lane 0 has arrived: no lane may wait then */
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
        pass.scan(walk.stage, walk.tile, stage_event{&barriers.prefixed[walk.stage], walk.parity},
                  part, lane);
        if (PASS::STORES_IN_STAGES)
            fence_async_proxy();
        barrier_arrive(&barriers.freed[walk.stage]);
    }
}

/* The warps of a block that look back. With several, learn_prefixes() has an overload for the pass. */
template <typename PASS>
static constexpr unsigned prefix_warps = 1;

template <typename PASS>
static constexpr unsigned prefixing_lanes = 1;

/* The warp-specialised form. By all threads of a block, (SCANNERS + REDUCERS + prefix_warps + 1) * 32. */
template <typename PASS>
static __device__ __forceinline__ void run_warp_specialised(const PASS &pass)
{
    __shared__ pipeline_barriers<PASS::MOST_STAGES> barriers;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned FIRST = 1 + prefix_warps<PASS>; /* that reduces */
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < pass.stages(); s++) {
            barrier_init(&barriers.full[s], 32);
            barrier_init(&barriers.reduced[s], PASS::REDUCERS * 32);
            barrier_init(&barriers.prefixed[s], prefixing_lanes<PASS>);
            barrier_init(&barriers.freed[s], PASS::SCANNERS * 32);
        }
        barrier_init(&barriers.begun, 1);
        barriers_are_initialised();
    }
    wait_for_previous_kernel();
    const unsigned long long entered = threadIdx.x == 32 ? tile_chain_enter(pass.chain()) : 0;
    __syncthreads();
    if (warp >= FIRST)
        pass.prepare(warp - FIRST, lane);
    if (warp == 0)
        load_tiles(pass, barriers, lane);
    else if (warp < FIRST)
        learn_prefixes(pass, barriers, entered, lane);
    else if (warp < FIRST + PASS::REDUCERS)
        reduce_tiles(pass, barriers, warp - FIRST, lane);
    else
        scan_tiles(pass, barriers, warp - FIRST - PASS::REDUCERS, lane);
    barrier_wait(&barriers.begun, 0);
    tile_chain_end(pass.chain(), barriers.epoch);
}

/* The unspecialised form. By all threads of a block, SCANNERS * 32. A single tile needs no epoch, which takes
   a round trip; else it comes while the first tile is loaded and reduced. */
template <typename PASS>
static __device__ __forceinline__ void run_unspecialised(const PASS &pass)
{
    const unsigned THREADS = PASS::SCANNERS * 32;
    const uint32_t UNKNOWN = 0; /* the epoch of no launch */
    __shared__ uint32_t epoch;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    typename PASS::prefix before = pass.first();
    size_t known = 0; /* `before` is the prefix of this tile */
    wait_for_previous_kernel();
    const bool alone = gridDim.x == 1 && pass.tiles() <= 1;
    unsigned long long entered = 0;
    if (threadIdx.x == 0) {
        epoch = UNKNOWN;
        if (!alone)
            entered = tile_chain_enter(pass.chain());
    }
    const auto know_epoch = [&] {
        if (threadIdx.x == 0 && !alone && epoch == UNKNOWN)
            epoch = tile_chain_epoch(pass.chain(), entered);
    };
    pass.prepare(warp, lane);
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < pass.tiles(); tile += gridDim.x) {
        const tile_sources<PASS> sources(pass, 0, tile);
#pragma unroll
        for (const tile_source &source : sources.of)
            load_whole<THREADS>(source);
        if (!sources.whole)
            pass.load_ends(0, tile, threadIdx.x, THREADS);
        pass.reduce(0, tile, block_event(), warp, lane);
        know_epoch();
        __syncthreads();
        if (warp == 0) {
            pass.publish(0, tile, epoch, lane);
            pass.advance(before, known, tile, epoch, lane);
            known = tile;
            if (lane == 0)
                pass.keep(0, before);
        }
        pass.scan(0, tile, block_event(), warp, lane);
        __syncthreads();
    }
    know_epoch(); /* of a block without tiles */
    __syncthreads();
    tile_chain_end(pass.chain(), epoch);
}

/* Whether a form is compiled for this architecture. The kernel of the other form is empty. */
template <bool WARP_SPECIALISED>
static __device__ constexpr bool is_compiled()
{
#if PARSCAN_WARP_SPECIALISED(__CUDA_ARCH__ / 10)
    return WARP_SPECIALISED;
#else
    return !WARP_SPECIALISED;
#endif
}

template <bool WARP_SPECIALISED, typename PASS>
static __device__ __forceinline__ void run_pass(const PASS &pass)
{
    if constexpr (WARP_SPECIALISED && is_compiled<WARP_SPECIALISED>())
        run_warp_specialised(pass);
    if constexpr (!WARP_SPECIALISED && is_compiled<WARP_SPECIALISED>())
        run_unspecialised(pass);
}

#endif
