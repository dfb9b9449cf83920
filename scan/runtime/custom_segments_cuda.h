/* Segmented scans and reductions of elements of the caller's on CUDA. */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_SEGMENTS_CUDA_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_SEGMENTS_CUDA_H

#include "scan/runtime/custom_params.h"
#include "scan/scan_call.h"

/* Runs a checked call on its arrays in device memory. segments: all but `pass`, which is filled. Errors: those of
   parscan_custom_use(). */
parscan_status parscan_custom_segments_cuda(const parscan_scan_call *call, const void *in,
                                            void *out, custom_segments *segments);

/* Compiles and loads what such a call needs: one of kind and direction of `call`, of which nothing else is read. */
parscan_status parscan_custom_prepare_segments_cuda(const parscan_scan_call *call);

#endif
