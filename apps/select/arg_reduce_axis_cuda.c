/* The host side of extremes with their index along an axis on CUDA. Host arrays are copied whole, with their gaps. */
#include "apps/select/arg_reduce_axis_cuda.h"

#include "apps/select/select_axis.h"
#include "scan/axis/axis_rows_cuda.h"

enum { IN, VALUES, INDICES, ARRAYS = VALUES + AXIS_OUTPUTS };

static unsigned describe_lines(const void *given, parscan_cuda_array *arrays)
{
    const select_lines *const lines = given;
    const parscan_axis *const axis = lines->axis;
    arrays[IN] = parscan_cuda_input("in", axis->in_low, axis->in_bytes, 1);
    arrays[IN].alignment = parscan_type_size(lines->call.type);
    for (unsigned o = 0; o < AXIS_OUTPUTS; o++)
        arrays[VALUES + o] = parscan_axis_result(&lines->outputs[o].to);
    return ARRAYS;
}

static unsigned lengths_of_lines(void *given, parscan_cuda_length *lengths)
{
    select_lines *const lines = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &lines->call.n, &lines->call.n_at};
    return 1;
}

/* The host must know it: the plan depends on it. */
static bool reads_length(const void *given)
{
    (void)given;
    return false;
}

static parscan_status check_lines(const void *given, const parscan_cuda_array *arrays)
{
    static const char *const names[AXIS_OUTPUTS] = {"out", "indices_out"};
    const select_lines *const lines = given;
    parscan_context *const context = lines->call.context;
    parscan_status status = parscan_axis_check_strides(context, "in", lines->axis->in,
                                                       parscan_type_size(lines->call.type));
    (void)arrays;
    for (unsigned o = 0; o < AXIS_OUTPUTS && status == PARSCAN_OK; o++)
        if (lines->outputs[o].to.data != NULL)
            status = parscan_axis_check_strides(context, names[o], lines->outputs[o].strides,
                                                lines->outputs[o].to.size);
    return status;
}

static arg_reduce_axis_launch *launch_of(size_t size)
{
    return size == 1   ? parscan_arg_reduce_axis_launch_u8
           : size == 2 ? parscan_arg_reduce_axis_launch_u16
           : size == 4 ? parscan_arg_reduce_axis_launch_u32
                       : parscan_arg_reduce_axis_launch_u64;
}

/* The axis of the kernel. Its output is the number of a line. */
static parscan_axis axis_of(const select_lines *lines)
{
    parscan_axis axis = *lines->axis;
    axis.out[AXIS_OUTER] = (int64_t)axis.inner;
    axis.out[AXIS_N] = axis.out[AXIS_INNER] = 1;
    parscan_axis_bring_near(&axis);
    return axis;
}

static void *result_at(const parscan_cuda_array *arrays, const select_output *outputs, unsigned o)
{
    return (void *)parscan_axis_placed(&arrays[o], outputs[o].to.data);
}

static parscan_status launch_lines(void *given, parscan_cuda_array *arrays)
{
    const select_lines *const lines = given;
    const select_call *const call = &lines->call;
    const select_output *const outputs = lines->outputs;
    const size_t size = parscan_type_size(call->type);
    const char *const low = arrays[IN].device;
    arg_reduce_axis_call on_device = {
        .context = call->context,
        .in = low != NULL ? low + ((const char *)call->in - lines->axis->in_low) : NULL,
        .n = call->n,
        .axis = axis_of(lines),
        .order = select_order_of(call->type, call->op == PARSCAN_MAX, true),
        .values = result_at(&arrays[VALUES], outputs, AXIS_VALUES),
        .indices = result_at(&arrays[VALUES], outputs, AXIS_INDICES),
        .value_to = outputs[AXIS_VALUES].strides,
        .index_to = outputs[AXIS_INDICES].strides,
        .inner = lines->axis->inner,
        .wide = outputs[AXIS_INDICES].to.size == sizeof(uint64_t),
    };
    on_device.empty = select_last_number(call->type, &on_device.order);
    on_device.plan = parscan_axis_choose(call->context, &on_device.axis,
                                         (axis_facts){.reduces = true,
                                                      .n = call->n,
                                                      .in_size = size,
                                                      .out_size = size,
                                                      .sum_size = ARG_AXIS_SUM_BYTES});
    const parscan_status status = parscan_axis_chain(
        call->context, &on_device.axis, &on_device.plan, ARG_AXIS_SUM_BYTES, &on_device.chain);
    return status == PARSCAN_OK ? PARSCAN_CUDA_QUEUE(call->context, launch_of(size)(&on_device))
                                : status;
}

parscan_status parscan_arg_reduce_axis_cuda(const select_lines *given)
{
    static const parscan_cuda_operation operation = {.describe = describe_lines,
                                                     .lengths = lengths_of_lines,
                                                     .reads_lengths = reads_length,
                                                     .check = check_lines,
                                                     .launch = launch_lines};
    select_lines lines = *given;
    return parscan_cuda_run(lines.call.context, "parscan_arg_reduce", &operation, &lines);
}
