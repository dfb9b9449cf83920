/* Keys of which most are some hundred, that are counted, and others between them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

enum { VALUES = 500 };

static uint64_t other_key(parscan_type type)
{
    const double number = ((double)random_below(1u << 30) - (1u << 29)) * 0x1p-7;
    uint64_t key = (uint64_t)random_below(1u << 30) << 34 | random_below(1u << 30);
    if (type == PARSCAN_F64)
        memcpy(&key, &number, sizeof key);
    return key;
}

/* One of `others` keys is none of the common ones, or next to one. nans: so many, of several bits. */
static uint64_t *common_keys(parscan_type type, size_t n, size_t others, size_t nans)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY};
    uint64_t values[VALUES];
    uint64_t *const keys = malloc(n * sizeof *keys);
    for (size_t k = 0; k < VALUES; k++)
        values[k] = other_key(type);
    if (type == PARSCAN_F64)
        memcpy(values, special, sizeof special);
    for (size_t i = 0; i < n; i++)
        keys[i] = random_below(others) > 0 ? values[random_below(VALUES)]
                  : random_below(2) == 0   ? other_key(type)
                                           : values[4 + random_below(VALUES - 4)] ^ 1;
    for (size_t k = 0; k < nans && type == PARSCAN_F64; k++)
        keys[random_below(n)] = 0x7ff8000000000000 + random_below(5) + ((k & 1) << 63);
    return keys;
}

SimdTest(sort_common, keys_and_those_between_are_right)
{
    static const parscan_type types[] = {PARSCAN_U64, PARSCAN_F64, PARSCAN_I64, PARSCAN_F64};
    static const size_t others[] = {1000000, 20, 5, 3}, nans[] = {0, 3, 0, 20000};
    for (unsigned threads = 1; threads <= 3; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        const size_t turn = random_below(16);
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            sort_case sort = {.type = types[t],
                              .n = ((size_t)1 << 18) + random_below(100),
                              .keys_in_place = (turn + t) & 1};
            sort.options.descending = (turn + t) >> 1 & 1;
            const size_t nan_count = nans[(threads + t) & 3];
            uint64_t *const keys = common_keys(
                types[t], sort.n, others[nan_count > 3 ? 1 : (turn + t) >> 2 & 3], nan_count);
            expect_sort(context, sort, keys);
            free(keys);
        }
        parscan_context_destroy(context);
    }
}
