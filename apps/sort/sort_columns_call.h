/* A checked call of parscan_sort_columns(). The caller owns all arrays. */
#ifndef PARSCAN_APPS_SORT_COLUMNS_CALL_H
#define PARSCAN_APPS_SORT_COLUMNS_CALL_H

#include "apps/sort/column_bits.h"
#include "parscan/columns.h"
#include "scan/context/context_state.h"

typedef struct columns_call {
    parscan_context *context;
    sorted_column columns[COLUMNS_MOST];
    unsigned count;
    unsigned bits; /* of all columns together, by their types */
    parscan_type index_type;
    size_t index_size; /* 4 or 8 */
    char *order;       /* the indices */
    uint8_t *heads;    /* 1 where a row differs from the one before; NULL: not wanted */
    size_t value_size; /* 0: there are no values */
    const char *values_in;
    char *values_out;
    size_t n;
    const uint64_t *n_at; /* CUDA: the length in device memory, at most n; NULL: it is n */
} columns_call;

/* The engines, n > 0. Errors: OUT_OF_MEMORY; on CUDA also DEVICE. */
parscan_status parscan_sort_columns_cpu(columns_call *call);
parscan_status parscan_sort_columns_cuda(columns_call *call);

#endif
