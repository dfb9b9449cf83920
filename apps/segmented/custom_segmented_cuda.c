/* Segments by an operator of the caller's on CUDA: finds their heads, for the kernel of scan/runtime/. */
#include "apps/segmented/segmented_chunks_cuda.h"
#include "apps/segments/check_segments.h"
#include "apps/segments/found_offsets_cuda.h"
#include "scan/runtime/custom_segments_cuda.h"

/* What the kernel that clears bits of a length in device memory writes behind them, at most. */
enum { BEYOND = 16 };

static size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

static size_t bytes_of_bits(size_t n)
{
    return (n / 8 + BEYOND) / 16 * 16 + 16;
}

/* Offsets become bits, which also finds what is wrong with them. */
static parscan_status find_by_offsets(const segmented_call *call, size_t row,
                                      const parscan_cuda_array *arrays, custom_segments *segments)
{
    parscan_context *const context = call->scan.context;
    const size_t rows = row > 0 ? aligned(parscan_segmented_rows_bytes(call)) : 0;
    const size_t bits = bytes_of_bits(call->scan.n);
    segment_offsets offsets = parscan_segmented_offsets(call, arrays);
    void *scratch;
    parscan_status status = parscan_cuda_scratch(context, rows + bits, &scratch);
    if (status != PARSCAN_OK)
        return status;
    offsets.bits = (uint64_t *)(void *)((char *)scratch + rows);
    if (row > 0) {
        offsets.data = scratch;
        status = parscan_segmented_write_rows(call, row, &offsets);
    }
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(
            context, parscan_mark_offsets_cuda(context->cuda, &offsets, bits, BEYOND, 0));
    segments->bits = (const uint8_t *)offsets.bits;
    if (call->scan.kind == PARSCAN_KIND_REDUCE) {
        segments->offsets = offsets.data;
        segments->wide = offsets.wide;
        segments->count = offsets.count;
        segments->count_at = offsets.count_at;
    }
    return status;
}

/* Keys become flags. */
static parscan_status find_by_keys(const segmented_call *call, const parscan_cuda_array *arrays,
                                   custom_segments *segments)
{
    parscan_context *const context = call->scan.context;
    parscan_segments keys = *call->segments;
    void *heads;
    const parscan_status status = parscan_cuda_scratch(context, call->scan.n, &heads);
    keys.data = arrays[SEGMENTED_MARKS].device;
    segments->heads = heads;
    return status == PARSCAN_OK
               ? parscan_segment_heads_cuda(context, &keys, heads, call->scan.n, call->scan.n_at)
               : status;
}

parscan_status parscan_custom_segmented_cuda(const segmented_call *call, size_t row,
                                             const parscan_cuda_array *arrays)
{
    custom_segments segments = {
        .heads = arrays[SEGMENTED_MARKS].device, /* flags are heads */
        .number = arrays[SEGMENTED_COUNT].device,
        .capacity = call->capacity != 0 ? call->capacity : SIZE_MAX,
        .exceeded = parscan_segmented_deferred(call, arrays),
    };
    parscan_status status = PARSCAN_OK;
    if (parscan_by_offsets(call->segments))
        status = find_by_offsets(call, row, arrays, &segments);
    else if (call->segments->kind == PARSCAN_SEGMENTS_KEYS)
        status = find_by_keys(call, arrays, &segments);
    if (call->keys_out != NULL) {
        segments.keys = arrays[SEGMENTED_MARKS].device;
        segments.keys_out = arrays[SEGMENTED_KEYS_OUT].device;
        segments.key_bytes = (uint32_t)parscan_type_size(call->segments->type);
    }
    return status == PARSCAN_OK
               ? parscan_custom_segments_cuda(&call->scan, arrays[SEGMENTED_IN].device,
                                              arrays[SEGMENTED_OUT].device, &segments)
               : status;
}
