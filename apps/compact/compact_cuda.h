/* A call of compaction as the CUDA engine's host code (compact_cuda.c) hands it to the launches. */
#ifndef PARSCAN_APPS_COMPACT_CUDA_H
#define PARSCAN_APPS_COMPACT_CUDA_H

#include <cuda_runtime_api.h>

#include "apps/compact/compact_call.h"
#include "scan/cuda/cuda_context.h"

typedef struct compact_cuda_call {
    const compact_call *call; /* its arrays may be host memory */
    /* On the device, like all that follows. */
    const void *in;
    const uint8_t *flags;
    void *values, *indices, *lengths, *row_offsets;
    uint64_t *count;
    uint64_t *error; /* NULL: none can be */
    size_t unit;     /* records are moved in pieces of so many bytes; 0: elements are */
} compact_cuda_call;

#ifdef __cplusplus
extern "C" {
#endif
/* OUT_OF_MEMORY, DEVICE */
parscan_status parscan_compact_launch(const compact_cuda_call *call);

/* *count records from `from` to `to`. */
parscan_status parscan_compact_copy_back(const compact_cuda_call *call, const void *from, void *to);
#ifdef __cplusplus
}
#endif

#endif
