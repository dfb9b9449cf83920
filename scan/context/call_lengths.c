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
} fields[] = {{"n", LENGTH_N}, {"n2", LENGTH_N2}, {"segment_count", LENGTH_SEGMENT_COUNT}};

static const uint64_t *pointer_of(const parscan_lengths *lengths, length_field field)
{
    return field == LENGTH_N    ? lengths->n
           : field == LENGTH_N2 ? lengths->n2
                                : lengths->segment_count;
}

/* Checks that the host can read the lengths. */
static parscan_status check_pointers(parscan_context *context, const parscan_lengths *lengths)
{
    for (unsigned k = 0; k < 3; k++) {
        const uint64_t *const pointer = pointer_of(lengths, fields[k].field);
        bool on_host = true;
        const parscan_status status = pointer == NULL
                                          ? PARSCAN_OK
                                          : parscan_engine_of(context->backend)
                                                ->on_host(context, "lengths", pointer, &on_host);
        if (status != PARSCAN_OK)
            return status;
        if (!on_host)
            return parscan_fail(
                context,
                context->backend == PARSCAN_BACKEND_CPU ? PARSCAN_ERROR_INVALID_ARGUMENT
                                                        : PARSCAN_ERROR_UNSUPPORTED,
                "lengths->%s = %p: this memory is not the host's; a length must be in host memory",
                fields[k].name, (const void *)pointer);
    }
    return PARSCAN_OK;
}

static parscan_status check_lengths(parscan_context *context, const parscan_lengths *lengths,
                                    unsigned accepts)
{
    for (unsigned k = 0; k < 3; k++)
        if (pointer_of(lengths, fields[k].field) != NULL && !(accepts & fields[k].field))
            return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                                "lengths->%s: this call has no such length", fields[k].name);
    if (lengths->out_capacity != 0 && !(accepts & LENGTH_OUT_CAPACITY))
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "lengths->out_capacity = %" PRIu64
                            ": this call has no output whose length it finds out",
                            lengths->out_capacity);
    if (lengths->out_capacity != 0 && context->backend == PARSCAN_BACKEND_CUDA)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "lengths->out_capacity = %" PRIu64 ": it needs a CPU context",
                            lengths->out_capacity);
    return context->measures ? PARSCAN_OK : check_pointers(context, lengths);
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
    const parscan_status status = check_lengths(context, &context->lengths, accepts);
    if (status != PARSCAN_OK)
        return status;
    if (context->measures) /* what the lengths are can be anything up to the arguments */
        return PARSCAN_OK;
    lengths->given = context->lengths;
    if (lengths->given.out_capacity != 0 && lengths->given.out_capacity < SIZE_MAX)
        lengths->capacity = (size_t)lengths->given.out_capacity;
    return PARSCAN_OK;
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

size_t parscan_length(call_lengths *lengths, length_field field, size_t argument)
{
    const uint64_t *const pointer = pointer_of(&lengths->given, field);
    uint64_t length;
    if (pointer == NULL)
        return argument;
    memcpy(&length, pointer, sizeof length);
    if (length <= argument)
        return (size_t)length;
    if (lengths->above == NULL) {
        lengths->above = field == LENGTH_N ? "n" : field == LENGTH_N2 ? "n2" : "segment_count";
        lengths->length = length;
        lengths->most = argument;
    }
    return argument;
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
