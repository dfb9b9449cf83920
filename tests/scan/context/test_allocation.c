/* The allocator hooks, the limit on scratch, and every allocation failing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "tests/support/counting.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define N 40000u

/* A scan whose levels of sums take about N elements of scratch. */
static scan_case scan_with_much_scratch(size_t n)
{
    scan_case scan = {.type = PARSCAN_U32, .n = n};
    scan.options.algorithm = PARSCAN_BRENT_KUNG;
    scan.options.block_threads = 1;
    return scan;
}

Test(allocator, gives_all_memory_and_gets_it_back)
{
    counting c = counting_begin(NEVER);
    parscan_context *const context = test_context_with(counting_options(&c));
    cr_assert_geq(c.calls, 1, "the context itself");
    cr_assert(counting_owns(&c, context));
    void *pointer;
    cr_assert_eq(parscan_malloc(context, &pointer, 1000), PARSCAN_OK);
    if (test_backend() == PARSCAN_BACKEND_CPU)
        cr_assert(counting_owns(&c, pointer));
    cr_assert_eq(parscan_free(context, pointer), PARSCAN_OK);
    void *const in = random_array(PARSCAN_U32, PARSCAN_SUM, N);
    const size_t before = c.calls;
    expect_scan(context, scan_with_much_scratch(N), in);
    if (test_backend() == PARSCAN_BACKEND_CPU)
        cr_assert_gt(c.calls, before, "scratch came from elsewhere");
    parscan_context_destroy(context);
    free(in);
    counting_end(&c);
}

Test(scratch, is_kept_so_that_a_repeated_call_allocates_nothing)
{
    counting c = counting_begin(NEVER);
    parscan_context *const context = test_context_with(counting_options(&c));
    void *const in = random_array(PARSCAN_U32, PARSCAN_SUM, N);
    for (size_t a = 0; a < ALGORITHMS; a++) {
        scan_case scan = {.type = PARSCAN_U32, .n = N};
        scan.options.algorithm = all_algorithms[a];
        expect_scan(context, scan, in);
        const size_t calls = c.calls;
        scan.kind = SCAN_EXCLUSIVE;
        expect_scan(context, scan, in);
        scan.n = N / 3;
        expect_scan(context, scan, in);
        cr_assert_eq(c.calls, calls, "%s", parscan_algorithm_name(all_algorithms[a]));
    }
    parscan_context_destroy(context);
    free(in);
    counting_end(&c);
}

/* Creates, allocates and scans, the k-th allocation failing; whether one did. Each step that fails
   is tried again, as one may whose memory has been freed meanwhile. */
static bool survives_failure(size_t k, const void *in)
{
    counting c = counting_begin(k);
    parscan_context_options options = counting_options(&c);
    char words[256] = "";
    options.error = words;
    options.error_size = sizeof words;
    parscan_context *context = NULL;
    parscan_status status = parscan_context_create(&context, &options);
    if (status != PARSCAN_OK) {
        cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY);
        cr_assert(context == NULL && strlen(words) > 0 && c.live == 0);
        cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    }
    void *pointer;
    status = parscan_malloc(context, &pointer, 100);
    if (status != PARSCAN_OK) {
        cr_assert(status == PARSCAN_ERROR_OUT_OF_MEMORY && pointer == NULL);
        cr_assert_eq(parscan_malloc(context, &pointer, 100), PARSCAN_OK);
    }
    static uint32_t out[N], before[N];
    for (size_t n = 10; n <= N; n = n * 63) {
        const scan_case scan = scan_with_much_scratch(n);
        parscan_scan_options o = scan.options;
        o.struct_size = sizeof o;
        memset(out, 0xa5, sizeof out);
        memset(before, 0xa5, sizeof before);
        status = parscan_inclusive_scan(context, PARSCAN_U32, in, out, n, &o);
        if (status != PARSCAN_OK) {
            cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY);
            cr_assert_gt(strlen(parscan_context_error(context)), 0);
            cr_assert_eq(memcmp(out, before, sizeof out), 0, "a failed scan wrote");
            /* For this one the scratch was large enough before it failed to grow. */
            expect_scan(context, scan_with_much_scratch(n / 63), in);
        }
        expect_scan(context, scan, in);
    }
    cr_assert_eq(parscan_free(context, pointer), PARSCAN_OK);
    parscan_context_destroy(context);
    const bool failed = c.calls > k;
    counting_end(&c);
    return failed;
}

Test(allocator, that_fails_at_any_call_is_survived)
{
    void *const in = random_array(PARSCAN_U32, PARSCAN_SUM, N);
    size_t k = 0;
    while (survives_failure(k, in))
        k++;
    /* The CUDA engine's scratch is the device's. */
    cr_assert_geq(k, test_backend() == PARSCAN_BACKEND_CUDA ? 2 : 4,
                  "only %zu allocations were made to fail", k);
    free(in);
}

Test(allocator, that_fails_for_good_leaves_small_scans_and_no_leak)
{
    if (test_backend() == PARSCAN_BACKEND_CUDA)
        cr_skip("its scratch is the device's: test_exhausted_cuda");
    counting c = counting_begin(NEVER);
    parscan_context *const context = test_context_with(counting_options(&c));
    uint32_t *const in = random_array(PARSCAN_U32, PARSCAN_SUM, N), out[1];
    parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_WARP);
    c.fails_at = c.calls;
    c.fails_from_then_on = true;
    for (int again = 0; again < 3; again++)
        cr_assert_eq(parscan_reduce(context, PARSCAN_U32, in, out, N, &options),
                     PARSCAN_ERROR_OUT_OF_MEMORY);
    c.fails_at = NEVER;
    c.fails_from_then_on = false;
    expect_scan(context, (scan_case){.type = PARSCAN_U32, .n = N}, in);
    parscan_context_destroy(context);
    free(in);
    counting_end(&c);
}

Test(scratch_limit, is_respected_named_and_survived)
{
    counting c = counting_begin(NEVER);
    parscan_context_options options = counting_options(&c);
    options.scratch_limit = 4321;
    parscan_context *const context = test_context_with(options);
    const size_t at_rest = c.live_bytes;
    uint32_t *const in = random_array(PARSCAN_U32, PARSCAN_SUM, N);
    uint32_t *const out = calloc(N, sizeof *out);
    parscan_scan_options much = scan_with_much_scratch(N).options;
    much.struct_size = sizeof much;
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U32, in, out, N, &much),
                 PARSCAN_ERROR_OUT_OF_MEMORY);
    cr_assert_not_null(strstr(parscan_context_error(context), "scratch_limit = 4321"), "%s",
                       parscan_context_error(context));
    for (size_t i = 0; i < N; i++)
        cr_assert_eq(out[i], 0);
    /* 1000 and so elements of sums are allowed; the rest is alignment. */
    for (size_t n = 1; n <= 1000; n += 111)
        expect_scan(context, scan_with_much_scratch(n), in);
    expect_scan(context, (scan_case){.type = PARSCAN_U32, .n = N}, in);
    cr_assert_leq(c.most_bytes - at_rest, 4321 + 128);
    parscan_context_destroy(context);
    free(in);
    free(out);
    counting_end(&c);
}
