/* Checked calls with a relation of the caller's (parscan/operator.h), as order.c passes them to an engine. */
#ifndef PARSCAN_APPS_ORDER_CALL_H
#define PARSCAN_APPS_ORDER_CALL_H

#include "scan/context/context_state.h"
#include "scan/custom/operator_state.h"

typedef struct sort_by_call {
    parscan_context *context;
    const parscan_operator *less;
    const void *in;
    void *out; /* may be in */
    size_t n;
} sort_by_call;

/* Errors: OUT_OF_MEMORY. */
parscan_status parscan_sort_by_cpu(const sort_by_call *call);

/* flags[i]: whether element i begins a run, by an equality: n > 0 of them. */
parscan_status parscan_run_flags_cpu(parscan_context *context, const parscan_operator *equal,
                                     const void *in, size_t n, uint8_t *flags);

#endif
