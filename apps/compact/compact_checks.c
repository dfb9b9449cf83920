/* What the calls of compaction check, and how they are run. */
#include "apps/compact/compact_checks.h"

#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/context/float_mode.h"
#include "scan/type_traits.h"

parscan_status parscan_check_compacted(parscan_context *context, const char *name, const void *in,
                                       size_t n, size_t size, const uint64_t *count)
{
    if (count == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "count is NULL");
    return parscan_check_array(context, name, in, n, size);
}

parscan_status parscan_check_compact_input(parscan_context *context, unsigned accepts,
                                           call_lengths *lengths, parscan_type type, const void *in,
                                           size_t n, const uint64_t *count)
{
    parscan_status status = parscan_take_lengths(context, accepts, lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_type(context, "type", type);
    return status == PARSCAN_OK
               ? parscan_check_compacted(context, "in", in, n, parscan_type_size(type), count)
               : status;
}

parscan_status parscan_run_compact(const compact_call *call)
{
    static parscan_status (*const engines[])(const compact_call *call) =
        PARSCAN_ENGINES(parscan_compact_cpu, parscan_compact_cuda);
    if (call->custom == NULL && !parscan_is_float(call->type))
        return engines[call->context->backend](call);
    const parscan_float_state before =
        parscan_float_begin(call->custom != NULL ? FLOAT_CALLERS : FLOAT_DEFAULT);
    const parscan_status status = engines[call->context->backend](call);
    parscan_float_end(before);
    return status;
}

parscan_status parscan_run_compact_with(compact_call *call, call_lengths *lengths)
{
    call->n = parscan_length(lengths, LENGTH_N, call->n);
    call->n_at = parscan_length_at(lengths, LENGTH_N);
    call->capacity = lengths->capacity;
    return parscan_end_lengths(call->context, lengths, parscan_run_compact(call));
}
