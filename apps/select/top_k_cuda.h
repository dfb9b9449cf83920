/* A top-k on CUDA: what the host code passes to the launches of elements of one size (top_k_launches.cu). All
   pointers are to device memory. */
#ifndef PARSCAN_APPS_TOP_K_CUDA_H
#define PARSCAN_APPS_TOP_K_CUDA_H

#include "apps/segments/offsets_cuda.h"
#include "apps/select/select_order.h"
#include "apps/select/top_k_plan.h"

/* What the device has found out about an array. */
typedef struct top_k_state {
    uint64_t rank, place; /* the limit */
    uint64_t count;       /* of the elements that pass it: the candidates */
} top_k_state;

typedef struct top_k_cuda_call {
    parscan_context *context;
    const void *in;
    size_t n, k, row;     /* row: the length of all segments, or 0 */
    const uint64_t *n_at; /* NULL, or the length in device memory: n is the most that it can be */
    select_order order;
    void *values, *indices; /* k for each segment; NULL: not wanted */
    bool wide;              /* indices have 8 bytes, else 4 */
    uint64_t *counts, *count;
    uint64_t segments;       /* what *count becomes without offsets */
    segment_offsets offsets; /* data NULL: all elements are one segment */
    top_k_plan plan;
    /* By a sample: */
    void *sampled; /* codes */
    top_k_state *state;
    void *ranks, *places; /* of candidates, with room for plan.room: 8 bytes if plan.wide, else 4 */
    parscan_chain_memory chain;
    /* Of all elements, or of each segment's, the places in order: 8 bytes if plan.wide, else 4. */
    const void *sorted;
    uint32_t *segment_of; /* of each element of an array that is sorted by segments */
} top_k_cuda_call;

/* The steps of a call, a launch each. */
typedef enum top_k_step {
    TOP_K_CHOOSE, /* a block for each segment, but for those that warps take */
    TOP_K_WARPS,  /* a warp for each short segment */
    TOP_K_ROWS,   /* all of rows, by threads, warps or blocks */
    TOP_K_WHOLE,  /* all of an array */
    TOP_K_SAMPLE, /* finds a limit */
    TOP_K_FILTER, /* lists the candidates, in any order */
    TOP_K_LIST,   /* lists them in the order of their places */
    TOP_K_FINISH, /* chooses from them, few */
    TOP_K_REPAIR, /* lists them anew if they are too few or too many */
    TOP_K_DIVIDE, /* finds segment_of */
    TOP_K_WRITE,  /* stores the results from `sorted` */
} top_k_step;

#define TOP_K_WORDS ((size_t)64) /* of status, for a sample */
/* The same for blocks that publish their choice: of each code the parts of 4 bytes. */
#define TOP_K_BLOCK_WORDS(plan, k) ((plan).blocks * (k) * ((plan).wide ? 4 : 2))

typedef cudaError_t top_k_cuda_launch(const top_k_cuda_call *call, top_k_step step);

#ifdef __cplusplus
extern "C" {
#endif
top_k_cuda_launch parscan_top_k_launch_u8, parscan_top_k_launch_u16, parscan_top_k_launch_u32,
    parscan_top_k_launch_u64;
#ifdef __cplusplus
}
#endif

#endif
