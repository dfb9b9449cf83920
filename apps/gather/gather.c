#include "parscan/gather.h"

#include <inttypes.h>
#include <string.h>

#include "apps/gather/gather_call.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"
#include "scan/type_traits.h"

PARSCAN_STRUCT_CAN_GROW(parscan_scatter_options, reserved, PARSCAN_OLDEST_SCATTER_OPTIONS);

uint64_t parscan_index_at(const gather_call *call, size_t i)
{
    uint64_t index;
    uint32_t narrow;
    if (call->wide) {
        memcpy(&index, (const char *)call->indices + i * sizeof index, sizeof index);
        return index;
    }
    memcpy(&narrow, (const char *)call->indices + i * sizeof narrow, sizeof narrow);
    return narrow;
}

parscan_status parscan_fail_index(const gather_call *call, const index_fault *fault)
{
    const char *const count = call->scatters ? "out_count" : "in_count";
    if (!fault->found)
        return PARSCAN_OK;
    if (!parscan_type_traits_of(call->index_type).is_signed)
        return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "indices[%zu] = %" PRIu64 ": it must be below %s = %zu", fault->place,
                            fault->index, count, call->count);
    const int64_t index = call->wide ? (int64_t)fault->index : (int32_t)fault->index;
    return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "indices[%zu] = %" PRId64 ": it must be at least 0 and below %s = %zu",
                        fault->place, index, count, call->count);
}

static parscan_status check_types(const gather_call *call)
{
    parscan_context *const context = call->context;
    if (call->value_size == 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = 0: it must be at least 1");
    return parscan_check_index_type(context, "index_type", call->index_type);
}

static parscan_status check_arrays(const gather_call *call, size_t in_count, const char *in_name,
                                   size_t out_count, const char *out_name)
{
    parscan_context *const context = call->context;
    parscan_status status =
        parscan_check_counted_array(context, "in", call->in, in_name, in_count, call->value_size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "indices", call->indices, call->n,
                                     parscan_type_size(call->index_type));
    if (status == PARSCAN_OK)
        status = parscan_check_counted_array(context, "out", call->out, out_name, out_count,
                                             call->value_size);
    return status;
}

static parscan_status check_places(const gather_call *call, size_t in_count, size_t out_count)
{
    const size_t index_size = parscan_type_size(call->index_type);
    const parscan_extent out = {"out", call->out, out_count * call->value_size};
    const parscan_extent indices = {"indices", call->indices, call->n * index_size};
    const parscan_extent in = {"in", call->in, in_count * call->value_size};
    const parscan_status status = parscan_check_apart(call->context, out, in);
    if (status != PARSCAN_OK)
        return status;
    return !call->scatters && call->value_size == index_size
               ? parscan_check_same_or_apart(call->context, out, indices)
               : parscan_check_apart(call->context, out, indices);
}

/* Sets what follows from the types and the count, and runs the call, whose arguments are checked. */
static parscan_status run(gather_call *call, call_lengths *lengths)
{
    static parscan_status (*const engines[])(const gather_call *call) =
        PARSCAN_ENGINES(parscan_gather_cpu, parscan_gather_by_index_cuda);
    call->n = parscan_length(lengths, LENGTH_N, call->n);
    call->n_at = parscan_length_at(lengths, LENGTH_N);
    call->wide = parscan_type_size(call->index_type) == 8;
    const uint64_t most = parscan_most_index(call->index_type);
    call->limit = call->count > most ? most + 1 : call->count;
    return parscan_end_lengths(call->context, lengths,
                               call->n == 0 ? PARSCAN_OK : engines[call->context->backend](call));
}

static parscan_status begin(gather_call *call, call_lengths *lengths)
{
    const parscan_status status =
        parscan_take_lengths(call->context, LENGTH_N | LENGTH_ON_DEVICE, lengths);
    return status == PARSCAN_OK ? check_types(call) : status;
}

parscan_status parscan_gather(parscan_context *context, size_t value_size, const void *in,
                              size_t in_count, parscan_type index_type, const void *indices,
                              void *out, size_t n)
{
    gather_call call = {
        .context = context,
        .in = in,
        .out = out,
        .indices = indices,
        .n = n,
        .count = in_count,
        .value_size = value_size,
        .index_type = index_type,
    };
    call_lengths lengths;
    parscan_status status = begin(&call, &lengths);
    if (status == PARSCAN_OK)
        status = check_arrays(&call, in_count, "in_count", n, "n");
    if (status == PARSCAN_OK)
        status = check_places(&call, in_count, n);
    return status == PARSCAN_OK ? run(&call, &lengths) : status;
}

parscan_status parscan_scatter(parscan_context *context, size_t value_size, const void *in,
                               size_t n, parscan_type index_type, const void *indices, void *out,
                               size_t out_count, const parscan_scatter_options *options)
{
    parscan_scatter_options local;
    gather_call call = {
        .context = context,
        .in = in,
        .out = out,
        .indices = indices,
        .n = n,
        .count = out_count,
        .value_size = value_size,
        .index_type = index_type,
        .scatters = true,
    };
    call_lengths lengths;
    parscan_status status = begin(&call, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_read_struct(context, "options", options, PARSCAN_OLDEST_SCATTER_OPTIONS,
                                     &local, sizeof local);
    if (status == PARSCAN_OK)
        status = check_arrays(&call, n, "n", out_count, "out_count");
    if (status == PARSCAN_OK)
        status = check_places(&call, n, out_count);
    if (status != PARSCAN_OK)
        return status;
    call.last_wins = local.last_wins != 0;
    return run(&call, &lengths);
}
