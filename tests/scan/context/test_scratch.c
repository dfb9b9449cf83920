/* How much memory a context takes, and every allocation of every function failing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/counting.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

/* 64 KiB for the context, and 2 MiB for each thread if there are several. */
static size_t allowed_bytes(unsigned threads)
{
    return (64u << 10) + (threads > 1 ? threads * (size_t)(2u << 20) : 0);
}

/* All that one context allocates for scans of n elements in place and for reductions; the values
   do not matter. */
static void expect_little_memory(parscan_type type, parscan_type out_type, size_t n, void *array,
                                 void *out, unsigned threads)
{
    counting c = counting_begin(NEVER);
    parscan_context_options context_options = counting_options(&c);
    context_options.threads = threads;
    parscan_context *const context = test_context_with(context_options);
    for (int mode = 0; mode < 12; mode++) {
        const scan_kind kind = (scan_kind)(mode % 3);
        uint64_t reduced;
        parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.out_type = out_type);
        options.reverse = mode / 3 % 2;
        options.reproducible = mode / 6;
        cr_assert_eq(call_scan(context, kind, type, array, kind == SCAN_REDUCE ? &reduced : out, n,
                               &options),
                     PARSCAN_OK, "%s", parscan_context_error(context));
        cr_assert_leq(c.most_bytes, allowed_bytes(threads),
                      "%zu bytes for mode %d of %zu %s on %u threads", c.most_bytes, mode, n,
                      parscan_type_name(type), threads);
    }
    parscan_context_destroy(context);
    counting_end(&c);
}

Test(scratch, is_2_MiB_for_each_thread_at_most_and_none_for_one)
{
    static const size_t lengths[] = {0, 1, 1000, 100003, 1u << 20, 1u << 24};
    static const unsigned threads[] = {1, 2, 64};
    for (size_t k = 0; k < COUNT_OF(lengths) * COUNT_OF(threads); k++) {
        const size_t n = lengths[k / COUNT_OF(threads)];
        const unsigned t = threads[k % COUNT_OF(threads)];
        if ((n == 1u << 24 && (t == 64 || UNDER_SANITIZER)) || !takes_larger_case())
            continue;
        double *const array = calloc(n + 1, sizeof *array);
        cr_assert_not_null(array);
        expect_little_memory(PARSCAN_F32, 0, n, array, array, t);
        expect_little_memory(PARSCAN_F64, 0, n, array, array, t);
        expect_little_memory(PARSCAN_U8, 0, n, array, array, t);
        if (n <= 1u << 20) {
            uint64_t *const out = malloc((n + 1) * sizeof *out);
            expect_little_memory(PARSCAN_U8, PARSCAN_U64, n, array, out, t);
            expect_little_memory(PARSCAN_F32, PARSCAN_F64, n, array, out, t);
            free(out);
        }
        free(array);
    }
}

#define N (THREADS_FROM_BYTES / 4 + 1) /* elements of 4 bytes: more than one thread */

/* Creates a context and makes a call, the k-th allocation failing; whether one did. What fails is
   OUT_OF_MEMORY, writes nothing, may be tried again, and leaves the context as good as before. */
static bool survives_failure(const scan_case *scan, size_t k, const void *in)
{
    static char out[N * sizeof(double)], before[sizeof out];
    failing_run run;
    failing_begin(&run, k);
    memset(out, 0xa5, sizeof out);
    memset(before, 0xa5, sizeof before);
    parscan_scan_options o = scan->options;
    o.struct_size = sizeof o;
    const parscan_status status =
        call_scan(run.context, scan->kind, scan->type, in, out, scan->n, &o);
    if (failing_check(&run, status)) {
        cr_assert_eq(memcmp(out, before, sizeof out), 0, "a failed call wrote");
    }
    expect_scan(run.context, *scan, in);
    scan_case other = {.type = PARSCAN_U32, .n = N, .kind = SCAN_REDUCE};
    expect_scan(run.context, other, in);
    return failing_end(&run);
}

/* Every k until no allocation is left to fail. */
static void expect_survival(scan_case scan)
{
    void *const in = random_array(scan.type, PARSCAN_SUM, N);
    size_t k = 0;
    while (survives_failure(&scan, k, in))
        cr_assert_lt(++k, 100, "the allocations have no end");
    cr_assert_geq(k, 1, "the context itself was not allocated");
    free(in);
}

Test(allocator, that_fails_at_any_call_of_any_function_and_algorithm_is_survived)
{
    for (size_t a = 0; a < ALGORITHMS * 6; a++) {
        scan_case scan = {.type = PARSCAN_U32, .n = N, .kind = (scan_kind)(a % 3)};
        scan.options.algorithm = all_algorithms[a / 6];
        scan.options.reverse = a / 3 % 2;
        expect_survival(scan);
    }
}

Test(allocator, that_fails_at_any_call_of_a_reproducible_scan_is_survived)
{
    for (int mode = 0; mode < 12; mode++) {
        scan_case scan = {.type = mode / 6 ? PARSCAN_F32 : PARSCAN_I32, .n = N};
        scan.kind = (scan_kind)(mode % 3);
        scan.options.reverse = mode / 3 % 2;
        scan.options.reproducible = 1;
        expect_survival(scan);
    }
}

Test(allocator, that_fails_at_any_call_of_a_widening_sum_is_survived)
{
    for (int mode = 0; mode < 12; mode++) {
        scan_case scan = {.type = PARSCAN_F32, .options.out_type = PARSCAN_F64, .n = N};
        scan.kind = (scan_kind)(mode % 3);
        scan.options.reverse = mode / 3 % 2;
        scan.options.reproducible = mode / 6;
        expect_survival(scan);
    }
}
