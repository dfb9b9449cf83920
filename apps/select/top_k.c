#include "apps/merge/key_order.h"
#include "apps/select/select_axis.h"
#include "apps/select/select_check.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

PARSCAN_STRUCT_CAN_GROW(parscan_top_k_options, indices_out_strides, PARSCAN_OLDEST_TOP_K_OPTIONS);

static parscan_status check_top_k(const select_call *call)
{
    if (call->segments == NULL && call->k > call->n)
        return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "k = %zu: it must be at most n = %zu", call->k, call->n);
    return parscan_check_sorted_type(call->context, "type", call->type);
}

static parscan_status run_rows(const select_call *call, const void *in, size_t lines, size_t n,
                               size_t k, void *values, void *indices)
{
    const parscan_segments rows = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = n);
    return parscan_top_k(call->context, call->type, in, lines * n, k, values, call->index_type,
                         indices,
                         &PARSCAN_TOP_K_OPTIONS(.segments = &rows, .smallest = call->smallest));
}

parscan_status parscan_top_k(parscan_context *context, parscan_type type, const void *in, size_t n,
                             size_t k, void *values_out, parscan_type index_type, void *indices_out,
                             const parscan_top_k_options *given)
{
    static parscan_status (*const engines[])(const select_call *call) =
        PARSCAN_ENGINES(parscan_top_k_cpu, parscan_top_k_cuda);
    select_call call = {
        .context = context,
        .type = type,
        .index_type = index_type,
        .in = in,
        .n = n,
        .k = k,
        .is_top = true,
        .values = values_out,
        .indices = indices_out,
    };
    parscan_top_k_options options;
    call_lengths lengths;
    const parscan_status status = parscan_begin_selection(
        context, given, PARSCAN_OLDEST_TOP_K_OPTIONS, &options, sizeof options, &lengths);
    if (status != PARSCAN_OK)
        return status;
    call.count = options.count;
    call.counts = options.counts;
    call.smallest = options.smallest != 0;
    if (options.shape != NULL) {
        static parscan_status (*const of_lines[])(const select_lines *lines) =
            PARSCAN_ENGINES(parscan_select_rows, parscan_select_rows);
        const axis_selection selection = {&call,
                                          "parscan_top_k",
                                          options.segments == NULL && options.count == NULL &&
                                              options.counts == NULL,
                                          options.indices_out_strides,
                                          run_rows,
                                          of_lines};
        const parscan_status checked = check_top_k(&call);
        return checked == PARSCAN_OK ? parscan_select_axis(&selection, options.shape, &lengths)
                                     : checked;
    }
    if (options.indices_out_strides != NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "options->indices_out_strides: they need a shape");
    return parscan_run_selection(&call, options.segments, check_top_k, engines, &lengths);
}
