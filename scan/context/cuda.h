/*
 * The CUDA side of a context, as the rest of the library sees it: no word of CUDA's own. Built from
 * cuda_context.c where nvcc is, from cuda_none.c elsewhere.
 *
 * A call brackets its work with parscan_cuda_begin() and parscan_cuda_end(), which make the context's
 * device the thread's current one and put back what was.
 */
#ifndef PARSCAN_SCAN_CONTEXT_CUDA_H
#define PARSCAN_SCAN_CONTEXT_CUDA_H

#include "scan/context/context.h"

typedef struct parscan_cuda parscan_cuda;

/* Errors of a creation: BACKEND when this build or machine has no CUDA, DEVICE, INVALID_ARGUMENT (the
   number of the device), OUT_OF_MEMORY. */
parscan_status parscan_cuda_create(parscan_context *context,
                                   const parscan_context_options *options);
void parscan_cuda_destroy(parscan_context *context);
parscan_status parscan_cuda_synchronize(parscan_context *context);

parscan_status parscan_cuda_malloc(parscan_context *context, void **pointer, size_t size);
parscan_status parscan_cuda_free(parscan_context *context, void *pointer);
parscan_status parscan_cuda_copy(parscan_context *context, void *to, const void *from, size_t size);

#endif
