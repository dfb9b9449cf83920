/* A checked call of compaction, as compact.c hands it to an engine. */
#ifndef PARSCAN_APPS_COMPACT_CALL_H
#define PARSCAN_APPS_COMPACT_CALL_H

#include <stdbool.h>

#include "apps/compact/compact_range.h"
#include "scan/context/context_state.h"

typedef struct compact_call {
    parscan_context *context;
    const char *name; /* of the function */
    const void *in;
    size_t size, n;    /* bytes of an element, elements */
    parscan_type type; /* of an element; with flags: not looked at */
    /* What is kept: elements with a flag that is not zero; or, with runs, those that begin a run; or those
       in a range. */
    const uint8_t *flags;
    bool runs;
    compact_range range;
    /* What is written of what is kept; NULL: not this. */
    void *values;
    bool partition; /* behind them, the rest */
    void *indices;  /* of index_type, as all that follows; with row_offsets, columns of a matrix */
    void *lengths;  /* of runs */
    void *row_offsets;
    size_t rows, columns;
    parscan_type index_type;
    uint64_t *count;
} compact_call;

parscan_status parscan_compact_cpu(const compact_call *call);
parscan_status parscan_compact_cuda(const compact_call *call);

#endif
