/* Differences on CUDA: what the host code (difference_cuda.c) passes to the launches
   (difference_launches.cu). All pointers are to device memory. */
#ifndef PARSCAN_APPS_DIFFERENCE_CUDA_H
#define PARSCAN_APPS_DIFFERENCE_CUDA_H

#include <cuda_runtime_api.h>

#include "parscan/types.h"
#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The vectors of 16 bytes of a thread, and the bytes of out that a block writes. With few bytes, and not in
   place, a thread has one vector, so that more multiprocessors take part. */
#define DIFFERENCE_EACH 4u
#define DIFFERENCE_TILE_BYTES ((size_t)16384)
#define DIFFERENCE_FEW_BYTES ((size_t)8 << 20)

typedef struct difference_params {
    const void *in;
    void *out;
    size_t n;             /* not 0 */
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
    bool has_init;
    uint64_t init;       /* its bits, at the lowest place, unless it is at init_at */
    const void *init_at; /* NULL: it is not there */
    bool reverse;
    bool xor_bits; /* in place of a difference, of integers */
    /* In place: room for the neighbours of all tiles, DIFFERENCE_TILE_BYTES each, and of one more. Else
       NULL. */
    void *borders;
} difference_params;

cudaError_t parscan_difference_launch(parscan_context *context, parscan_type type,
                                      const difference_params *params);

#ifdef __cplusplus
}
#endif
#endif
