#include "apps/segmented/recurrence_axis.h"

#include <string.h>

#include "scan/axis/axis_rows.h"
#include "scan/context/call_scalars.h"
#include "scan/context/check.h"

/* All lines have the same x0, and with constant_a the same a, which were read before. */
typedef struct line_scalars {
    const recurrence_call *call;
    char a[sizeof(double)], x0[sizeof(double)];
} line_scalars;

static parscan_status run_lines(const axis_rows *rows, const axis_batch *batch)
{
    const line_scalars *const scalars = rows->work;
    const recurrence_call *const call = scalars->call;
    const size_t bytes = rows->in.length * rows->in.size;
    const parscan_recurrence_options options =
        PARSCAN_RECURRENCE_OPTIONS(.constant_a = call->constant_a);
    parscan_status status = PARSCAN_OK;
    for (size_t k = 0; k < batch->lines && status == PARSCAN_OK; k++)
        status = parscan_recurrence_with(
            rows->context, call->type,
            call->constant_a ? scalars->a : (const char *)batch->in2 + k * bytes,
            (const char *)batch->in + k * bytes, call->x0 == NULL ? NULL : scalars->x0,
            (char *)batch->out + k * bytes, rows->in.length, &options);
    return status;
}

static parscan_status check(const recurrence_call *call, const parscan_shape *given, axis_side *in,
                            axis_side *out, parscan_axis *axis)
{
    parscan_context *const context = call->context;
    const size_t size = parscan_type_size(call->type);
    parscan_shape shape;
    *in = (axis_side){"b", call->b, size, call->n, false};
    *out = (axis_side){"out", call->out, size, call->n, false};
    parscan_status status = parscan_read_shape(context, given, &shape, axis);
    if (status == PARSCAN_OK && context->backend != PARSCAN_BACKEND_CPU)
        status = parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED, "shape: it needs a CPU context");
    if (status == PARSCAN_OK && call->constant_a && call->a == NULL)
        status = parscan_check_array(context, "a", NULL, 1, size);
    if (status == PARSCAN_OK && !call->constant_a) {
        const axis_side a = {"a", call->a, size, call->n, false};
        status = parscan_check_lines(context, &shape, &a, out, axis);
    }
    return status == PARSCAN_OK ? parscan_check_lines(context, &shape, in, out, axis) : status;
}

parscan_status parscan_recurrence_axis(const recurrence_call *call, const parscan_shape *given,
                                       call_lengths *lengths)
{
    const size_t size = parscan_type_size(call->type);
    parscan_axis axis;
    line_scalars scalars = {.call = call};
    axis_rows rows = {.context = call->context,
                      .axis = &axis,
                      .in2 = call->constant_a ? NULL : call->a,
                      .in_place = true,
                      .run = run_lines,
                      .work = &scalars};
    const parscan_status status = check(call, given, &rows.in, &rows.out, &axis);
    if (status != PARSCAN_OK)
        return status;
    rows.in.length = rows.out.length = parscan_length(lengths, LENGTH_N, call->n);
    if (call->x0 != NULL)
        memcpy(scalars.x0, call->x0, size);
    if (call->constant_a)
        memcpy(scalars.a, call->a, size);
    return parscan_end_lengths(call->context, lengths,
                               axis.outer > 0 && axis.inner > 0 && rows.in.length > 0
                                   ? parscan_run_rows(&rows)
                                   : PARSCAN_OK);
}
