#include "scan/context/call_lengths.h"

#include <inttypes.h>
#include <string.h>

#include "scan/context/check.h"
#include "scan/context/engine.h"

PARSCAN_STRUCT_CAN_GROW(parscan_lengths, segment_count, PARSCAN_OLDEST_LENGTHS);

parscan_status parscan_set_lengths(parscan_context *context, const parscan_lengths *given)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_lengths lengths;
    const parscan_status status = parscan_read_struct(
        context, "lengths", given, PARSCAN_OLDEST_LENGTHS, &lengths, sizeof lengths);
    context->has_lengths = status == PARSCAN_OK && given != NULL;
    context->lengths = lengths;
    return status;
}

static const struct {
    const char *name;
    length_field field;
} fields[CALL_LENGTHS] = {
    {"n", LENGTH_N}, {"n2", LENGTH_N2}, {"segment_count", LENGTH_SEGMENT_COUNT}};

static unsigned index_of(length_field field)
{
    return field == LENGTH_N ? 0 : field == LENGTH_N2 ? 1 : 2;
}

static const uint64_t **pointer_of(parscan_lengths *lengths, length_field field)
{
    return field == LENGTH_N    ? &lengths->n
           : field == LENGTH_N2 ? &lengths->n2
                                : &lengths->segment_count;
}

parscan_status parscan_fetch_length(parscan_context *context, length_field field,
                                    const uint64_t *at, uint64_t *length)
{
    const parscan_status status =
        parscan_engine_of(context->backend)->copy(context, length, at, sizeof *length);
    if (status != PARSCAN_ERROR_UNSUPPORTED)
        return status;
    return parscan_fail(context, status,
                        "lengths->%s = %p: it is in device memory, and the host has to know it for "
                        "this call, which cannot be captured in a graph",
                        fields[index_of(field)].name, (const void *)at);
}

/* Sorts a pointer that is given into those of host memory and those of device memory. */
static parscan_status place_length(parscan_context *context, call_lengths *lengths, unsigned k,
                                   bool on_device)
{
    const uint64_t **const pointer = pointer_of(&lengths->given, fields[k].field);
    bool on_host = true;
    if (*pointer == NULL)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_engine_of(context->backend)->on_host(context, "lengths", *pointer, &on_host);
    if (status != PARSCAN_OK || on_host)
        return status;
    if (context->backend == PARSCAN_BACKEND_CPU)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "lengths->%s = %p: this memory is not the host's; a CPU context reads "
                            "lengths from host memory",
                            fields[k].name, (const void *)*pointer);
    const uint64_t *const at = *pointer;
    if ((uintptr_t)at % sizeof *at != 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "lengths->%s = %p: in device memory it must be aligned to 8 bytes",
                            fields[k].name, (const void *)at);
    *pointer = on_device ? NULL : &lengths->fetched[k];
    lengths->at[k] = on_device ? at : NULL;
    return on_device ? PARSCAN_OK
                     : parscan_fetch_length(context, fields[k].field, at, &lengths->fetched[k]);
}

/* A context that measures reads nothing: lengths can be anything up to the arguments. Its kernels are
   those that would read them. */
static void measure_length(call_lengths *lengths, unsigned k, bool on_device)
{
    const uint64_t **const pointer = pointer_of(&lengths->given, fields[k].field);
    lengths->at[k] = on_device ? *pointer : NULL;
    *pointer = NULL;
}

static parscan_status check_fields(parscan_context *context, parscan_lengths *lengths,
                                   unsigned accepts)
{
    for (unsigned k = 0; k < CALL_LENGTHS; k++)
        if (*pointer_of(lengths, fields[k].field) != NULL && !(accepts & fields[k].field))
            return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                                "lengths->%s: this call has no such length", fields[k].name);
    if (lengths->out_capacity != 0 && !(accepts & LENGTH_OUT_CAPACITY))
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "lengths->out_capacity = %" PRIu64
                            ": this call has no output whose length it finds out",
                            lengths->out_capacity);
    if (lengths->out_capacity != 0 && context->backend == PARSCAN_BACKEND_CUDA &&
        !(accepts & LENGTH_CAPACITY_ON_CUDA))
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "lengths->out_capacity = %" PRIu64 ": it needs a CPU context",
                            lengths->out_capacity);
    return PARSCAN_OK;
}

parscan_status parscan_take_lengths(parscan_context *context, unsigned accepts,
                                    call_lengths *lengths)
{
    *lengths = (call_lengths){.capacity = SIZE_MAX};
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (!context->has_lengths)
        return PARSCAN_OK;
    context->has_lengths = false;
    lengths->given = context->lengths;
    const bool on_device =
        context->backend == PARSCAN_BACKEND_CUDA && (accepts & LENGTH_ON_DEVICE) != 0;
    parscan_status status = check_fields(context, &lengths->given, accepts);
    for (unsigned k = 0; k < CALL_LENGTHS && status == PARSCAN_OK; k++)
        if (context->measures)
            measure_length(lengths, k, on_device);
        else
            status = place_length(context, lengths, k, on_device);
    const uint64_t capacity = lengths->given.out_capacity;
    if (!context->measures && capacity != 0 && capacity < SIZE_MAX)
        lengths->capacity = (size_t)capacity;
    return status;
}

parscan_status parscan_refuse_lengths(parscan_context *context, const char *name)
{
    if (context == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    if (!context->has_lengths)
        return PARSCAN_OK;
    context->has_lengths = false;
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                        "lengths of parscan_set_lengths(): %s takes none", name);
}

const uint64_t *parscan_length_at(const call_lengths *lengths, length_field field)
{
    return lengths->at[index_of(field)];
}

size_t parscan_clamped_length(call_lengths *lengths, length_field field, uint64_t length,
                              size_t argument)
{
    if (length <= argument)
        return (size_t)length;
    if (lengths->above == NULL) {
        lengths->above = fields[index_of(field)].name;
        lengths->length = length;
        lengths->most = argument;
    }
    return argument;
}

size_t parscan_length(call_lengths *lengths, length_field field, size_t argument)
{
    const uint64_t *const pointer = *pointer_of(&lengths->given, field);
    uint64_t length;
    if (pointer == NULL)
        return argument;
    memcpy(&length, pointer, sizeof length);
    return parscan_clamped_length(lengths, field, length, argument);
}

parscan_status parscan_end_lengths(parscan_context *context, const call_lengths *lengths,
                                   parscan_status status)
{
    if (status != PARSCAN_OK || lengths->above == NULL)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_CAPACITY,
                        "*lengths->%s = %" PRIu64 ": the argument has room for %zu", lengths->above,
                        lengths->length, lengths->most);
}

parscan_status parscan_check_capacity(parscan_context *context, uint64_t count, size_t capacity)
{
    if (count <= capacity)
        return PARSCAN_OK;
    return parscan_fail(context, PARSCAN_ERROR_CAPACITY,
                        "lengths->out_capacity = %zu: count = %" PRIu64 " exceeds it", capacity,
                        count);
}
