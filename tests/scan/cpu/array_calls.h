/*
 * A call of every primitive of one array or more, whose arrays lie at given addresses. What they contain
 * does not matter, so that a context that measures can be given addresses without memory. Counts and
 * totals are in the host's memory.
 */
#ifndef PARSCAN_TESTS_ARRAY_CALLS_H
#define PARSCAN_TESTS_ARRAY_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/context.h"

/* The arrays of a call, each with room for ARRAY_CALL_BYTES an element, and some more. */
enum { ARRAY_CALL_ARRAYS = 6, ARRAY_CALL_BYTES = 24, ARRAY_CALL_MORE = 1 << 20 };

typedef struct array_call {
    parscan_context *context;
    size_t n;
    void *at[ARRAY_CALL_ARRAYS];
    uint64_t count; /* what the call has counted; NONE: it counts nothing */
} array_call;

#define ARRAY_CALL_NONE UINT64_MAX

size_t array_call_count(void);
const char *array_call_name(size_t k);

/* What a context that measures must count. */
uint64_t array_call_most(size_t k, size_t n);

/* Whether the CUDA engine has it. Elsewhere it is UNSUPPORTED: "... needs a CPU context". */
bool array_call_on_cuda(size_t k);

parscan_status array_call_run(size_t k, array_call *call);

#endif
