/* What segmented_cuda.c and segmented_chunks_cuda.c share. */
#ifndef PARSCAN_APPS_SEGMENTED_SEGMENTED_CHUNKS_CUDA_H
#define PARSCAN_APPS_SEGMENTED_SEGMENTED_CHUNKS_CUDA_H

#include "apps/segmented/segmented_cuda.h"
#include "scan/cuda/driver.h"

/* Scans whose host arrays go through the device in chunks (segmented_chunks_cuda.c). can_pass: the
   call is no reduction, and offsets are in host memory. */
bool parscan_segmented_can_pass(const void *call, const parscan_cuda_passage *passage);
parscan_status parscan_segmented_in_chunks(const void *call, const parscan_cuda_passage *passage);

/* The arrays of a segmented call. */
enum { SEGMENTED_IN, SEGMENTED_MARKS, SEGMENTED_OUT, SEGMENTED_COUNT, SEGMENTED_ARRAYS };

#endif
