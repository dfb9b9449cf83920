#include "apps/select/select_axis.h"

#include "scan/context/check.h"
#include "scan/context/size_math.h"

static void *after(void *array, size_t bytes)
{
    return array == NULL ? NULL : (char *)array + bytes;
}

/* Whether the results of rows, k of each, can be written where they belong. If not, they lie in scratch as rows and are
   copied from there. */
static bool is_in_order(const parscan_axis *axis, const select_output *output, size_t k)
{
    return output->to.data == NULL || parscan_are_rows(axis, output->strides, k, output->to.size);
}

/* The bytes of scratch that the results of a line take, at most; whole_words() of all are taken. With fewer elements,
   as the device may find, results are not in order. */
static size_t own_bytes(const select_lines *lines)
{
    const select_call *const call = &lines->call;
    const size_t k = size_min(call->k, call->n);
    size_t bytes = 0;
    for (unsigned o = 0; o < AXIS_OUTPUTS; o++)
        if (!is_in_order(lines->axis, &lines->outputs[o], k) || (call->n_at != NULL && k > 1))
            bytes += k * lines->outputs[o].to.size;
    return bytes == 0 ? 0 : bytes + 8;
}

static size_t whole_words(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* Where run() puts the results of a batch. */
static void place_results(const axis_rows *rows, const axis_batch *batch, size_t k,
                          void *results[AXIS_OUTPUTS])
{
    const select_lines *const lines = rows->work;
    char *own = batch->own;
    for (unsigned o = 0; o < AXIS_OUTPUTS; o++) {
        const select_output *const output = &lines->outputs[o];
        results[o] = after(batch->results[o], batch->first * k * output->to.size);
        if (is_in_order(rows->axis, output, k))
            continue;
        results[o] = own;
        own += whole_words(batch->lines * k * output->to.size);
    }
}

static parscan_status spread(const axis_rows *rows, const axis_batch *batch, size_t k,
                             void *const results[AXIS_OUTPUTS])
{
    const select_lines *const lines = rows->work;
    parscan_status status = PARSCAN_OK;
    for (unsigned o = 0; o < AXIS_OUTPUTS && status == PARSCAN_OK; o++) {
        const select_output *const output = &lines->outputs[o];
        const lines_copy copy = {.rows = rows,
                                 .array = batch->results[o],
                                 .packed = results[o],
                                 .strides = output->strides,
                                 .size = output->to.size,
                                 .length = k,
                                 .first = batch->first,
                                 .lines = batch->lines};
        if (!is_in_order(rows->axis, output, k))
            status = parscan_copy_lines(&copy);
    }
    return status;
}

/* So many lines a call: their elements have an index, and CUDA numbers segments in 32 bits. */
static size_t most_lines(const select_call *call, size_t n)
{
    const size_t most =
        call->indices == NULL ? SIZE_MAX : (size_t)parscan_most_index(call->index_type);
    return size_min(size_max(most / n, 1), UINT32_MAX);
}

static parscan_status run_batch(const axis_rows *rows, const axis_batch *batch)
{
    const select_lines *const lines = rows->work;
    const select_call *const call = &lines->call;
    const select_output *const outputs = lines->outputs;
    const size_t n = rows->in.length, most = most_lines(call, n), k = size_min(call->k, n);
    void *results[AXIS_OUTPUTS];
    parscan_status status = PARSCAN_OK;
    place_results(rows, batch, k, results);
    for (size_t q = 0; q < batch->lines && status == PARSCAN_OK; q += most)
        status = lines->selection->run(
            call, (const char *)batch->in + q * n * rows->in.size, size_min(most, batch->lines - q),
            n, k, after(results[AXIS_VALUES], q * k * outputs[AXIS_VALUES].to.size),
            after(results[AXIS_INDICES], q * k * outputs[AXIS_INDICES].to.size));
    return status == PARSCAN_OK ? spread(rows, batch, k, results) : status;
}

/* Of lines without elements: extremes. */
static parscan_status run_empty(const select_lines *lines)
{
    const parscan_axis *const axis = lines->axis;
    parscan_status status = PARSCAN_OK;
    for (size_t q = 0; q < axis->outer * axis->inner && status == PARSCAN_OK; q++) {
        void *results[AXIS_OUTPUTS];
        for (unsigned o = 0; o < AXIS_OUTPUTS; o++) {
            const select_output *const output = &lines->outputs[o];
            results[o] = output->to.data;
            if (output->to.data != NULL)
                results[o] = (char *)output->to.data +
                             (int64_t)(q / axis->inner) * output->strides[AXIS_OUTER] +
                             (int64_t)(q % axis->inner) * output->strides[AXIS_INNER];
        }
        status = lines->selection->run(&lines->call, lines->call.in, 1, 0, 1, results[AXIS_VALUES],
                                       results[AXIS_INDICES]);
    }
    return status;
}

parscan_status parscan_select_rows(const select_lines *lines)
{
    const select_call *const call = &lines->call;
    axis_rows rows = {.context = call->context,
                      .name = lines->selection->name,
                      .axis = lines->axis,
                      .in = {"in", call->in, parscan_type_size(call->type), call->n, false},
                      .n_at = call->n_at,
                      .own = own_bytes(lines),
                      .run = run_batch,
                      .work = (void *)lines};
    for (unsigned o = 0; o < AXIS_OUTPUTS; o++)
        rows.results[o] = lines->outputs[o].to;
    if (call->n == 0)
        return call->is_top ? PARSCAN_OK : run_empty(lines);
    return parscan_run_rows(&rows);
}

/* Sets an output, and checks that it does not overlap the input. */
static parscan_status check_output(const select_lines *lines, const axis_strides *strides,
                                   const axis_side *in, axis_result result, parscan_axis *axis,
                                   select_output *output)
{
    const size_t k = lines->call.k;
    const axis_side side = {result.name, result.data, result.size, k, true};
    *output = (select_output){.to = result};
    if (result.data == NULL)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_check_lines(lines->call.context, strides, in, &side, axis);
    memcpy(output->strides, axis->out, sizeof axis->out);
    output->to.low = axis->out_low;
    output->to.bytes = axis->out_bytes;
    output->to.keeps = axis->out_bytes != axis->outer * k * axis->inner * result.size;
    return status;
}

static parscan_extent extent_of(const axis_result *result)
{
    return (parscan_extent){result->name, result->low, result->bytes};
}

/* The outputs overlap nothing. */
static parscan_status check_outputs(select_lines *lines, const parscan_shape *shape,
                                    const axis_side *in, parscan_axis *axis)
{
    const select_call *const call = &lines->call;
    select_output *const outputs = lines->outputs;
    const axis_result values = {
        .name = "values_out", .data = call->values, .size = parscan_type_size(call->type)};
    const axis_result indices = {
        .name = "indices_out",
        .data = call->indices,
        .size = call->indices == NULL ? 0 : parscan_type_size(call->index_type)};
    const axis_strides of_values = parscan_strides_of(shape);
    const axis_strides of_indices = {of_values.in, lines->selection->indices_strides,
                                     of_values.in_name, "indices_out_strides"};
    parscan_status status =
        check_output(lines, &of_indices, in, indices, axis, &outputs[AXIS_INDICES]);
    if (status == PARSCAN_OK)
        status = check_output(lines, &of_values, in, values, axis, &outputs[AXIS_VALUES]);
    return status == PARSCAN_OK
               ? parscan_check_apart(call->context, extent_of(&outputs[AXIS_VALUES].to),
                                     extent_of(&outputs[AXIS_INDICES].to))
               : status;
}

static parscan_status check(select_lines *lines, const parscan_shape *given, parscan_axis *axis)
{
    const select_call *const call = &lines->call;
    parscan_context *const context = call->context;
    const axis_side in = {"in", call->in, parscan_type_size(call->type), call->n, false};
    parscan_shape shape;
    parscan_status status = parscan_read_shape(context, given, &shape, axis);
    if (status == PARSCAN_OK && !lines->selection->options_fit)
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "shape: there must be no segments, count and counts beside it");
    if (status == PARSCAN_OK && call->indices != NULL)
        status = parscan_check_index_type(context, "index_type", call->index_type);
    if (status == PARSCAN_OK && call->indices != NULL && call->n > 0 &&
        call->n - 1 > parscan_most_index(call->index_type))
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "n = %zu: the indices do not fit index_type = %s", call->n,
                              parscan_type_name(call->index_type));
    return status == PARSCAN_OK ? check_outputs(lines, &shape, &in, axis) : status;
}

parscan_status parscan_select_axis(const axis_selection *selection, const parscan_shape *given,
                                   call_lengths *lengths)
{
    parscan_axis axis;
    select_lines lines = {.selection = selection, .call = *selection->call, .axis = &axis};
    select_call *const call = &lines.call;
    parscan_context *const context = call->context;
    parscan_status status = parscan_check_type(context, "type", call->type);
    if (status == PARSCAN_OK)
        status = check(&lines, given, &axis);
    if (status != PARSCAN_OK)
        return status;
    call->n_at = parscan_length_at(lengths, LENGTH_N);
    call->n = parscan_length(lengths, LENGTH_N, call->n);
    for (unsigned o = 0; o < AXIS_OUTPUTS; o++) /* a line may have fewer results */
        lines.outputs[o].to.keeps |= call->k > 1 && (call->n_at != NULL || call->n < call->k);
    if (axis.outer > 0 && axis.inner > 0 && call->k > 0 &&
        (call->values != NULL || call->indices != NULL))
        status = selection->engines[context->backend](&lines);
    return parscan_end_lengths(context, lengths, status);
}
