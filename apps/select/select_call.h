/* The checked call of a selection, as it is handed to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_SELECT_CALL_H
#define PARSCAN_APPS_SELECT_CALL_H

#include <string.h>

#include "parscan/select.h"
#include "scan/context/context_state.h"
#include "scan/type_traits.h"

typedef struct select_call {
    parscan_context *context;
    parscan_type type, index_type;
    const void *in;
    size_t n;
    const parscan_segments *segments; /* NULL: all elements are one */
    /* Lengths in device memory, which are at most n and segments->count; NULL: they are that. On CUDA */
    const uint64_t *n_at, *segment_count_at;
    size_t k;               /* the most results of a segment: 1 of a reduction to an index */
    void *values, *indices; /* k for each segment; NULL: not wanted */
    uint64_t *count;        /* NULL: not wanted */
    parscan_op op;          /* of a reduction to an index: MIN or MAX */
    /* Of top-k. */
    bool is_top, smallest;
    uint64_t *counts; /* NULL: not wanted */
    /* On CUDA, by flags or keys: the number of segments, if the host has found it out. */
    bool has_found;
    size_t found_segments;
} select_call;

/* The engines. Errors: INVALID_ARGUMENT for wrong offsets, OUT_OF_MEMORY; on CUDA also DEVICE. */
parscan_status parscan_arg_reduce_cpu(const select_call *call);
parscan_status parscan_arg_reduce_cuda(const select_call *call);
parscan_status parscan_top_k_cpu(const select_call *call);
parscan_status parscan_top_k_cuda(const select_call *call);

/* Stores an index of a type of 32 or 64 bits, at any alignment. NULL: nowhere. */
static inline void store_index(parscan_type type, void *indices, size_t at, size_t index)
{
    if (indices == NULL)
        return;
    if (parscan_type_traits_of(type).size == sizeof(uint32_t)) {
        const uint32_t narrow = (uint32_t)index;
        memcpy((char *)indices + at * sizeof narrow, &narrow, sizeof narrow);
    } else {
        const uint64_t wide = index;
        memcpy((char *)indices + at * sizeof wide, &wide, sizeof wide);
    }
}

#endif
