#include "parscan/merge.h"

#include "apps/join/join_call.h"
#include "apps/merge/key_order.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

/* Checks the three arrays of keys, or of values. Together the inputs must fit the address space too. */
static parscan_status check_arrays(parscan_context *context, const char *const names[3],
                                   const void *a, size_t n, const void *b, size_t n2,
                                   const void *out, size_t size)
{
    parscan_status status = parscan_check_array(context, names[0], a, n, size);
    if (status == PARSCAN_OK)
        status = parscan_check_counted_array(context, names[1], b, "n2", n2, size);
    return status == PARSCAN_OK
               ? parscan_check_counted_array(context, names[2], out, "n + n2", n + n2, size)
               : status;
}

static parscan_status check_values(const merge_arrays *call)
{
    static const char *const names[3] = {"a_values", "b_values", "values_out"};
    parscan_context *const context = call->context;
    if (call->value_size == 0 &&
        (call->a.values != NULL || call->b.values != NULL || call->values_out != NULL))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = 0: then there are no values, and their arrays are NULL");
    if (call->value_size == 0)
        return PARSCAN_OK;
    const parscan_status status = parscan_check_value_size(context, call->value_size);
    return status == PARSCAN_OK
               ? check_arrays(context, names, call->a.values, call->a.n, call->b.values, call->b.n,
                              call->values_out, call->value_size)
               : status;
}

static parscan_status check_places(const merge_arrays *call)
{
    const size_t n = call->a.n, n2 = call->b.n;
    const parscan_extent arrays[] = {{"keys_out", call->keys_out, (n + n2) * call->key_size},
                                     {"values_out", call->values_out, (n + n2) * call->value_size},
                                     {"a_keys", call->a.keys, n * call->key_size},
                                     {"b_keys", call->b.keys, n2 * call->key_size},
                                     {"a_values", call->a.values, n * call->value_size},
                                     {"b_values", call->b.values, n2 * call->value_size}};
    return parscan_check_all_apart(call->context, arrays, 2, 6);
}

static parscan_status check_merge(merge_arrays *call)
{
    static const char *const names[3] = {"a_keys", "b_keys", "keys_out"};
    parscan_status status = parscan_check_key_type(call->context, call->type);
    if (status != PARSCAN_OK)
        return status;
    call->key_size = parscan_type_size(call->type);
    status = check_arrays(call->context, names, call->a.keys, call->a.n, call->b.keys, call->b.n,
                          call->keys_out, call->key_size);
    if (status == PARSCAN_OK)
        status = check_values(call);
    return status == PARSCAN_OK ? check_places(call) : status;
}

void parscan_set_pair_lengths(call_lengths *lengths, sorted_array *a, sorted_array *b)
{
    a->n = parscan_length(lengths, LENGTH_N, a->n);
    b->n = parscan_length(lengths, LENGTH_N2, b->n);
    a->n_at = parscan_length_at(lengths, LENGTH_N);
    b->n_at = parscan_length_at(lengths, LENGTH_N2);
}

parscan_status parscan_merge_arrays(const merge_arrays *call)
{
    static parscan_status (*const engines[])(const merge_arrays *call) =
        PARSCAN_ENGINES(parscan_merge_cpu, parscan_merge_cuda);
    return engines[call->context->backend](call);
}

parscan_status parscan_merge(parscan_context *context, parscan_type key_type, const void *a_keys,
                             size_t n, const void *b_keys, size_t n2, void *keys_out,
                             size_t value_size, const void *a_values, const void *b_values,
                             void *values_out)
{
    merge_arrays call = {.context = context,
                         .type = key_type,
                         .value_size = value_size,
                         .a = {a_keys, a_values, n, NULL},
                         .b = {b_keys, b_values, n2, NULL},
                         .keys_out = keys_out,
                         .values_out = values_out};
    call_lengths lengths;
    parscan_status status =
        parscan_take_lengths(context, LENGTH_N | LENGTH_N2 | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = check_merge(&call);
    if (status != PARSCAN_OK)
        return status;
    parscan_set_pair_lengths(&lengths, &call.a, &call.b);
    return parscan_end_lengths(context, &lengths, parscan_merge_arrays(&call));
}
