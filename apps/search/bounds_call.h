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
} bounds_call;

/* The engine. Errors: OUT_OF_MEMORY. */
parscan_status parscan_bounds_cpu(const bounds_call *call);

#endif
