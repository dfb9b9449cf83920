#include "apps/difference/difference_call.h"

#include "parscan/scan.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

static parscan_status (*const engines[])(const difference_call *call) =
    PARSCAN_ENGINES(parscan_difference_cpu, parscan_difference_cuda);

parscan_status parscan_run_difference(const difference_call *call)
{
    return engines[call->context->backend](call);
}

/* Options that a scan takes, but that no difference inverts. */
static parscan_status check_inverts(parscan_context *context, const parscan_scan_call *scan)
{
    if (scan->op != PARSCAN_SUM && scan->op != PARSCAN_XOR)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "op = %s: differences invert sum and xor", parscan_op_name(scan->op));
    if (scan->out_type != scan->in_type)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "out_type = %s: a difference has the type of its input, %s",
                            parscan_type_name(scan->out_type), parscan_type_name(scan->in_type));
    if (scan->shape.algorithm != PARSCAN_AUTO)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "algorithm = %s: a difference has none but auto",
                            parscan_algorithm_name(scan->shape.algorithm));
    return PARSCAN_OK;
}

parscan_status parscan_check_difference_options(parscan_context *context, parscan_type type,
                                                const parscan_scan_options *options,
                                                parscan_scan_call *scan)
{
    const parscan_status status = parscan_read_scan_options(context, type, options, scan, NULL);
    return status == PARSCAN_OK ? check_inverts(context, scan) : status;
}

parscan_status parscan_difference(parscan_context *context, parscan_type type, const void *in,
                                  void *out, size_t n, const parscan_scan_options *options)
{
    parscan_scan_call scan = {.kind = PARSCAN_KIND_INCLUSIVE, .in = in, .out = out, .n = n};
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_difference_options(context, type, options, &scan);
    if (status == PARSCAN_OK)
        status = parscan_check_scan_arrays(context, &scan);
    if (status != PARSCAN_OK)
        return status;
    const difference_call call = {
        .context = context,
        .type = type,
        .op = scan.op,
        .in = in,
        .out = out,
        .n = parscan_length(&lengths, LENGTH_N, n),
        .n_at = parscan_length_at(&lengths, LENGTH_N),
        .init = scan.init,
        .init_at = scan.init_at,
        .reverse = scan.reverse,
    };
    if (call.n > 0)
        status = parscan_run_difference(&call);
    return parscan_end_lengths(context, &lengths, status);
}
