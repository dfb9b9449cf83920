/* The CPU engine of scans: selects the functions of the element type, and the algorithm. */
#include "scan/context/check.h"
#include "scan/custom/custom_cpu.h"
#include "scan/scan_call.h"

static parscan_status run_engine(const parscan_scan_call *call)
{
    const parscan_cpu_scan *engine = NULL;
    switch ((int)parscan_sum_type(call)) {
#define X(ctx, NAME, number, name, ...)    \
    case PARSCAN_##NAME:                   \
        engine = &parscan_cpu_scan_##name; \
        break;
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    }
    if (call->axis != NULL)
        return engine->axis(call);
    if (call->reproducible)
        return engine->reproducible(call);
    switch (call->shape.algorithm) {
    case PARSCAN_SEQUENTIAL:
        return call->context->measures ? PARSCAN_OK : engine->sequential(call);
    case PARSCAN_AUTO:
    case PARSCAN_SINGLE_PASS:
        return engine->single_pass(call);
    default:
        return engine->hierarchical(call);
    }
}

/* Integers need no mode. */
static parscan_status run_scan_cpu(const parscan_scan_call *call)
{
    if (call->custom != NULL)
        return parscan_custom_cpu(call);
    if (!parscan_is_float(call->out_type))
        return run_engine(call);
    const parscan_float_state before = parscan_float_begin(parscan_scan_float_mode(call));
    const parscan_status status = run_engine(call);
    parscan_float_end(before);
    return status;
}

/* Nothing to do: the defaults of parscan_block_shape_complete() are those of the CPU engine. */
static void default_shape(parscan_block_shape *shape)
{
    (void)shape;
}

const parscan_scan_engine parscan_scan_cpu = {run_scan_cpu, default_shape};
