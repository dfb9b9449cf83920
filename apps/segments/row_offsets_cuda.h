/* Segments by rows on CUDA: their offsets are written to scratch, for kernels that read offsets. */
#ifndef PARSCAN_APPS_SEGMENTS_ROW_OFFSETS_CUDA_H
#define PARSCAN_APPS_SEGMENTS_ROW_OFFSETS_CUDA_H

#include "apps/segments/check_segments.h"
#include "scan/cuda/cuda_context.h"

/* The same segments of n > 0 elements by offsets, whose array there is not yet. */
static inline parscan_segments parscan_offsets_of_rows(const parscan_segments *rows, size_t n)
{
    return (parscan_segments){.struct_size = sizeof(parscan_segments),
                              .kind = PARSCAN_SEGMENTS_OFFSETS,
                              .type = n <= UINT32_MAX ? PARSCAN_U32 : PARSCAN_U64,
                              .count = parscan_segment_count(rows, n)};
}

/* The bytes of that array. */
static inline size_t parscan_row_offsets_bytes(const parscan_segments *offsets)
{
    return (offsets->count + 1) * parscan_type_size(offsets->type);
}

#ifdef __cplusplus
extern "C" {
#endif
/* Writes the array: 0, row, 2 row and so on. memory: in device memory, aligned to an offset.
   length: where the number of elements is, if that is in device memory: the array is that of so many, and *count
   receives the number of rows, without one that is not whole: then the last offset is wrong. NULL: the host knows
   it. */
cudaError_t parscan_row_offsets_cuda(parscan_context *context, const parscan_segments *offsets,
                                     size_t row, void *memory, const uint64_t *length,
                                     uint64_t *count);
#ifdef __cplusplus
}
#endif

#endif
