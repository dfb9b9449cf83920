#include "apps/sort/sort_axis.h"

#include "parscan/segments.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

parscan_status parscan_sort_rows_together(const axis_rows *rows, const axis_batch *batch,
                                          void *keys_out, size_t value_size, const void *values_in,
                                          void *values_out)
{
    const axis_sort *const sort = rows->work;
    const size_t n = rows->in.length;
    return parscan_sort_segments(rows->context, sort->key_type, batch->in, keys_out, value_size,
                                 values_in, values_out, batch->lines * n,
                                 &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = n),
                                 &sort->options);
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
    const axis_strides strides = {sort->options.values_in_strides, sort->options.values_out_strides,
                                  "values_in_strides", "values_out_strides"};
    *axis = (parscan_axis){.outer = shape->outer, .inner = shape->inner};
    parscan_status status =
        parscan_check_lines(context, &strides, &sort->values_in, &sort->values_out, axis);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, extent_out(&values), extent_out(keys));
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, extent_out(&values), extent_in(keys));
    return status == PARSCAN_OK ? parscan_check_apart(context, extent_out(keys), extent_in(&values))
                                : status;
}

/* How an engine sorts rows. */
typedef struct rows_engine {
    parscan_status (*run)(const axis_rows *rows, const axis_batch *batch);
    size_t (*own)(const axis_sort *sort, size_t lines);
} rows_engine;

static parscan_status run(axis_sort *sort, const rows_engine *engine, axis_rows rows)
{
    parscan_shape shape;
    parscan_axis axis, values_axis;
    parscan_context *const context = sort->call->context;
    const axis_pair keys = {&axis, sort->in, sort->out};
    axis_pair values = {&values_axis, sort->values_in, sort->values_out};
    const bool has_values = values.in.size > 0;
    parscan_status status = parscan_read_shape(context, sort->shape, &shape, &axis);
    if (status == PARSCAN_OK) {
        const axis_strides strides = parscan_strides_of(&shape);
        status = parscan_check_lines(context, &strides, &sort->in, &sort->out, &axis);
    }
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
    rows.run = engine->run;
    rows.own = engine->own(sort, axis.outer * axis.inner);
    rows.work = sort;
    return parscan_run_rows(&rows);
}

parscan_status parscan_sort_axis(axis_sort *sort)
{
    static const rows_engine cpu = {parscan_sort_rows_cpu, parscan_sort_rows_own_cpu};
#ifdef PARSCAN_HAVE_CUDA
    static const rows_engine cuda = {parscan_sort_rows_cuda, parscan_sort_rows_own_cuda};
#endif
    static const rows_engine *const engines[] = PARSCAN_ENGINES(&cpu, &cuda);
    const char *const name = sort->values_in.size > 0 ? "parscan_sort_pairs" : "parscan_sort_keys";
    return run(sort, engines[sort->call->context->backend],
               (axis_rows){.name = name, .in_place = true});
}

parscan_status parscan_argsort_axis(axis_sort *sort)
{
    static const rows_engine cpu = {parscan_argsort_rows_cpu, parscan_argsort_rows_own_cpu};
#ifdef PARSCAN_HAVE_CUDA
    static const rows_engine cuda = {parscan_argsort_rows_cuda, parscan_argsort_rows_own_cuda};
#endif
    static const rows_engine *const engines[] = PARSCAN_ENGINES(&cpu, &cuda);
    return run(sort, engines[sort->call->context->backend], (axis_rows){.name = "parscan_argsort"});
}
