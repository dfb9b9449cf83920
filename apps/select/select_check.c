#include "apps/select/select_check.h"

#include "scan/context/check.h"
#include "scan/context/context_state.h"
#include "scan/type_traits.h"

parscan_status parscan_check_selected_segments(parscan_context *context,
                                               const parscan_segments *given, size_t n,
                                               parscan_segments *local,
                                               const parscan_segments **segments)
{
    *segments = given == NULL ? NULL : local;
    return given == NULL ? PARSCAN_OK : parscan_check_most_segments(context, given, n, local);
}

static parscan_status check_index_type(parscan_context *context, const select_outputs *o)
{
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
static size_t least_segments(const select_outputs *o)
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
    if (slots > 0 && segments > SIZE_MAX / 2 / size / slots)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s: %zu segments of k = %zu elements exceed the address space", name,
                            segments, slots);
    return parscan_check_array(context, name, out, segments * slots, size);
}

static parscan_status check_places(parscan_context *context, const select_outputs *o)
{
    const size_t segments = least_segments(o), slots = segments * o->slots;
    const size_t index_size = o->indices == NULL ? 0 : parscan_type_size(o->index_type);
    const size_t size = parscan_type_size(o->type);
    const parscan_extent arrays[] = {{"values_out", o->values, slots * size},
                                     {"indices_out", o->indices, slots * index_size},
                                     {"counts", o->counts, segments * sizeof(uint64_t)},
                                     {"in", o->in, o->n * size},
                                     o->segments == NULL
                                         ? (parscan_extent){"segments->data", NULL, 0}
                                         : parscan_segments_extent(o->segments, o->n)};
    return parscan_check_all_apart(context, arrays, 3, 5);
}

parscan_status parscan_check_selection(parscan_context *context, const select_outputs *o)
{
    parscan_status status = parscan_check_type(context, "type", o->type);
    if (status == PARSCAN_OK)
        status = check_index_type(context, o);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "in", o->in, o->n, parscan_type_size(o->type));
    if (status != PARSCAN_OK)
        return status;
    if (o->segments != NULL && !parscan_by_offsets(o->segments) && o->count == NULL)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "options->count is NULL: it may be NULL only without segments by flags or keys");
    const size_t segments = least_segments(o);
    status = check_output(context, "values_out", o->values, segments, o->slots,
                          parscan_type_size(o->type));
    if (status == PARSCAN_OK && o->indices != NULL)
        status = check_output(context, "indices_out", o->indices, segments, o->slots,
                              parscan_type_size(o->index_type));
    if (status == PARSCAN_OK)
        status = check_output(context, "counts", o->counts, segments, 1, sizeof(uint64_t));
    return status == PARSCAN_OK ? check_places(context, o) : status;
}

parscan_status parscan_selection_lengths(parscan_context *context, call_lengths *lengths, size_t *n,
                                         const parscan_segments *segments, parscan_segments *local)
{
    if (segments != NULL)
        return parscan_segment_lengths(context, lengths, n, local);
    if (lengths->given.segment_count != NULL ||
        parscan_length_at(lengths, LENGTH_SEGMENT_COUNT) != NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "lengths->segment_count: the call has no segments by offsets");
    *n = parscan_length(lengths, LENGTH_N, *n);
    return PARSCAN_OK;
}

parscan_status parscan_need_cpu(parscan_context *context, const char *function)
{
    if (context->backend == PARSCAN_BACKEND_CPU)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                        "backend = cuda: %s() needs a CPU context", function);
}
