/* A recurrence along an axis on CUDA: what the host code hands to the launches of an element type. */
#ifndef PARSCAN_APPS_RECURRENCE_AXIS_CUDA_H
#define PARSCAN_APPS_RECURRENCE_AXIS_CUDA_H

#include "apps/segmented/segmented_call.h"
#include "scan/axis/axis_cuda.h"

typedef struct recurrence_axis_launch_call {
    const recurrence_call *call; /* its length and its scalars */
    const void *a, *b; /* the first elements, in device memory; a: if it is not constant */
    void *out;
    parscan_axis axis; /* outer and inner as the kernels want them */
    axis_plan plan;
    bool backwards; /* STAGED: a, b and out are the lowest addresses, and lines are backwards */
    parscan_chain_memory chain;
} recurrence_axis_launch_call;

/* The bytes of a map (recurrence_map.cuh). */
#define RECURRENCE_MAP_BYTES(size) (3 * (size))

typedef cudaError_t recurrence_axis_launch(const recurrence_axis_launch_call *call);

#ifdef __cplusplus
extern "C" {
#endif
recurrence_axis_launch parscan_recurrence_axis_cuda_f16, parscan_recurrence_axis_cuda_bf16,
    parscan_recurrence_axis_cuda_f32, parscan_recurrence_axis_cuda_f64;
#ifdef __cplusplus
}
#endif

#endif
