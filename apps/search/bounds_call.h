/* A checked search for bounds, as bounds.c passes it to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_BOUNDS_CALL_H
#define PARSCAN_APPS_BOUNDS_CALL_H

#include <stdbool.h>

#include "parscan/search.h"
#include "scan/context/context_state.h"

typedef struct bounds_call {
    parscan_context *context;
    parscan_type type, index_type;
    bool upper;
    const void *sorted, *values;
    size_t count, n;
    void *out;
    /* Lengths in device memory, at most count and n; NULL: they are count and n. */
    const uint64_t *count_at, *n_at;
} bounds_call;

/* The engines. n is not 0, but on CUDA it may be if the length was in device memory. Errors:
   OUT_OF_MEMORY; on CUDA also DEVICE. */
parscan_status parscan_bounds_cpu(const bounds_call *call);
parscan_status parscan_bounds_cuda(const bounds_call *call);

#endif
