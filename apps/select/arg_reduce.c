#include "apps/select/select_axis.h"
#include "apps/select/select_check.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

PARSCAN_STRUCT_CAN_GROW(parscan_arg_reduce_options, indices_out_strides,
                        PARSCAN_OLDEST_ARG_REDUCE_OPTIONS);

static parscan_status check_extreme(const select_call *call)
{
    if (call->op == PARSCAN_MIN || call->op == PARSCAN_MAX)
        return PARSCAN_OK;
    if (parscan_op_name(call->op) == NULL)
        return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "op = %d is not a parscan_op", (int)call->op);
    return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED, "op = %s: it must be min or max",
                        parscan_op_name(call->op));
}

static parscan_status run_rows(const select_call *call, const void *in, size_t lines, size_t n,
                               size_t k, void *values, void *indices)
{
    (void)k;
    const parscan_segments rows = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = n);
    return parscan_arg_reduce(call->context, call->type, in, lines * n, call->op, values,
                              call->index_type, indices,
                              n == 0 ? NULL : &PARSCAN_ARG_REDUCE_OPTIONS(.segments = &rows));
}

parscan_status parscan_arg_reduce(parscan_context *context, parscan_type type, const void *in,
                                  size_t n, parscan_op op, void *values_out,
                                  parscan_type index_type, void *indices_out,
                                  const parscan_arg_reduce_options *given)
{
    static parscan_status (*const engines[])(const select_call *call) =
        PARSCAN_ENGINES(parscan_arg_reduce_cpu, parscan_arg_reduce_cuda);
    select_call call = {
        .context = context,
        .type = type,
        .index_type = index_type,
        .op = op,
        .in = in,
        .n = n,
        .k = 1,
        .values = values_out,
        .indices = indices_out,
    };
    parscan_arg_reduce_options options;
    call_lengths lengths;
    const parscan_status status = parscan_begin_selection(
        context, given, PARSCAN_OLDEST_ARG_REDUCE_OPTIONS, &options, sizeof options, &lengths);
    if (status != PARSCAN_OK)
        return status;
    call.count = options.count;
    if (options.shape != NULL) {
        static parscan_status (*const of_lines[])(const select_lines *lines) =
            PARSCAN_ENGINES(parscan_select_rows, parscan_arg_reduce_axis_cuda);
        const axis_selection selection = {&call,
                                          "parscan_arg_reduce",
                                          options.segments == NULL && options.count == NULL,
                                          options.indices_out_strides,
                                          run_rows,
                                          of_lines};
        const parscan_status checked = check_extreme(&call);
        return checked == PARSCAN_OK ? parscan_select_axis(&selection, options.shape, &lengths)
                                     : checked;
    }
    if (options.indices_out_strides != NULL)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "options->indices_out_strides: they need a shape");
    return parscan_run_selection(&call, options.segments, check_extreme, engines, &lengths);
}
