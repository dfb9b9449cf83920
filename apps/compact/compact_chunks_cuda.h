/* What compact_cuda.c and compact_chunks_cuda.c share. */
#ifndef PARSCAN_APPS_COMPACT_COMPACT_CHUNKS_CUDA_H
#define PARSCAN_APPS_COMPACT_COMPACT_CHUNKS_CUDA_H

#include "apps/compact/compact_cuda.h"
#include "scan/cuda/driver.h"

/* The arrays of a call. */
enum { IN, FLAGS, BY, BESIDE_IN, VALUES, BESIDE, INDICES, LENGTHS, ROW_OFFSETS, COUNT, ARRAYS };

/* A call whose host arrays go through the device in chunks. can_pass: it is not of a matrix, and an
   element fits the room. Errors: OVERFLOW, OUT_OF_MEMORY, DEVICE. */
bool parscan_compact_can_pass(const compact_call *call, const parscan_cuda_passage *passage);
parscan_status parscan_compact_in_chunks(const compact_call *call,
                                         const parscan_cuda_passage *passage);

#endif
