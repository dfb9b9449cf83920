/* Flags of the elements for which a predicate holds. */
#include "apps/compact/compact_call.h"
#include "parscan/compact.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/float_mode.h"
#include "scan/type_traits.h"

static parscan_status check_flags(parscan_context *context, parscan_type type, const void *in,
                                  const uint8_t *flags, size_t n)
{
    parscan_status status = parscan_check_type(context, "type", type);
    if (status != PARSCAN_OK)
        return status;
    const size_t size = parscan_type_size(type);
    status = parscan_check_array(context, "in", in, n, size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "flags_out", flags, n, 1);
    if (status != PARSCAN_OK)
        return status;
    const parscan_extent out = {"flags_out", flags, n}, read = {"in", in, n * size};
    return size == 1 ? parscan_check_same_or_apart(context, out, read)
                     : parscan_check_apart(context, out, read);
}

static void run_flags(const flags_call *call)
{
    const parscan_float_state before = parscan_float_begin(FLOAT_DEFAULT);
    if (!call->context->measures)
        parscan_flags_if_cpu(call);
    parscan_float_end(before);
}

parscan_status parscan_flags_if(parscan_context *context, parscan_type type, const void *in,
                                const parscan_predicate *given, uint8_t *flags_out, size_t n)
{
    parscan_predicate keep;
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N, &lengths);
    if (status == PARSCAN_OK)
        status = check_flags(context, type, in, flags_out, n);
    if (status == PARSCAN_OK)
        status = parscan_check_predicate(context, type, given, &keep);
    if (status == PARSCAN_OK && context->backend == PARSCAN_BACKEND_CUDA)
        status = parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                              "backend = cuda: parscan_flags_if() needs a CPU context");
    if (status != PARSCAN_OK)
        return status;
    const flags_call call = {.context = context,
                             .type = type,
                             .range = parscan_compact_range_of(type, &keep),
                             .in = in,
                             .flags = flags_out,
                             .n = parscan_length(&lengths, LENGTH_N, n)};
    run_flags(&call);
    return parscan_end_lengths(context, &lengths, PARSCAN_OK);
}
