#include "apps/select/select_check.h"

#include "apps/segments/check_segments.h"
#include "scan/context/check.h"
#include "scan/context/context_state.h"
#include "scan/type_traits.h"

static parscan_status check_index_type(const select_call *o)
{
    parscan_context *const context = o->context;
    if (o->indices == NULL)
        return PARSCAN_OK;
    const parscan_status status = parscan_check_index_type(context, "index_type", o->index_type);
    if (status == PARSCAN_OK && o->n > 0 && o->n - 1 > parscan_most_index(o->index_type))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "n = %zu: the indices do not fit index_type = %s", o->n,
                            parscan_type_name(o->index_type));
    return status;
}

/* How many segments there are for certain: of flags and keys only the call finds out more. */
static size_t least_segments(const select_call *o)
{
    if (o->segments == NULL)
        return 1;
    return parscan_by_offsets(o->segments) ? parscan_segment_count(o->segments, o->n) : o->n > 0;
}

/* An output array, which may be left out. */
static parscan_status check_output(parscan_context *context, const char *name, const void *out,
                                   size_t segments, size_t slots, size_t size)
{
    if (out == NULL)
        return PARSCAN_OK;
    if (slots > SIZE_MAX / 2 / size)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s: k = %zu elements of %zu bytes exceed the address space", name,
                            slots, size);
    if (slots > 0 && segments > SIZE_MAX / 2 / size / slots)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s: %zu segments of k = %zu elements exceed the address space", name,
                            segments, slots);
    return parscan_check_array(context, name, out, segments * slots, size);
}

static parscan_status check_places(const select_call *o)
{
    const size_t segments = least_segments(o), slots = segments * o->k;
    const size_t index_size = o->indices == NULL ? 0 : parscan_type_size(o->index_type);
    const size_t size = parscan_type_size(o->type);
    const parscan_extent arrays[] = {{"values_out", o->values, slots * size},
                                     {"indices_out", o->indices, slots * index_size},
                                     {"counts", o->counts, segments * sizeof(uint64_t)},
                                     {"in", o->in, o->n * size},
                                     o->segments == NULL
                                         ? (parscan_extent){"segments->data", NULL, 0}
                                         : parscan_segments_extent(o->segments, o->n)};
    return parscan_check_all_apart(o->context, arrays, 3, 5);
}

static parscan_status check_selection(const select_call *o)
{
    parscan_context *const context = o->context;
    parscan_status status = check_index_type(o);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "in", o->in, o->n, parscan_type_size(o->type));
    if (status != PARSCAN_OK)
        return status;
    if (o->segments != NULL && !parscan_by_offsets(o->segments) && o->count == NULL)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "options->count is NULL: it may be NULL only without segments by flags or keys");
    const size_t segments = least_segments(o);
    status =
        check_output(context, "values_out", o->values, segments, o->k, parscan_type_size(o->type));
    if (status == PARSCAN_OK && o->indices != NULL)
        status = check_output(context, "indices_out", o->indices, segments, o->k,
                              parscan_type_size(o->index_type));
    if (status == PARSCAN_OK)
        status = check_output(context, "counts", o->counts, segments, 1, sizeof(uint64_t));
    return status == PARSCAN_OK ? check_places(o) : status;
}

/* Sets the lengths of the call and of its segments, which are those of `segments`. */
static parscan_status set_lengths(select_call *call, call_lengths *lengths,
                                  parscan_segments *segments)
{
    call->n_at = parscan_length_at(lengths, LENGTH_N);
    call->segment_count_at = parscan_length_at(lengths, LENGTH_SEGMENT_COUNT);
    if (call->segments != NULL)
        return parscan_segment_lengths(call->context, lengths, &call->n, segments);
    if (lengths->given.segment_count != NULL || call->segment_count_at != NULL)
        return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                            "lengths->segment_count: the call has no segments by offsets");
    call->n = parscan_length(lengths, LENGTH_N, call->n);
    return PARSCAN_OK;
}

parscan_status parscan_begin_selection(parscan_context *context, const void *given, size_t oldest,
                                       void *options, size_t size, call_lengths *lengths)
{
    const parscan_status status =
        parscan_take_lengths(context, LENGTH_N | LENGTH_SEGMENT_COUNT | LENGTH_ON_DEVICE, lengths);
    return status == PARSCAN_OK
               ? parscan_read_struct(context, "options", given, oldest, options, size)
               : status;
}

parscan_status parscan_run_selection(select_call *call, const parscan_segments *given,
                                     parscan_status (*check)(const select_call *call),
                                     parscan_status (*const engines[])(const select_call *call),
                                     call_lengths *lengths)
{
    parscan_context *const context = call->context;
    parscan_segments segments;
    parscan_status status = given == NULL
                                ? PARSCAN_OK
                                : parscan_check_most_segments(context, given, call->n, &segments);
    call->segments = given == NULL ? NULL : &segments;
    if (status == PARSCAN_OK)
        status = parscan_check_type(context, "type", call->type);
    if (status == PARSCAN_OK)
        status = check(call);
    if (status == PARSCAN_OK)
        status = check_selection(call);
    if (status == PARSCAN_OK)
        status = set_lengths(call, lengths, &segments);
    if (status == PARSCAN_OK)
        status = engines[context->backend](call);
    return parscan_end_lengths(context, lengths, status);
}
