/* Launches of reductions by offsets in equal parts (segmented_reduce_merge_path.cuh). */
#ifndef PARSCAN_APPS_SEGMENTS_LAUNCH_PARTS_CUH
#define PARSCAN_APPS_SEGMENTS_LAUNCH_PARTS_CUH

#include "apps/segments/segmented_reduce_merge_path.cuh"
#include "scan/cuda/launch.cuh"

/* The most tiles, a block each. */
#define PARTS_MOST_TILES ((size_t)1024)

/* The tiles that there may be. Shorter lengths can have more: their parts are smaller. */
template <typename Params>
static size_t tiles_of_parts(const Params &params)
{
    const bool known = params.offsets.n_at == NULL && params.offsets.count_at == NULL;
    const size_t items = params.items(), part = known ? params.part : LEAST_PART;
    const size_t tiles = items == 0 ? 1 : (items - 1) / (part * PARTS_OF_TILE) + 1;
    return tiles < params.tiles ? tiles : params.tiles;
}

/* At most as many tiles as the device holds blocks, one each. So a block waits for blocks before it in
   the grid only (launch_chain.cuh). Sets how the elements and ends are divided. */
template <typename OPERATOR, typename In, typename T, typename Out, typename RESULTS>
static cudaError_t launch_reduce_parts(parscan_cuda *cuda,
                                       merge_path_params<In, T, Out, RESULTS> &params)
{
    const auto function = params.offsets.wide
                              ? reduce_parts<In, T, OPERATOR, uint64_t, Out, RESULTS>
                              : reduce_parts<In, T, OPERATOR, uint32_t, Out, RESULTS>;
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(cuda, (const void *)function, PARTS_THREADS, 0, &kernel);
    if (error != cudaSuccess)
        return error;
    params.tiles = kernel.blocks < PARTS_MOST_TILES ? kernel.blocks : PARTS_MOST_TILES;
    params.cut();
    return launch_overlapped(cuda, kernel, (unsigned)tiles_of_parts(params), params);
}

#endif
