/* The checked call of a top-k, as it is handed to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_SELECT_TOP_K_CALL_H
#define PARSCAN_APPS_SELECT_TOP_K_CALL_H

#include "apps/select/select_call.h"

typedef struct top_k_call {
    parscan_context *context;
    parscan_type type, index_type;
    bool smallest;
    const void *in;
    size_t n, k;
    const parscan_segments *segments; /* NULL: all elements are one */
    void *values, *indices;           /* k for each segment; NULL: not wanted */
    uint64_t *counts, *count;         /* NULL: not wanted */
} top_k_call;

/* The CPU engine. Errors: INVALID_ARGUMENT for wrong offsets, OUT_OF_MEMORY. */
parscan_status parscan_top_k_cpu(const top_k_call *call);

#endif
