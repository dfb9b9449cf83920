/* A reduction to an index on CUDA: what the host code passes to the launches of elements of one size
   (arg_reduce_launches.cu). All pointers are to device memory. */
#ifndef PARSCAN_APPS_ARG_REDUCE_CUDA_H
#define PARSCAN_APPS_ARG_REDUCE_CUDA_H

#include "apps/segments/offsets_cuda.h"
#include "apps/select/arg_reduce_plan.h"
#include "apps/select/select_order.h"

typedef struct arg_reduce_cuda_call {
    parscan_context *context;
    const void *in;
    size_t n;
    const uint64_t *n_at; /* NULL, or the length in device memory: n is the most that it can be */
    select_order order;
    uint64_t empty; /* the value of no elements */
    void *values, *indices;
    bool wide;               /* indices have 8 bytes, else 4 */
    uint64_t *count;         /* receives the number of results; NULL: not wanted */
    segment_offsets offsets; /* data NULL: all elements are one segment */
    parscan_chain_memory chain;
    arg_reduce_plan plan;
} arg_reduce_cuda_call;

/* The status words that any launch needs. */
#define ARG_REDUCE_WORDS ((size_t)1024 * 8)

typedef cudaError_t arg_reduce_cuda_launch(const arg_reduce_cuda_call *call);

#ifdef __cplusplus
extern "C" {
#endif
arg_reduce_cuda_launch parscan_arg_reduce_launch_u8, parscan_arg_reduce_launch_u16,
    parscan_arg_reduce_launch_u32, parscan_arg_reduce_launch_u64;
#ifdef __cplusplus
}
#endif

#endif
