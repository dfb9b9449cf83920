/* What operators of the caller's have for CUDA: a build without it has no such engine. */
#ifndef PARSCAN_SCAN_RUNTIME_OPERATOR_CODE_H
#define PARSCAN_SCAN_RUNTIME_OPERATOR_CODE_H

#include "parscan/operator.h"
#include "scan/scan_call.h"

typedef struct operator_code_engine {
    /* Takes the text of the options into op->code. Errors: OUT_OF_MEMORY. */
    parscan_status (*take)(parscan_operator *op, const parscan_operator_options *options);
    void (*leave)(parscan_operator *op);
    const char *(*log)(const parscan_operator *op);
    /* words: what is wrong, after an error. */
    parscan_status (*save)(const parscan_operator *op, void *blob, size_t capacity, size_t *size,
                           const char **words);
    parscan_status (*load)(parscan_operator *op, const void *blob, size_t size, const char **words);
    /* Compiles and loads what a scan or reduction of this kind, shape and direction needs, on arrays that are
       aligned. */
    parscan_status (*prepare)(const parscan_scan_call *call);
    parscan_status (*prepare_segments)(const parscan_scan_call *call);
    /* The same for the flags of a predicate or an equality that has a text, and for a sort by an order that has. */
    parscan_status (*prepare_test)(parscan_context *context, const parscan_operator *keep);
    parscan_status (*prepare_sort)(parscan_context *context, const parscan_operator *less);
} operator_code_engine;

/* scan/runtime/operator_cuda.c. */
extern const operator_code_engine parscan_operator_cuda;

#endif
