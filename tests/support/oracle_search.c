#include "tests/support/oracle_search.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/number.h"
#include "tests/support/oracle_sort.h"

/* Whether a comes before b in a sort: numbers as they are, -0 before +0, a NaN after all numbers. */
static bool comes_before(number a, number b)
{
    if (!a.is_float)
        return a.integer < b.integer;
    if (isnan(a.real) || isnan(b.real))
        return !isnan(a.real);
    if (a.real == 0 && b.real == 0)
        return signbit(a.real) && !signbit(b.real);
    return a.real < b.real;
}

static bool both_nan(number a, number b)
{
    return a.is_float && isnan(a.real) && isnan(b.real);
}

static size_t *order_of(parscan_type type, const void *keys, size_t n)
{
    const oracle_sort sort = {.type = type, .keys = keys, .n = n};
    size_t *const order = malloc((n + 1) * sizeof *order);
    if (order == NULL)
        abort();
    oracle_sort_order(&sort, order);
    return order;
}

void oracle_bounds(parscan_type type, const void *sorted, size_t count, const void *values,
                   size_t n, bool upper, uint64_t *bounds)
{
    size_t *const order = order_of(type, values, n);
    size_t bound = 0;
    for (size_t k = 0; k < n; k++) {
        const number needle = number_read(type, values, order[k]);
        for (; bound < count; bound++) {
            const number key = number_read(type, sorted, bound);
            const bool before = both_nan(key, needle) ? upper
                                : upper               ? !comes_before(needle, key)
                                                      : comes_before(key, needle);
            if (!before)
                break;
        }
        bounds[order[k]] = bound;
    }
    free(order);
}

void *oracle_sorted(parscan_type type, const void *keys, size_t n)
{
    const size_t size = parscan_type_size(type);
    size_t *const order = order_of(type, keys, n);
    void *const sorted = malloc(n * size + 1);
    if (sorted == NULL)
        abort();
    oracle_gather(keys, size, order, n, sorted);
    free(order);
    return sorted;
}
