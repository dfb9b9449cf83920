/* Calls of rows on CUDA: all lines are copied to rows, by one kernel, and back. Host arrays are copied whole, with their
   gaps. */
#include "scan/axis/axis_rows_cuda.h"
#include "scan/axis/move_lines.h"
#include "scan/context/check.h"

enum { IN, IN2, OUT, OUT2, RESULTS, ARRAYS = RESULTS + AXIS_RESULTS };

/* n: the length of lines, which the driver may have read. */
typedef struct rows_run {
    const axis_rows *rows;
    size_t n;
    const uint64_t *n_at;
} rows_run;

parscan_cuda_array parscan_axis_result(const axis_result *result)
{
    parscan_cuda_array array =
        parscan_cuda_result(result->name, (void *)result->low, result->bytes, 1);
    if (result->data != NULL)
        array.alignment = result->size;
    if (result->keeps)
        array.access = PARSCAN_READ_WRITE;
    return array;
}

/* alignment: of the input's elements, or 1. */
static void describe_pair(const axis_pair *pair, bool aligned, parscan_cuda_array *in,
                          parscan_cuda_array *out)
{
    const parscan_axis *const axis = pair->axis;
    const size_t elements = axis->outer * pair->out.length * axis->inner;
    *in = parscan_cuda_input(pair->in.name, axis->in_low, axis->in_bytes, 1);
    *out = parscan_cuda_output(pair->out.name, pair->out.length > 0 ? (void *)axis->out_low : NULL,
                               axis->out_bytes, 1);
    if (aligned)
        in->alignment = pair->in.size;
    if (aligned && pair->out.length > 0)
        out->alignment = pair->out.size;
    if (axis->out_bytes != elements * pair->out.size)
        out->access = PARSCAN_READ_WRITE; /* gaps stay as they are */
}

/* Values may have any alignment. */
static unsigned describe_rows(const void *given, parscan_cuda_array *arrays)
{
    const axis_rows *const rows = ((const rows_run *)given)->rows;
    const axis_pair first = {rows->axis, rows->in, rows->out};
    describe_pair(&first, true, &arrays[IN], &arrays[OUT]);
    arrays[IN2] = arrays[OUT2] = parscan_cuda_input("", NULL, 0, 1);
    if (rows->second != NULL)
        describe_pair(rows->second, false, &arrays[IN2], &arrays[OUT2]);
    for (unsigned k = 0; k < AXIS_RESULTS; k++)
        arrays[RESULTS + k] = parscan_axis_result(&rows->results[k]);
    return ARRAYS;
}

static unsigned lengths_of_rows(void *given, parscan_cuda_length *lengths)
{
    rows_run *const run = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &run->n, &run->n_at};
    return 1;
}

/* The host must know it: plans depend on it. */
static bool reads_length(const void *given)
{
    (void)given;
    return false;
}

const void *parscan_axis_placed(const parscan_cuda_array *array, const void *given)
{
    return array->bytes > 0
               ? (const char *)array->device + ((const char *)given - (const char *)array->given)
               : NULL;
}

static void place_pair(axis_side *in, axis_side *out, size_t n, const parscan_cuda_array *in_there,
                       const parscan_cuda_array *out_there)
{
    in->length = n;
    in->data = parscan_axis_placed(in_there, in->data);
    if (out->length > 0)
        out->length = n;
    out->data = parscan_axis_placed(out_there, out->data);
}

static parscan_status run_placed(const axis_rows *rows)
{
    parscan_context *const context = rows->context;
    const rows_plan plan = parscan_plan_rows(rows);
    const size_t room = parscan_rows_room(&plan, plan.all);
    char none; /* a place of no bytes */
    void *scratch = &none;
    parscan_status status = room > 0 ? parscan_cuda_hold(context, room, &scratch) : PARSCAN_OK;
    if (status == PARSCAN_OK)
        status = parscan_run_batches(&plan, plan.all, scratch);
    parscan_cuda_let(context);
    return status;
}

static parscan_status launch_rows(void *given, parscan_cuda_array *arrays)
{
    const rows_run *const run = given;
    axis_rows rows = *run->rows;
    axis_pair second;
    if (run->n == 0)
        return PARSCAN_OK;
    place_pair(&rows.in, &rows.out, run->n, &arrays[IN], &arrays[OUT]);
    if (rows.second != NULL) {
        second = *rows.second;
        place_pair(&second.in, &second.out, run->n, &arrays[IN2], &arrays[OUT2]);
        rows.second = &second;
    }
    for (unsigned k = 0; k < AXIS_RESULTS; k++)
        rows.results[k].data =
            (void *)parscan_axis_placed(&arrays[RESULTS + k], rows.results[k].data);
    return run_placed(&rows);
}

parscan_status parscan_run_rows_cuda(const axis_rows *rows)
{
    static const parscan_cuda_operation operation = {.describe = describe_rows,
                                                     .lengths = lengths_of_rows,
                                                     .reads_lengths = reads_length,
                                                     .launch = launch_rows};
    rows_run run = {rows, rows->in.length, rows->n_at};
    if (rows->name == NULL)
        return parscan_fail(rows->context, PARSCAN_ERROR_UNSUPPORTED,
                            "shape: it needs a CPU context");
    return parscan_cuda_run(rows->context, rows->name, &operation, &run);
}

parscan_status parscan_copy_lines_cuda(const lines_copy *copy)
{
    const parscan_axis *const axis = copy->rows->axis;
    const int64_t size = (int64_t)copy->size, row = (int64_t)copy->length * size;
    const int64_t *const array = copy->strides;
    const int64_t packed[AXES] = {
        [AXIS_OUTER] = (int64_t)axis->inner * row, [AXIS_N] = size, [AXIS_INNER] = row};
    const uintptr_t places = (uintptr_t)copy->array | (uintptr_t)copy->packed | 16;
    parscan_move move = {
        .from = copy->to_rows ? copy->array : copy->packed,
        .to = copy->to_rows ? copy->packed : copy->array,
        .facts = {.lengths = {axis->outer, copy->length, axis->inner},
                  .size = copy->size,
                  .alignment = (size_t)(places & -places)},
    };
    for (int k = 0; k < AXES; k++) {
        move.facts.from[k] = copy->to_rows ? array[k] : packed[k];
        move.facts.to[k] = copy->to_rows ? packed[k] : array[k];
    }
    return parscan_move_lines(copy->rows->context, &move);
}
