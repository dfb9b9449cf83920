#include "apps/sort/sort_axis.h"

#include "parscan/segments.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

static parscan_status sort_segments(const axis_rows *rows, const axis_batch *batch, void *keys_out,
                                    size_t value_size, const void *values_in, void *values_out)
{
    const axis_sort *const sort = rows->work;
    const size_t n = rows->in.length;
    return parscan_sort_segments(rows->context, sort->key_type, batch->in, keys_out, value_size,
                                 values_in, values_out, batch->lines * n,
                                 &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = n),
                                 &sort->options);
}

static bool are_alone(const axis_rows *rows, const axis_batch *batch)
{
    static bool (*const engines[])(const sort_call *call, size_t lines, size_t n) =
        PARSCAN_ENGINES(parscan_sort_rows_alone_cpu, parscan_sort_rows_alone_cuda);
    const axis_sort *const sort = rows->work;
    return engines[rows->context->backend](sort->call, batch->lines, rows->in.length);
}

/* Row k alone. */
static parscan_status sort_row(const axis_rows *rows, const axis_batch *batch, size_t k)
{
    const axis_sort *const sort = rows->work;
    const size_t n = rows->in.length, size = sort->values_in.size;
    const char *const keys_in = (const char *)batch->in + k * n * rows->in.size;
    char *const keys_out = (char *)batch->out + k * n * rows->in.size;
    return size == 0 ? parscan_sort_keys(rows->context, sort->key_type, keys_in, keys_out, n,
                                         &sort->options)
                     : parscan_sort_pairs(rows->context, sort->key_type, keys_in, keys_out, size,
                                          (const char *)batch->in2 + k * n * size,
                                          (char *)batch->out2 + k * n * size, n, &sort->options);
}

static parscan_status sort_rows(const axis_rows *rows, const axis_batch *batch)
{
    const axis_sort *const sort = rows->work;
    parscan_status status = PARSCAN_OK;
    if (!are_alone(rows, batch))
        return sort_segments(rows, batch, batch->out, sort->values_in.size, batch->in2,
                             batch->out2);
    for (size_t k = 0; k < batch->lines && status == PARSCAN_OK; k++)
        status = sort_row(rows, batch, k);
    return status;
}

/* The sorted keys are not wanted: they go to the call's own scratch. */
static parscan_status argsort_together(const axis_rows *rows, const axis_batch *batch)
{
    static parscan_status (*const engines[])(const sort_call *call, void *indices, size_t lines,
                                             size_t n) =
        PARSCAN_ENGINES(parscan_number_rows_cpu, parscan_number_rows_cuda);
    const axis_sort *const sort = rows->work;
    parscan_context *const context = rows->context;
    const parscan_status status =
        context->measures
            ? PARSCAN_OK
            : engines[context->backend](sort->call, batch->out, batch->lines, rows->in.length);
    return status == PARSCAN_OK
               ? sort_segments(rows, batch, batch->own, rows->out.size, batch->out, batch->out)
               : status;
}

static parscan_status argsort_rows(const axis_rows *rows, const axis_batch *batch)
{
    const axis_sort *const sort = rows->work;
    const size_t n = rows->in.length, index_size = rows->out.size;
    const parscan_type index_type = index_size == sizeof(uint32_t) ? PARSCAN_U32 : PARSCAN_U64;
    parscan_status status = PARSCAN_OK;
    if (!are_alone(rows, batch))
        return argsort_together(rows, batch);
    for (size_t k = 0; k < batch->lines && status == PARSCAN_OK; k++)
        status = parscan_argsort(rows->context, sort->key_type,
                                 (const char *)batch->in + k * n * rows->in.size, index_type,
                                 (char *)batch->out + k * n * index_size, n, &sort->options);
    return status;
}

static parscan_extent extent_in(const axis_pair *pair)
{
    return (parscan_extent){pair->in.name, pair->axis->in_low, pair->axis->in_bytes};
}

static parscan_extent extent_out(const axis_pair *pair)
{
    return (parscan_extent){pair->out.name, pair->axis->out_low, pair->axis->out_bytes};
}

/* The values of pairs: their own strides, and that no output overlaps another array. */
static parscan_status check_values(const axis_sort *sort, const parscan_shape *shape,
                                   const axis_pair *keys, parscan_axis *axis)
{
    parscan_context *const context = sort->call->context;
    const axis_pair values = {axis, sort->values_in, sort->values_out};
    parscan_shape own = *shape;
    own.in_strides = sort->options.values_in_strides;
    own.out_strides = sort->options.values_out_strides;
    *axis = (parscan_axis){.outer = shape->outer, .inner = shape->inner};
    parscan_status status =
        parscan_check_lines(context, &own, &sort->values_in, &sort->values_out, axis);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, extent_out(&values), extent_out(keys));
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, extent_out(&values), extent_in(keys));
    return status == PARSCAN_OK ? parscan_check_apart(context, extent_out(keys), extent_in(&values))
                                : status;
}

static parscan_status run(axis_sort *sort, axis_rows rows)
{
    parscan_shape shape;
    parscan_axis axis, values_axis;
    parscan_context *const context = sort->call->context;
    const axis_pair keys = {&axis, sort->in, sort->out};
    axis_pair values = {&values_axis, sort->values_in, sort->values_out};
    const bool has_values = values.in.size > 0;
    parscan_status status = parscan_read_shape(context, sort->shape, &shape, &axis);
    if (status == PARSCAN_OK)
        status = parscan_check_lines(context, &shape, &sort->in, &sort->out, &axis);
    if (status == PARSCAN_OK && has_values)
        status = check_values(sort, &shape, &keys, &values_axis);
    if (status != PARSCAN_OK || axis.outer == 0 || axis.inner == 0 || sort->n == 0)
        return status;
    sort->options.values_in_strides = sort->options.values_out_strides = NULL;
    rows.context = context;
    rows.axis = &axis;
    rows.in = sort->in;
    rows.out = sort->out;
    rows.in.length = rows.out.length = values.in.length = values.out.length = sort->n;
    rows.second = has_values ? &values : NULL;
    rows.n_at = sort->n_at;
    rows.work = sort;
    return parscan_run_rows(&rows);
}

parscan_status parscan_sort_axis(axis_sort *sort)
{
    const bool has_values = sort->values_in.size > 0;
    return run(sort, (axis_rows){.name = has_values ? "parscan_sort_pairs" : "parscan_sort_keys",
                                 .in_place = true,
                                 .run = sort_rows});
}

parscan_status parscan_argsort_axis(axis_sort *sort)
{
    return run(sort, (axis_rows){.name = "parscan_argsort",
                                 .own = sort->n * sort->call->key_size,
                                 .run = argsort_rows});
}
