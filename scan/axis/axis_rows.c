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

static bool are_rows(const parscan_axis *axis, const axis_side *side, const int64_t strides[AXES])
{
    return parscan_are_rows(axis, strides, side->length, side->size);
}

static rows_pair plan_pair(const axis_pair *arrays, bool in_place)
{
    const parscan_axis *const axis = arrays->axis;
    rows_pair pair = {.arrays = *arrays, .copies_in = !are_rows(axis, &arrays->in, axis->in)};
    pair.copies_out = arrays->out.length > 0 && !are_rows(axis, &arrays->out, axis->out);
    pair.shared = pair.copies_in && pair.copies_out && in_place;
    return pair;
}

rows_plan parscan_plan_rows(const axis_rows *rows)
{
    const axis_pair first = {rows->axis, rows->in, rows->out};
    rows_plan plan = {.rows = rows, .all = rows->axis->outer * rows->axis->inner};
    plan.pairs[0] = plan_pair(&first, rows->in_place);
    if (rows->second != NULL)
        plan.pairs[1] = plan_pair(rows->second, rows->in_place);
    return plan;
}

static size_t row_bytes(const axis_side *side)
{
    return side->length * side->size;
}

/* The bytes of scratch of so many lines, for in and out of a pair. */
static size_t in_room(const rows_pair *pair, size_t lines)
{
    return pair->copies_in ? whole_lines(lines * row_bytes(&pair->arrays.in)) : 0;
}

static size_t out_room(const rows_pair *pair, size_t lines)
{
    return pair->copies_out && !pair->shared ? whole_lines(lines * row_bytes(&pair->arrays.out))
                                             : 0;
}

static size_t pair_room(const rows_pair *pair, size_t lines)
{
    return in_room(pair, lines) + out_room(pair, lines);
}

size_t parscan_rows_room(const rows_plan *plan, size_t lines)
{
    return pair_room(&plan->pairs[0], lines) + pair_room(&plan->pairs[1], lines) +
           whole_lines(lines * plan->rows->own);
}

static parscan_status copy_in(const rows_plan *plan, const rows_pair *pair, const axis_batch *batch,
                              const void *packed)
{
    const axis_side *const side = &pair->arrays.in;
    if (!pair->copies_in)
        return PARSCAN_OK;
    return parscan_copy_lines(&(lines_copy){.rows = plan->rows,
                                            .array = (char *)side->data,
                                            .packed = (char *)packed,
                                            .strides = pair->arrays.axis->in,
                                            .size = side->size,
                                            .length = side->length,
                                            .first = batch->first,
                                            .lines = batch->lines,
                                            .to_rows = true});
}

static parscan_status copy_out(const rows_plan *plan, const rows_pair *pair,
                               const axis_batch *batch, void *packed)
{
    const axis_side *const side = &pair->arrays.out;
    if (!pair->copies_out)
        return PARSCAN_OK;
    return parscan_copy_lines(&(lines_copy){.rows = plan->rows,
                                            .array = (char *)side->data,
                                            .packed = packed,
                                            .strides = pair->arrays.axis->out,
                                            .size = side->size,
                                            .length = side->length,
                                            .first = batch->first,
                                            .lines = batch->lines});
}

/* Where the rows of a pair are: in scratch, or in their arrays. */
static const char *rows_in(const rows_pair *pair, size_t first, const char *scratch)
{
    const axis_side *const in = &pair->arrays.in;
    return pair->copies_in ? scratch : (const char *)in->data + first * row_bytes(in);
}

static char *rows_out(const rows_pair *pair, size_t first, char *scratch, size_t in_bytes)
{
    const axis_side *const out = &pair->arrays.out;
    if (out->length == 0)
        return NULL;
    return pair->shared       ? scratch
           : pair->copies_out ? scratch + in_bytes
                              : (char *)out->data + first * row_bytes(out);
}

static axis_batch batch_of(const rows_plan *plan, size_t first, size_t lines, char *scratch)
{
    const axis_rows *const rows = plan->rows;
    const rows_pair *const one = &plan->pairs[0], *const two = &plan->pairs[1];
    char *const second = scratch + pair_room(one, lines);
    axis_batch batch = {.first = first, .lines = size_min(lines, plan->all - first)};
    batch.in = rows_in(one, first, scratch);
    batch.out = rows_out(one, first, scratch, in_room(one, lines));
    if (rows->second != NULL) {
        batch.in2 = rows_in(two, first, second);
        batch.out2 = rows_out(two, first, second, in_room(two, lines));
    }
    batch.own = second + pair_room(two, lines);
    for (int k = 0; k < AXIS_RESULTS; k++)
        batch.results[k] = rows->results[k].data;
    return batch;
}

static parscan_status run_batch(const rows_plan *plan, const axis_batch *batch)
{
    const rows_pair *const one = &plan->pairs[0], *const two = &plan->pairs[1];
    parscan_status status = copy_in(plan, one, batch, batch->in);
    if (status == PARSCAN_OK)
        status = copy_in(plan, two, batch, batch->in2);
    if (status == PARSCAN_OK)
        status = plan->rows->run(plan->rows, batch);
    if (status == PARSCAN_OK)
        status = copy_out(plan, one, batch, batch->out);
    return status == PARSCAN_OK ? copy_out(plan, two, batch, batch->out2) : status;
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
