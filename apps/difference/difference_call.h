/* A checked call of parscan_difference(): what difference.c passes to an engine. */
#ifndef PARSCAN_APPS_DIFFERENCE_CALL_H
#define PARSCAN_APPS_DIFFERENCE_CALL_H

#include <stdbool.h>

#include "scan/scan_call.h"

typedef struct difference_call {
    parscan_context *context;
    parscan_type type;
    parscan_op op; /* SUM: a - b; XOR: a ^ b */
    const void *in;
    void *out;            /* may be in */
    size_t n;             /* not 0, but on CUDA if the length was in device memory */
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
    /* What comes before in[0], in reverse after in[n - 1]: one element of type, in host memory, of any
       alignment. NULL: nothing, and that element is copied. A chunk of an array has the last element of
       the chunk before it. */
    const void *init;
    const void *init_at; /* the same in device memory, aligned; then init is NULL. On CUDA */
    bool reverse;
} difference_call;

/* Reads the options of the scan that is inverted. An init in device memory stays there. Errors:
   INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_difference_options(parscan_context *context, parscan_type type,
                                                const parscan_scan_options *options,
                                                parscan_scan_call *scan);

/* Runs a checked call on the engine of its context. Errors: on CUDA OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_run_difference(const difference_call *call);

/* The engines. */
parscan_status parscan_difference_cpu(const difference_call *call);
parscan_status parscan_difference_cuda(const difference_call *call);

#endif
