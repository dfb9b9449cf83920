#include <inttypes.h>

#include "apps/allocate/allocate_call.h"
#include "parscan/allocate.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/engine.h"

/* At least one value is written, or none. */
static parscan_status check_out(const decode_call *call)
{
    if (call->out == NULL)
        return parscan_fail(call->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "out is NULL, capacity = %" PRIu64, call->capacity);
    return parscan_check_array(call->context, "out", call->out, 1, call->value_size);
}

static parscan_status check_arguments(const decode_call *call, const uint64_t *total)
{
    parscan_context *const context = call->context;
    const size_t n = call->n, size = call->value_size;
    parscan_status status = parscan_check_unsigned(context, "length_type", call->size_type);
    if (status != PARSCAN_OK)
        return status;
    if (size == 0 || total == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s",
                            total == NULL ? "total is NULL"
                                          : "value_size = 0: it must be at least 1");
    const size_t length_size = parscan_type_size(call->size_type);
    status = parscan_check_array(context, "values", call->values, n, size);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "lengths", call->sizes, n, length_size);
    if (status == PARSCAN_OK && call->capacity > 0)
        status = check_out(call);
    if (status != PARSCAN_OK)
        return status;
    /* A capacity beyond any memory says that the caller has not counted the room. */
    const size_t room = call->capacity <= SIZE_MAX / 2 / size ? (size_t)call->capacity * size : 1;
    const parscan_extent arrays[] = {{"out", call->out, room},
                                     {"values", call->values, n * size},
                                     {"lengths", call->sizes, n * length_size}};
    return parscan_check_all_apart(context, arrays, 1, 3);
}

parscan_status parscan_run_length_decode(parscan_context *context, size_t value_size,
                                         const void *values, parscan_type length_type,
                                         const void *lengths, size_t n, void *out,
                                         uint64_t capacity, uint64_t *total)
{
    static parscan_status (*const engines[])(const decode_call *call, uint64_t *total) =
        PARSCAN_ENGINES(parscan_decode_cpu, parscan_decode_cuda);
    decode_call call = {context, length_type, lengths, n, NULL, values, value_size, out, capacity};
    call_lengths given;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &given);
    if (status == PARSCAN_OK)
        status = check_arguments(&call, total);
    if (status != PARSCAN_OK)
        return status;
    call.n = parscan_length(&given, LENGTH_N, n);
    call.n_at = parscan_length_at(&given, LENGTH_N);
    return parscan_end_lengths(context, &given, engines[context->backend](&call, total));
}
