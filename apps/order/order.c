#include "apps/order/order_call.h"
#include "parscan/compact.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"

static parscan_status check_relation(parscan_context *context, const char *name,
                                     const parscan_operator *op)
{
    if (op == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
    if (op->kind != PARSCAN_OPERATOR_RELATION)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s is of kind %d: it must be a relation", name, (int)op->kind);
    if (context->backend != PARSCAN_BACKEND_CPU)
        return parscan_fail(
            context, PARSCAN_ERROR_UNSUPPORTED,
            "%s with backend = %s: a relation of the caller's: it needs a CPU context", name,
            parscan_backend_name(context->backend));
    return PARSCAN_OK;
}

static parscan_status check_arrays(parscan_context *context, const parscan_operator *op,
                                   const void *in, const void *out, size_t n, size_t out_n)
{
    parscan_status status = parscan_check_array(context, "in", in, n, op->size);
    if (status == PARSCAN_OK && out_n > 0)
        status = parscan_check_array(context, "out", out, out_n, op->size);
    const parscan_extent input = {"in", in, n * op->size};
    const parscan_extent output = {"out", out, out_n * op->size};
    return status == PARSCAN_OK ? parscan_check_same_or_apart(context, output, input) : status;
}

parscan_status parscan_sort_by(parscan_context *context, const parscan_operator *less,
                               const void *in, void *out, size_t n)
{
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N, &lengths);
    if (status == PARSCAN_OK)
        status = check_relation(context, "less", less);
    if (status == PARSCAN_OK)
        status = check_arrays(context, less, in, out, n, n);
    if (status != PARSCAN_OK)
        return status;
    const sort_by_call call = {context, less, in, out, parscan_length(&lengths, LENGTH_N, n)};
    if (call.n > 0)
        status = parscan_sort_by_cpu(&call);
    return parscan_end_lengths(context, &lengths, status);
}

/* Its flags are in scratch, which a compaction does not take. */
parscan_status parscan_unique_by(parscan_context *context, const parscan_operator *equal,
                                 const void *in, void *out, size_t n, uint64_t *count)
{
    call_lengths lengths;
    void *flags;
    parscan_status status = parscan_take_lengths(context, LENGTH_N, &lengths);
    if (status == PARSCAN_OK)
        status = check_relation(context, "equal", equal);
    if (status == PARSCAN_OK && count == NULL)
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "count is NULL");
    if (status == PARSCAN_OK)
        status = check_arrays(context, equal, in, out, n, out != NULL && n > 0);
    if (status != PARSCAN_OK)
        return status;
    n = parscan_length(&lengths, LENGTH_N, n);
    status = parscan_scratch(context, n, &flags);
    if (status == PARSCAN_OK && n > 0 && !context->measures)
        status = parscan_run_flags_cpu(context, equal, in, n, flags);
    if (status == PARSCAN_OK)
        status = parscan_compact(context, equal->size, in, flags, out, n, count);
    return parscan_end_lengths(context, &lengths, status);
}
