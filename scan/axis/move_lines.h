/*
 * Elements of any size moved between two arrays of three axes, each with strides of its own: on CUDA, lines along an axis to
 * rows, and rows back to lines. One read and one write of each element.
 *
 * Where different axes are nearest in the two arrays, boxes of elements go through shared memory: they are read
 * along the nearest axis of the one array, and written along that of the other (move_lines_kernels.cuh).
 */
#ifndef PARSCAN_SCAN_AXIS_MOVE_LINES_H
#define PARSCAN_SCAN_AXIS_MOVE_LINES_H

#include <cuda_runtime_api.h>

#include "scan/axis/move_lines_plan.h"
#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct parscan_move {
    const void *from; /* element 0, 0, 0, in device memory; the arrays do not overlap */
    void *to;
    move_facts facts; /* no length is 0 */
} parscan_move;

/* Moves all elements, in stream order. Errors: DEVICE. */
parscan_status parscan_move_lines(parscan_context *context, const parscan_move *move);

/* Of parscan_move_lines(). */
cudaError_t parscan_move_lines_launch(parscan_cuda *cuda, const parscan_move *move,
                                      const move_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
