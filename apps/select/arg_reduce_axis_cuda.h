/* An extreme with its index along an axis on CUDA: what the host code hands to the launches of elements of one size. */
#ifndef PARSCAN_APPS_ARG_REDUCE_AXIS_CUDA_H
#define PARSCAN_APPS_ARG_REDUCE_AXIS_CUDA_H

#include "apps/select/select_order.h"
#include "scan/axis/axis_cuda.h"

typedef struct arg_reduce_axis_call {
    parscan_context *context;
    const void *in; /* element 0, 0, 0, in device memory */
    size_t n;
    /* outer and inner as the kernel wants them; `out` counts lines in the caller's order */
    parscan_axis axis;
    select_order order;
    uint64_t empty;                     /* the value of no elements */
    void *values, *indices;             /* NULL: not wanted */
    const int64_t *value_to, *index_to; /* their strides, */
    size_t inner;                       /* and inner of the caller's */
    bool wide;                          /* indices have 8 bytes, else 4 */
    axis_plan plan;
    parscan_chain_memory chain;
} arg_reduce_axis_call;

/* Bytes of a rank and its row. */
#define ARG_AXIS_SUM_BYTES ((size_t)16)

typedef cudaError_t arg_reduce_axis_launch(const arg_reduce_axis_call *call);

#ifdef __cplusplus
extern "C" {
#endif
arg_reduce_axis_launch parscan_arg_reduce_axis_launch_u8, parscan_arg_reduce_axis_launch_u16,
    parscan_arg_reduce_axis_launch_u32, parscan_arg_reduce_axis_launch_u64;
#ifdef __cplusplus
}
#endif

#endif
