/*
 * A checked call of a scan or a reduction, as scan.c hands it to an engine.
 */
#ifndef PARSCAN_SCAN_CALL_H
#define PARSCAN_SCAN_CALL_H

#include <stdbool.h>

#include "parscan/scan.h"
#include "scan/block/block_shape.h"
#include "scan/context/context_state.h"
#include "scan/tables.h"

typedef enum parscan_scan_kind {
    PARSCAN_KIND_INCLUSIVE,
    PARSCAN_KIND_EXCLUSIVE,
    PARSCAN_KIND_REDUCE
} parscan_scan_kind;

typedef struct parscan_scan_call {
    parscan_context *context;
    parscan_scan_kind kind;
    parscan_op op;
    parscan_type in_type, out_type; /* all is accumulated in out_type */
    const void *in;
    void *out;
    size_t n; /* 0 only for a reduction */
    const void *init;
    bool reverse, reproducible;
    unsigned threads;          /* the cores that may work on it */
    parscan_block_shape shape; /* for a block algorithm */
} parscan_scan_call;

/* Turns the caller's options (NULL: the defaults) into a call; its arrays are not looked at. */
parscan_status parscan_check_scan_options(parscan_context *context, parscan_type type,
                                          const parscan_scan_options *given,
                                          parscan_scan_call *call);

/* in and out of a call whose options have been checked. */
parscan_status parscan_check_scan_arrays(parscan_context *context, const parscan_scan_call *call);

/* An engine of scans and reductions. */
typedef struct parscan_scan_engine {
    /* The call is checked; n = 0 only for a reduction. */
    parscan_status (*run)(const parscan_scan_call *call);
    /* Fills in the threads and items of a shape that has neither, where the engine wants others than
       parscan_block_shape_complete(). */
    void (*default_shape)(parscan_block_shape *shape);
} parscan_scan_engine;

/* Defined in scan_cpu.c and scan_cuda.c. */
extern const parscan_scan_engine parscan_scan_cpu, parscan_scan_cuda;

/* The CPU engine for elements of one type. */
typedef struct parscan_cpu_scan {
    parscan_status (*sequential)(const parscan_scan_call *call);
    parscan_status (*hierarchical)(const parscan_scan_call *call);
    parscan_status (*single_pass)(const parscan_scan_call *call);
    parscan_status (*reproducible)(const parscan_scan_call *call);
} parscan_cpu_scan;

/* Built once an element type: parscan_cpu_scan_u8 and its sisters. */
#define X(ctx, NAME, number, name, ...) extern const parscan_cpu_scan parscan_cpu_scan_##name;
PARSCAN_TYPES(X, )
#undef X

#endif
