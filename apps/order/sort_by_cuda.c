/* A sort by an order of the caller's on CUDA: what the driver (scan/cuda/driver.h) needs to know of it. */
#include "apps/order/order_call.h"
#include "scan/cuda/driver.h"
#include "scan/runtime/custom_sort_cuda.h"

enum { IN, OUT, ARRAYS };

static unsigned describe_sort(const void *given, parscan_cuda_array *arrays)
{
    const sort_by_call *const call = given;
    const parscan_operator *const less = call->less;
    arrays[IN] = parscan_cuda_input("in", call->in, call->n, less->size);
    arrays[OUT] = parscan_cuda_output("out", call->out, call->n, less->size);
    arrays[IN].alignment = arrays[OUT].alignment = less->alignment;
    return ARRAYS;
}

static unsigned lengths_of_sort(void *given, parscan_cuda_length *lengths)
{
    sort_by_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

static parscan_status launch_sort(void *given, parscan_cuda_array *arrays)
{
    const sort_by_call *const call = given;
    custom_sort_arrays sorted = {
        .in = arrays[IN].device, .out = arrays[OUT].device, .n = call->n, .n_at = call->n_at};
    if (call->n == 0)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_cuda_scratch(call->context, call->n * call->less->size, &sorted.scratch);
    return status == PARSCAN_OK ? parscan_custom_sort_cuda(call->context, call->less, &sorted)
                                : status;
}

parscan_status parscan_sort_by_cuda(const sort_by_call *given)
{
    static const parscan_cuda_operation operation = {
        .describe = describe_sort, .lengths = lengths_of_sort, .launch = launch_sort};
    sort_by_call call = *given;
    return parscan_cuda_run(call.context, "parscan_sort_by", &operation, &call);
}
