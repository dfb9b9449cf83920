/* The host side of reductions to an index on CUDA. */
#include "apps/select/arg_reduce_cuda.h"

#include "apps/select/select_cuda.h"
#include "scan/context/check.h"

static arg_reduce_plan plan_of(const select_call *call)
{
    const parscan_cuda *const cuda = call->context->cuda;
    const arg_reduce_facts facts = {.n = call->n,
                                    .size = parscan_type_size(call->type),
                                    .has_segments = call->segments != NULL,
                                    .by_offsets = call->segments != NULL &&
                                                  parscan_by_offsets(call->segments)};
    const arg_reduce_plan plan = parscan_arg_reduce_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_arg_reduce_plans, plan.variant, "%zu elements of %zu bytes",
                           facts.n, facts.size);
    return plan;
}

static parscan_status check_arg_reduce(const void *given, const parscan_cuda_array *arrays)
{
    const select_call *const call = given;
    if (parscan_type_size(call->type) > sizeof(uint64_t))
        return parscan_fail(call->context, PARSCAN_ERROR_UNSUPPORTED,
                            "type = %s: not on CUDA, elements have more than 8 bytes",
                            parscan_type_name(call->type));
    return parscan_check_selection_cuda(given, arrays);
}

/* Makes the offsets of segments in scratch, where they are not in memory. */
static parscan_status place_segments(const select_call *call, const parscan_cuda_array *arrays,
                                     segment_offsets *offsets)
{
    const size_t bytes = parscan_select_offsets_bytes(call);
    void *scratch = NULL;
    const parscan_status status =
        bytes == 0 ? PARSCAN_OK : parscan_cuda_scratch(call->context, bytes, &scratch);
    return status == PARSCAN_OK ? parscan_select_offsets(call, arrays, scratch, offsets) : status;
}

static parscan_status launch_arg_reduce(void *given, parscan_cuda_array *arrays)
{
    const select_call *const call = given;
    parscan_context *const context = call->context;
    arg_reduce_cuda_call on_device = {
        .context = context,
        .in = arrays[SELECT_IN].device,
        .n = call->n,
        .n_at = call->n_at,
        .order = select_order_of(call->type, call->op == PARSCAN_MAX, true),
        .values = arrays[SELECT_VALUES].device,
        .indices = arrays[SELECT_INDICES].device,
        .wide = call->indices != NULL && parscan_type_size(call->index_type) == sizeof(uint64_t),
        .count = arrays[SELECT_COUNT].device,
    };
    if (parscan_selects_nothing(call))
        return parscan_select_nothing(call, arrays);
    on_device.empty = select_last_number(call->type, &on_device.order);
    on_device.plan = plan_of(call);
    parscan_status status = PARSCAN_OK;
    if (call->segments != NULL)
        status = place_segments(call, arrays, &on_device.offsets);
    if (status == PARSCAN_OK)
        status = parscan_cuda_chain_memory(context, ARG_REDUCE_WORDS, &on_device.chain);
    return status == PARSCAN_OK
               ? PARSCAN_CUDA_QUEUE(context,
                                    SELECT_LAUNCH(parscan_arg_reduce_launch, call)(&on_device))
               : status;
}

parscan_status parscan_arg_reduce_cuda(const select_call *given)
{
    static const parscan_cuda_operation operation =
        SELECT_OPERATION(check_arg_reduce, launch_arg_reduce);
    select_copy copy;
    parscan_copy_selection(given, &copy);
    return parscan_cuda_run(given->context, "parscan_arg_reduce", &operation, &copy.call);
}
