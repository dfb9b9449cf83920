/* The checked calls of selections, as they are handed to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_SELECT_CALL_H
#define PARSCAN_APPS_SELECT_CALL_H

#include <string.h>

#include "parscan/select.h"
#include "scan/context/context_state.h"
#include "scan/type_traits.h"

typedef struct arg_reduce_call {
    parscan_context *context;
    parscan_type type, index_type;
    parscan_op op; /* MIN or MAX */
    const void *in;
    size_t n;
    const parscan_segments *segments; /* NULL: all elements are one */
    void *values, *indices;           /* NULL: not wanted */
    uint64_t *count;                  /* NULL: not wanted */
} arg_reduce_call;

/* The CPU engine. Errors: INVALID_ARGUMENT for wrong offsets, OUT_OF_MEMORY. */
parscan_status parscan_arg_reduce_cpu(const arg_reduce_call *call);

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
