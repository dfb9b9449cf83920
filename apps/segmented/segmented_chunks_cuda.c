/* Segmented scans and recurrences on CUDA whose host arrays go through the device in chunks. */
#include <string.h>

#include "apps/segmented/segmented_cuda.h"
#include "apps/segments/segment_heads.h"
#include "scan/cuda/cuda_chunks.h"

enum { IN, MARKS, OUT, FLOWS };

static bool by_offsets(const segmented_call *call)
{
    return call->segments->kind == PARSCAN_SEGMENTS_OFFSETS;
}

bool parscan_segmented_has_chunks(const segmented_call *call, const parscan_cuda_array *marks)
{
    return call->scan.kind != PARSCAN_KIND_REDUCE && call->scan.n > 0 &&
           (!by_offsets(call) || marks->staged);
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

/* Sets *begins: whether a segment begins with an element that is not the first one. */
static parscan_status look_at_mark(const segmented_call *call, size_t element, bool *begins)
{
    const parscan_segments *const segments = call->segments;
    unsigned char both[2 * sizeof(double)];
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

typedef struct segmented_chunks {
    segmented_call next; /* the call of the next chunk, but for its arrays */
    const segmented_call *all;
    unsigned char carry[sizeof(double)];
    unsigned out; /* the flow of the output */
} segmented_chunks;

static parscan_status run_chunk(void *work, parscan_cuda_chunk *chunk)
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
    call.scan.out = chunk->device[chunks->out];
    call.scan.n = chunk->n;
    call.scan.carry = chunks->carry;
    return parscan_segmented_cuda(&call);
}

parscan_status parscan_segmented_in_chunks(const segmented_call *call, size_t room)
{
    const parscan_scan_call *const scan = &call->scan;
    const parscan_segments *const segments = call->segments;
    const size_t in_size = parscan_type_size(scan->in_type);
    const size_t out_size = parscan_type_size(scan->out_type);
    const bool shared = in_size == out_size; /* a chunk is scanned in place */
    const bool offsets = by_offsets(call);
    const bool flags = offsets || segments->kind == PARSCAN_SEGMENTS_FLAGS;
    const parscan_cuda_flow flows[FLOWS] = {
        [IN] = {"in", scan->in, shared ? scan->out : NULL, in_size, NULL},
        [MARKS] = {"segments->data", offsets ? (const void *)segments : segments->data, NULL,
                   flags ? 1 : parscan_type_size(segments->type),
                   offsets ? flags_of_offsets : NULL},
        [OUT] = {"out", NULL, scan->out, out_size, NULL},
    };
    const unsigned count = shared ? OUT : FLOWS;
    segmented_chunks work = {.next = *call, .all = call, .out = shared ? IN : OUT};
    const parscan_cuda_chunks chunks = {
        .context = scan->context,
        .flows = flows,
        .count = count,
        .n = scan->n,
        .most = parscan_cuda_chunk_length(flows, count, room, 0),
        .reverse = scan->reverse,
        .run = run_chunk,
        .work = &work,
    };
    const parscan_status status = parscan_cuda_run_chunks(&chunks);
    if (status == PARSCAN_OK && scan->carry != NULL)
        memcpy(scan->carry, work.carry, out_size);
    return status;
}

typedef struct recurrence_chunks {
    recurrence_call next;
    unsigned char carry[sizeof(double)];
} recurrence_chunks;

static parscan_status run_recurrence_chunk(void *work, parscan_cuda_chunk *chunk)
{
    recurrence_chunks *const chunks = work;
    recurrence_call call = chunks->next;
    call.a = chunk->device[0];
    call.b = chunk->device[1];
    call.out = chunk->device[2];
    call.n = chunk->n;
    call.carry = chunks->carry;
    chunks->next.x0 = chunks->carry;
    return parscan_recurrence_cuda(&call);
}

parscan_status parscan_recurrence_in_chunks(const recurrence_call *call, size_t room)
{
    const size_t size = parscan_type_size(call->type);
    const parscan_cuda_flow flows[] = {
        {"a", call->a, NULL, size, NULL},
        {"b", call->b, NULL, size, NULL},
        {"out", NULL, call->out, size, NULL},
    };
    recurrence_chunks work = {.next = *call};
    const parscan_cuda_chunks chunks = {
        .context = call->context,
        .flows = flows,
        .count = 3,
        .n = call->n,
        .most = parscan_cuda_chunk_length(flows, 3, room, 0),
        .run = run_recurrence_chunk,
        .work = &work,
    };
    const parscan_status status = parscan_cuda_run_chunks(&chunks);
    if (status == PARSCAN_OK && call->carry != NULL)
        memcpy(call->carry, work.carry, size);
    return status;
}
