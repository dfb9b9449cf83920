/* Scans and reductions of elements of the caller's on CUDA (scan/runtime/custom_scan_cuda.c). */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_SCAN_CUDA_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_SCAN_CUDA_H

#include "scan/runtime/custom_code.h"
#include "scan/scan_call.h"

/* Checks that the operator of a call has something for CUDA, and that its map finds its array there. Errors:
   UNSUPPORTED. */
parscan_status parscan_custom_check_cuda(const parscan_scan_call *call);

/* Runs a checked call that has an operator. Errors: those of parscan_custom_use(); UNSUPPORTED. */
parscan_status parscan_custom_scan_cuda(const parscan_scan_call *call);

/* Compiles and loads what such a call needs: one of kind, shape and direction of `call`, of which nothing else
   is read, on arrays that are aligned. */
parscan_status parscan_custom_prepare_cuda(const parscan_scan_call *call);

#endif
