/* The host side of recurrences along an axis on CUDA, which run in the kernels of scans (scan/axis). Host arrays are
   copied whole, with their gaps. */
#include "apps/segmented/recurrence_axis_cuda.h"

#include "apps/segmented/recurrence_axis.h"
#include "scan/cuda/driver.h"

enum { A, B, OUT, ARRAYS };

typedef struct axis_recurrence {
    recurrence_call call;
    const parscan_axis *axis; /* of b and out */
} axis_recurrence;

/* a lies as b does. */
static const char *low_of_a(const axis_recurrence *run)
{
    const recurrence_call *const call = &run->call;
    return (const char *)call->a - ((const char *)call->b - run->axis->in_low);
}

static unsigned describe_lines(const void *given, parscan_cuda_array *arrays)
{
    const axis_recurrence *const run = given;
    const parscan_axis *const axis = run->axis;
    const size_t size = parscan_type_size(run->call.type);
    arrays[A] =
        parscan_cuda_input("a", run->call.constant_a ? NULL : low_of_a(run), axis->in_bytes, 1);
    arrays[B] = parscan_cuda_input("b", axis->in_low, axis->in_bytes, 1);
    arrays[OUT] = parscan_cuda_output("out", (void *)axis->out_low, axis->out_bytes, 1);
    arrays[A].alignment = arrays[B].alignment = arrays[OUT].alignment = size;
    if (axis->out_bytes !=
        axis->outer * run->call.n * axis->inner * size) /* gaps stay as they are */
        arrays[OUT].access = PARSCAN_READ_WRITE;
    return ARRAYS;
}

static unsigned lengths_of_lines(void *given, parscan_cuda_length *lengths)
{
    axis_recurrence *const run = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &run->call.n, &run->call.n_at};
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
    const axis_recurrence *const run = given;
    parscan_context *const context = run->call.context;
    const size_t size = parscan_type_size(run->call.type);
    (void)arrays;
    const parscan_status status = parscan_axis_check_strides(context, "in", run->axis->in, size);
    return status == PARSCAN_OK ? parscan_axis_check_strides(context, "out", run->axis->out, size)
                                : status;
}

static recurrence_axis_launch *launch_of(parscan_type type)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return parscan_recurrence_axis_cuda_##name;
        PARSCAN_STORED_TYPES(X, )
#undef X
    case PARSCAN_F32:
        return parscan_recurrence_axis_cuda_f32;
    default:
        return parscan_recurrence_axis_cuda_f64;
    }
}

static void plan_lines(recurrence_axis_launch_call *on_device)
{
    const recurrence_call *const call = on_device->call;
    const size_t size = parscan_type_size(call->type);
    parscan_axis_bring_near(&on_device->axis);
    const axis_facts facts = {
        .n = call->n,
        .in_size = call->constant_a ? size : 2 * size,
        .out_size = size,
        .sum_size = RECURRENCE_MAP_BYTES(parscan_type_size(parscan_compute_type(call->type))),
        .packed = parscan_axis_is_packed(&on_device->axis, call->n, size, size)};
    on_device->plan = parscan_axis_choose(call->context, &on_device->axis, facts);
    on_device->backwards =
        on_device->plan.variant == AXIS_STAGED && call->n > 1 && on_device->axis.in[AXIS_N] < 0;
}

static parscan_status launch_lines(void *given, parscan_cuda_array *arrays)
{
    const axis_recurrence *const run = given;
    const recurrence_call *const call = &run->call;
    const size_t size = parscan_type_size(parscan_compute_type(call->type));
    recurrence_axis_launch_call on_device = {.call = call,
                                             .a = arrays[A].device,
                                             .b = arrays[B].device,
                                             .out = arrays[OUT].device,
                                             .axis = *run->axis};
    if (call->n == 0)
        return PARSCAN_OK;
    plan_lines(&on_device);
    if (!on_device.backwards) {
        const size_t first = (size_t)((const char *)call->b - run->axis->in_low);
        on_device.a = call->constant_a ? NULL : (const char *)on_device.a + first;
        on_device.b = (const char *)on_device.b + first;
        on_device.out = (char *)on_device.out + ((const char *)call->out - run->axis->out_low);
    }
    const parscan_status status =
        parscan_axis_chain(call->context, &on_device.axis, &on_device.plan,
                           RECURRENCE_MAP_BYTES(size), &on_device.chain);
    return status == PARSCAN_OK
               ? PARSCAN_CUDA_QUEUE(call->context, launch_of(call->type)(&on_device))
               : status;
}

parscan_status parscan_recurrence_axis_cuda(const recurrence_call *call, const parscan_axis *axis)
{
    static const parscan_cuda_operation operation = {.describe = describe_lines,
                                                     .lengths = lengths_of_lines,
                                                     .reads_lengths = reads_length,
                                                     .check = check_lines,
                                                     .launch = launch_lines};
    axis_recurrence run = {*call, axis};
    return parscan_cuda_run(call->context, "parscan_recurrence", &operation, &run);
}
