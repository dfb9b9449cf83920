/* A scan or a reduction along an axis on CUDA: what the host code (axis_cuda.c) hands to the launches of an
   element type. */
#ifndef PARSCAN_SCAN_AXIS_AXIS_CUDA_H
#define PARSCAN_SCAN_AXIS_AXIS_CUDA_H

#include "scan/axis/axis.h"
#include "scan/axis/axis_plan.h"
#include "scan/scan_cuda.h"

typedef struct parscan_axis_launch_call {
    parscan_cuda_call
        base; /* call, stream, chain; in and out: the first elements in the order of combination */
    parscan_axis
        axis; /* with the strides of that order, and outer and inner as the kernels want them */
    axis_plan plan;
    bool
        backwards; /* STAGED: in and out are the lowest addresses, and lines are taken from the last one on */
} parscan_axis_launch_call;

/* The bytes of the window in which a block looks back (axis_look_back.cuh). */
#define PARSCAN_AXIS_WINDOW_BYTES ((size_t)14 << 10)

typedef cudaError_t parscan_axis_launch(const parscan_axis_launch_call *call);

#ifdef __cplusplus
extern "C" {
#endif
/* Runs a checked call that has an axis. */
parscan_status parscan_axis_cuda(const parscan_scan_call *call, const char *name);

#define X(ctx, NAME, number, name, ...)           \
    parscan_axis_launch parscan_axis_cuda_##name; \
    parscan_axis_launch parscan_axis_tree_cuda_##name;
PARSCAN_TYPES(X, )
#undef X
#ifdef __cplusplus
}
#endif

#endif
