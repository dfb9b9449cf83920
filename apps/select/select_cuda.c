#include "apps/select/select_cuda.h"

#include "apps/segments/found_offsets_cuda.h"
#include "apps/segments/row_offsets_cuda.h"

static bool by_rows(const select_call *call)
{
    return call->segments != NULL && call->segments->kind == PARSCAN_SEGMENTS_ROWS;
}

/* By flags or keys. */
static bool by_heads(const select_call *call)
{
    return call->segments != NULL && !parscan_by_offsets(call->segments);
}

/* The most segments that there can be. */
static size_t most_segments(const select_call *call)
{
    if (call->segments == NULL)
        return 1;
    if (!by_heads(call))
        return parscan_segment_count(call->segments, call->n);
    return call->has_found ? call->found_segments : call->n;
}

static parscan_cuda_array marks_of(const select_call *call)
{
    const char *const name = "segments->data";
    const parscan_segments *const segments = call->segments;
    if (segments == NULL || by_rows(call))
        return parscan_cuda_input(name, NULL, 0, 1);
    const size_t size =
        segments->kind == PARSCAN_SEGMENTS_FLAGS ? 1 : parscan_type_size(segments->type);
    return parscan_cuda_input(name, segments->data, by_heads(call) ? call->n : segments->count + 1,
                              size);
}

/* Some slots may keep what they have: a segment may have fewer elements. */
static bool leaves_slots(const select_call *call)
{
    return call->is_top && (call->segments != NULL || call->k > call->n);
}

unsigned parscan_describe_selection(const void *given, parscan_cuda_array *arrays)
{
    const select_call *const call = given;
    const size_t segments = most_segments(call), size = parscan_type_size(call->type);
    const size_t index_size = call->indices == NULL ? 1 : parscan_type_size(call->index_type);
    const size_t slots =
        call->k > SIZE_MAX / 16 / (segments + 1) ? SIZE_MAX / 16 : segments * call->k;
    arrays[SELECT_IN] = parscan_cuda_input("in", call->in, call->n, size);
    arrays[SELECT_MARKS] = marks_of(call);
    arrays[SELECT_VALUES] = parscan_cuda_output("values_out", call->values, slots, size);
    arrays[SELECT_INDICES] = parscan_cuda_output("indices_out", call->indices, slots, index_size);
    arrays[SELECT_COUNTS] =
        parscan_cuda_output("counts", call->counts, segments, sizeof *call->counts);
    arrays[SELECT_COUNT] = parscan_cuda_count("count", call->count, segments);
    if (leaves_slots(call))
        arrays[SELECT_VALUES].access = arrays[SELECT_INDICES].access = PARSCAN_READ_WRITE;
    return SELECT_ARRAYS;
}

unsigned parscan_lengths_of_selection(void *given, parscan_cuda_length *lengths)
{
    select_call *const call = given;
    parscan_segments *const segments = (parscan_segments *)call->segments;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    if (segments == NULL || segments->kind != PARSCAN_SEGMENTS_OFFSETS)
        return 1;
    lengths[1] =
        (parscan_cuda_length){LENGTH_SEGMENT_COUNT, &segments->count, &call->segment_count_at};
    return 2;
}

/* Offsets in host memory, and rows, are checked before anything is written. The device checks offsets in
   device memory, and rows of a length that it reads. */
parscan_status parscan_check_selection_cuda(const void *given, const parscan_cuda_array *arrays)
{
    const select_call *const call = given;
    if (by_rows(call))
        return parscan_check_rows(call->context, call->segments, call->n);
    if (call->segments == NULL || by_heads(call) || !arrays[SELECT_MARKS].staged)
        return PARSCAN_OK;
    return parscan_check_all_offsets(call->context, call->segments, call->n);
}

parscan_status parscan_learn_selection(void *given, parscan_cuda_array *arrays)
{
    const select_call *const call = given;
    parscan_cuda_array *const outputs = &arrays[SELECT_VALUES];
    const bool staged = outputs[0].staged || outputs[1].staged || outputs[2].staged;
    uint64_t count;
    if (!by_heads(call) || !staged)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_cuda_unstage(call->context, &count, arrays[SELECT_COUNT].device, sizeof count);
    if (status != PARSCAN_OK)
        return status;
    for (unsigned k = SELECT_VALUES; k <= SELECT_COUNTS; k++) {
        const size_t bytes = (size_t)count * arrays[k].element * (k == SELECT_COUNTS ? 1 : call->k);
        arrays[k].bytes = bytes < arrays[k].bytes ? bytes : arrays[k].bytes;
    }
    return PARSCAN_OK;
}

/* ---- offsets ---- */

static size_t whole_pieces(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

static size_t bytes_of_heads(const select_call *call)
{
    return whole_pieces(call->n);
}

size_t parscan_select_offsets_bytes(const select_call *call)
{
    if (by_heads(call))
        return bytes_of_heads(call) +
               whole_pieces((call->n + 1) * (call->n <= UINT32_MAX ? 4 : sizeof(uint64_t)));
    if (!by_rows(call))
        return 0;
    const parscan_segments offsets = parscan_offsets_of_rows(call->segments, call->n);
    return whole_pieces(parscan_row_offsets_bytes(&offsets)) + 256;
}

static parscan_status offsets_of_heads(const select_call *call, const parscan_cuda_array *arrays,
                                       void *scratch, segment_offsets *offsets)
{
    uint8_t *const heads = scratch;
    uint64_t *const count = arrays[SELECT_COUNT].device;
    void *const made = (char *)scratch + bytes_of_heads(call);
    const bool wide = call->n > UINT32_MAX;
    parscan_segments placed = *call->segments;
    placed.data = arrays[SELECT_MARKS].device;
    *offsets = (segment_offsets){
        .data = made, .wide = wide, .count = call->n, .n = call->n, .n_at = call->n_at};
    offsets->count_at = count;
    const parscan_status status = parscan_find_offsets_cuda(call->context, &placed, call->n,
                                                            call->n_at, heads, made, wide, count);
    return status == PARSCAN_OK
               ? parscan_close_offsets_cuda(call->context, made, wide, call->n, call->n_at, count)
               : status;
}

/* The number of rows, if the device reads it, is behind the offsets. */
static parscan_status offsets_of_rows(const select_call *call, void *scratch,
                                      segment_offsets *offsets)
{
    const parscan_segments rows = parscan_offsets_of_rows(call->segments, call->n);
    uint64_t *const count =
        call->n_at == NULL ? NULL
                           : (uint64_t *)(void *)((char *)scratch +
                                                  whole_pieces(parscan_row_offsets_bytes(&rows)));
    *offsets = (segment_offsets){.data = scratch,
                                 .wide = parscan_wide_offsets(&rows),
                                 .count = rows.count,
                                 .n = call->n,
                                 .n_at = call->n_at,
                                 .count_at = count};
    return PARSCAN_CUDA_QUEUE(call->context,
                              parscan_row_offsets_cuda(call->context, &rows, call->segments->count,
                                                       scratch, call->n_at, count));
}

parscan_status parscan_select_offsets(const select_call *call, const parscan_cuda_array *arrays,
                                      void *scratch, segment_offsets *offsets)
{
    parscan_status status = PARSCAN_OK;
    if (by_heads(call)) {
        status = offsets_of_heads(call, arrays, scratch, offsets);
    } else if (by_rows(call)) {
        status = offsets_of_rows(call, scratch, offsets);
        offsets->number = arrays[SELECT_COUNT].device;
    } else {
        *offsets = (segment_offsets){.data = arrays[SELECT_MARKS].device,
                                     .wide = parscan_wide_offsets(call->segments),
                                     .count = call->segments->count,
                                     .n = call->n,
                                     .number = arrays[SELECT_COUNT].device,
                                     .n_at = call->n_at,
                                     .count_at = call->segment_count_at};
    }
    if (call->count == NULL)
        offsets->number = NULL;
    offsets->deferred = parscan_cuda_deferred(call->context);
    return status;
}

void parscan_copy_selection(const select_call *call, select_copy *copy)
{
    copy->call = *call;
    if (call->segments == NULL)
        return;
    copy->segments = *call->segments;
    copy->call.segments = &copy->segments;
}

bool parscan_selects_nothing(const select_call *call)
{
    return call->segments != NULL && call->n == 0 &&
           (call->segments->kind != PARSCAN_SEGMENTS_OFFSETS || call->segments->data == NULL);
}

parscan_status parscan_select_nothing(const select_call *call, const parscan_cuda_array *arrays)
{
    if (call->count == NULL)
        return PARSCAN_OK;
    return PARSCAN_CUDA_QUEUE(call->context,
                              cudaMemsetAsync(arrays[SELECT_COUNT].device, 0, sizeof(uint64_t),
                                              call->context->cuda->stream));
}
