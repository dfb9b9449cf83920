/* Searches for bounds on CUDA: what the host code (bounds_cuda.c, and join_cuda.c for the ranges of equal
   keys) passes to the launches (bounds_launches.cu). All pointers are to device memory. */
#ifndef PARSCAN_APPS_BOUNDS_CUDA_H
#define PARSCAN_APPS_BOUNDS_CUDA_H

#include "apps/merge/key_order.h"
#include "apps/search/bounds_plan.h"
#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many keys a needle counts, of those that are equal to it as == says. */
typedef enum bounds_count {
    BOUNDS_COUNT_NONE,    /* there are no counts */
    BOUNDS_COUNT_EQUAL,   /* all */
    BOUNDS_COUNT_LEFT,    /* the same; 1 if there is none, and its bound is the number of keys */
    BOUNDS_COUNT_ANY,     /* 1 if there is one */
    BOUNDS_COUNT_MISSING, /* 1 if there is none */
} bounds_count;

typedef struct bounds_params {
    const void *sorted, *values;
    void *out;                       /* with counts it may be NULL */
    size_t count, n;                 /* n is not 0 */
    const uint64_t *count_at, *n_at; /* lengths in device memory, at most these; NULL: none */
    key_order order;
    bool upper, wide;     /* wide: out and counts have 8 bytes, else 4 */
    void *tree;           /* plan.scratch_bytes */
    bounds_count counted; /* with counts bounds are lower ones */
    void *counts;
    bounds_plan plan;
} bounds_params;

cudaError_t parscan_bounds_launch(parscan_context *context, key_class key,
                                  const bounds_params *params);

#define BOUNDS_LAUNCH_OF(name) parscan_bounds_launch_##name
#define X(ctx, NAME, bits, name, ...) \
    cudaError_t BOUNDS_LAUNCH_OF(name)(parscan_context * context, const bounds_params *params);
PARSCAN_KEY_CLASSES(X, )
#undef X

#ifdef __cplusplus
}
#endif
#endif
