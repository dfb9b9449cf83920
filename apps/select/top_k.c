#include "apps/segments/check_segments.h"
#include "apps/select/select_check.h"
#include "apps/select/top_k_call.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"

PARSCAN_STRUCT_CAN_GROW(parscan_top_k_options, reserved, PARSCAN_OLDEST_TOP_K_OPTIONS);

static parscan_status check_top_k(const top_k_call *call)
{
    parscan_context *const context = call->context;
    const select_outputs outputs = {.type = call->type,
                                    .in = call->in,
                                    .n = call->n,
                                    .segments = call->segments,
                                    .count = call->count,
                                    .slots = call->k,
                                    .values = call->values,
                                    .index_type = call->index_type,
                                    .indices = call->indices,
                                    .counts = call->counts};
    if (call->segments == NULL && call->k > call->n)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "k = %zu: it must be at most n = %zu", call->k, call->n);
    const parscan_status status = parscan_check_selection(context, &outputs);
    if (status != PARSCAN_OK || parscan_type_traits_of(call->type).key != KEY_CLASSES)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                        "type = %s: elements of this type cannot be sorted",
                        parscan_type_name(call->type));
}

parscan_status parscan_top_k(parscan_context *context, parscan_type type, const void *in, size_t n,
                             size_t k, void *values_out, parscan_type index_type, void *indices_out,
                             const parscan_top_k_options *given)
{
    top_k_call call = {
        .context = context,
        .type = type,
        .index_type = index_type,
        .in = in,
        .n = n,
        .k = k,
        .values = values_out,
        .indices = indices_out,
    };
    parscan_top_k_options options;
    parscan_segments segments;
    call_lengths lengths;
    parscan_status status =
        parscan_take_lengths(context, LENGTH_N | LENGTH_SEGMENT_COUNT, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_read_struct(context, "options", given, PARSCAN_OLDEST_TOP_K_OPTIONS,
                                     &options, sizeof options);
    if (status == PARSCAN_OK)
        status = parscan_check_selected_segments(context, options.segments, n, &segments,
                                                 &call.segments);
    if (status != PARSCAN_OK)
        return status;
    call.count = options.count;
    call.counts = options.counts;
    call.smallest = options.smallest != 0;
    status = check_top_k(&call);
    if (status == PARSCAN_OK)
        status = parscan_need_cpu(context, "parscan_top_k");
    if (status == PARSCAN_OK)
        status = parscan_selection_lengths(context, &lengths, &call.n, call.segments, &segments);
    if (status == PARSCAN_OK)
        status = parscan_top_k_cpu(&call);
    return parscan_end_lengths(context, &lengths, status);
}
