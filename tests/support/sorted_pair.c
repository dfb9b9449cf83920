#include "tests/support/sorted_pair.h"

#include "tests/support/allocated.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/oracle_sort.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static char *sorted_keys(parscan_type type, key_pattern pattern, size_t n)
{
    const size_t size = parscan_type_size(type);
    void *const keys = patterned_keys(type, pattern, n);
    size_t *const order = allocated(n * sizeof *order);
    char *const sorted = allocated(n * size);
    oracle_sort_order(&(oracle_sort){.type = type, .keys = keys, .n = n}, order);
    oracle_gather(keys, size, order, n, sorted);
    free(order);
    free(keys);
    return sorted;
}

void with_sorted_pair(parscan_context *context, expect_pair *expect, parscan_type type,
                      key_pattern pattern, size_t n, size_t n2)
{
    char *const a = sorted_keys(type, pattern, n), *const b = sorted_keys(type, pattern, n2);
    expect(context, &(sorted_pair){.type = type, .a = a, .b = b, .n = n, .n2 = n2});
    free(a);
    free(b);
}

void each_pattern_of_pairs(parscan_type type, const size_t (*lengths)[2], size_t count,
                           expect_pair *expect)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < count * KEY_PATTERNS; k++)
        if (takes_larger_case())
            with_sorted_pair(context, expect, type, (key_pattern)(k % KEY_PATTERNS),
                             lengths[k / KEY_PATTERNS][0], lengths[k / KEY_PATTERNS][1]);
    parscan_context_destroy(context);
}

void each_length_of_pairs(size_t most, expect_pair *expect)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n <= most; n++)
        for (size_t n2 = 0; n2 <= most; n2++)
            if (takes_larger_case())
                with_sorted_pair(context, expect, all_types[(n + n2) % TYPES],
                                 n % 2 == 0 ? KEYS_FEW : KEYS_SPARSE, n, n2);
    parscan_context_destroy(context);
}
