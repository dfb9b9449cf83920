#include "apps/segments/check_segments.h"

#include "scan/context/context_state.h"

/* An offset as the caller's type has it: a sign and a number. */
typedef struct shown_offset {
    const char *sign;
    unsigned long long number;
} shown_offset;

static shown_offset show(const parscan_segments *segments, uint64_t offset)
{
    const uint64_t most = parscan_most_index(segments->type);
    if (offset <= most)
        return (shown_offset){"", offset};
    return (shown_offset){"-", 2 * (most + 1) - offset};
}

static parscan_status check_ends(parscan_context *context, const parscan_segments *segments,
                                 size_t n)
{
    const uint64_t first = parscan_segment_offset(segments, 0);
    const uint64_t last = parscan_segment_offset(segments, segments->count);
    if (first != 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "offsets[0] = %s%llu: it must be 0", show(segments, first).sign,
                            show(segments, first).number);
    return last == n ? PARSCAN_OK : parscan_fail_last_offset(context, segments, last, n);
}

parscan_status parscan_fail_last_offset(parscan_context *context, const parscan_segments *segments,
                                        uint64_t last, size_t n)
{
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "offsets[%zu] = %s%llu: the last offset must be n = %zu", segments->count,
                        show(segments, last).sign, show(segments, last).number, n);
}

parscan_status parscan_check_offset_type(parscan_context *context, const parscan_segments *segments,
                                         size_t n)
{
    const parscan_status status =
        parscan_check_index_type(context, "segments->type", segments->type);
    if (status != PARSCAN_OK || n <= parscan_most_index(segments->type))
        return status;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "n = %zu: the last offset does not fit segments->type = %s", n,
                        parscan_type_name(segments->type));
}

static parscan_status check_offsets(parscan_context *context, const parscan_segments *segments,
                                    size_t n)
{
    const parscan_status status = parscan_check_offset_type(context, segments, n);
    if (status != PARSCAN_OK)
        return status;
    if (segments->count > SIZE_MAX / 2 / sizeof(uint64_t) - 1)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "segments->count = %zu: more offsets than an address space holds",
                            segments->count);
    if (segments->data == NULL && segments->count == 0 && n == 0)
        return PARSCAN_OK;
    if (segments->data == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "segments->data is NULL, segments->count = %zu", segments->count);
    return PARSCAN_OK;
}

/* Returns the index of the first offset that is less than the one before it, or 0. */
static size_t first_decrease(const parscan_segments *segments)
{
    uint64_t before = parscan_segment_offset(segments, 0);
    for (size_t k = 1; k <= segments->count; k++) {
        const uint64_t offset = parscan_segment_offset(segments, k);
        if (offset < before)
            return k;
        before = offset;
    }
    return 0;
}

static parscan_status fail_decrease(parscan_context *context, const parscan_segments *segments,
                                    size_t k)
{
    const shown_offset offset = show(segments, parscan_segment_offset(segments, k));
    const shown_offset before = show(segments, parscan_segment_offset(segments, k - 1));
    if (before.sign[0] != 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "offsets[%zu] = -%llu is negative", k - 1, before.number);
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "offsets[%zu] = %llu is less than offsets[%zu] = %llu", k, offset.number,
                        k - 1, before.number);
}

parscan_status parscan_fail_offsets(parscan_context *context, const parscan_segments *segments)
{
    const size_t k = first_decrease(segments);
    if (k == 0)
        return parscan_fail(context, PARSCAN_ERROR_INTERNAL,
                            "segments->data: offsets changed during the call");
    return fail_decrease(context, segments, k);
}

parscan_status parscan_check_all_offsets(parscan_context *context, const parscan_segments *segments,
                                         size_t n)
{
    if (context->measures)
        return PARSCAN_OK;
    const parscan_status status = check_ends(context, segments, n);
    if (status != PARSCAN_OK)
        return status;
    const size_t k = first_decrease(segments);
    return k == 0 ? PARSCAN_OK : fail_decrease(context, segments, k);
}

parscan_status parscan_check_rows(parscan_context *context, const parscan_segments *segments,
                                  size_t n)
{
    if (segments->count == 0 ? n == 0 : n % segments->count == 0)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "segments->count = %zu, the length of a row: n = %zu is no multiple of it",
                        segments->count, n);
}

static parscan_status check_rows(parscan_context *context, parscan_segments *segments, size_t n)
{
    segments->type = (parscan_type)0;
    segments->data = NULL;
    return parscan_check_rows(context, segments, n);
}

static parscan_status fail_flag_type(parscan_context *context, const parscan_segments *segments)
{
    const parscan_status status = parscan_check_type(context, "segments->type", segments->type);
    if (status != PARSCAN_OK)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "segments->type = %s: it must be u8 for flags",
                        parscan_type_name(segments->type));
}

PARSCAN_STRUCT_CAN_GROW(parscan_segments, count, PARSCAN_OLDEST_SEGMENTS);

parscan_status parscan_check_most_segments(parscan_context *context, const parscan_segments *given,
                                           size_t n, parscan_segments *segments)
{
    if (given == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "segments is NULL");
    parscan_status status = parscan_read_struct(context, "segments", given, PARSCAN_OLDEST_SEGMENTS,
                                                segments, sizeof *segments);
    if (status != PARSCAN_OK)
        return status;
    switch ((int)segments->kind) {
    case PARSCAN_SEGMENTS_OFFSETS:
        return check_offsets(context, segments, n);
    case PARSCAN_SEGMENTS_ROWS:
        return check_rows(context, segments, n);
    case PARSCAN_SEGMENTS_FLAGS:
        if ((int)segments->type != 0 && segments->type != PARSCAN_U8)
            return fail_flag_type(context, segments);
        return parscan_check_array(context, "segments->data", segments->data, n, sizeof(uint8_t));
    case PARSCAN_SEGMENTS_KEYS:
        status = parscan_check_type(context, "segments->type", segments->type);
        if (status != PARSCAN_OK)
            return status;
        return parscan_check_array(context, "segments->data", segments->data, n,
                                   parscan_type_size(segments->type));
    default:
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "segments->kind = %d is not a parscan_segment_kind",
                            (int)segments->kind);
    }
}

parscan_status parscan_segment_lengths(parscan_context *context, call_lengths *lengths, size_t *n,
                                       parscan_segments *segments)
{
    *n = parscan_length(lengths, LENGTH_N, *n);
    if (segments->kind == PARSCAN_SEGMENTS_OFFSETS)
        segments->count = parscan_length(lengths, LENGTH_SEGMENT_COUNT, segments->count);
    else if (lengths->given.segment_count != NULL ||
             parscan_length_at(lengths, LENGTH_SEGMENT_COUNT) != NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "lengths->segment_count: the segments are not given by offsets");
    if (segments->kind == PARSCAN_SEGMENTS_ROWS)
        return check_rows(context, segments, *n);
    const bool has_ends = segments->kind == PARSCAN_SEGMENTS_OFFSETS && segments->data != NULL &&
                          context->backend == PARSCAN_BACKEND_CPU && !context->measures;
    return has_ends ? check_ends(context, segments, *n) : PARSCAN_OK;
}

parscan_status parscan_check_segments(parscan_context *context, const parscan_segments *given,
                                      size_t n, parscan_segments *segments)
{
    call_lengths none = {.capacity = SIZE_MAX};
    const parscan_status status = parscan_check_most_segments(context, given, n, segments);
    return status == PARSCAN_OK ? parscan_segment_lengths(context, &none, &n, segments) : status;
}

parscan_extent parscan_segments_extent(const parscan_segments *segments, size_t n)
{
    if (segments->kind == PARSCAN_SEGMENTS_ROWS)
        return (parscan_extent){"segments->data", NULL, 0};
    const size_t size = segments->kind == PARSCAN_SEGMENTS_FLAGS
                            ? sizeof(uint8_t)
                            : parscan_type_size(segments->type);
    const size_t count = segments->kind == PARSCAN_SEGMENTS_OFFSETS ? segments->count + 1 : n;
    return (parscan_extent){"segments->data", segments->data, count * size};
}
