/*
 * A checked call of a segmented scan or reduction, or of a recurrence: what segmented.c passes to
 * an engine. The caller owns all arrays.
 */
#ifndef PARSCAN_APPS_SEGMENTED_CALL_H
#define PARSCAN_APPS_SEGMENTED_CALL_H

#include "parscan/segmented.h"
#include "scan/scan_call.h"

typedef struct segmented_call {
    parscan_scan_call scan; /* shape.algorithm is AUTO, SEQUENTIAL or SINGLE_PASS */
    const parscan_segments *segments;
    uint64_t *count; /* for a reduction: receives the number of segments; may be NULL */
} segmented_call;

typedef struct recurrence_call {
    parscan_context *context;
    parscan_type type; /* F32 or F64 */
    const void *a, *b, *x0;
    void *out;
    size_t n;
} recurrence_call;

/* The engines. Errors: INVALID_ARGUMENT for wrong offsets, OUT_OF_MEMORY; on CUDA also DEVICE. */
parscan_status parscan_segmented_cpu(const segmented_call *call);
parscan_status parscan_segmented_cuda(const segmented_call *call);
parscan_status parscan_recurrence_cpu(const recurrence_call *call);
parscan_status parscan_recurrence_cuda(const recurrence_call *call);

/* The CPU engine for one element type. */
typedef struct parscan_cpu_segmented {
    parscan_status (*scan)(const segmented_call *call);
    parscan_status (*reduce)(const segmented_call *call);
} parscan_cpu_segmented;

#define X(ctx, NAME, number, name, ...) \
    extern const parscan_cpu_segmented parscan_cpu_segmented_##name;
PARSCAN_TYPES(X, )
#undef X

parscan_status parscan_recurrence_cpu_f32(const recurrence_call *call);
parscan_status parscan_recurrence_cpu_f64(const recurrence_call *call);

#endif
