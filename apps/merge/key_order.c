#include "apps/merge/key_order.h"

#include "scan/context/check.h"
#include "scan/context/context_state.h"

enum { MAX_VALUE_SIZE = 64 };

parscan_status parscan_check_sorted_type(parscan_context *context, const char *name,
                                         parscan_type type)
{
    const parscan_status status = parscan_check_type(context, name, type);
    if (status != PARSCAN_OK || parscan_type_traits_of(type).key != KEY_CLASSES)
        return status;
    return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                        "%s = %s: keys of this type cannot be sorted", name,
                        parscan_type_name(type));
}

parscan_status parscan_check_key_type(parscan_context *context, parscan_type key_type)
{
    return parscan_check_sorted_type(context, "key_type", key_type);
}

parscan_status parscan_check_value_size(parscan_context *context, size_t size)
{
    if (size == 0 || size > MAX_VALUE_SIZE)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = %zu: it must be 1 to %d", size, MAX_VALUE_SIZE);
    return PARSCAN_OK;
}

key_order parscan_key_order(parscan_type type, bool descending, unsigned begin_bit,
                            unsigned end_bit)
{
    const parscan_type_traits key = parscan_type_traits_of(type);
    const unsigned bits = 8 * (unsigned)key.size;
    const uint64_t sign = key.is_signed ? (uint64_t)1 << (bits - 1) : 0;
    return (key_order){.flip = descending ? sign ^ low_bits(bits) : sign,
                       .keep = low_bits(end_bit) & ~low_bits(begin_bit)};
}
