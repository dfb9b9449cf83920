/* A checked call of parscan_bin(): what bin.c passes to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_HISTOGRAM_BIN_CALL_H
#define PARSCAN_APPS_HISTOGRAM_BIN_CALL_H

#include <stdbool.h>

#include "scan/context/context_state.h"

typedef struct bin_call {
    parscan_context *context;
    parscan_type bin_type, offset_type;
    const char *bin_of;
    size_t n, bins;
    const uint64_t *n_at; /* CUDA: the length in device memory, at most n; NULL: it is n */
    char *offsets;
    size_t offset_size;
    size_t value_size;
    const char *values; /* NULL: the values are the entries' indices */
    char *values_out;   /* NULL: only the offsets are wanted */
} bin_call;

/* The engines. Errors: OUT_OF_MEMORY; on CUDA also DEVICE. */
parscan_status parscan_bin_cpu(const bin_call *call);
parscan_status parscan_bin_cuda(const bin_call *call);

#endif
