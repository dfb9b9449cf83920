/*
 * parscan/memory.h: memory that the context's engine reaches fastest.
 *
 * Using it is never required: calls take any pointer that their engine can reach.
 */
#ifndef PARSCAN_MEMORY_H
#define PARSCAN_MEMORY_H

#include "parscan/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Allocates size bytes of the engine's memory: host memory aligned to 64 bytes on the CPU, device
 * memory on CUDA. The contents are undefined.
 *   pointer  out: the memory, for parscan_free(); NULL when the call fails or size is 0
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, UNSUPPORTED (while the context's stream is captured in a
 * CUDA graph; parscan_free() and parscan_synchronize() too).
 */
PARSCAN_API parscan_status parscan_malloc(parscan_context *context, void **pointer, size_t size);

/* Frees what parscan_malloc() of the same context gave. A NULL pointer is allowed. */
PARSCAN_API parscan_status parscan_free(parscan_context *context, void *pointer);

/* Copies size bytes, from and to host or device memory in any combination that the engine reaches.
   The two ranges must not overlap. */
PARSCAN_API parscan_status parscan_copy(parscan_context *context, void *to, const void *from,
                                        size_t size);

#ifdef __cplusplus
}
#endif
#endif
