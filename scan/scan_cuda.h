/* A call of a scan or a reduction as the CUDA engine's host code (scan_cuda.c) hands it to the launches
   of one element type (the .cu files, compiled once a type). */
#ifndef PARSCAN_SCAN_SCAN_CUDA_H
#define PARSCAN_SCAN_SCAN_CUDA_H

#include <cuda_runtime_api.h>

#include "scan/scan_call.h"

typedef struct parscan_cuda_call {
    const parscan_scan_call *call; /* its `in` and `out` may be host memory */
    const void *in;                /* on the device, like all that follows but init */
    void *out;
    cudaStream_t stream;
    int major, multiprocessors;
    void *control;    /* of the tile chain */
    uint64_t *status; /* its words, for any tile of the call */
    size_t status_words;
    void *scratch; /* for block algorithms */
} parscan_cuda_call;

typedef cudaError_t parscan_cuda_launch(const parscan_cuda_call *call);

typedef struct parscan_cuda_scan_engine {
    parscan_cuda_launch *single_pass, *reduce;
} parscan_cuda_scan_engine;

#ifdef __cplusplus
extern "C" {
#endif
/* Built once an element type, the one that is accumulated. */
#define X(ctx, NAME, number, name, ...) \
    extern const parscan_cuda_scan_engine parscan_cuda_scan_engine_##name;
PARSCAN_TYPES(X, )
#undef X
#ifdef __cplusplus
}
#endif

#endif
