/* What a CUDA-aware MPI needs of CUDA: MPI knows no streams. Without CUDA nothing is ever in device
   memory. */
#ifndef PARSCAN_APPS_MPI_MPI_DEVICE_H
#define PARSCAN_APPS_MPI_MPI_DEVICE_H

#include <stdbool.h>
#include <string.h>

#include "parscan/comm.h"

#ifdef PARSCAN_HAVE_CUDA
#include <cuda_runtime_api.h>

/* Waits for the work that is on the stream; NULL, or the message of an error. */
static inline const char *mpi_device_finish(void *stream)
{
    const cudaError_t error = cudaStreamSynchronize((cudaStream_t)stream);
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

/* Copies within a rank; on a device in the order of the stream. */
static inline const char *mpi_device_copy(void *to, const void *from, size_t bytes, void *stream,
                                          bool device)
{
    if (!device)
        return memcpy(to, from, bytes), NULL;
    const cudaError_t error =
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)stream);
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}
#else
static inline const char *mpi_device_finish(void *stream)
{
    (void)stream;
    return NULL;
}

static inline const char *mpi_device_copy(void *to, const void *from, size_t bytes, void *stream,
                                          bool device)
{
    (void)stream;
    (void)device;
    memcpy(to, from, bytes);
    return NULL;
}
#endif
#endif
