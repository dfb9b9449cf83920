#include "apps/merge/key_order.h"
#include "apps/search/bounds_call.h"
#include "parscan/search.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

static parscan_status check_arrays(const bounds_call *call)
{
    parscan_context *const context = call->context;
    const size_t size = parscan_type_size(call->type);
    const size_t index_size = parscan_type_size(call->index_type);
    parscan_status status =
        parscan_check_counted_array(context, "sorted", call->sorted, "count", call->count, size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "values", call->values, call->n, size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "out", call->out, call->n, index_size);
    if (status != PARSCAN_OK)
        return status;
    const parscan_extent out = {"out", call->out, call->n * index_size};
    const parscan_extent values = {"values", call->values, call->n * size};
    status = parscan_check_apart(context, out,
                                 (parscan_extent){"sorted", call->sorted, call->count * size});
    if (status != PARSCAN_OK)
        return status;
    return size == index_size ? parscan_check_same_or_apart(context, out, values)
                              : parscan_check_apart(context, out, values);
}

static parscan_status check_bounds(const bounds_call *call)
{
    parscan_context *const context = call->context;
    parscan_status status = parscan_check_type(context, "type", call->type);
    if (status == PARSCAN_OK)
        status = parscan_check_key_type(context, call->type);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "index_type", call->index_type);
    if (status == PARSCAN_OK && call->count > parscan_most_index(call->index_type))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "count = %zu: bounds up to it do not fit index_type = %s", call->count,
                            parscan_type_name(call->index_type));
    return status == PARSCAN_OK ? check_arrays(call) : status;
}

static parscan_status find_bounds(bounds_call *call)
{
    static parscan_status (*const engines[])(const bounds_call *call) =
        PARSCAN_ENGINES(parscan_bounds_cpu, parscan_bounds_cuda);
    parscan_context *const context = call->context;
    call_lengths lengths;
    parscan_status status =
        parscan_take_lengths(context, LENGTH_N | LENGTH_N2 | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = check_bounds(call);
    if (status != PARSCAN_OK)
        return status;
    call->count = parscan_length(&lengths, LENGTH_N, call->count);
    call->n = parscan_length(&lengths, LENGTH_N2, call->n);
    call->count_at = parscan_length_at(&lengths, LENGTH_N);
    call->n_at = parscan_length_at(&lengths, LENGTH_N2);
    return parscan_end_lengths(context, &lengths,
                               call->n > 0 ? engines[context->backend](call) : PARSCAN_OK);
}

parscan_status parscan_lower_bound(parscan_context *context, parscan_type type, const void *sorted,
                                   size_t count, const void *values, size_t n,
                                   parscan_type index_type, void *out)
{
    bounds_call call = {context, type, index_type, false, sorted, values,
                        count,   n,    out,        NULL,  NULL};
    return find_bounds(&call);
}

parscan_status parscan_upper_bound(parscan_context *context, parscan_type type, const void *sorted,
                                   size_t count, const void *values, size_t n,
                                   parscan_type index_type, void *out)
{
    bounds_call call = {context, type, index_type, true, sorted, values, count, n, out, NULL, NULL};
    return find_bounds(&call);
}
