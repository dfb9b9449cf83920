/* Sorts that fetch lines before they write them, and sorts that do not: each machine has one of the
   two, here both run. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/every_simd.h"
#include "tests/support/key_patterns.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

/* A context whose scatters fetch lines ("1"), or do not ("0"). */
static parscan_context *context_that(const char *prefetches)
{
    cr_assert_eq(setenv("PARSCAN_PREFETCH_STORES", prefetches, 1), 0);
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    unsetenv("PARSCAN_PREFETCH_STORES");
    return context;
}

/* Below the bytes from which on lines are fetched; a block and no block to follow; several buckets;
   and a scatter past the caches. */
static const size_t lengths[] = {63, 64, 129, 8192 + 5, 40000, (1u << 20) + 3};

static void expect_sorts(parscan_type type)
{
    static const size_t value_sizes[] = {0, 4, 8, 12};
    parscan_context *const contexts[] = {context_that("0"), context_that("1")};
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        sort_case sort = {.type = type, .n = lengths[k]};
        void *const keys = patterned_keys(type, KEYS_RANDOM, sort.n);
        size_t *const order = sort_order(&sort, keys);
        for (size_t c = 0; c < COUNT_OF(contexts); c++) {
            for (size_t v = 0; v < COUNT_OF(value_sizes); v++) {
                sort.value_size = value_sizes[v];
                expect_order(contexts[c], sort, keys, order);
            }
            sort.value_size = 0;
            sort.index_type = PARSCAN_U32;
            expect_order(contexts[c], sort, keys, order);
            sort.index_type = 0;
        }
        free(keys);
        free(order);
    }
    for (size_t c = 0; c < COUNT_OF(contexts); c++)
        parscan_context_destroy(contexts[c]);
}

SimdTest(prefetch, u32)
{
    expect_sorts(PARSCAN_U32);
}

SimdTest(prefetch, f64)
{
    expect_sorts(PARSCAN_F64);
}
