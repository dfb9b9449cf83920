/* Offsets of segments on CUDA, looked through before a pass over elements (mark_offsets.cu). */
#ifndef PARSCAN_APPS_SEGMENTS_OFFSETS_CUDA_H
#define PARSCAN_APPS_SEGMENTS_OFFSETS_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets, and what is made of them for a pass over tiles. */
typedef struct segment_offsets {
    const void *data; /* NULL: none were given */
    bool wide;        /* u64, else u32 */
    size_t count;     /* of segments */
    size_t n;
    uint64_t *
        bits; /* of a scan: bit head_padding + i, element i begins a segment; aligned to 128 bytes */
    uint64_t *deferred; /* parscan_cuda_deferred() */
    uint64_t *number;   /* where the number of segments is stored, or NULL */
} segment_offsets;

#ifdef __cplusplus
extern "C" {
#endif
/* Looks through the offsets: clears so many bytes of bits and sets those of heads, the first of
   the array's at bit `head_padding`; leaves an error where the offsets are wrong. */
cudaError_t parscan_mark_offsets_cuda(const segment_offsets *offsets, size_t bytes,
                                      unsigned head_padding, cudaStream_t stream);
#ifdef __cplusplus
}
#endif
#endif
