/* Arrays of calls along an axis on CUDA. */
#ifndef PARSCAN_SCAN_AXIS_AXIS_ROWS_CUDA_H
#define PARSCAN_SCAN_AXIS_AXIS_ROWS_CUDA_H

#include "scan/axis/axis_rows.h"
#include "scan/cuda/driver.h"

parscan_cuda_array parscan_axis_result(const axis_result *result);

/* Where an element of the caller's is in device memory. */
const void *parscan_axis_placed(const parscan_cuda_array *array, const void *given);

#endif
