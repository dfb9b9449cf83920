/* Predicates of the caller's, and runs by an equality, on CUDA. */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_TEST_CUDA_H
#define PARSCAN_SCAN_RUNTIME_CUSTOM_TEST_CUDA_H

#include "scan/context/context_state.h"
#include "scan/custom/operator_state.h"

/* Writes a flag, 0 or 1, for each of n elements, at most, in device memory; n_at: their number, in device memory, or
   NULL. keep: a predicate, whose flags may be `in` if elements have one byte; or a relation, by which an element that is
   equal to the one before it has 0. It has something for CUDA. Errors: those of
   parscan_custom_use(). */
parscan_status parscan_custom_test_cuda(parscan_context *context, const parscan_operator *keep,
                                        const void *in, uint8_t *flags, size_t n,
                                        const uint64_t *n_at);

/* Compiles and loads what that needs. */
parscan_status parscan_custom_prepare_test_cuda(parscan_context *context,
                                                const parscan_operator *keep);

#endif
