#include "scan/context/check.h"

#include <stdint.h>
#include <string.h>

#include "scan/context/context_state.h"
#include "scan/context/host_memory.h"
#include "scan/type_traits.h"

parscan_status parscan_read_struct(parscan_context *context, const char *name, const void *given,
                                   size_t oldest, void *local, size_t size)
{
    size_t given_size = size;
    memset(local, 0, size);
    memcpy(local, &size, sizeof size);
    if (given == NULL)
        return PARSCAN_OK;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size < oldest)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s->struct_size = %zu: it must be at least %zu", name, given_size,
                            oldest);
    if (given_size > PARSCAN_LARGEST_STRUCT)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s->struct_size = %zu: it must be at most %u", name, given_size,
                            PARSCAN_LARGEST_STRUCT);
    const size_t common = given_size < size ? given_size : size;
    memcpy((char *)local + sizeof size, (const char *)given + sizeof size, common - sizeof size);
    for (size_t i = size; i < given_size; i++)
        if (((const char *)given)[i] != 0)
            return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                                "%s->struct_size = %zu: byte %zu is not zero, but parscan %s knows "
                                "only the first %zu bytes",
                                name, given_size, i, PARSCAN_VERSION_STRING, size);
    return PARSCAN_OK;
}

parscan_status parscan_check_type(parscan_context *context, const char *name, parscan_type type)
{
    if (parscan_type_size(type) != 0)
        return PARSCAN_OK;
    if (type == PARSCAN_CUSTOM)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s = custom: it must be a type of the library's here", name);
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s = %d is not a parscan_type",
                        name, (int)type);
}

parscan_status parscan_check_u32_or_u64(parscan_context *context, const char *name,
                                        parscan_type type)
{
    const parscan_status status = parscan_check_type(context, name, type);
    if (status != PARSCAN_OK || type == PARSCAN_U32 || type == PARSCAN_U64)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s = %s: it must be u32 or u64",
                        name, parscan_type_name(type));
}

parscan_status parscan_check_unsigned(parscan_context *context, const char *name, parscan_type type)
{
    const parscan_status status = parscan_check_type(context, name, type);
    if (status != PARSCAN_OK || type == PARSCAN_U8 || type == PARSCAN_U16 || type == PARSCAN_U32 ||
        type == PARSCAN_U64)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %s: it must be u8, u16, u32 or u64", name, parscan_type_name(type));
}

parscan_status parscan_check_index_type(parscan_context *context, const char *name,
                                        parscan_type type)
{
    const parscan_status status = parscan_check_type(context, name, type);
    if (status != PARSCAN_OK || type == PARSCAN_U32 || type == PARSCAN_U64 || type == PARSCAN_I32 ||
        type == PARSCAN_I64)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %s: it must be u32, u64, i32 or i64", name, parscan_type_name(type));
}

uint64_t parscan_most_index(parscan_type type)
{
    const parscan_type_traits traits = parscan_type_traits_of(type);
    const uint64_t most = traits.size == 4 ? UINT32_MAX : UINT64_MAX;
    return traits.is_signed ? most >> 1 : most;
}

parscan_type parscan_unsigned_index(parscan_type type)
{
    return parscan_type_size(type) == sizeof(uint32_t) ? PARSCAN_U32 : PARSCAN_U64;
}

parscan_status parscan_check_array(parscan_context *context, const char *name, const void *pointer,
                                   size_t n, size_t element_size)
{
    return parscan_check_counted_array(context, name, pointer, "n", n, element_size);
}

parscan_status parscan_check_counted_array(parscan_context *context, const char *name,
                                           const void *pointer, const char *count_name, size_t n,
                                           size_t element_size)
{
    if (n > SIZE_MAX / 2 / element_size)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s = %zu: elements of %zu bytes exceed the address space", count_name,
                            n, element_size);
    if (pointer == NULL && n > 0)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "%s is NULL, %s = %zu", name,
                            count_name, n);
    if (n > 0 && context->near_device && !context->measures &&
        context->backend == PARSCAN_BACKEND_CPU && !parscan_host_can_read(pointer))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s = %p: the host cannot read this memory; device memory needs a "
                            "context with backend = cuda",
                            name, pointer);
    return PARSCAN_OK;
}

static bool overlap(parscan_extent a, parscan_extent b)
{
    const uintptr_t at_a = (uintptr_t)a.data, at_b = (uintptr_t)b.data;
    if (a.data == NULL || b.data == NULL || a.bytes == 0 || b.bytes == 0)
        return false;
    return at_a <= at_b ? at_b - at_a < a.bytes : at_a - at_b < b.bytes;
}

static parscan_status fail_overlap(parscan_context *context, parscan_extent out,
                                   parscan_extent other, const char *allowed)
{
    return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "%s = %p overlaps %s = %p: they must %slie apart", out.name, out.data,
                        other.name, other.data, allowed);
}

parscan_status parscan_check_apart(parscan_context *context, parscan_extent out,
                                   parscan_extent other)
{
    return overlap(out, other) ? fail_overlap(context, out, other, "") : PARSCAN_OK;
}

parscan_status parscan_check_same_or_apart(parscan_context *context, parscan_extent out,
                                           parscan_extent other)
{
    if (out.data == other.data || !overlap(out, other))
        return PARSCAN_OK;
    return fail_overlap(context, out, other, "be the same array or ");
}

parscan_status parscan_check_all_apart(parscan_context *context, const parscan_extent *arrays,
                                       unsigned leading, unsigned count)
{
    parscan_status status = PARSCAN_OK;
    for (unsigned k = 0; k < leading && status == PARSCAN_OK; k++)
        for (unsigned other = k + 1; other < count && status == PARSCAN_OK; other++)
            status = parscan_check_apart(context, arrays[k], arrays[other]);
    return status;
}

static bool is_float_op(parscan_op op)
{
    switch ((int)op) {
#define X(ctx, NAME, ...) case PARSCAN_##NAME:
        PARSCAN_OPS_FLOAT(X, )
#undef X
        return true;
    default:
        return false;
    }
}

parscan_status parscan_check_op(parscan_context *context, parscan_op op, parscan_type type)
{
    if (parscan_op_name(op) == NULL)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "op = %d is not a parscan_op",
                            (int)op);
    if (parscan_is_float(type) && !is_float_op(op))
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "op = %s is for integers only, type = %s", parscan_op_name(op),
                            parscan_type_name(type));
    return PARSCAN_OK;
}

parscan_status parscan_check_out_type(parscan_context *context, parscan_op op, parscan_type from,
                                      parscan_type to)
{
    parscan_status status = parscan_check_type(context, "out_type", to);
    if (status != PARSCAN_OK || to == from)
        return status;
    if (op != PARSCAN_SUM)
        return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                            "out_type = %s, type = %s: only op = sum may widen, op = %s",
                            parscan_type_name(to), parscan_type_name(from), parscan_op_name(op));
#define X(ctx, FROM, TO)                              \
    if (from == PARSCAN_##FROM && to == PARSCAN_##TO) \
        return PARSCAN_OK;
    PARSCAN_WIDENINGS(X, )
#undef X
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                        "out_type = %s: a sum of type = %s cannot widen to it",
                        parscan_type_name(to), parscan_type_name(from));
}
