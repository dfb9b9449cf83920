/* The first elements of runs, by an equality of the caller's. */
#include "apps/compact/compact_checks.h"
#include "apps/compact/compact_cpu.h"
#include "parscan/compact.h"
#include "scan/custom/custom_check.h"

/* Its flags are in scratch, which a compaction does not take. */
static parscan_status unique_by_flags(const compact_call *call, size_t n)
{
    parscan_context *const context = call->context;
    void *flags;
    parscan_status status = parscan_scratch(context, n, &flags);
    if (status == PARSCAN_OK && n > 0 && !context->measures)
        status = parscan_run_flags_cpu(context, call->custom, call->in, n, flags);
    return status == PARSCAN_OK
               ? parscan_compact(context, call->size, call->in, flags, call->values, n, call->count)
               : status;
}

parscan_status parscan_unique_by(parscan_context *context, const parscan_operator *equal,
                                 const void *in, void *out, size_t n, uint64_t *count)
{
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_relation(context, "equal", equal);
    if (status == PARSCAN_OK)
        status = parscan_check_compacted(context, "in", in, n, equal->size, count);
    if (status == PARSCAN_OK && out != NULL)
        status = parscan_check_array(context, "out", out, n, equal->size);
    if (status != PARSCAN_OK)
        return status;
    compact_call call = {
        .context = context,
        .name = "parscan_unique_by",
        .in = in,
        .size = equal->size,
        .n = n,
        .runs = true,
        .range = parscan_compact_range_of_flags(),
        .custom = equal,
        .values = out,
        .count = count,
    };
    status = parscan_check_same_or_apart(context, parscan_first_run("out", out, n, call.size),
                                         parscan_compact_input(&call));
    if (status != PARSCAN_OK || context->backend != PARSCAN_BACKEND_CPU)
        return status == PARSCAN_OK ? parscan_run_compact_with(&call, &lengths) : status;
    n = parscan_length(&lengths, LENGTH_N, n);
    return parscan_end_lengths(context, &lengths, unique_by_flags(&call, n));
}
