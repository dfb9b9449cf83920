/* Segments by keys that are floats of 16 bits, on CUDA: flags are made of the keys, for kernels that read
   flags. */
#ifndef PARSCAN_APPS_SEGMENTS_HALF_HEADS_CUDA_H
#define PARSCAN_APPS_SEGMENTS_HALF_HEADS_CUDA_H

#include "parscan/segments.h"
#include "scan/cuda/cuda_context.h"
#include "scan/type_traits.h"

/* Whether segments are given so. */
static inline bool parscan_by_half_keys(const parscan_segments *segments)
{
    return segments->kind == PARSCAN_SEGMENTS_KEYS &&
           parscan_compute_type(segments->type) != segments->type;
}

#ifdef __cplusplus
extern "C" {
#endif
/* heads[i] = 1 where keys[i] starts a segment, else 0, for n keys of that type. Both are in device memory.
   n_at: NULL, or where the length is in device memory; it is at most n. */
cudaError_t parscan_half_heads_cuda(parscan_context *context, parscan_type type, const void *keys,
                                    uint8_t *heads, size_t n, const uint64_t *n_at);
#ifdef __cplusplus
}
#endif

#endif
