/* Gather and scatter on CUDA: what the host code (gather_cuda.c) passes to the launches
   (gather_launches.cu). All pointers are to device memory. */
#ifndef PARSCAN_APPS_GATHER_CUDA_H
#define PARSCAN_APPS_GATHER_CUDA_H

#include "apps/gather/gather_plan.h"
#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gather_params {
    const void *in;
    void *out;
    const void *indices;
    size_t n;             /* not 0 */
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
    uint64_t limit;       /* an index is below it */
    size_t value_size;    /* bytes */
    bool wide;            /* indices have 8 bytes, else 4 */
    void *
        winners; /* of WINNERS: `limit` numbers, 0 before the launch: 1 + the place of the element */
    bool wide_winners;      /* they have 8 bytes, else 4 */
    parscan_deferred error; /* INVALID_ARGUMENT, and PARSCAN_IS_INDEX | a place in indices */
} gather_params;

cudaError_t parscan_gather_launch(parscan_context *context, const gather_plan *plan,
                                  const gather_params *params);

#ifdef __cplusplus
}
#endif
#endif
