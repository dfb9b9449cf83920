/* Calls of rows on CUDA: all lines are copied to rows, by one kernel, and back. Host arrays are copied whole, with their
   gaps. */
#include "scan/axis/axis_rows.h"
#include "scan/axis/move_lines.h"
#include "scan/context/check.h"
#include "scan/cuda/driver.h"

enum { IN, IN2, OUT, RESULTS, ARRAYS = RESULTS + AXIS_RESULTS };

/* n: the length of lines, which the driver may have read. */
typedef struct rows_run {
    const axis_rows *rows;
    size_t n;
    const uint64_t *n_at;
} rows_run;

static unsigned describe_rows(const void *given, parscan_cuda_array *arrays)
{
    const axis_rows *const rows = ((const rows_run *)given)->rows;
    const parscan_axis *const axis = rows->axis;
    const char *in2_low = rows->in2;
    if (in2_low != NULL)
        in2_low += axis->in_low - (const char *)rows->in.data;
    arrays[IN] = parscan_cuda_input(rows->in.name, axis->in_low, axis->in_bytes, 1);
    arrays[IN2] = parscan_cuda_input("a", in2_low, axis->in_bytes, 1);
    arrays[OUT] = parscan_cuda_output(
        rows->out.name, rows->out.length > 0 ? (void *)axis->out_low : NULL, axis->out_bytes, 1);
    arrays[IN].alignment = arrays[IN2].alignment = rows->in.size;
    arrays[OUT].alignment = rows->out.size;
    if (axis->out_bytes != axis->outer * rows->out.length * axis->inner * rows->out.size)
        arrays[OUT].access = PARSCAN_READ_WRITE; /* gaps stay as they are */
    for (unsigned k = 0; k < AXIS_RESULTS; k++) {
        const axis_result *const result = &rows->results[k];
        arrays[RESULTS + k] =
            parscan_cuda_result(result->name, result->data, result->n, result->size);
    }
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

static parscan_status check_strides(parscan_context *context, const axis_side *side,
                                    const char *name, const int64_t strides[AXES])
{
    for (int k = 0; k < AXES && side->length > 0; k++)
        if (strides[k] % (int64_t)side->size != 0)
            return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                                "%s_strides[%d] = %lld: on CUDA strides must be multiples of the "
                                "element's size, %zu bytes",
                                name, k, (long long)strides[k], side->size);
    return PARSCAN_OK;
}

static parscan_status check_rows(const void *given, const parscan_cuda_array *arrays)
{
    const axis_rows *const rows = ((const rows_run *)given)->rows;
    (void)arrays;
    const parscan_status status = check_strides(rows->context, &rows->in, "in", rows->axis->in);
    return status == PARSCAN_OK ? check_strides(rows->context, &rows->out, "out", rows->axis->out)
                                : status;
}

/* Where an array of the caller's is in device memory. */
static const void *placed(const parscan_cuda_array *array, const void *given)
{
    return array->bytes > 0
               ? (const char *)array->device + ((const char *)given - (const char *)array->given)
               : NULL;
}

static parscan_status launch_rows(void *given, parscan_cuda_array *arrays)
{
    const rows_run *const run = given;
    axis_rows rows = *run->rows;
    parscan_context *const context = rows.context;
    void *scratch = NULL;
    rows.in.length = run->n;
    if (rows.out.length > 0)
        rows.out.length = run->n;
    rows.in.data = placed(&arrays[IN], rows.in.data);
    rows.in2 = rows.in2 != NULL ? placed(&arrays[IN2], rows.in2) : NULL;
    rows.out.data = placed(&arrays[OUT], rows.out.data);
    for (unsigned k = 0; k < AXIS_RESULTS; k++)
        rows.results[k].data = arrays[RESULTS + k].device;
    if (run->n == 0)
        return PARSCAN_OK;
    const rows_plan plan = parscan_plan_rows(&rows);
    const size_t room = parscan_rows_room(&plan, plan.all);
    parscan_status status = room > 0 ? parscan_cuda_hold(context, room, &scratch) : PARSCAN_OK;
    if (status == PARSCAN_OK)
        status = parscan_run_batches(&plan, plan.all, scratch);
    parscan_cuda_let(context);
    return status;
}

parscan_status parscan_run_rows_cuda(const axis_rows *rows)
{
    static const parscan_cuda_operation operation = {.describe = describe_rows,
                                                     .lengths = lengths_of_rows,
                                                     .reads_lengths = reads_length,
                                                     .check = check_rows,
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
