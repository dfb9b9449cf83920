/* What segmented_cuda.c, custom_segmented_cuda.c, segmented_chunks_cuda.c and reduce_by_key_cuda.c share. */
#ifndef PARSCAN_APPS_SEGMENTED_SEGMENTED_CHUNKS_CUDA_H
#define PARSCAN_APPS_SEGMENTED_SEGMENTED_CHUNKS_CUDA_H

#include "apps/segmented/segmented_cuda.h"
#include "scan/cuda/driver.h"

/* Scans whose host arrays go through the device in chunks (segmented_chunks_cuda.c). can_pass: the
   call is no reduction, and offsets are in host memory. */
bool parscan_segmented_can_pass(const void *call, const parscan_cuda_passage *passage);
parscan_status parscan_segmented_in_chunks(const void *call, const parscan_cuda_passage *passage);

/* The same as parscan_segmented_cuda(). The lengths of *call and of *call->segments, which is no constant,
   become those that the kernels read, copied where the call writes over them, or that have been fetched. */
parscan_status parscan_run_segmented_cuda(segmented_call *call);

/* parscan_cuda_begin_carry() of a segmented call. in: in device memory. */
parscan_status parscan_segmented_begin_carry(const segmented_call *call, const void *in,
                                             parscan_cuda_carry *carry);

/* A call with an operator of the caller's, on its arrays (custom_segmented_cuda.c). row: the length of rows, whose offsets
   are not written yet; otherwise 0. */
parscan_status parscan_custom_segmented_cuda(const segmented_call *call, size_t row,
                                             const parscan_cuda_array *arrays);

/* Where kernels leave errors of offsets, lengths and the capacity; what they read of offsets. */
parscan_deferred parscan_segmented_deferred(const segmented_call *call,
                                            const parscan_cuda_array *arrays);
segment_offsets parscan_segmented_offsets(const segmented_call *call,
                                          const parscan_cuda_array *arrays);

/* The bytes of scratch for offsets of rows, and for the number of rows if only the device knows it; writes them to
   offsets->data, and sets offsets->count_at. */
size_t parscan_segmented_rows_bytes(const segmented_call *call);
parscan_status parscan_segmented_write_rows(const segmented_call *call, size_t row,
                                            segment_offsets *offsets);

/* The arrays of a segmented call. */
enum {
    SEGMENTED_IN,
    SEGMENTED_MARKS,
    SEGMENTED_OUT,
    SEGMENTED_KEYS_OUT,
    SEGMENTED_COUNT,
    SEGMENTED_ARRAYS
};

#endif
