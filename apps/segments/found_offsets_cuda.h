/* Segments by flags or keys on CUDA, for kernels that read offsets: the heads are marked, and their indices are
   the offsets. */
#ifndef PARSCAN_APPS_SEGMENTS_FOUND_OFFSETS_CUDA_H
#define PARSCAN_APPS_SEGMENTS_FOUND_OFFSETS_CUDA_H

#include "parscan/segments.h"
#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Sets head[i] to 1 where a segment starts and to 0 elsewhere, by flags or keys in device
   memory. n_at: NULL, or where the length is in device memory; it is at most n. */
parscan_status parscan_segment_heads_cuda(parscan_context *context,
                                          const parscan_segments *segments, uint8_t *heads,
                                          size_t n, const uint64_t *n_at);

/* The same, and then the offset of each segment, of 8 bytes if `wide`, else 4, and *count, their number. Room:
   n heads, n offsets. All is in device memory. It calls a public function, which takes no scratch. */
parscan_status parscan_find_offsets_cuda(parscan_context *context, const parscan_segments *segments,
                                         size_t n, const uint64_t *n_at, uint8_t *heads,
                                         void *offsets, bool wide, uint64_t *count);

/* Writes the last offset, the number of elements. There is room for it. */
parscan_status parscan_close_offsets_cuda(parscan_context *context, void *offsets, bool wide,
                                          size_t n, const uint64_t *n_at, const uint64_t *count);
#ifdef __cplusplus
}
#endif

#endif
