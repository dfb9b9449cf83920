#include "parscan/allocate.h"

#include <inttypes.h>

#include "apps/allocate/allocate_call.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"
#include "scan/context/context_state.h"
#include "scan/context/engine.h"

PARSCAN_STRUCT_CAN_GROW(parscan_allocate_options, reserved, PARSCAN_OLDEST_ALLOCATE_OPTIONS);

parscan_status parscan_check_allocate_options(parscan_context *context,
                                              const parscan_allocate_options *given,
                                              parscan_allocate_options *options)
{
    const parscan_status status = parscan_read_struct(
        context, "options", given, PARSCAN_OLDEST_ALLOCATE_OPTIONS, options, sizeof *options);
    if (status != PARSCAN_OK)
        return status;
    if ((options->alignment & (options->alignment - 1)) == 0)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "alignment = %" PRIu64 ": it must be a power of two", options->alignment);
}

parscan_status parscan_check_allocate_types(const allocate_call *call)
{
    const parscan_status status =
        parscan_check_unsigned(call->context, "size_type", call->size_type);
    return status == PARSCAN_OK
               ? parscan_check_index_type(call->context, "offset_type", call->offset_type)
               : status;
}

/* Offsets may overlap sizes only if both are one array. */
static parscan_status check_places(const allocate_call *call)
{
    const size_t size_bytes = parscan_type_size(call->size_type);
    const size_t offset_bytes = parscan_type_size(call->offset_type);
    return parscan_check_same_or_apart(
        call->context,
        (parscan_extent){"offsets", call->offsets, parscan_offsets_count(call) * offset_bytes},
        (parscan_extent){"sizes", call->sizes, call->n * size_bytes});
}

parscan_status parscan_check_allocate_arrays(const allocate_call *call, const uint64_t *total)
{
    parscan_context *const context = call->context;
    parscan_status status = parscan_check_allocate_types(call);
    if (status != PARSCAN_OK)
        return status;
    const size_t size_bytes = parscan_type_size(call->size_type);
    const size_t offset_bytes = parscan_type_size(call->offset_type);
    status = parscan_check_array(context, "sizes", call->sizes, call->n, size_bytes);
    if (status == PARSCAN_OK && call->offsets != NULL)
        status = parscan_check_array(context, "offsets", call->offsets, parscan_offsets_count(call),
                                     offset_bytes);
    if (status != PARSCAN_OK)
        return status;
    if (total == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "total is NULL");
    if (call->n > 0 && call->sizes == call->offsets && size_bytes != offset_bytes)
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "offsets = sizes: offset_type = %s and size_type = %s must be of one size",
            parscan_type_name(call->offset_type), parscan_type_name(call->size_type));
    return check_places(call);
}

parscan_status parscan_fail_total(parscan_context *context, parscan_status status,
                                  parscan_type type, uint64_t total, uint64_t capacity)
{
    if (status == PARSCAN_OK)
        return PARSCAN_OK;
    if (status == PARSCAN_ERROR_OVERFLOW && total == UINT64_MAX)
        return parscan_fail(context, status, "total does not fit 64 bits");
    if (status == PARSCAN_ERROR_OVERFLOW)
        return parscan_fail(context, status, "total = %" PRIu64 " does not fit offset_type = %s",
                            total, parscan_type_name(type));
    return parscan_fail(context, status, "capacity = %" PRIu64 ": total = %" PRIu64 " exceeds it",
                        capacity, total);
}

uint64_t parscan_most_total(const allocate_call *call, uint64_t capacity)
{
    const uint64_t most = parscan_most_index(call->offset_type);
    return call->n == 0 ? 0 : capacity < most ? capacity : most;
}

parscan_status parscan_run_allocate(const allocate_call *call, uint64_t capacity, uint64_t *total)
{
    static parscan_status (*const engines[])(const allocate_call *call, uint64_t capacity,
                                             uint64_t *total) =
        PARSCAN_ENGINES(parscan_allocate_cpu, parscan_allocate_cuda);
    return engines[call->context->backend](call, capacity, total);
}

parscan_status parscan_allocate(parscan_context *context, parscan_type size_type, const void *sizes,
                                size_t n, parscan_type offset_type, void *offsets, uint64_t *total,
                                const parscan_allocate_options *given)
{
    parscan_allocate_options options;
    call_lengths lengths;
    parscan_status status = parscan_take_lengths(context, LENGTH_N | LENGTH_ON_DEVICE, &lengths);
    if (status == PARSCAN_OK)
        status = parscan_check_allocate_options(context, given, &options);
    if (status != PARSCAN_OK)
        return status;
    allocate_call call = {
        .context = context,
        .size_type = size_type,
        .offset_type = offset_type,
        .sizes = sizes,
        .offsets = offsets,
        .n = n,
        .alignment = options.alignment != 0 ? options.alignment : 1,
        .close = options.close != 0,
    };
    status = parscan_check_allocate_arrays(&call, total);
    if (status != PARSCAN_OK)
        return status;
    const uint64_t capacity = options.capacity != 0 ? options.capacity : UINT64_MAX;
    call.n = parscan_length(&lengths, LENGTH_N, n);
    call.n_at = parscan_length_at(&lengths, LENGTH_N);
    return parscan_end_lengths(context, &lengths, parscan_run_allocate(&call, capacity, total));
}
