/* Sorts by an order of the caller's on CUDA. */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_SORT_CUDA_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_SORT_CUDA_H

#include "scan/context/context_state.h"
#include "scan/custom/operator_state.h"

/* Arrays of n elements, at most, in device memory, aligned to the operator's alignment; n_at: their number, in device
   memory, or NULL. */
typedef struct custom_sort_arrays {
    const void *in;
    void *out;     /* may be in */
    void *scratch; /* apart from both */
    size_t n;
    const uint64_t *n_at;
} custom_sort_arrays;

/* Sorts, stable. The order has something for CUDA. Errors: those of parscan_custom_use(). */
parscan_status parscan_custom_sort_cuda(parscan_context *context, const parscan_operator *less,
                                        const custom_sort_arrays *arrays);

/* Compiles and loads what that needs. */
parscan_status parscan_custom_prepare_sort_cuda(parscan_context *context,
                                                const parscan_operator *less);

#endif
