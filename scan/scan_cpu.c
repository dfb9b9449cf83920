/* The CPU engine of scans: selects the functions of the element type, and the algorithm. */
#include "parscan/segmented.h"
#include "scan/axis/axis_rows.h"
#include "scan/context/check.h"
#include "scan/custom/custom_cpu.h"
#include "scan/scan_call.h"

/* Longer rows are faster line by line. */
enum { SEGMENT_SCAN_MOST = 2048, SEGMENT_REDUCE_MOST = 16384 };

/* Whether the lines are short rows without gaps: a segmented scan takes many of them in one vector. It has no
   trees. */
static bool are_segments(const parscan_scan_call *call)
{
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    if (call->n == 0 || call->n > (reduces ? SEGMENT_REDUCE_MOST : SEGMENT_SCAN_MOST) ||
        call->reproducible)
        return false;
    return parscan_are_rows(call->axis, call->axis->in, call->n,
                            parscan_type_size(call->in_type)) &&
           parscan_are_rows(call->axis, call->axis->out, reduces ? 1 : call->n,
                            parscan_type_size(call->out_type));
}

static parscan_status run_as_segments(const parscan_scan_call *call)
{
    const size_t n = call->axis->outer * call->axis->inner * call->n;
    const parscan_segments rows = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = call->n);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = call->op, .out_type = call->out_type, .init = call->init,
                             .reverse = call->reverse);
    switch (call->kind) {
    case PARSCAN_KIND_REDUCE:
        return parscan_segmented_reduce(call->context, call->in_type, call->in, call->out, n, &rows,
                                        NULL, &options);
    case PARSCAN_KIND_EXCLUSIVE:
        return parscan_segmented_exclusive_scan(call->context, call->in_type, call->in, call->out,
                                                n, &rows, &options);
    default:
        return parscan_segmented_inclusive_scan(call->context, call->in_type, call->in, call->out,
                                                n, &rows, &options);
    }
}

static const parscan_cpu_scan *engine_of(const parscan_scan_call *call)
{
    switch ((int)parscan_sum_type(call)) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return &parscan_cpu_scan_##name;
        PARSCAN_ARITHMETIC_TYPES(X, )
#undef X
    default:
        return NULL;
    }
}

/* Lines whose bits do not depend on how elements are grouped need no tree: of two elements there is one way. */
static parscan_status run_axis(const parscan_scan_call *call)
{
    parscan_scan_call lines = *call;
    lines.reproducible = parscan_scan_has_tree(call) && parscan_op_rounds(call->op) &&
                         (call->n > 2 || parscan_has_init(call));
    if (are_segments(&lines))
        return run_as_segments(&lines);
    lines = parscan_scan_signless(&lines);
    return engine_of(&lines)->axis(&lines);
}

static parscan_status run_engine(const parscan_scan_call *given)
{
    if (given->axis != NULL)
        return run_axis(given);
    const parscan_scan_call signless = parscan_scan_signless(given), *const call = &signless;
    const parscan_cpu_scan *const engine = engine_of(call);
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
