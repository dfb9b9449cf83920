/* How the host launches kernels whose blocks do not wait for each other. */
#ifndef PARSCAN_SCAN_CONTEXT_LAUNCH_CUH
#define PARSCAN_SCAN_CONTEXT_LAUNCH_CUH

#include "scan/cuda/cuda_context.h"

/* For __launch_bounds__(): so many blocks a multiprocessor, or as many as one may hold. */
#if __CUDA_ARCH__ == 750
#define BLOCKS_HELD(threads, blocks) ((threads) * (blocks) <= 1024 ? (blocks) : 1024 / (threads))
#else
#define BLOCKS_HELD(threads, blocks) (blocks)
#endif

/* Tells of this launch alone: cudaGetLastError() would tell of one of the caller's as well. */
template <typename Kernel, typename Params>
static cudaError_t launch_blocks(Kernel *function, const parscan_cuda *cuda, size_t blocks,
                                 unsigned threads, size_t shared_bytes, const Params &params)
{
    void *arguments[] = {(void *)&params};
    return cudaLaunchKernel((const void *)function, dim3((unsigned)blocks), dim3(threads),
                            arguments, shared_bytes, cuda->stream);
}

/* A block for each piece of work, or as many as the device holds at once. */
template <typename Kernel, typename Params>
static cudaError_t launch_persistent(Kernel *function, parscan_cuda *cuda, size_t work,
                                     unsigned threads, size_t shared_bytes, const Params &params)
{
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(cuda, (const void *)function, threads, shared_bytes, &kernel);
    if (error != cudaSuccess)
        return error;
    return launch_blocks(function, cuda, work < kernel.blocks ? work : kernel.blocks, threads,
                         shared_bytes, params);
}

/* As many blocks as launch_persistent() has. They may begin while the kernel before them in the stream ends:
   its end they wait for themselves (wait_for_previous_kernel()). */
template <typename Kernel, typename Params>
static cudaError_t launch_dependent(Kernel *function, parscan_cuda *cuda, size_t work,
                                    unsigned threads, const Params &params)
{
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(cuda, (const void *)function, threads, 0, &kernel);
    if (error != cudaSuccess)
        return error;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(work < kernel.blocks ? work : kernel.blocks));
    config.blockDim = dim3(threads);
    config.stream = cuda->stream;
    config.attrs = &attribute;
    config.numAttrs = kernel.architecture >= 90 ? 1 : 0;
    void *arguments[] = {(void *)&params};
    return cudaLaunchKernelExC(&config, (const void *)function, arguments);
}

#endif
