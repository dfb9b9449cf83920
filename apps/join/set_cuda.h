/* Set operations on CUDA: what the host code (sets_cuda.c) passes to the launches (set_launches.cu). All
   pointers are to device memory. */
#ifndef PARSCAN_APPS_JOIN_SET_CUDA_H
#define PARSCAN_APPS_JOIN_SET_CUDA_H

#include "apps/join/join_call.h"
#include "scan/cuda/cuda_context.h"
#include "scan/type_traits.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct set_params {
    const void *a, *b;
    void *out; /* NULL: elements are only counted */
    size_t n, n2;
    const uint64_t *n_at,
        *n2_at;    /* the lengths in device memory, at most n and n2; NULL: they are these */
    uint64_t flip; /* of integers (apps/merge/key_order.h) */
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
