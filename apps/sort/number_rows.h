/* Numbers of rows, and places in rows, on CUDA. `all` elements in rows of n, which is not 0. */
#ifndef PARSCAN_APPS_SORT_NUMBER_ROWS_H
#define PARSCAN_APPS_SORT_NUMBER_ROWS_H

#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* places[i] = i % n; size: of a place, 4 or 8 bytes. */
cudaError_t parscan_places_launch(parscan_cuda *cuda, void *places, size_t size, size_t all,
                                  size_t n);

/* Elements of 1 or 2 bytes, `narrow` that, as words of 32 bits, and back. */
cudaError_t parscan_widen_launch(parscan_cuda *cuda, const void *narrow, size_t size,
                                 uint32_t *wide, size_t all);
cudaError_t parscan_narrow_launch(parscan_cuda *cuda, const uint32_t *wide, void *narrow,
                                  size_t size, size_t all);

/* Of less than 2^32 elements: */

/* rows[i] = i / n */
cudaError_t parscan_number_rows_launch(parscan_cuda *cuda, uint32_t *rows, size_t all, size_t n);

/* rows[i] = indices[i] / n */
cudaError_t parscan_rows_of_indices_launch(parscan_cuda *cuda, const uint32_t *indices,
                                           uint32_t *rows, size_t all, size_t n);

/* places[i] = indices[i] % n, which may be the same array if size is 4 */
cudaError_t parscan_places_in_rows_launch(parscan_cuda *cuda, const uint32_t *indices, void *places,
                                          size_t size, size_t all, size_t n);

#ifdef __cplusplus
}
#endif
#endif
