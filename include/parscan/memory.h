/*
 * parscan/memory.h: memory of the context's engine, host memory on the CPU, device memory on CUDA.
 *
 * No call needs arrays of this memory. A CUDA context works on it without copying, though.
 */
#ifndef PARSCAN_MEMORY_H
#define PARSCAN_MEMORY_H

#include "parscan/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Allocates size bytes: on the CPU aligned to 64 bytes and from the context's allocator, on CUDA
 * from the device, by cudaMalloc(), or from the context's device_allocator, whose memory is ready for
 * work on the context's stream. The contents are not initialised.
 *   pointer   receives the memory, to be freed by parscan_free(). It is NULL if the call fails, and
 *             if size is 0
 * Errors: INVALID_ARGUMENT, pointer is NULL; OUT_OF_MEMORY; UNSUPPORTED, the context's stream is
 * being captured in a CUDA graph.
 */
PARSCAN_API parscan_status parscan_malloc(parscan_context *context, void **pointer, size_t size);

/* Frees memory of parscan_malloc() of the same context. NULL is allowed. It may wait for the device; with a
   device_allocator it does not: work on other streams that uses the memory must be done. Errors:
   UNSUPPORTED, as for parscan_malloc(). */
PARSCAN_API parscan_status parscan_free(parscan_context *context, void *pointer);

/* Copies size bytes: on the CPU within host memory, on CUDA also from host to device, from device
   to host and within the device, in stream order. The two ranges must not overlap, unless they
   are the same, which copies nothing. With size = 0 the pointers may be NULL. Errors:
   INVALID_ARGUMENT, DEVICE. */
PARSCAN_API parscan_status parscan_copy(parscan_context *context, void *to, const void *from,
                                        size_t size);

#ifdef __cplusplus
}
#endif
#endif
