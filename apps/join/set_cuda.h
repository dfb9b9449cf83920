/* Set operations on CUDA: what the host code (sets_cuda.c) passes to the launches (set_launches.cu). All
   pointers are to device memory. */
#ifndef PARSCAN_APPS_JOIN_SET_CUDA_H
#define PARSCAN_APPS_JOIN_SET_CUDA_H

#include "apps/join/join_call.h"
#include "apps/join/pair_params.h"
#include "scan/cuda/cuda_context.h"
#include "scan/type_traits.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct set_params {
    pair_params keys; /* out NULL: elements are only counted */
    set_rule rule;
    uint64_t capacity;         /* of out */
    uint64_t *count;           /* receives the number of elements */
    parscan_deferred exceeded; /* CAPACITY, the count is above it */
} set_params;

typedef parscan_status parscan_set_launch(parscan_context *context, const set_params *params);
#define X(ctx, NAME, bits, name, ...) parscan_set_launch parscan_set_launch_##name;
PARSCAN_KEY_CLASSES(X, )
#undef X

#ifdef __cplusplus
}
#endif
#endif
