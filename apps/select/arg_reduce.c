#include "apps/segments/check_segments.h"
#include "apps/select/select_call.h"
#include "apps/select/select_check.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"

PARSCAN_STRUCT_CAN_GROW(parscan_arg_reduce_options, count, PARSCAN_OLDEST_ARG_REDUCE_OPTIONS);

static parscan_status check_extreme(parscan_context *context, parscan_op op)
{
    if (op == PARSCAN_MIN || op == PARSCAN_MAX)
        return PARSCAN_OK;
    if (parscan_op_name(op) == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "op = %d is not a parscan_op",
                            (int)op);
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED, "op = %s: it must be min or max",
                        parscan_op_name(op));
}

static parscan_status check_arg_reduce(const arg_reduce_call *call)
{
    parscan_context *const context = call->context;
    const select_outputs outputs = {.type = call->type,
                                    .in = call->in,
                                    .n = call->n,
                                    .segments = call->segments,
                                    .count = call->count,
                                    .slots = 1,
                                    .values = call->values,
                                    .index_type = call->index_type,
                                    .indices = call->indices};
    const parscan_status status = check_extreme(context, call->op);
    return status == PARSCAN_OK ? parscan_check_selection(context, &outputs) : status;
}

parscan_status parscan_arg_reduce(parscan_context *context, parscan_type type, const void *in,
                                  size_t n, parscan_op op, void *values_out,
                                  parscan_type index_type, void *indices_out,
                                  const parscan_arg_reduce_options *given)
{
    arg_reduce_call call = {
        .context = context,
        .type = type,
        .index_type = index_type,
        .op = op,
        .in = in,
        .n = n,
        .values = values_out,
        .indices = indices_out,
    };
    parscan_arg_reduce_options options;
    parscan_segments segments;
    call_lengths lengths;
    parscan_status status =
        parscan_take_lengths(context, LENGTH_N | LENGTH_SEGMENT_COUNT, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_read_struct(context, "options", given, PARSCAN_OLDEST_ARG_REDUCE_OPTIONS,
                                     &options, sizeof options);
    if (status == PARSCAN_OK)
        status = parscan_check_selected_segments(context, options.segments, n, &segments,
                                                 &call.segments);
    if (status != PARSCAN_OK)
        return status;
    call.count = options.count;
    status = check_arg_reduce(&call);
    if (status == PARSCAN_OK)
        status = parscan_need_cpu(context, "parscan_arg_reduce");
    if (status == PARSCAN_OK)
        status = parscan_selection_lengths(context, &lengths, &call.n, call.segments, &segments);
    if (status == PARSCAN_OK)
        status = parscan_arg_reduce_cpu(&call);
    return parscan_end_lengths(context, &lengths, status);
}
