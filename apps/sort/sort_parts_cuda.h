/*
 * A sort in parts on CUDA: what its host code (sort_parts_cuda.c) passes to its launches
 * (sort_parts_launches.cu), one for each class of keys. All pointers are to device memory. A rank is
 * the unsigned number by which the radix sort orders a key (apps/radix/digit_keys.cuh).
 */
#ifndef PARSCAN_APPS_SORT_SORT_PARTS_CUDA_H
#define PARSCAN_APPS_SORT_SORT_PARTS_CUDA_H

#include "apps/merge/key_order.h"
#include "apps/sort/sort_cuts.h"
#include "scan/cuda/cuda_context.h"

typedef struct parts_keys {
    const void *keys;
    size_t n, stride; /* keys 0, stride, 2 * stride, ... are looked at */
    key_order order;
    unsigned low, bits; /* the digit */
    uint64_t *out;
} parts_keys;

typedef struct parts_cuts {
    sort_cuts of;
    key_order order;
    uint64_t *cuts; /* cuts[k * ranks + r]; pinned host memory, which the kernel writes itself */
} parts_cuts;

typedef struct parts_launches {
    /* out[0] becomes the bits that are 1 in the rank of any key, out[1] those that are 0. */
    cudaError_t (*find_bits)(const parscan_cuda *cuda, const parts_keys *keys);
    /* Keys that are in the order of a digit: out[d], 0 <= d <= 2^bits, becomes the number of keys
       whose digit is below d. */
    cudaError_t (*find_bounds)(const parscan_cuda *cuda, const parts_keys *keys);
    /* Finds the cuts (sort_cuts_kernels.cuh). */
    cudaError_t (*find_cuts)(parscan_cuda *cuda, const parts_cuts *cuts);
} parts_launches;

#ifdef __cplusplus
extern "C" {
#endif
#define X(ctx, NAME, bits, name, ...) extern const parts_launches parscan_sort_parts_##name;
PARSCAN_KEY_CLASSES(X, )
#undef X

/* Those of a class of keys. */
const parts_launches *parscan_sort_parts_launches(key_class key);

#ifdef __cplusplus
}
#endif
#endif
