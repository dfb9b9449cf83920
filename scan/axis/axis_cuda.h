/* A scan or a reduction along an axis on CUDA: what the host code (axis_cuda.c) hands to the launches of an
   element type. */
#ifndef PARSCAN_SCAN_AXIS_AXIS_CUDA_H
#define PARSCAN_SCAN_AXIS_AXIS_CUDA_H

#include "scan/axis/axis.h"
#include "scan/axis/axis_plan.h"
#include "scan/scan_cuda.h"

typedef struct parscan_axis_launch_call {
    parscan_scan_call call; /* as kernels take it (axis_bits.h) */
    bool in_words;          /* neighbours are words; call.init points to init, if there is one */
    uint64_t init;
    /* Bits of elements that are inverted where these are read and written, repeated in 8 bytes. */
    uint64_t inverts;
    uint64_t ends; /* not 0: elements are parts of words, and this is the highest bit of each */
    /* call, stream, chain; in and out: the first elements in the order of combination */
    parscan_cuda_call base;
    /* With the strides of that order, and outer and inner as the kernels want them. */
    parscan_axis axis;
    axis_plan plan;
    /* So many neighbours along inner, and then so many rows of them along n, are one element (axis_pack.cuh). The axis
       counts these, but base.call->n does not. */
    unsigned pack, run;
    /* in and out are the lowest addresses, and lines are taken from the last one on. */
    bool backwards;
} parscan_axis_launch_call;

/* Steps of every call along an axis. */

/* Kernels move whole elements. Errors: UNSUPPORTED. */
parscan_status parscan_axis_check_strides(parscan_context *context, const char *name,
                                          const int64_t strides[AXES], size_t size);
/* Exchanges outer and inner where that brings neighbours side by side. */
void parscan_axis_bring_near(parscan_axis *axis);
/* Whether neither array has gaps, and a line has the same direction in both; n > 0. */
bool parscan_axis_is_packed(const parscan_axis *axis, size_t n, size_t in_size, size_t out_size);
/* Whether neighbours along inner are whole vectors of `each` elements of `size` bytes, and aligned. */
bool parscan_axis_has_vectors(const parscan_axis *axis, const void *first,
                              const int64_t strides[AXES], size_t n, size_t size, size_t each);
/* The plan of a call whose axis has been brought near; what facts say of the axis is set here. */
axis_plan parscan_axis_choose(parscan_context *context, const parscan_axis *axis, axis_facts facts);
/* The status words of the plan, if it has any. Errors: OUT_OF_MEMORY. */
parscan_status parscan_axis_chain(parscan_context *context, const parscan_axis *axis,
                                  const axis_plan *plan, size_t sum_size,
                                  parscan_chain_memory *chain);

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
