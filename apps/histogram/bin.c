#include "apps/histogram/bin_call.h"
#include "parscan/histogram.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

enum { MAX_VALUE_SIZE = 64 };

static parscan_status check_bin_values(const bin_call *call)
{
    parscan_context *const context = call->context;
    const size_t size = call->value_size;
    if (size == 0 || size > MAX_VALUE_SIZE)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = %zu: it must be 1 to %d", size, MAX_VALUE_SIZE);
    if (call->values != NULL)
        return parscan_check_array(context, "values", call->values, call->n, size);
    if (size != sizeof(uint32_t) && size != sizeof(uint64_t))
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "value_size = %zu, values is NULL: it must be 4 or 8, the bytes of an index", size);
    if (size == sizeof(uint32_t) && call->n > 0 && call->n - 1 > UINT32_MAX)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = 4: the indices of n = %zu entries need 8 bytes", call->n);
    return PARSCAN_OK;
}

static parscan_status check_bins(const bin_call *call)
{
    parscan_context *const context = call->context;
    if (call->bins > (uint64_t)1 << 32)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "bins = %zu: it must be at most 2^32", call->bins);
    if (call->offsets == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "offsets is NULL");
    if (call->n > parscan_most_index(call->offset_type))
        return parscan_fail(context, PARSCAN_ERROR_OVERFLOW,
                            "n = %zu does not fit offset_type = %s", call->n,
                            parscan_type_name(call->offset_type));
    return PARSCAN_OK;
}

/* The values that are kept may be none. */
static parscan_status check_bin_places(const bin_call *call)
{
    const bool moves = call->values_out != NULL;
    const parscan_extent arrays[] = {
        {"values_out", call->values_out, call->n > 0},
        {"offsets", call->offsets, (call->bins + 1) * call->offset_size},
        {"bin_of", call->bin_of, call->n * parscan_type_size(call->bin_type)},
        {"values", moves ? call->values : NULL, moves ? call->n * call->value_size : 0}};
    return parscan_check_all_apart(call->context, arrays, 2, 4);
}

parscan_status parscan_bin(parscan_context *context, parscan_type bin_type, const void *bin_of,
                           size_t value_size, const void *values, size_t n, size_t bins,
                           parscan_type offset_type, void *offsets, void *values_out)
{
    static parscan_status (*const engines[])(const bin_call *call) =
        PARSCAN_ENGINES(parscan_bin_cpu, parscan_bin_cuda);
    bin_call call = {.context = context,
                     .bin_type = bin_type,
                     .offset_type = offset_type,
                     .bin_of = bin_of,
                     .n = n,
                     .bins = bins,
                     .offsets = offsets,
                     .offset_size = parscan_type_size(offset_type),
                     .value_size = value_size,
                     .values = values,
                     .values_out = values_out};
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_unsigned(context, "bin_type", bin_type);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "offset_type", offset_type);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "bin_of", bin_of, n, parscan_type_size(bin_type));
    if (status == PARSCAN_OK)
        status = check_bins(&call);
    if (status == PARSCAN_OK && values_out != NULL)
        status = check_bin_values(&call);
    if (status == PARSCAN_OK)
        status = check_bin_places(&call);
    if (status != PARSCAN_OK)
        return status;
    call.n = parscan_length(&lengths, LENGTH_N, n);
    call.n_at = parscan_length_at(&lengths, LENGTH_N);
    call.offset_type = parscan_unsigned_index(offset_type);
    return parscan_end_lengths(context, &lengths, engines[context->backend](&call));
}
