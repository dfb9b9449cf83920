/* A launch of a kernel of compaction, for the files of launches. */
#ifndef PARSCAN_APPS_COMPACT_LAUNCH_CUH
#define PARSCAN_APPS_COMPACT_LAUNCH_CUH

#include "apps/compact/compact_cuda.h"
#include "apps/compact/compact_tuning.cuh"
#include "scan/cuda/launch_chain.cuh"
#include "scan/cuda/of_size.cuh"

/* The number of the chain's words: for the tiles, and for a partition also for the blocks'
   counts (compact_count.cuh). */
template <typename S>
static parscan_status chain_words(const compact_cuda_call *call, const compact_params &params,
                                  size_t *words)
{
    parscan_context *const context = call->call->context;
    parscan_cuda_kernel kernel;
    *words = tile_words<typename S::Aggregate>::count * params.tiles;
    if (!S::PARTS)
        return PARSCAN_OK;
    const cudaError_t error = parscan_cuda_kernel_of(context->cuda, (const void *)compact_kernel<S>,
                                                     S::THREADS, S::SHARED_BYTES, &kernel);
    if (error != cudaSuccess)
        return parscan_cuda_fail(context, error, "a kernel");
    *words += 1 + tile_words<uint64_t>::count * (size_t)kernel.blocks;
    return PARSCAN_OK;
}

/* Where the tiles of a shape lie. */
template <typename S>
static void place_tiles(compact_params &params)
{
    params.head_padding = (unsigned)((uintptr_t)params.in % 128 / S::WIDTH);
    params.flag_misalignment = (unsigned)(((uintptr_t)params.flags - params.head_padding) % 128);
    if (S::TEST != COMPACT_FLAGS)
        params.flag_misalignment = 0;
    params.tiles = tiles_of<S>(params);
    if (params.tiles == 0) /* the length is in device memory: a block reads it */
        params.tiles = 1;
}

template <typename S>
static parscan_status launch_shaped(const compact_cuda_call *call, compact_params &params)
{
    parscan_context *const context = call->call->context;
    place_tiles<S>(params);
    parscan_chain_memory chain;
    size_t words;
    parscan_status status = chain_words<S>(call, params, &words);
    if (status == PARSCAN_OK)
        status = parscan_cuda_chain_memory(context, words, &chain);
    if (status != PARSCAN_OK)
        return status;
    params.chain = chain_of(chain);
    params.meeting = chain.meeting;
    return PARSCAN_CUDA_QUEUE(context,
                              launch_chain(compact_kernel<S>, context->cuda, params, params.tiles,
                                           S::THREADS, S::SHARED_BYTES, S::PARTS));
}

/* The same for records that are moved beside what is tested (compact_records_launches.cu). extern "C": symbols
   of the library begin with its name. */
extern "C" parscan_status parscan_compact_launch_records(const compact_cuda_call *call,
                                                         compact_params &params);

#endif
