/*
 * The arrays of a call as the device has them: device memory as it is, host memory by a copy that the
 * context keeps. For the CUDA engine's host code:
 *
 *     parscan_cuda_array arrays[] = {{"keys_in", keys_in, bytes, 4, PARSCAN_READ}, ...};
 *     status = parscan_cuda_begin(context, "parscan_sort_keys");
 *     if (status == PARSCAN_OK)
 *         status = parscan_cuda_place(context, arrays, COUNT);
 *     ... launches on arrays[k].device ...
 *     if (status == PARSCAN_OK)
 *         status = parscan_cuda_return(context, arrays, COUNT);
 *     return parscan_cuda_end(context, status);
 */
#ifndef PARSCAN_SCAN_CONTEXT_CUDA_ARRAYS_H
#define PARSCAN_SCAN_CONTEXT_CUDA_ARRAYS_H

#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum parscan_cuda_access {
    PARSCAN_READ = 1,
    PARSCAN_WRITE = 2,
    PARSCAN_READ_WRITE = 3
} parscan_cuda_access;

typedef struct parscan_cuda_array {
    const char *name;  /* of the argument, for words */
    const void *given; /* by the caller, host or device; NULL with 0 bytes */
    size_t bytes;
    size_t alignment; /* of device memory: the size of an element */
    parscan_cuda_access access;
    void *device; /* out: of parscan_cuda_place() */
    bool staged;  /* out: `device` is a copy of the caller's array */
} parscan_cuda_array;

/* At most PARSCAN_CUDA_ARRAYS, inputs first. Host memory that is given twice (in == out, of the same
   bytes) has one copy. Errors: INVALID_ARGUMENT (alignment, another device), OUT_OF_MEMORY with the bytes needed,
   UNSUPPORTED (host memory while the stream is captured), DEVICE. */
parscan_status parscan_cuda_place(parscan_context *context, parscan_cuda_array *arrays,
                                  unsigned count);

/* What was written to copies goes back to the caller's host memory: waits for the stream if there is any.
   array->bytes may have been made smaller: so many come back. */
parscan_status parscan_cuda_return(parscan_context *context, const parscan_cuda_array *arrays,
                                   unsigned count);

#ifdef __cplusplus
}
#endif
#endif
