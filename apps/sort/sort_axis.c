#include "apps/sort/sort_axis.h"

#include "apps/sort/sort_kernels.h"
#include "parscan/segments.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

static parscan_status sort_rows(const axis_rows *rows, const axis_batch *batch)
{
    const axis_sort *const sort = rows->work;
    const size_t n = rows->in.length;
    return parscan_sort_segments(
        rows->context, sort->key_type, batch->in, batch->out, 0, NULL, NULL, batch->lines * n,
        &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = n), &sort->options);
}

/* Rows of indices, each from 0 on. */
typedef struct numbered_rows {
    const axis_sort *sort;
    char *indices;
    size_t n;
} numbered_rows;

static void number_row(void *state, size_t row, unsigned worker)
{
    const numbered_rows *const rows = state;
    const sort_call *const call = rows->sort->call;
    (void)worker;
    call->kernels->indices(rows->indices + row * rows->n * call->value_size, 0, rows->n);
}

/* The sorted keys are not wanted: they go to the call's own scratch. */
static parscan_status argsort_rows(const axis_rows *rows, const axis_batch *batch)
{
    const axis_sort *const sort = rows->work;
    const size_t n = rows->in.length, bytes = batch->lines * n * rows->out.size;
    parscan_context *const context = rows->context;
    numbered_rows numbered = {sort, batch->out, n};
    if (!context->measures)
        parscan_team_for(context, parscan_threads_for(context, bytes), batch->lines,
                         1 + 4096 / (n + 1), number_row, &numbered);
    return parscan_sort_segments(context, sort->key_type, batch->in, batch->own, rows->out.size,
                                 batch->out, batch->out, batch->lines * n,
                                 &PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = n),
                                 &sort->options);
}

/* n: of the call, at most the length that was checked. */
static parscan_status run(axis_sort *sort, size_t n, axis_rows rows)
{
    parscan_shape shape;
    parscan_axis axis;
    parscan_context *const context = sort->call->context;
    parscan_status status = parscan_read_shape(context, sort->shape, &shape, &axis);
    if (status == PARSCAN_OK)
        status = parscan_check_lines(context, &shape, &sort->in, &sort->out, &axis);
    if (status != PARSCAN_OK || axis.outer == 0 || axis.inner == 0 || n == 0)
        return status;
    sort->in.length = sort->out.length = n;
    rows.context = context;
    rows.axis = &axis;
    rows.in = sort->in;
    rows.out = sort->out;
    rows.work = sort;
    return parscan_run_rows(&rows);
}

parscan_status parscan_sort_axis(axis_sort *sort, size_t n)
{
    return run(sort, n, (axis_rows){.in_place = true, .run = sort_rows});
}

parscan_status parscan_argsort_axis(axis_sort *sort, size_t n)
{
    return run(sort, n, (axis_rows){.own = n * sort->call->key_size, .run = argsort_rows});
}
