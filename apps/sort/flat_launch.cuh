/* Kernels of a thread or a warp an element, which stride over what there is. */
#ifndef PARSCAN_APPS_SORT_FLAT_LAUNCH_CUH
#define PARSCAN_APPS_SORT_FLAT_LAUNCH_CUH

#include "apps/sort/digit_keys.cuh"
#include "scan/context/context.h"

enum { FLAT_THREADS = 256 };

template <typename Call>
static cudaError_t launch_flat(parscan_context *context, void (*function)(Call), Call &on_device,
                               size_t threads)
{
    parscan_cuda_kernel kernel;
    const cudaError_t error =
        parscan_cuda_kernel_of(context->cuda, (const void *)function, FLAT_THREADS, 0, &kernel);
    if (error != cudaSuccess)
        return error;
    const size_t useful = threads / FLAT_THREADS + 1;
    void *arguments[] = {&on_device};
    return cudaLaunchKernel((const void *)function,
                            dim3(useful < kernel.blocks ? (unsigned)useful : kernel.blocks),
                            dim3(FLAT_THREADS), arguments, 0, context->cuda->stream);
}

static parscan_status launched(parscan_context *context, cudaError_t error)
{
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

#endif
