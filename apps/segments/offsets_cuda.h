/* Reads offsets of segments on CUDA before a pass over the elements (mark_offsets.cu). */
#ifndef PARSCAN_APPS_SEGMENTS_OFFSETS_CUDA_H
#define PARSCAN_APPS_SEGMENTS_OFFSETS_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/cuda/cuda_context.h"

/* The offsets of segments, and what a pass over tiles needs of them. All pointers are to device
   memory. */
typedef struct segment_offsets {
    const void *data; /* NULL: the segments are not given by offsets */
    bool wide;        /* u64, else u32 */
    size_t count;     /* the number of segments */
    size_t n;
    uint64_t *bits; /* for a scan: bit head_padding + i is set if element i starts a segment */
    parscan_deferred deferred;
    uint64_t *number; /* receives the number of segments, or NULL */
    /* Where the kernels read n and count, which are then the most that they can be (at_their_lengths()).
       NULL: the host knows them. */
    const uint64_t *n_at, *count_at;
} segment_offsets;

#ifdef __cplusplus
extern "C" {
#endif
/* Clears the first `bytes` bytes of offsets->bits, a multiple of 16, which are aligned to 128 bytes; if n is in device
   memory, no more than `beyond` bytes after the last element's bit. Then sets the bits of all heads; bit
   `head_padding` is element 0's. Leaves a deferred error where offsets are wrong. */
cudaError_t parscan_mark_offsets_cuda(parscan_cuda *cuda, const segment_offsets *offsets,
                                      size_t bytes, size_t beyond, unsigned head_padding);
#ifdef __cplusplus
}
#endif
#endif
