/* Checked calls of merges, as the public functions pass them to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_JOIN_JOIN_CALL_H
#define PARSCAN_APPS_JOIN_JOIN_CALL_H

#include <stddef.h>

#include "parscan/merge.h"
#include "scan/context/context_state.h"

/* Sorted elements. values NULL: there are keys alone. */
typedef struct sorted_array {
    const char *keys, *values;
    size_t n;
} sorted_array;

typedef struct merge_arrays {
    parscan_context *context;
    parscan_type type;
    size_t key_size, value_size; /* value_size 0: keys alone */
    sorted_array a, b;
    char *keys_out, *values_out;
} merge_arrays;

/* Errors: OUT_OF_MEMORY. */
parscan_status parscan_merge_cpu(const merge_arrays *call);

/* Fails with UNSUPPORTED on CUDA, which has no such function yet. */
parscan_status parscan_check_joins(parscan_context *context, const char *name);

#endif
