/*
 * The fast path of the CUDA engine: one pass over memory. Two forms.
 *
 * Pipelined, where there are bulk copies and room for stages (compute capability 9.0 to 11.0): the warps of
 * a block have roles.
 *
 *     load      one warp copies tiles, in bulk, into STAGES of shared memory
 *     reduce    REDUCERS warps reduce a tile the moment it lands, and publish its aggregate
 *     prefix    one warp looks back (tile_prefix.cuh) and learns what comes before the tile
 *     scan      SCANNERS warps scan their parts of the tile and store them
 *
 * Nobody who loads waits for anybody who looks back, and a tile's aggregate is out before anybody
 * waits for its prefix: so memory stays busy while prefixes travel.
 *
 * In turns, elsewhere: all warps of a block load a tile, reduce it, wait for its prefix, scan and store it.
 * What keeps memory busy meanwhile is the other blocks of the multiprocessor.
 */
#ifndef PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH
#define PARSCAN_SCAN_SINGLE_PASS_KERNELS_CUH

#include "scan/single_pass/pipeline.cuh"
#include "scan/single_pass/single_pass_tile.cuh"

/* Loads that are under way at once: more would not be faster, and the status words that a look-back asks
   for would wait behind them. */
#define LOADS_UNDER_WAY 2u

template <typename S>
struct single_pass_shared {
    /* Every lane that has touched a stage says so itself. */
    uint64_t full[S::STAGES], reduced[S::STAGES], prefixed[S::STAGES], freed[S::STAGES];
    typename S::T sums[S::STAGES][S::SCANNERS], before[S::STAGES];
    uint32_t tag;
};

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

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void load_tiles(OPERATOR op, const single_pass_call<S> &call,
                                                  single_pass_shared<S> &shared,
                                                  unsigned char *stages, unsigned lane)
{
    unsigned loads = 0;
    bool reused = false;
    tile_walk<S> landing;
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        reused = reused || walk.parity == 1;
        if (reused)
            barrier_wait(&shared.freed[walk.stage], walk.parity ^ 1);
        if (loads++ >= LOADS_UNDER_WAY) {
            barrier_wait(&shared.full[landing.stage], landing.parity);
            landing.next();
        }
        const tile_place<S, REVERSE> place(call, walk.tile);
        const tile_bytes bytes = bytes_of(call, place);
        const char *const from = source_of(call, place);
        unsigned char *const to = stages + (size_t)walk.stage * S::STAGE_BYTES;
        if (__builtin_expect(!bytes.whole, 0)) {
            load_edges<S>(op, to, from, bytes, call.skew, lane, 32);
            fence_async_proxy();
            __syncwarp();
        }
        const unsigned whole = bytes.whole_end - bytes.whole_begin;
        if (lane == 0) {
            barrier_arrive_expecting(&shared.full[walk.stage], whole);
            if (whole != 0)
                bulk_load(to + bytes.whole_begin, from + bytes.whole_begin, whole,
                          &shared.full[walk.stage]);
        } else {
            barrier_arrive(&shared.full[walk.stage]);
        }
        __syncwarp();
    }
}

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void
reduce_tiles(OPERATOR op, const single_pass_call<S> &call, single_pass_shared<S> &shared,
             unsigned char *stages, unsigned reducer, unsigned lane)
{
    typedef typename S::T T;
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        const typename S::In *const tile = stage_of<S>(stages, walk.stage, call.skew);
        barrier_wait(&shared.full[walk.stage], walk.parity);
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS) {
            const T sum = reduce_part<S, REVERSE>(op, tile, call.skew, part, lane);
            if (lane == 0)
                shared.sums[walk.stage][part] = sum;
        }
        asm volatile("bar.sync 1, %0;" ::"n"(S::REDUCERS * 32) : "memory");
        if (reducer == 0) {
            const T sum = sum_of_parts<S>(op, shared.sums[walk.stage], lane);
            if (lane == 0)
                tile_publish(call.chain, shared.tag, walk.tile, sum);
        }
        if (lane == 0)
            barrier_arrive(&shared.reduced[walk.stage]);
    }
}

template <typename S, typename OPERATOR>
static __device__ __forceinline__ void learn_prefixes(OPERATOR op, const single_pass_call<S> &call,
                                                      single_pass_shared<S> &shared, unsigned lane)
{
    typename S::T before = call.start;
    size_t known = 0; /* tiles that are in it */
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        before = combine(op, before,
                         tile_look_back<OPERATOR, typename S::T>(op, call.chain, shared.tag, known,
                                                                 walk.tile, lane));
        known = walk.tile;
        /* The stage is this tile's: what stood in before[] has been read. */
        barrier_wait(&shared.full[walk.stage], walk.parity);
        __syncwarp(); /* only lane 0 arrives: nothing else keeps the stage for one that still waits */
        if (lane == 0) {
            shared.before[walk.stage] = before;
            barrier_arrive(&shared.prefixed[walk.stage]);
        }
    }
}

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void
scan_tiles(OPERATOR op, const single_pass_call<S> &call, single_pass_shared<S> &shared,
           unsigned char *stages, unsigned part, unsigned lane)
{
    typedef typename S::T T;
#pragma unroll 1
    for (tile_walk<S> walk; walk.tile < call.tiles; walk.next()) {
        const tile_place<S, REVERSE> place(call, walk.tile);
        barrier_wait(&shared.full[walk.stage], walk.parity);
        barrier_wait(&shared.reduced[walk.stage], walk.parity);
        const T local = sum_before_part<S>(op, shared.sums[walk.stage], part);
        barrier_wait(&shared.prefixed[walk.stage], walk.parity);
        scan_part(op, call, place, stage_of<S>(stages, walk.stage, call.skew), walk.tile,
                  shared.before[walk.stage], local, part, lane);
        barrier_arrive(&shared.freed[walk.stage]);
    }
}

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void scan_pipelined(OPERATOR op, const single_pass_call<S> &call,
                                                      unsigned char *stages)
{
    __shared__ single_pass_shared<S> shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < S::STAGES; s++) {
            barrier_init(&shared.full[s], 32);
            barrier_init(&shared.reduced[s], S::REDUCERS);
            barrier_init(&shared.prefixed[s], 1);
            barrier_init(&shared.freed[s], S::SCANNERS * 32);
        }
        barriers_are_initialised();
    }
    if (threadIdx.x == 32)
        shared.tag = tile_chain_begin(call.chain);
    __syncthreads();
    if (warp == 0)
        load_tiles<S, REVERSE>(op, call, shared, stages, lane);
    else if (warp == 1)
        learn_prefixes(op, call, shared, lane);
    else if (warp < 2 + S::REDUCERS)
        reduce_tiles<S, REVERSE>(op, call, shared, stages, warp - 2, lane);
    else
        scan_tiles<S, REVERSE>(op, call, shared, stages, warp - 2 - S::REDUCERS, lane);
    tile_chain_end(call.chain, shared.tag);
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

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void scan_in_turns(OPERATOR op, const single_pass_call<S> &call,
                                                     unsigned char *stage)
{
    typedef typename S::T T;
    __shared__ T sums[S::SCANNERS], before_tile;
    __shared__ uint32_t tag;
    const unsigned lane = threadIdx.x % 32, part = threadIdx.x / 32;
    const typename S::In *const tile = stage_of<S>(stage, 0, call.skew);
    T before = call.start;
    size_t known = 0; /* tiles that are in it */
    if (threadIdx.x == 0)
        tag = tile_chain_begin(call.chain);
#pragma unroll 1
    for (size_t number = blockIdx.x; number < call.tiles; number += gridDim.x) {
        const tile_place<S, REVERSE> place(call, number);
        const tile_bytes bytes = bytes_of(call, place);
        load_whole<S::THREADS>(stage, source_of(call, place), bytes);
        if (!bytes.whole)
            load_edges<S>(op, stage, source_of(call, place), bytes, call.skew, threadIdx.x,
                          S::THREADS);
        __syncthreads();
        const T sum = reduce_part<S, REVERSE>(op, tile, call.skew, part, lane);
        if (lane == 0)
            sums[part] = sum;
        __syncthreads();
        if (part == 0) {
            const T all = sum_of_parts<S>(op, sums, lane);
            if (lane == 0)
                tile_publish(call.chain, tag, number, all);
            before = combine(op, before,
                             tile_look_back<OPERATOR, T>(op, call.chain, tag, known, number, lane));
            known = number;
            if (lane == 0)
                before_tile = before;
        }
        const T local = sum_before_part<S>(op, sums, part);
        __syncthreads();
        scan_part(op, call, place, tile, number, (T)before_tile, local, part, lane);
        __syncthreads();
    }
    tile_chain_end(call.chain, tag);
}

template <typename S, bool REVERSE, typename OPERATOR>
static __global__ void __launch_bounds__(S::THREADS, S::PIPELINED ? 1 : 4)
    single_pass_scan(const __grid_constant__ single_pass_call<S> call)
{
    extern __shared__ __align__(128) unsigned char stages[];
#if PARSCAN_PIPELINED(__CUDA_ARCH__ / 10)
    if constexpr (S::PIPELINED)
        scan_pipelined<S, REVERSE>(OPERATOR(), call, stages);
#else
    if constexpr (!S::PIPELINED)
        scan_in_turns<S, REVERSE>(OPERATOR(), call, stages);
#endif
}

#endif
