/* How the host launches kernels whose blocks wait for each other's tiles (tile_prefix.cuh). */
#ifndef PARSCAN_SCAN_LAUNCH_CHAIN_CUH
#define PARSCAN_SCAN_LAUNCH_CHAIN_CUH

#include "scan/scan_cuda.h"
#include "scan/single_pass/tile_prefix.cuh"

static tile_chain chain_of(const parscan_cuda_call *call)
{
    unsigned long long *const control = (unsigned long long *)call->control;
    return tile_chain{control, (unsigned *)(control + 1), call->status, call->status_words};
}

template <typename Kernel, typename Call>
static cudaError_t launch(Kernel *kernel, Call &call, unsigned blocks, unsigned threads,
                          size_t shared_bytes, cudaStream_t stream)
{
    void *arguments[] = {&call};
    return cudaLaunchCooperativeKernel((const void *)kernel, dim3(blocks), dim3(threads), arguments,
                                       shared_bytes, stream);
}

/* How many blocks of a kernel the device holds at once. */
template <typename Kernel>
static cudaError_t resident(Kernel *kernel, const parscan_cuda_call *call, unsigned threads,
                            size_t shared_bytes, unsigned *blocks)
{
    int each = 0;
    cudaError_t error = cudaSuccess;
    if (shared_bytes > 48 * 1024)
        error = cudaFuncSetAttribute(
            (const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, (const void *)kernel,
                                                              (int)threads, shared_bytes);
    *blocks = (unsigned)(each * call->multiprocessors);
    return error == cudaSuccess && *blocks == 0 ? cudaErrorLaunchOutOfResources : error;
}

#endif
