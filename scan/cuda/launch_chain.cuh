/* Launches of kernels whose blocks wait for each other's tiles (tile_prefix.cuh). */
#ifndef PARSCAN_SCAN_LAUNCH_CHAIN_CUH
#define PARSCAN_SCAN_LAUNCH_CHAIN_CUH

#include "scan/cuda/launch.cuh"
#include "scan/cuda/tile_pipeline.cuh"

static tile_chain chain_of(const parscan_chain_memory &memory)
{
    unsigned long long *const control = (unsigned long long *)memory.control;
    return tile_chain{control, (unsigned *)(control + 1), memory.status, memory.words};
}

/* Launches one block for each tile, but at most as many as the device holds at once. The kernel must
   call wait_for_previous_kernel().

   If blocks have several tiles, or wait for later tiles too (`for_all`), the launch is cooperative:
   it starts when there is room for all blocks. Otherwise a block waits for earlier blocks only, a
   single block for none, and the launch is an ordinary one. It ends since a device starts blocks in
   the order of their index. CUDA does not document that; CUB relies on it too. In any other order it
   ends if the device has no other work.

   sets: blocks that return to the same set of tiles, of which there are so many, are a multiple of that. */
template <typename Kernel, typename Params>
static cudaError_t launch_chain(Kernel *function, parscan_cuda *cuda, Params &params, size_t tiles,
                                unsigned threads, size_t shared_bytes, bool for_all = false,
                                size_t sets = 1)
{
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(cuda, (const void *)function, threads, shared_bytes, &kernel);
    if (error != cudaSuccess)
        return error;
    unsigned blocks = tiles < kernel.blocks ? (unsigned)tiles : kernel.blocks;
    if (sets <= blocks)
        blocks -= blocks % (unsigned)sets;
    return launch_overlapped(cuda, kernel, blocks, params,
                             blocks > 1 && (blocks < tiles || for_all));
}

#endif
