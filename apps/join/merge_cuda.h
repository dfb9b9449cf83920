/* Merges on CUDA: what the host code (merge_cuda.c) passes to the launches (merge_launches.cu). All pointers
   are to device memory. */
#ifndef PARSCAN_APPS_JOIN_MERGE_CUDA_H
#define PARSCAN_APPS_JOIN_MERGE_CUDA_H

#include "apps/join/merge_plan.h"
#include "apps/join/pair_params.h"
#include "scan/cuda/cuda_context.h"
#include "scan/type_traits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where an array of values is in units of bytes that are moved at once. */
typedef struct merge_values {
    const void *a, *b;
    void *out;      /* NULL: there are none */
    unsigned unit;  /* 1, 2, 4, 8 or 16 bytes */
    unsigned units; /* of a value */
} merge_values;

typedef struct merge_params {
    pair_params keys; /* n and n2 together are not 0 */
    merge_variant variant;
    size_t least_span; /* elements of a block, if there are so many */
    merge_values values;
} merge_params;

typedef cudaError_t parscan_merge_launch(parscan_context *context, const merge_params *params);
#define X(ctx, NAME, bits, name, ...) parscan_merge_launch parscan_merge_launch_##name;
PARSCAN_KEY_CLASSES(X, )
#undef X

/* Launches the merge for the class of keys. Errors: DEVICE. */
parscan_status parscan_merge_launches(parscan_context *context, key_class key,
                                      const merge_params *params);

#ifdef __cplusplus
}
#endif
#endif
