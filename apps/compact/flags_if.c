/* Flags of the elements for which a predicate holds. */
#include "apps/compact/compact_call.h"
#include "parscan/compact.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/context/float_mode.h"
#include "scan/type_traits.h"

static parscan_status check_flags(parscan_context *context, size_t size, const void *in,
                                  const uint8_t *flags, size_t n)
{
    parscan_status status = parscan_check_array(context, "in", in, n, size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "flags_out", flags, n, 1);
    if (status != PARSCAN_OK)
        return status;
    const parscan_extent out = {"flags_out", flags, n}, read = {"in", in, n * size};
    return size == 1 ? parscan_check_same_or_apart(context, out, read)
                     : parscan_check_apart(context, out, read);
}

parscan_status parscan_run_flags_if(const flags_call *call)
{
    static parscan_status (*const engines[])(const flags_call *call) =
        PARSCAN_ENGINES(parscan_flags_if_cpu, parscan_flags_if_cuda);
    const parscan_float_state before =
        parscan_float_begin(call->custom != NULL ? FLOAT_CALLERS : FLOAT_DEFAULT);
    const parscan_status status = engines[call->context->backend](call);
    parscan_float_end(before);
    return status;
}

parscan_status parscan_flags_if(parscan_context *context, parscan_type type, const void *in,
                                const parscan_predicate *keep, uint8_t *flags_out, size_t n)
{
    flags_call call = {.context = context, .type = type, .in = in, .flags = flags_out};
    call_lengths lengths;
    size_t size;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_tested(context, type, keep, &call.custom, &size);
    if (status == PARSCAN_OK)
        status = check_flags(context, size, in, flags_out, n);
    if (status == PARSCAN_OK && call.custom == NULL)
        status = parscan_find_predicate(context, type, keep, &call.keep, &call.on_device);
    if (status != PARSCAN_OK)
        return status;
    call.n = parscan_length(&lengths, LENGTH_N, n);
    call.n_at = parscan_length_at(&lengths, LENGTH_N);
    return parscan_end_lengths(context, &lengths, parscan_run_flags_if(&call));
}
