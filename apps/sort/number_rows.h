/* Rows of indices on CUDA, each from 0 on. */
#ifndef PARSCAN_APPS_SORT_NUMBER_ROWS_H
#define PARSCAN_APPS_SORT_NUMBER_ROWS_H

#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* size: of an index, 4 or 8 bytes; n: of a row, not 0. */
cudaError_t parscan_number_rows_launch(parscan_cuda *cuda, void *indices, size_t size, size_t rows,
                                       size_t n);

#ifdef __cplusplus
}
#endif
#endif
