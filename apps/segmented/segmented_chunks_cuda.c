/* Segmented scans on CUDA whose host arrays go through the device in chunks. */
#include <string.h>

#include "apps/segmented/segmented_chunks_cuda.h"
#include "apps/segments/segment_heads.h"

enum { IN = SEGMENTED_IN, MARKS = SEGMENTED_MARKS, OUT = SEGMENTED_OUT };

static bool by_offsets(const segmented_call *call)
{
    return parscan_by_offsets(call->segments);
}

static bool by_rows(const segmented_call *call)
{
    return call->segments->kind == PARSCAN_SEGMENTS_ROWS;
}

bool parscan_segmented_can_pass(const void *given, const parscan_cuda_passage *passage)
{
    const segmented_call *const call = given;
    return call->scan.kind != PARSCAN_KIND_REDUCE && call->scan.n > 0 &&
           call->scan.custom == NULL &&
           (!by_offsets(call) || by_rows(call) || passage->arrays[MARKS].staged);
}

/* The first offset that is at least `element`, as an index. The offsets are checked. */
static size_t offset_from(const parscan_segments *segments, size_t element)
{
    size_t low = 0, high = segments->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (parscan_segment_offset(segments, middle) < element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Flags of the elements at to at + n - 1, made of offsets, which may have changed since they were checked. */
static void flags_of_offsets(const void *from, size_t at, size_t n, void *to)
{
    const parscan_segments *const segments = from;
    unsigned char *const flags = to;
    memset(flags, 0, n);
    for (size_t k = offset_from(segments, at); k < segments->count; k++) {
        const uint64_t offset = parscan_segment_offset(segments, k);
        if (offset >= at + n)
            break;
        if (offset >= at)
            flags[offset - at] = 1;
    }
}

/* The same of rows. */
static void flags_of_rows(const void *from, size_t at, size_t n, void *to)
{
    const parscan_segments *const segments = from;
    const size_t row = segments->count, beyond = at % row;
    unsigned char *const flags = to;
    memset(flags, 0, n);
    for (size_t i = beyond == 0 ? 0 : row - beyond; i < n; i += row)
        flags[i] = 1;
}

/* Sets *begins: whether a segment starts with an element that is not the first one. */
static parscan_status look_at_mark(const segmented_call *call, size_t element, bool *begins)
{
    const parscan_segments *const segments = call->segments;
    unsigned char both[2 * sizeof(double)];
    if (by_rows(call)) {
        *begins = element % segments->count == 0;
        return PARSCAN_OK;
    }
    if (by_offsets(call)) {
        const size_t k = offset_from(segments, element);
        *begins = k < segments->count && parscan_segment_offset(segments, k) == element;
        return PARSCAN_OK;
    }
    const size_t size =
        segments->kind == PARSCAN_SEGMENTS_FLAGS ? 1 : parscan_type_size(segments->type);
    const parscan_segments pair = {.kind = segments->kind, .type = segments->type, .data = both};
    const parscan_status status = parscan_cuda_copy(
        call->scan.context, both, (const char *)segments->data + (element - 1) * size, 2 * size);
    if (status == PARSCAN_OK)
        *begins = segment_head(&pair, 1, 2, NULL) == 1;
    return status;
}

parscan_status parscan_segmented_begin_carry(const segmented_call *call, const void *in,
                                             parscan_cuda_carry *carry)
{
    const parscan_scan_call *const scan = &call->scan;
    const parscan_status status = parscan_cuda_begin_carry(scan, in, carry);
    if (status != PARSCAN_OK)
        return status;
    carry->alone = carry->alone && call->open == NULL;
    if (!carry->minus_zero || scan->n == 1 || scan->init != NULL || scan->init_at != NULL)
        return PARSCAN_OK;
    return look_at_mark(call, scan->reverse ? 1 : scan->n - 1, &carry->alone);
}

typedef struct segmented_chunks {
    const parscan_cuda_operation *operation;
    segmented_call next; /* the call of the next chunk, but for its arrays */
    const segmented_call *all;
    unsigned char carry[sizeof(double)];
} segmented_chunks;

static parscan_status scan_segmented_chunk(void *work, parscan_cuda_chunk *chunk)
{
    segmented_chunks *const chunks = work;
    segmented_call call = chunks->next;
    bool begins = false;
    parscan_status status = PARSCAN_OK;
    if (chunk->number > 0)
        status =
            look_at_mark(chunks->all, chunk->begin + (call.scan.reverse ? chunk->n : 0), &begins);
    if (status != PARSCAN_OK)
        return status;
    const parscan_segments segments = {
        .struct_size = sizeof segments,
        .kind = by_offsets(&call) ? PARSCAN_SEGMENTS_FLAGS : call.segments->kind,
        .type = by_offsets(&call) ? PARSCAN_U8 : call.segments->type,
        .data = chunk->device[MARKS],
    };
    call.segments = &segments;
    if (chunk->number > 0)
        call.open = begins ? NULL : chunks->carry;
    call.scan.in = chunk->device[IN];
    call.scan.out = chunk->device[OUT];
    call.scan.n = chunk->n;
    call.scan.carry = chunks->carry;
    return parscan_cuda_run(call.scan.context, "a chunk", chunks->operation, &call);
}

parscan_status parscan_segmented_in_chunks(const void *given, const parscan_cuda_passage *passage)
{
    const segmented_call *const call = given;
    const parscan_scan_call *const scan = &call->scan;
    segmented_chunks work = {.operation = passage->operation, .next = *call, .all = call};
    const parscan_cuda_chunks how = {
        .n = scan->n, .reverse = scan->reverse, .run = scan_segmented_chunk, .work = &work};
    if (by_offsets(call)) {
        passage->arrays[MARKS].given = call->segments;
        passage->arrays[MARKS].element = 1;
        passage->arrays[MARKS].fill = by_rows(call) ? flags_of_rows : flags_of_offsets;
    }
    parscan_status status = parscan_fetch_init(&work.next.scan);
    if (status == PARSCAN_OK)
        status = parscan_cuda_pass_in_chunks(passage, how);
    if (status == PARSCAN_OK && scan->carry != NULL)
        memcpy(scan->carry, work.carry, parscan_type_size(parscan_sum_type(scan)));
    return status;
}
