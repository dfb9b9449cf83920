/*
 * The fast path of the CUDA engine: one pass over memory. Two forms.
 *
 * Pipelined, where there are bulk copies (compute capability 9.0): the warps of a block have roles.
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

#include "scan/single_pass/single_pass_tile.cuh"

template <typename S>
struct single_pass_shared {
    tile_barriers<S::STAGES> barriers;
    typename S::T sums[S::STAGES][S::SCANNERS], before[S::STAGES];
    uint32_t tag;
};

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void load_stages(OPERATOR op, const single_pass_call<S> &call,
                                                   single_pass_shared<S> &shared,
                                                   unsigned char *stages, unsigned lane)
{
    load_tiles<S>(call.tiles, shared.barriers, [&](size_t tile, unsigned stage, uint64_t *full) {
        const tile_place<S, REVERSE> place(call, tile);
        const tile_bytes bytes = bytes_of(call, place);
        const char *const from = source_of(call, place);
        unsigned char *const to = stages + (size_t)stage * S::STAGE_BYTES;
        if (__builtin_expect(!bytes.whole, 0)) {
            load_edges<S>(op, to, from, bytes, call.skew, lane, 32);
            fence_async_proxy();
            __syncwarp();
        }
        expect_bulk(full, whole_of(bytes), lane);
        load_bulk(to, from, bytes, full, lane);
    });
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
        barrier_wait(&shared.barriers.full[walk.stage], walk.parity);
        for (unsigned part = reducer; part < S::SCANNERS; part += S::REDUCERS) {
            const T sum = reduce_part<S, REVERSE>(op, tile, call.skew, part, lane);
            if (lane == 0)
                shared.sums[walk.stage][part] = sum;
        }
        warps_sync<S::REDUCERS>(1);
        if (reducer == 0) {
            const T sum = sum_of_parts<S>(op, shared.sums[walk.stage], lane);
            if (lane == 0)
                tile_publish(call.chain, shared.tag, walk.tile, sum);
        }
        if (lane == 0)
            barrier_arrive(&shared.barriers.reduced[walk.stage]);
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
        barrier_wait(&shared.barriers.full[walk.stage], walk.parity);
        if (lane == 0) {
            shared.before[walk.stage] = before;
            barrier_arrive(&shared.barriers.prefixed[walk.stage]);
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
        barrier_wait(&shared.barriers.full[walk.stage], walk.parity);
        barrier_wait(&shared.barriers.reduced[walk.stage], walk.parity);
        const T local = sum_before_part<S>(op, shared.sums[walk.stage], part);
        barrier_wait(&shared.barriers.prefixed[walk.stage], walk.parity);
        scan_part(op, call, place, stage_of<S>(stages, walk.stage, call.skew), walk.tile,
                  shared.before[walk.stage], local, part, lane);
        barrier_arrive(&shared.barriers.freed[walk.stage]);
    }
}

template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void scan_pipelined(OPERATOR op, const single_pass_call<S> &call,
                                                      unsigned char *stages)
{
    __shared__ single_pass_shared<S> shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        tile_barriers_init(shared.barriers, S::REDUCERS, S::SCANNERS);
    if (threadIdx.x == 32)
        shared.tag = tile_chain_begin(call.chain);
    __syncthreads();
    if (warp == 0)
        load_stages<S, REVERSE>(op, call, shared, stages, lane);
    else if (warp == 1)
        learn_prefixes(op, call, shared, lane);
    else if (warp < 2 + S::REDUCERS)
        reduce_tiles<S, REVERSE>(op, call, shared, stages, warp - 2, lane);
    else
        scan_tiles<S, REVERSE>(op, call, shared, stages, warp - 2 - S::REDUCERS, lane);
    tile_chain_end(call.chain, shared.tag);
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
#if __CUDA_ARCH__ >= 900
    if constexpr (S::PIPELINED)
        scan_pipelined<S, REVERSE>(OPERATOR(), call, stages);
#else
    if constexpr (!S::PIPELINED)
        scan_in_turns<S, REVERSE>(OPERATOR(), call, stages);
#endif
}

#endif
