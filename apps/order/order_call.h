/* Checked calls with a relation of the caller's (parscan/operator.h), as order.c passes them to an engine. */
#ifndef PARSCAN_APPS_ORDER_CALL_H
#define PARSCAN_APPS_ORDER_CALL_H

#include "scan/context/context_state.h"
#include "scan/custom/operator_state.h"

typedef struct sort_by_call {
    parscan_context *context;
    const parscan_operator *less;
    const void *in;
    void *out;            /* may be in */
    size_t n;             /* not 0 */
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
} sort_by_call;

/* The engines. Errors: OUT_OF_MEMORY; on CUDA also those of parscan_custom_use(). */
parscan_status parscan_sort_by_cpu(const sort_by_call *call);
parscan_status parscan_sort_by_cuda(const sort_by_call *call);

#endif
