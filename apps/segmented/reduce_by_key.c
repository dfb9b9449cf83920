#include "apps/segmented/reduce_by_key.h"

#include "apps/segments/check_segments.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

/* Keys and results: of n elements there is one at least. */
static parscan_status check_arrays(const segmented_call *call, const void *keys, size_t key_size)
{
    parscan_context *const context = call->scan.context;
    const size_t n = call->scan.n, least = n > 0;
    const size_t size = parscan_in_size(&call->scan), out_size = parscan_out_size(&call->scan);
    const parscan_extent arrays[] = {{"keys_out", call->keys_out, least * key_size},
                                     {"out", call->scan.out, least * out_size},
                                     {"keys_in", keys, n * key_size},
                                     {"in", call->scan.in, n * size}};
    if (call->count == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "count is NULL");
    parscan_status status = parscan_check_array(context, "keys_in", keys, n, key_size);
    if (status == PARSCAN_OK && call->keys_out != NULL)
        status = parscan_check_array(context, "keys_out", call->keys_out, least, key_size);
    if (status == PARSCAN_OK && size > 0)
        status = parscan_check_array(context, "in", call->scan.in, n, size);
    if (status == PARSCAN_OK)
        status = parscan_check_sums(call, least);
    return status == PARSCAN_OK ? parscan_check_all_apart(context, arrays, 2, 4) : status;
}

parscan_status parscan_reduce_by_key_cpu(const segmented_call *call, size_t capacity)
{
    return parscan_reduce_within(call, capacity);
}

parscan_status parscan_reduce_by_key(parscan_context *context, parscan_type key_type,
                                     const void *keys_in, void *keys_out, parscan_type type,
                                     const void *in, void *out, size_t n, uint64_t *count,
                                     const parscan_scan_options *options)
{
    static parscan_status (*const engines[])(const segmented_call *call, size_t capacity) =
        PARSCAN_ENGINES(parscan_reduce_by_key_cpu, parscan_reduce_by_key_cuda);
    parscan_segments segments = {.kind = PARSCAN_SEGMENTS_KEYS, .type = key_type, .data = keys_in};
    segmented_call call = {
        .scan = {.kind = PARSCAN_KIND_REDUCE, .takes_custom = true, .in = in, .out = out, .n = n},
        .segments = &segments,
        .count = count,
        .keys_out = keys_out};
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(
        context, LENGTH_N | LENGTH_ON_DEVICE | LENGTH_OUT_CAPACITY | LENGTH_CAPACITY_ON_CUDA,
        &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_type(context, "key_type", key_type);
    if (status == PARSCAN_OK)
        status = parscan_read_segmented_options(context, type, options, &call);
    if (status == PARSCAN_OK)
        status = check_arrays(&call, keys_in, parscan_type_size(key_type));
    if (status != PARSCAN_OK)
        return status;
    call.scan.n = parscan_length(&lengths, LENGTH_N, n);
    call.scan.n_at = parscan_length_at(&lengths, LENGTH_N);
    return parscan_end_lengths(context, &lengths,
                               engines[context->backend](&call, lengths.capacity));
}
