/*
 * Stream compaction on CUDA: one pass over memory (scan/single_pass/tile_pipeline.cuh has its two forms).
 *
 *     load       one warp copies tiles, in bulk, into STAGES of shared memory
 *     reduce     REDUCERS warps test a tile's elements, keep the answers as bits, and publish how many are
 *                kept
 *     prefix     one warp looks back (tile_prefix.cuh) and learns how many are kept before the tile
 *     compact    COMPACTORS warps list the places of what is kept of their chunks, and write it in lines
 *
 * So every element is read once, and every one kept is written once.
 *
 * In place this is safe. A tile's elements go to where it or tiles before it lie, and are written
 * when its prefix is known: when all tiles before it have been published, and a tile is published
 * when it lies in shared memory, with all that is looked at around it. That is the element before it, for
 * runs: it may be overwritten earlier only by itself, since until one is dropped each goes to where it was.
 *
 * Source: M. Billeter, O. Olsson, U. Assarsson, Efficient Stream Compaction on Wide SIMD Many-core
 * Architectures, HPG 2009; D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled
 * Look-back, NVIDIA, 2016.
 */
#ifndef PARSCAN_APPS_COMPACT_TILES_CUH
#define PARSCAN_APPS_COMPACT_TILES_CUH

#include "apps/compact/compact_store.cuh"

template <typename S>
struct compact_shared {
    tile_barriers<S::STAGES> barriers;
    compact_prefix before[S::STAGES];
    typename S::Aggregate chunks[S::STAGES]
                                [S::CHUNKS]; /* then, what comes before each in the tile */
    uint32_t words[S::STAGES][S::CHUNKS * S::WORDS];
    uint32_t tag;
};

/* What is kept of the tiles from `known` on is added to what comes before that. A warp; lane 0 has it. */
template <typename S>
static __device__ __forceinline__ compact_prefix look_back(const compact_device_call &call,
                                                           uint32_t tag, compact_prefix before,
                                                           size_t known, size_t tile, unsigned lane)
{
    typedef typename S::OPERATOR OPERATOR;
    typedef typename S::Aggregate Aggregate;
    const Aggregate between =
        tile_look_back<OPERATOR, Aggregate>(OPERATOR(), call.chain, tag, known, tile, lane);
    return prefix_after(before, between, known * S::TILE - call.lead);
}

template <typename S>
static __device__ __forceinline__ void load_stages(const compact_device_call &call,
                                                   compact_shared<S> &shared, unsigned char *stages,
                                                   unsigned lane)
{
    typedef typename S::U U;
    load_tiles<S>(call.tiles, shared.barriers, [&](size_t tile, unsigned stage, uint64_t *full) {
        unsigned char *const to = stages + (size_t)stage * S::STAGE_BYTES;
        const compact_source elements = elements_of<S>(call, tile);
        if constexpr (S::TEST == COMPACT_FLAGS) {
            const compact_source flags = flags_of<S>(call, tile);
            load_ends<U>(to, elements, lane, 32);
            load_ends<uint8_t>(to + S::FLAGS_AT, flags, lane, 32);
            fence_async_proxy();
            __syncwarp();
            expect_bulk(full, whole_of(elements.bytes) + whole_of(flags.bytes), lane);
            load_bulk(to, elements.from, elements.bytes, full, lane);
            load_bulk(to + S::FLAGS_AT, flags.from, flags.bytes, full, lane);
        } else {
            load_ends<U>(to, elements, lane, 32);
            fence_async_proxy();
            __syncwarp();
            expect_bulk(full, whole_of(elements.bytes), lane);
            load_bulk(to, elements.from, elements.bytes, full, lane);
        }
    });
}

template <typename S>
static __device__ __forceinline__ void learn_prefixes(const compact_device_call &call,
                                                      compact_shared<S> &shared, unsigned lane)
{
    compact_prefix before = {0, 0};
    size_t known = 0; /* tiles that are in it */
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        before = look_back<S>(call, shared.tag, before, known, walk.tile, lane);
        known = walk.tile;
        /* The stage is this tile's: what stood in before[] has been read. */
        barrier_wait(&shared.barriers.full[walk.stage], walk.parity);
        if (lane == 0) {
            shared.before[walk.stage] = before;
            barrier_arrive(&shared.barriers.prefixed[walk.stage]);
        }
    }
}

template <typename S>
static __device__ __forceinline__ void
reduce_tiles(const compact_device_call &call, compact_shared<S> &shared,
             const unsigned char *stages, unsigned reducer, unsigned lane)
{
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        const compact_extent<S> extent(call, walk.tile);
        const unsigned char *const stage = stages + (size_t)walk.stage * S::STAGE_BYTES;
        barrier_wait(&shared.barriers.full[walk.stage], walk.parity);
#pragma unroll 1
        for (unsigned chunk = reducer; chunk < S::CHUNKS; chunk += S::REDUCERS) {
            const uint32_t word = test_chunk<S>(call, extent, stage, chunk, lane);
            const typename S::Aggregate count = count_chunk<S>(extent, word, chunk, lane);
            if (lane < S::WORDS)
                shared.words[walk.stage][chunk * S::WORDS + lane] = word;
            if (lane == 0)
                shared.chunks[walk.stage][chunk] = count;
        }
        warps_sync<S::REDUCERS>(1);
        if (reducer == 0) {
            const typename S::Aggregate all = scan_chunks<S>(shared.chunks[walk.stage], lane);
            if (lane == 0)
                tile_publish(call.chain, shared.tag, walk.tile, all);
            __syncwarp();
        }
        if (lane == 0)
            barrier_arrive(&shared.barriers.reduced[walk.stage]);
    }
}

template <typename S>
static __device__ __forceinline__ void
compact_tiles(const compact_device_call &call, compact_shared<S> &shared,
              const unsigned char *stages, uint16_t *places, unsigned compactor, unsigned lane)
{
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        const compact_extent<S> extent(call, walk.tile);
        const unsigned char *const stage = stages + (size_t)walk.stage * S::STAGE_BYTES;
        barrier_wait(&shared.barriers.full[walk.stage], walk.parity);
        barrier_wait(&shared.barriers.reduced[walk.stage], walk.parity);
        barrier_wait(&shared.barriers.prefixed[walk.stage], walk.parity);
#pragma unroll 1
        for (unsigned c = compactor; c < S::CHUNKS; c += S::COMPACTORS) {
            const uint32_t word =
                lane < S::WORDS ? shared.words[walk.stage][c * S::WORDS + lane] : 0;
            const compact_prefix before =
                prefix_after(shared.before[walk.stage], shared.chunks[walk.stage][c], extent.index);
            const compact_chunk chunk = chunk_of<S>(extent, c, word, before, lane);
            store_chunk<S>(call, chunk, stage, c, walk.tile + 1 == call.tiles && c + 1 == S::CHUNKS,
                           places, lane);
        }
        barrier_arrive(&shared.barriers.freed[walk.stage]);
    }
}

template <typename S>
static __device__ __forceinline__ void compact_pipelined(const compact_device_call &call,
                                                         unsigned char *stages)
{
    __shared__ compact_shared<S> shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        tile_barriers_init(shared.barriers, S::REDUCERS, S::COMPACTORS);
    if (threadIdx.x == 32)
        shared.tag = tile_chain_begin(call.chain);
    __syncthreads();
    if (warp == 0) {
        load_stages(call, shared, stages, lane);
    } else if (warp == 1) {
        learn_prefixes(call, shared, lane);
    } else if (warp < 2 + S::REDUCERS) {
        reduce_tiles(call, shared, stages, warp - 2, lane);
    } else {
        const unsigned compactor = warp - 2 - S::REDUCERS;
        uint16_t *const places = (uint16_t *)(stages + S::STAGES * S::STAGE_BYTES);
        compact_tiles(call, shared, stages, places + compactor * S::CHUNK, compactor, lane);
    }
    tile_chain_end(call.chain, shared.tag);
}

template <typename S>
static __device__ __forceinline__ void load_stage(const compact_device_call &call, size_t tile,
                                                  unsigned char *stage)
{
    const compact_source elements = elements_of<S>(call, tile);
    load_whole<S::THREADS>(stage, elements.from, elements.bytes);
    load_ends<typename S::U>(stage, elements, threadIdx.x, S::THREADS);
    if constexpr (S::TEST == COMPACT_FLAGS) {
        const compact_source flags = flags_of<S>(call, tile);
        load_whole<S::THREADS>(stage + S::FLAGS_AT, flags.from, flags.bytes);
        load_ends<uint8_t>(stage + S::FLAGS_AT, flags, threadIdx.x, S::THREADS);
    }
}

template <typename S>
static __device__ __forceinline__ void compact_in_turns(const compact_device_call &call,
                                                        unsigned char *stage)
{
    const unsigned ROUNDS = S::CHUNKS / S::COMPACTORS;
    __shared__ typename S::Aggregate chunks[S::CHUNKS];
    __shared__ compact_prefix before_tile;
    __shared__ uint32_t tag;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint16_t *const places = (uint16_t *)(stage + S::STAGE_BYTES) + warp * S::CHUNK;
    compact_prefix before = {0, 0};
    size_t known = 0; /* tiles that are in it */
    if (threadIdx.x == 0)
        tag = tile_chain_begin(call.chain);
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < call.tiles; tile += gridDim.x) {
        const compact_extent<S> extent(call, tile);
        load_stage<S>(call, tile, stage);
        __syncthreads();
        uint32_t words[ROUNDS];
#pragma unroll
        for (unsigned k = 0; k < ROUNDS; k++) {
            const unsigned c = k * S::COMPACTORS + warp;
            words[k] = test_chunk<S>(call, extent, stage, c, lane);
            const typename S::Aggregate count = count_chunk<S>(extent, words[k], c, lane);
            if (lane == 0)
                chunks[c] = count;
        }
        __syncthreads();
        if (warp == 0) {
            const typename S::Aggregate all = scan_chunks<S>(chunks, lane);
            if (lane == 0)
                tile_publish(call.chain, tag, tile, all);
            before = look_back<S>(call, tag, before, known, tile, lane);
            known = tile;
            if (lane == 0)
                before_tile = before;
        }
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < ROUNDS; k++) {
            const unsigned c = k * S::COMPACTORS + warp;
            const compact_prefix mine = prefix_after(before_tile, chunks[c], extent.index);
            const compact_chunk chunk = chunk_of<S>(extent, c, words[k], mine, lane);
            store_chunk<S>(call, chunk, stage, c, tile + 1 == call.tiles && c + 1 == S::CHUNKS,
                           places, lane);
        }
        __syncthreads();
    }
    tile_chain_end(call.chain, tag);
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, S::PIPELINED ? 1 : 4)
    compact_kernel(const __grid_constant__ compact_device_call call)
{
    extern __shared__ __align__(128) unsigned char stages[];
#if __CUDA_ARCH__ >= 900
    if constexpr (S::PIPELINED)
        compact_pipelined<S>(call, stages);
#else
    if constexpr (!S::PIPELINED)
        compact_in_turns<S>(call, stages);
#endif
}

/* What was gathered elsewhere goes back: *count records of `units` pieces. */
template <typename Unit>
static __global__ void __launch_bounds__(512)
    copy_back(const Unit *from, Unit *to, const uint64_t *count, size_t units)
{
    const size_t all = *count * units;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}

#endif
