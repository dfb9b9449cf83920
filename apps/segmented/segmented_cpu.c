/* The CPU engine of segmented scans, reductions and recurrences: chooses the functions of the
   element type. */
#include "apps/segmented/segmented_call.h"
#include "scan/context/check.h"

static parscan_status run_engine(const segmented_call *given)
{
    segmented_call call = *given;
    call.scan = parscan_scan_signless(&given->scan);
    const parscan_cpu_segmented *engine = NULL;
    switch ((int)parscan_sum_type(&call.scan)) {
#define X(ctx, NAME, number, name, ...)         \
    case PARSCAN_##NAME:                        \
        engine = &parscan_cpu_segmented_##name; \
        break;
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    }
    return call.scan.kind == PARSCAN_KIND_REDUCE ? engine->reduce(&call) : engine->scan(&call);
}

static parscan_status run_custom(const segmented_call *call)
{
    const parscan_float_state before = parscan_float_begin(FLOAT_CALLERS);
    const parscan_status status = parscan_custom_segmented_cpu(call);
    parscan_float_end(before);
    return status;
}

parscan_status parscan_segmented_cpu(const segmented_call *call)
{
    if (call->scan.custom != NULL)
        return run_custom(call);
    if (!parscan_is_float(call->scan.out_type))
        return run_engine(call);
    const parscan_float_state before = parscan_float_begin(parscan_scan_float_mode(&call->scan));
    const parscan_status status = run_engine(call);
    parscan_float_end(before);
    return status;
}

parscan_status parscan_recurrence_cpu(const recurrence_call *call)
{
    const parscan_float_state before = parscan_float_begin(FLOAT_CALLERS);
    const parscan_status status = parscan_compute_type(call->type) == PARSCAN_F32
                                      ? parscan_recurrence_cpu_f32(call)
                                      : parscan_recurrence_cpu_f64(call);
    parscan_float_end(before);
    return status;
}
