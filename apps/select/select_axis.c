#include "apps/select/select_axis.h"

#include "scan/context/check.h"
#include "scan/context/size_math.h"

static size_t size_of_index(const select_call *call)
{
    return call->indices == NULL ? 0 : parscan_type_size(call->index_type);
}

/* The results of a batch go where they belong, or lie in scratch as rows and are copied from there. */
static bool are_in_order(const axis_rows *rows, const select_call *call)
{
    return rows->axis->inner == 1 || call->k == 1;
}

static void *after(void *array, size_t bytes)
{
    return array == NULL ? NULL : (char *)array + bytes;
}

static parscan_status spread(const axis_rows *rows, const axis_batch *batch, void *array,
                             void *packed, size_t size)
{
    const select_call *const call = ((const axis_selection *)rows->work)->call;
    const int64_t element = (int64_t)size, row = (int64_t)rows->axis->inner * element;
    const int64_t strides[AXES] = {
        [AXIS_OUTER] = (int64_t)call->k * row, [AXIS_N] = row, [AXIS_INNER] = element};
    const lines_copy lines = {.rows = rows,
                              .array = array,
                              .packed = packed,
                              .strides = strides,
                              .size = size,
                              .length = call->k,
                              .first = batch->first,
                              .lines = batch->lines};
    return array != NULL ? parscan_copy_lines(&lines) : PARSCAN_OK;
}

static parscan_status run_batch(const axis_rows *rows, const axis_batch *batch)
{
    const axis_selection *const selection = rows->work;
    const select_call *const call = selection->call;
    const size_t n = rows->in.length, size = rows->in.size, index_size = size_of_index(call);
    const bool in_order = are_in_order(rows, call);
    char *const own = batch->own;
    void *const values = call->values == NULL ? NULL
                         : in_order           ? after(call->values, batch->first * call->k * size)
                                              : own;
    void *const indices =
        call->indices == NULL ? NULL
        : in_order            ? after(call->indices, batch->first * call->k * index_size)
                   : own + (call->values == NULL ? 0 : batch->lines * call->k * size + 7) / 8 * 8;
    /* All elements of a call must have an index. */
    const size_t most = call->indices == NULL
                            ? batch->lines
                            : size_max((size_t)parscan_most_index(call->index_type) / n, 1);
    parscan_status status = PARSCAN_OK;
    for (size_t k = 0; k < batch->lines && status == PARSCAN_OK; k += most)
        status = selection->run(
            call, (const char *)batch->in + k * n * size, size_min(most, batch->lines - k), n,
            after(values, k * call->k * size), after(indices, k * call->k * index_size));
    if (status != PARSCAN_OK || in_order)
        return status;
    status = spread(rows, batch, call->values, values, size);
    return status == PARSCAN_OK ? spread(rows, batch, call->indices, indices, index_size) : status;
}

/* Of lines without elements. */
static parscan_status run_empty(const axis_selection *selection, const parscan_axis *axis)
{
    const select_call *const call = selection->call;
    const size_t size = parscan_type_size(call->type), index_size = size_of_index(call);
    parscan_status status = PARSCAN_OK;
    for (size_t q = 0; q < axis->outer * axis->inner && status == PARSCAN_OK; q++)
        status = selection->run(call, call->in, 1, 0, after(call->values, q * size),
                                after(call->indices, q * index_size));
    return status;
}

/* The outputs have no gaps, and overlap nothing. */
static parscan_status check_outputs(const select_call *call, const parscan_shape *shape,
                                    const axis_side *in, parscan_axis *axis)
{
    parscan_context *const context = call->context;
    const axis_side outputs[] = {
        {"values_out", call->values, parscan_type_size(call->type), call->k, true},
        {"indices_out", call->indices, size_of_index(call), call->k, true}};
    parscan_extent extents[2] = {{"values_out", NULL, 0}, {"indices_out", NULL, 0}};
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < 2 && status == PARSCAN_OK; k++) {
        if (outputs[k].data == NULL)
            continue;
        status = parscan_check_lines(context, shape, in, &outputs[k], axis);
        extents[k].data = axis->out_low;
        extents[k].bytes = axis->out_bytes;
    }
    return status == PARSCAN_OK ? parscan_check_apart(context, extents[0], extents[1]) : status;
}

static parscan_status check(const axis_selection *selection, const parscan_shape *given,
                            bool options_fit, parscan_axis *axis)
{
    const select_call *const call = selection->call;
    parscan_context *const context = call->context;
    const axis_side in = {"in", call->in, parscan_type_size(call->type), call->n, false};
    parscan_shape shape;
    parscan_status status = parscan_read_shape(context, given, &shape, axis);
    if (status == PARSCAN_OK && !options_fit)
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "shape: there must be no segments, count and counts beside it");
    if (status == PARSCAN_OK && shape.out_strides != NULL)
        status = parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                              "shape->out_strides: results of selections have no gaps");
    if (status == PARSCAN_OK && call->indices != NULL)
        status = parscan_check_index_type(context, "index_type", call->index_type);
    if (status == PARSCAN_OK && call->indices != NULL && call->n > 0 &&
        call->n - 1 > parscan_most_index(call->index_type))
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "n = %zu: the indices do not fit index_type = %s", call->n,
                              parscan_type_name(call->index_type));
    return status == PARSCAN_OK ? check_outputs(call, &shape, &in, axis) : status;
}

parscan_status parscan_select_axis(const axis_selection *selection, const parscan_shape *given,
                                   bool options_fit, call_lengths *lengths)
{
    const select_call *const call = selection->call;
    const size_t size = parscan_type_size(call->type), index_size = size_of_index(call);
    parscan_axis axis;
    parscan_status status = parscan_check_type(call->context, "type", call->type);
    if (status == PARSCAN_OK)
        status = check(selection, given, options_fit, &axis);
    if (status == PARSCAN_OK && parscan_length_at(lengths, LENGTH_N) != NULL)
        status = parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                              "shape: the length of lines must not be in device memory");
    if (status != PARSCAN_OK)
        return status;
    const size_t n = parscan_length(lengths, LENGTH_N, call->n);
    axis_rows rows = {.context = call->context,
                      .axis = &axis,
                      .in = {"in", call->in, size, n, false},
                      .run = run_batch,
                      .work = (void *)selection};
    if (call->op != PARSCAN_MIN && call->op != PARSCAN_MAX && call->k > n)
        return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "k = %zu: it must be at most n = %zu", call->k, n);
    if (!are_in_order(&rows, call))
        rows.own = call->k * ((call->values == NULL ? 0 : size) + index_size) + 8;
    const bool is_wanted = call->values != NULL || call->indices != NULL;
    if (axis.outer > 0 && axis.inner > 0 && call->k > 0 && is_wanted)
        status = n == 0 ? run_empty(selection, &axis) : parscan_run_rows(&rows);
    return parscan_end_lengths(call->context, lengths, status);
}
