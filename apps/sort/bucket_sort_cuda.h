/*
 * A sort on CUDA of host arrays that are larger than the device's memory: what its host code
 * (bucket_sort_cuda.c) passes to its launches (bucket_launches.cu). All pointers are to device
 * memory. The rank of a key is an unsigned integer that compares as the key does.
 */
#ifndef PARSCAN_APPS_SORT_BUCKET_SORT_CUDA_H
#define PARSCAN_APPS_SORT_BUCKET_SORT_CUDA_H

#include "apps/merge/key_order.h"
#include "apps/sort/sort_plan.h"
#include "scan/cuda/cuda_context.h"

/* Keys of one class. */
typedef struct bucket_keys {
    const void *keys;
    size_t n;
    key_class key;
    key_order order;
} bucket_keys;

/* Adds to counts[b] the keys of bucket b: those whose rank is at least b of the ascending splitters,
   and less than the others. There are count + 1 buckets. */
typedef struct bucket_counts {
    bucket_keys in;
    const uint64_t *splitters;
    unsigned count;
    uint64_t *counts;
} bucket_counts;

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t parscan_bucket_ranks(const parscan_cuda *cuda, const bucket_keys *keys,
                                 uint64_t *ranks);
cudaError_t parscan_bucket_count(const parscan_cuda *cuda, const bucket_counts *params);

/* indices[i] = begin + i, of 4 or 8 bytes. */
cudaError_t parscan_bucket_indices(const parscan_cuda *cuda, void *indices, size_t size,
                                   uint64_t begin, size_t n);
#ifdef __cplusplus
}
#endif
#endif
