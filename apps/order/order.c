#include "apps/order/order_call.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/custom/custom_check.h"

static parscan_status check_arrays(parscan_context *context, size_t size, const void *in,
                                   const void *out, size_t n)
{
    parscan_status status = parscan_check_array(context, "in", in, n, size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", out, n, size);
    const parscan_extent input = {"in", in, n * size}, output = {"out", out, n * size};
    return status == PARSCAN_OK ? parscan_check_same_or_apart(context, output, input) : status;
}

parscan_status parscan_sort_by(parscan_context *context, const parscan_operator *less,
                               const void *in, void *out, size_t n)
{
    static parscan_status (*const engines[])(const sort_by_call *call) =
        PARSCAN_ENGINES(parscan_sort_by_cpu, parscan_sort_by_cuda);
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_relation(context, "less", less);
    if (status == PARSCAN_OK)
        status = check_arrays(context, less->size, in, out, n);
    if (status != PARSCAN_OK)
        return status;
    const sort_by_call call = {context,
                               less,
                               in,
                               out,
                               parscan_length(&lengths, LENGTH_N, n),
                               parscan_length_at(&lengths, LENGTH_N)};
    if (call.n > 0)
        status = engines[context->backend](&call);
    return parscan_end_lengths(context, &lengths, status);
}
