#include "apps/segmented/recurrence_axis.h"

#include <string.h>

#include "scan/axis/axis_rows.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

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

parscan_status parscan_check_recurrence_axis(const recurrence_call *call,
                                             const parscan_shape *given, parscan_axis *axis,
                                             bool *is_plain)
{
    parscan_context *const context = call->context;
    const size_t size = parscan_type_size(call->type);
    const axis_side a = {"a", call->a, size, call->n, false};
    const axis_side b = {"b", call->b, size, call->n, false};
    const axis_side out = {"out", call->out, size, call->n, false};
    parscan_shape shape;
    parscan_status status = parscan_read_shape(context, given, &shape, axis);
    *is_plain = status == PARSCAN_OK && shape.outer == 1 && shape.inner == 1 &&
                shape.in_strides == NULL && shape.out_strides == NULL;
    if (status != PARSCAN_OK || *is_plain)
        return status;
    const axis_strides strides = parscan_strides_of(&shape);
    status = call->constant_a ? parscan_check_one_a(call)
                              : parscan_check_lines(context, &strides, &a, &out, axis);
    return status == PARSCAN_OK ? parscan_check_lines(context, &strides, &b, &out, axis) : status;
}

parscan_status parscan_recurrence_axis_cpu(const recurrence_call *call, const parscan_axis *axis)
{
    const size_t size = parscan_type_size(call->type);
    line_scalars scalars = {.call = call};
    /* a lies as b does. */
    const axis_pair a = {.axis = axis, .in = {"a", call->a, size, call->n, false}};
    const axis_rows rows = {.context = call->context,
                            .axis = axis,
                            .in = {"b", call->b, size, call->n, false},
                            .out = {"out", call->out, size, call->n, false},
                            .second = call->constant_a ? NULL : &a,
                            .in_place = true,
                            .run = run_lines,
                            .work = &scalars};
    if (call->x0 != NULL)
        memcpy(scalars.x0, call->x0, size);
    if (call->constant_a)
        memcpy(scalars.a, call->a, size);
    return parscan_run_rows(&rows);
}

parscan_status parscan_run_recurrence_axis(const recurrence_call *call, const parscan_axis *axis)
{
    static parscan_status (*const engines[])(const recurrence_call *call,
                                             const parscan_axis *axis) =
        PARSCAN_ENGINES(parscan_recurrence_axis_cpu, parscan_recurrence_axis_cuda);
    return axis->outer > 0 && axis->inner > 0 ? engines[call->context->backend](call, axis)
                                              : PARSCAN_OK;
}
