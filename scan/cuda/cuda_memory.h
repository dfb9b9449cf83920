/*
 * Where a context's device memory comes from: the caller's device_allocator, or the device's pool, or
 * cudaMalloc(). It is for work on the context's stream, and released in its order. Only while the stream
 * is not captured.
 */
#ifndef PARSCAN_SCAN_CUDA_CUDA_MEMORY_H
#define PARSCAN_SCAN_CUDA_CUDA_MEMORY_H

#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the option, and asks the device whether it has pools. Errors: INVALID_ARGUMENT, DEVICE. */
parscan_status parscan_cuda_choose_memory(parscan_context *context,
                                          const parscan_device_allocator *given);

/* cudaErrorMemoryAllocation: there is no memory. *pointer is NULL after an error. */
cudaError_t parscan_cuda_allocate(parscan_cuda *cuda, void **pointer, size_t size);

/* size: as it was allocated. NULL is allowed. */
void parscan_cuda_release(parscan_cuda *cuda, void *pointer, size_t size);

/* The bytes that may be allocated; SIZE_MAX if nothing tells. */
size_t parscan_cuda_available(const parscan_cuda *cuda);

/* Waits until memory that has been released is available. */
void parscan_cuda_settle(const parscan_cuda *cuda);

/* The engine's parscan_malloc(), parscan_malloc_shared() and parscan_free(). */
parscan_status parscan_cuda_malloc(parscan_context *context, void **pointer, size_t size);
parscan_status parscan_cuda_malloc_shared(parscan_context *context, void **pointer, size_t size);
parscan_status parscan_cuda_free(parscan_context *context, void *pointer);

/* Frees the list of what parscan_malloc() has given out. */
void parscan_cuda_forget(parscan_context *context);

#ifdef __cplusplus
}
#endif
#endif
