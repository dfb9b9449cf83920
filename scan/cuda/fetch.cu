/* A small result on its way to the host; and what the smallest kernel tells of all. */
#include "scan/cuda/cuda_context.h"

/* A copy of a few bytes by the copy engine would wait for the large copies to the host that are
   under way. A kernel writes to pinned memory beside them. */
static __global__ void fetch_bytes(unsigned char *to, const unsigned char *from, unsigned bytes)
{
    if (threadIdx.x < bytes)
        to[threadIdx.x] = from[threadIdx.x];
}

cudaError_t parscan_cuda_fetch_launch(const parscan_cuda *cuda, void *to, const void *from,
                                      unsigned bytes)
{
    void *arguments[] = {&to, &from, &bytes};
    return cudaLaunchKernel((const void *)fetch_bytes, dim3(1), dim3(PARSCAN_FETCH_BYTES),
                            arguments, 0, cuda->stream);
}

cudaError_t parscan_cuda_code_architecture(int *architecture)
{
    struct cudaFuncAttributes attributes;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)fetch_bytes);
    if (error == cudaSuccess)
        *architecture = attributes.ptxVersion;
    return error;
}
