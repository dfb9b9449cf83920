/* Runs of equal elements: their first elements, values and lengths. */
#include "apps/compact/compact_checks.h"
#include "parscan/compact.h"
#include "scan/context/check.h"
#include "scan/type_traits.h"

parscan_status parscan_unique(parscan_context *context, parscan_type type, const void *in,
                              void *out, size_t n, uint64_t *count)
{
    call_lengths lengths;
    parscan_status status =
        parscan_check_compact_input(context, ON_DEVICE | ROOM, &lengths, type, in, n, count);
    if (status == PARSCAN_OK && out != NULL)
        status = parscan_check_array(context, "out", out, n, parscan_type_size(type));
    if (status != PARSCAN_OK)
        return status;
    compact_call call = {
        .context = context,
        .name = "parscan_unique",
        .in = in,
        .size = parscan_type_size(type),
        .n = n,
        .type = type,
        .runs = true,
        .values = out,
        .count = count,
    };
    status = parscan_check_same_or_apart(context, parscan_first_run("out", out, n, call.size),
                                         parscan_compact_input(&call));
    return status == PARSCAN_OK ? parscan_run_compact_with(&call, &lengths) : status;
}

/* Checks the arrays of pairs: two inputs, and an output for each; keys alone where they are counted alone. */
static parscan_status check_pairs(const compact_call *call)
{
    parscan_context *const context = call->context;
    const size_t n = call->n;
    const parscan_extent keys_in = {"keys_in", call->in, n * call->size};
    const parscan_extent values_in = {"values_in", call->beside_in, n * call->beside_size};
    const parscan_extent keys_out = parscan_first_run("keys_out", call->values, n, call->size);
    const parscan_extent values_out =
        parscan_first_run("values_out", call->beside, n, call->beside_size);
    const parscan_extent arrays[] = {keys_out, values_out, values_in};
    parscan_status status = parscan_check_array(context, "keys_in", call->in, n, call->size);
    if (status != PARSCAN_OK || call->beside_size == 0)
        return status;
    status = parscan_check_array(context, "keys_out", call->values, n, call->size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "values_in", call->beside_in, n, call->beside_size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "values_out", call->beside, n, call->beside_size);
    if (status == PARSCAN_OK)
        status = parscan_check_all_apart(context, arrays, 1, 3);
    if (status == PARSCAN_OK)
        status = parscan_check_apart(context, values_out, keys_in);
    if (status == PARSCAN_OK)
        status = parscan_check_same_or_apart(context, keys_out, keys_in);
    return status == PARSCAN_OK ? parscan_check_same_or_apart(context, values_out, values_in)
                                : status;
}

parscan_status parscan_unique_pairs(parscan_context *context, parscan_type key_type,
                                    const void *keys_in, void *keys_out, size_t value_size,
                                    const void *values_in, void *values_out, size_t n,
                                    uint64_t *count)
{
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, ON_DEVICE | ROOM, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_type(context, "key_type", key_type);
    if (status != PARSCAN_OK)
        return status;
    if (value_size == 0 || count == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s",
                            count == NULL ? "count is NULL"
                                          : "value_size = 0: it must be at least 1");
    const bool pairs = keys_out != NULL || values_out != NULL;
    compact_call call = {
        .context = context,
        .name = "parscan_unique_pairs",
        .in = keys_in,
        .size = parscan_type_size(key_type),
        .n = n,
        .type = key_type,
        .runs = true,
        .values = keys_out,
        .beside_in = pairs ? values_in : NULL,
        .beside = values_out,
        .beside_size = pairs ? value_size : 0,
        .count = count,
    };
    status = check_pairs(&call);
    return status == PARSCAN_OK ? parscan_run_compact_with(&call, &lengths) : status;
}

parscan_status parscan_run_length_encode(parscan_context *context, parscan_type type,
                                         const void *in, void *values, parscan_type count_type,
                                         void *lengths, size_t n, uint64_t *count)
{
    call_lengths given;
    parscan_status status =
        parscan_check_compact_input(context, ON_DEVICE | ROOM, &given, type, in, n, count);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "count_type", count_type);
    if (status != PARSCAN_OK)
        return status;
    compact_call call = {
        .context = context,
        .name = "parscan_run_length_encode",
        .in = in,
        .size = parscan_type_size(type),
        .n = n,
        .type = type,
        .runs = true,
        .values = values,
        .lengths = lengths,
        .index_type = parscan_unsigned_index(count_type),
        .given_type = count_type,
        .count = count,
    };
    const parscan_extent first = parscan_first_run("values", values, n, call.size);
    const parscan_extent arrays[] = {
        parscan_first_run("lengths", lengths, n, parscan_type_size(count_type)), first,
        parscan_compact_input(&call)};
    status = parscan_check_same_or_apart(context, first, parscan_compact_input(&call));
    if (status == PARSCAN_OK)
        status = parscan_check_all_apart(context, arrays, 1, 3);
    return status == PARSCAN_OK ? parscan_run_compact_with(&call, &given) : status;
}
