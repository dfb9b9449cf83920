/* Launches of kernels whose blocks do not wait for each other, or only for blocks before them. */
#ifndef PARSCAN_SCAN_CUDA_LAUNCH_CUH
#define PARSCAN_SCAN_CUDA_LAUNCH_CUH

#include "scan/cuda/cuda_context.h"

/* For __launch_bounds__(): `blocks` blocks on each multiprocessor, or fewer if it cannot hold so
   many threads (1024 on compute capability 7.5). */
#if __CUDA_ARCH__ == 750
#define BLOCKS_HELD(threads, blocks) ((threads) * (blocks) <= 1024 ? (blocks) : 1024 / (threads))
#else
#define BLOCKS_HELD(threads, blocks) (blocks)
#endif

/* Launches the blocks. Returns the error of this launch only; cudaGetLastError() could also return
   an error of the caller's earlier calls. */
template <typename Kernel, typename Params>
static cudaError_t launch_blocks(Kernel *function, const parscan_cuda *cuda, size_t blocks,
                                 unsigned threads, size_t shared_bytes, const Params &params)
{
    void *arguments[] = {(void *)&params};
    return cudaLaunchKernel((const void *)function, dim3((unsigned)blocks), dim3(threads),
                            arguments, shared_bytes, cuda->stream);
}

/* Launches one block for each piece of work, but at most as many as the device holds at once. */
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

/* Launches blocks that may start while the kernel before them in the stream is still running (from
   compute capability 9.0 on). They wait for its end by wait_for_previous_kernel(). A short kernel
   takes 0.5 to 1 us less. `together`: no block starts before there is room for all (a cooperative launch). */
template <typename Params>
static cudaError_t launch_overlapped(const parscan_cuda *cuda, const parscan_cuda_kernel &kernel,
                                     unsigned blocks, const Params &params, bool together = false)
{
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    if (kernel.architecture >= 90) {
        cudaLaunchAttribute &early = attributes[config.numAttrs++];
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
    }
    if (together) {
        cudaLaunchAttribute &cooperative = attributes[config.numAttrs++];
        cooperative.id = cudaLaunchAttributeCooperative;
        cooperative.val.cooperative = 1;
    }
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(kernel.threads);
    config.dynamicSmemBytes = kernel.shared_bytes;
    config.stream = cuda->stream;
    config.attrs = attributes;
    void *arguments[] = {(void *)&params};
    return cudaLaunchKernelExC(&config, kernel.function, arguments);
}

/* The same by function. `persistent`: at most as many blocks as the device holds at once. */
template <typename Kernel, typename Params>
static cudaError_t launch_dependent(Kernel *function, parscan_cuda *cuda, size_t blocks,
                                    unsigned threads, size_t shared_bytes, const Params &params,
                                    bool persistent = false)
{
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(cuda, (const void *)function, threads, shared_bytes, &kernel);
    if (error != cudaSuccess)
        return error;
    const size_t most = persistent ? kernel.blocks : blocks;
    return launch_overlapped(cuda, kernel, (unsigned)(blocks < most ? blocks : most), params);
}

/* As launch_persistent(), and overlapped. */
template <typename Kernel, typename Params>
static cudaError_t launch_dependent_persistent(Kernel *function, parscan_cuda *cuda, size_t work,
                                               unsigned threads, size_t shared_bytes,
                                               const Params &params)
{
    return launch_dependent(function, cuda, work, threads, shared_bytes, params, true);
}

#endif
