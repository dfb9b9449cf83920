/* What segmented_cuda.c, segmented_chunks_cuda.c and reduce_by_key_cuda.c share. */
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
