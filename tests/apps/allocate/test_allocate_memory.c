/* The scratch of allocate, expand and pack: none, or little; failing; limited; kept. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/allocate.h"
#include "tests/support/counting.h"
#include "tests/support/test_engine.h"

#define N 2000003u

/* n sizes of one. */
static uint8_t *ones(void)
{
    uint8_t *const sizes = malloc(N);
    cr_assert_not_null(sizes);
    memset(sizes, 1, N);
    return sizes;
}

/* On one thread. Several need slots for their tiles. */
Test(allocate, takes_no_scratch)
{
    counting c = counting_begin(NEVER);
    parscan_context_options options = counting_options(&c);
    options.threads = 1;
    parscan_context *const context = test_context_with(options);
    uint8_t *const sizes = ones();
    uint64_t *const offsets = malloc(N * sizeof *offsets), total;
    cr_assert_not_null(offsets);
    const size_t calls = c.calls;
    cr_assert_eq(
        parscan_allocate(context, PARSCAN_U8, sizes, N, PARSCAN_U64, offsets, &total, NULL),
        PARSCAN_OK);
    cr_assert_eq(c.calls, calls);
    parscan_context_destroy(context);
    free(offsets);
    free(sizes);
    counting_end(&c);
}

static parscan_status call(parscan_context *context, int which, const uint8_t *sizes,
                           uint32_t *results)
{
    uint64_t total;
    if (which == 0)
        return parscan_expand(context, PARSCAN_U8, sizes, N, PARSCAN_U32, results, NULL, N, &total);
    return parscan_pack(context, sizes, PARSCAN_U32, results, PARSCAN_U8, sizes, results + N,
                        results, N);
}

/* Owners of ones are what they are the offsets of. */
Test(expand_and_pack, take_little_scratch_and_keep_it)
{
    uint8_t *const sizes = ones();
    uint32_t *const results = malloc((N + N / 4 + 1) * sizeof *results);
    cr_assert_not_null(results);
    for (int which = 0; which < 2; which++) {
        counting c = counting_begin(NEVER);
        parscan_context *const context = test_context_with(counting_options(&c));
        cr_assert_eq(call(context, 0, sizes, results), PARSCAN_OK);
        const size_t before = c.live_bytes;
        cr_assert_eq(call(context, which, sizes, results), PARSCAN_OK);
        cr_assert_leq(c.most_bytes, (1u << 20) + N / 100 + 4096);
        cr_assert_eq(c.live_bytes, before);
        parscan_context_destroy(context);
        counting_end(&c);
    }
    free(results);
    free(sizes);
}

Test(expand_and_pack, survive_an_allocation_that_fails)
{
    uint8_t *const sizes = ones();
    uint32_t *const results = malloc((N + N / 4 + 1) * sizeof *results);
    cr_assert_not_null(results);
    for (uint32_t i = 0; i < N; i++)
        results[i] = i;
    for (int which = 1; which >= 0; which--) {
        counting c = counting_begin(1);
        parscan_context *const context = test_context_with(counting_options(&c));
        memset(results + (which == 0 ? 0 : N), 0xa5, 100);
        cr_assert_eq(call(context, which, sizes, results), PARSCAN_ERROR_OUT_OF_MEMORY);
        cr_assert_eq(results[which == 0 ? 0 : N], 0xa5a5a5a5u);
        cr_assert_eq(call(context, which, sizes, results), PARSCAN_OK);
        parscan_context_destroy(context);
        counting_end(&c);
    }
    free(results);
    free(sizes);
}

Test(expand, respects_the_limit_on_scratch)
{
    parscan_context *const context =
        test_context_with((parscan_context_options){.scratch_limit = 64});
    uint8_t *const sizes = ones();
    uint64_t total = 5;
    cr_assert_eq(parscan_expand(context, PARSCAN_U8, sizes, N, PARSCAN_U32, NULL, NULL, N, &total),
                 PARSCAN_ERROR_OUT_OF_MEMORY);
    cr_assert_eq(total, 5);
    cr_assert_eq(
        parscan_expand(context, PARSCAN_U8, sizes, 1000, PARSCAN_U32, NULL, NULL, N, &total),
        PARSCAN_OK);
    cr_assert_eq(total, 1000);
    free(sizes);
    parscan_context_destroy(context);
}
