#include "tests/support/oracle_compact.h"

#include "tests/support/number.h"

bool oracle_keeps(parscan_type type, const void *element, const parscan_predicate *keep)
{
    const number x = number_read(type, element, 0);
    if (keep == NULL || keep->comparison == PARSCAN_NONZERO)
        return x.is_float ? x.real != 0 : x.integer != 0;
    const number_order order = number_compare(x, number_read(type, keep->value, 0));
    switch (keep->comparison) {
    case PARSCAN_EQUAL:
        return order == NUMBER_EQUAL;
    case PARSCAN_NOT_EQUAL:
        return order != NUMBER_EQUAL;
    case PARSCAN_LESS:
        return order == NUMBER_LESS;
    case PARSCAN_LESS_EQUAL:
        return order == NUMBER_LESS || order == NUMBER_EQUAL;
    case PARSCAN_GREATER:
        return order == NUMBER_GREATER;
    case PARSCAN_GREATER_EQUAL:
        return order == NUMBER_GREATER || order == NUMBER_EQUAL;
    default:
        break;
    }
    const number_order above = number_compare(x, number_read(type, keep->upper, 0));
    return (order == NUMBER_GREATER || order == NUMBER_EQUAL) &&
           (above == NUMBER_LESS || above == NUMBER_EQUAL);
}

size_t oracle_kept(parscan_type type, const void *in, size_t n, const parscan_predicate *keep,
                   uint64_t *indices)
{
    const size_t size = parscan_type_size(type);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (oracle_keeps(type, (const char *)in + i * size, keep))
            indices[count++] = i;
    return count;
}

static bool is_nan(number x)
{
    return x.is_float && x.real != x.real;
}

size_t oracle_run_starts(parscan_type type, const void *in, size_t n, uint64_t *indices)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const number x = number_read(type, in, i);
        const number before = i > 0 ? number_read(type, in, i - 1) : x;
        const bool same =
            number_compare(before, x) == NUMBER_EQUAL || (is_nan(before) && is_nan(x));
        if (i == 0 || !same)
            indices[count++] = i;
    }
    return count;
}
