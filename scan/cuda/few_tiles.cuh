/*
 * Short calls on CUDA: each block has one tile, which its threads keep in registers. No stage, no role:
 *
 *     few_entry entry(params.chain);                         waits for the end of the kernel before
 *     ... each thread loads its elements and combines them ...
 *     before = prefix_of_warp(op, entry, of_warp, shared);   what comes before the warp in the array
 *     ... each thread adds that, and stores ...
 *     entry.leave(shared.epoch);
 *
 * A single block touches no status word. Several wait for the aggregates of the blocks before them
 * (tile_prefix.cuh). What takes time is one round trip to memory, two to the status words, and two barriers
 * of the block.
 */
#ifndef PARSCAN_SCAN_CUDA_FEW_TILES_CUH
#define PARSCAN_SCAN_CUDA_FEW_TILES_CUH

#include "scan/cuda/cuda_context.h"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_prefix.cuh"

/* Of blocks of so many threads a multiprocessor holds PARSCAN_FEW_BLOCKS at least, of any kernel with these
   bounds. */
#define FEW_THREADS_OF_TILE 256u
#define FEW_BOUNDS __launch_bounds__(FEW_THREADS_OF_TILE, PARSCAN_FEW_BLOCKS)

template <unsigned WARPS, typename T>
struct few_shared {
    T sums[WARPS], before;
    uint32_t epoch;
};

/* A block's place in the chain of tiles, which is the block's index. By all threads. */
struct few_entry {
    const tile_chain &chain;
    unsigned long long entered; /* thread 0's */

    __device__ __forceinline__ few_entry(const tile_chain &chain_) : chain(chain_), entered(0)
    {
        wait_for_previous_kernel();
        if (chained() && threadIdx.x == 0)
            entered = tile_chain_enter(chain);
    }
    static __device__ __forceinline__ bool chained() { return gridDim.x > 1; }

    /* Called once, after the last prefix_of_warp(). */
    __device__ __forceinline__ void leave(uint32_t epoch) const
    {
        if (chained())
            tile_chain_end(chain, epoch);
    }
};

/* The three steps of prefix_of_warp(), by all threads of the block, once. What comes before a warp in its block, and
   *all of the block: */
template <unsigned WARPS, typename OPERATOR, typename T>
static __device__ __forceinline__ T prefix_in_block(OPERATOR op, T of_warp,
                                                    few_shared<WARPS, T> &shared, T *all)
{
    const unsigned warp = threadIdx.x / 32;
    T before = identity(op);
    if (threadIdx.x % 32 == 0)
        shared.sums[warp] = of_warp;
    __syncthreads();
    *all = identity(op);
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++) {
        const T sum = shared.sums[w];
        if (w < warp)
            before = combine(op, before, sum);
        *all = combine(op, *all, sum);
    }
    return before;
}

/* Publishes what the block has, and keeps the epoch: */
template <unsigned WARPS, typename T>
static __device__ __forceinline__ void publish_block(const few_entry &entry, T all,
                                                     few_shared<WARPS, T> &shared)
{
    if (!entry.chained() || threadIdx.x != 0)
        return;
    const uint32_t epoch = tile_chain_epoch(entry.chain, entry.entered);
    tile_publish(entry.chain, epoch, blockIdx.x, all);
    shared.epoch = epoch;
}

/* What comes before the block. It ends with a barrier. */
template <unsigned WARPS, typename OPERATOR, typename T>
static __device__ __forceinline__ T prefix_of_block(OPERATOR op, const few_entry &entry,
                                                    few_shared<WARPS, T> &shared)
{
    if (threadIdx.x < 32) {
        T earlier = identity(op);
        if (entry.chained()) {
            __syncwarp(); /* thread 0 knows the epoch */
            earlier = tile_look_back<OPERATOR, T>(op, entry.chain, shared.epoch, 0, blockIdx.x,
                                                  threadIdx.x);
        }
        if (threadIdx.x == 0)
            shared.before = earlier;
    }
    __syncthreads();
    return shared.before;
}

/* Returns what comes before a warp: of its block, and of all blocks before. of_warp: the warp's own
   elements combined; lane 0's counts. By all threads of the block, once, with or without elements. */
template <unsigned WARPS, typename OPERATOR, typename T>
static __device__ __forceinline__ T prefix_of_warp(OPERATOR op, const few_entry &entry, T of_warp,
                                                   few_shared<WARPS, T> &shared)
{
    T all;
    const T before = prefix_in_block(op, of_warp, shared, &all);
    if (!entry.chained())
        return before;
    publish_block(entry, all, shared);
    return combine(op, prefix_of_block(op, entry, shared), before);
}

#endif
