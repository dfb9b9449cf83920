#include "scan/axis/axis_rows.h"

#include "scan/context/engine.h"
#include "scan/context/size_math.h"

bool parscan_are_rows(const parscan_axis *axis, const int64_t strides[AXES], size_t n, size_t size)
{
    const int64_t row = (int64_t)(n * size), inner = (int64_t)axis->inner;
    return (n == 1 || strides[AXIS_N] == (int64_t)size) &&
           (inner == 1 || strides[AXIS_INNER] == row) &&
           (axis->outer == 1 || strides[AXIS_OUTER] == inner * row);
}

static bool are_rows(const axis_rows *rows, const axis_side *side, const int64_t strides[AXES])
{
    return parscan_are_rows(rows->axis, strides, side->length, side->size);
}

rows_plan parscan_plan_rows(const axis_rows *rows)
{
    rows_plan plan = {.rows = rows, .all = rows->axis->outer * rows->axis->inner};
    plan.copies_in = !are_rows(rows, &rows->in, rows->axis->in);
    plan.copies_out = rows->out.length > 0 && !are_rows(rows, &rows->out, rows->axis->out);
    plan.shared = plan.copies_in && plan.copies_out && rows->in_place;
    return plan;
}

static size_t row_bytes(const axis_side *side)
{
    return side->length * side->size;
}

/* The bytes of scratch of so many lines, for in, out and run() itself. */
static size_t in_room(const rows_plan *plan, size_t lines)
{
    return plan->copies_in ? whole_lines(lines * row_bytes(&plan->rows->in)) : 0;
}

static size_t in2_room(const rows_plan *plan, size_t lines)
{
    return plan->rows->in2 != NULL ? in_room(plan, lines) : 0;
}

static size_t out_room(const rows_plan *plan, size_t lines)
{
    return plan->copies_out && !plan->shared ? whole_lines(lines * row_bytes(&plan->rows->out)) : 0;
}

size_t parscan_rows_room(const rows_plan *plan, size_t lines)
{
    return in_room(plan, lines) + in2_room(plan, lines) + out_room(plan, lines) +
           whole_lines(lines * plan->rows->own);
}

static parscan_status copy(const rows_plan *plan, const axis_batch *batch, const void *array,
                           const void *packed, bool to_rows)
{
    const axis_rows *const rows = plan->rows;
    const axis_side *const side = to_rows ? &rows->in : &rows->out;
    const lines_copy lines = {.rows = rows,
                              .array = (char *)array,
                              .packed = (char *)packed,
                              .strides = to_rows ? rows->axis->in : rows->axis->out,
                              .size = side->size,
                              .length = side->length,
                              .first = batch->first,
                              .lines = batch->lines,
                              .to_rows = to_rows};
    return array != NULL && (to_rows ? plan->copies_in : plan->copies_out)
               ? parscan_copy_lines(&lines)
               : PARSCAN_OK;
}

static const char *rows_of_input(const rows_plan *plan, const void *array, size_t first,
                                 const char *scratch)
{
    return plan->copies_in ? scratch : (const char *)array + first * row_bytes(&plan->rows->in);
}

static axis_batch batch_of(const rows_plan *plan, size_t first, size_t lines, char *scratch)
{
    const axis_rows *const rows = plan->rows;
    axis_batch batch = {.first = first, .lines = size_min(lines, plan->all - first)};
    char *const in = scratch, *const in2 = in + in_room(plan, lines);
    char *const out = in2 + in2_room(plan, lines);
    batch.in = rows_of_input(plan, rows->in.data, first, in);
    if (rows->in2 != NULL)
        batch.in2 = rows_of_input(plan, rows->in2, first, in2);
    if (rows->out.length > 0)
        batch.out = plan->shared       ? in
                    : plan->copies_out ? out
                                       : (char *)rows->out.data + first * row_bytes(&rows->out);
    batch.own = out + out_room(plan, lines);
    for (int k = 0; k < AXIS_RESULTS; k++)
        batch.results[k] = rows->results[k].data;
    return batch;
}

static parscan_status run_batch(const rows_plan *plan, const axis_batch *batch)
{
    const axis_rows *const rows = plan->rows;
    parscan_status status = copy(plan, batch, rows->in.data, batch->in, true);
    if (status == PARSCAN_OK)
        status = copy(plan, batch, rows->in2, batch->in2, true);
    if (status == PARSCAN_OK)
        status = rows->run(rows, batch);
    return status == PARSCAN_OK ? copy(plan, batch, rows->out.data, batch->out, false) : status;
}

parscan_status parscan_run_batches(const rows_plan *plan, size_t lines, char *scratch)
{
    parscan_status status = PARSCAN_OK;
    for (size_t first = 0; first < plan->all && status == PARSCAN_OK; first += lines) {
        const axis_batch batch = batch_of(plan, first, lines, scratch);
        status = run_batch(plan, &batch);
        if (plan->rows->context->measures) /* no other one needs more */
            break;
    }
    return status;
}

parscan_status parscan_copy_lines(const lines_copy *copy)
{
    static parscan_status (*const engines[])(const lines_copy *copy) =
        PARSCAN_ENGINES(parscan_copy_lines_cpu, parscan_copy_lines_cuda);
    parscan_context *const context = copy->rows->context;
    return context->measures ? PARSCAN_OK : engines[context->backend](copy);
}

parscan_status parscan_run_rows(const axis_rows *rows)
{
    static parscan_status (*const engines[])(const axis_rows *rows) =
        PARSCAN_ENGINES(parscan_run_rows_cpu, parscan_run_rows_cuda);
    return engines[rows->context->backend](rows);
}
