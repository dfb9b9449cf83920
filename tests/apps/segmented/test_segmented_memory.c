/* How little scratch segmented scans take, and every allocation of theirs failing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/counting.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/segmented_case.h"
#include "tests/support/test_engine.h"

/* 64 KiB for the context, and 2 MiB for each thread if there are several; one thread alone has buffers
   for a reduction by offsets. */
static size_t allowed_bytes(unsigned threads)
{
    return (64u << 10) + (threads > 1 ? threads * (size_t)(2u << 20) : 80u << 10);
}

/* All that one context allocates for scans and reductions of an array. */
static void expect_little_memory(const cut_array *cut, parscan_type type, parscan_type out_type,
                                 unsigned threads)
{
    counting c = counting_begin(NEVER);
    parscan_context_options context_options = counting_options(&c);
    context_options.threads = threads;
    parscan_context *const context = test_context_with(context_options);
    void *const in = random_array(type, PARSCAN_SUM, cut->n);
    for (int mode = 0; mode < 6; mode++) {
        segmented_case scan = {.kind = (scan_kind)(mode % 3), .type = type, .cut = cut};
        scan.options.out_type = out_type;
        scan.options.reverse = mode / 3;
        expect_segmented(context, scan, in);
        cr_assert_leq(c.most_bytes, allowed_bytes(threads),
                      "%zu bytes for mode %d of %zu %s on %u threads", c.most_bytes, mode, cut->n,
                      parscan_type_name(type), threads);
    }
    const size_t calls = c.calls;
    expect_segmented(context, (segmented_case){.type = type, .cut = cut}, in);
    cr_assert_eq(c.calls, calls, "the same scan once more allocated");
    parscan_context_destroy(context);
    free(in);
    counting_end(&c);
}

Test(scratch, is_that_of_a_plain_scan)
{
    static const size_t lengths[] = {0, 1, 1000, 100003, 1048573};
    static const unsigned threads[] = {1, 2, 64};
    for (size_t k = 0; k < COUNT_OF(lengths) * COUNT_OF(threads); k++) {
        const size_t n = lengths[k / COUNT_OF(threads)];
        const segment_form form = all_segment_forms[k % 5];
        cut_array cut = cut_create(n, (segment_shape)(k % SEGMENT_SHAPES), form);
        expect_little_memory(&cut, PARSCAN_U32, 0, threads[k % COUNT_OF(threads)]);
        expect_little_memory(&cut, PARSCAN_F64, 0, threads[k % COUNT_OF(threads)]);
        expect_little_memory(&cut, PARSCAN_U8, PARSCAN_U64, threads[k % COUNT_OF(threads)]);
        cut_destroy(&cut);
    }
}

#define N (THREADS_FROM_BYTES / 4 + 4321) /* elements of 4 bytes: more than one thread */

/* Whether the k-th allocation failed. What fails is OUT_OF_MEMORY, writes nothing, may be tried again,
   and leaves the context as good as before. */
static bool survives_failure(const segmented_case *scan, size_t k, const void *in)
{
    static char out[N * sizeof(double)], before[sizeof out];
    failing_run run;
    failing_begin(&run, k);
    memset(out, 0xa5, sizeof out);
    memset(before, 0xa5, sizeof before);
    parscan_scan_options options = scan->options;
    options.struct_size = sizeof options;
    uint64_t count = 4711;
    const parscan_status status = call_segmented(run.context, scan->kind, scan->type, in, out, N,
                                                 &scan->cut->segments, &count, &options);
    if (failing_check(&run, status)) {
        cr_assert(memcmp(out, before, sizeof out) == 0 && count == 4711, "a failed call wrote");
    }
    expect_segmented(run.context, *scan, in);
    return failing_end(&run);
}

Test(allocator, that_fails_at_any_call_is_survived)
{
    for (size_t k = 0; k < 5 * 6; k++) {
        cut_array cut = cut_create(N, SHORT_SEGMENTS, all_segment_forms[k / 6]);
        segmented_case scan = {.kind = (scan_kind)(k % 3), .type = PARSCAN_F32, .cut = &cut};
        scan.options.reverse = (int)(k / 3 % 2);
        void *const in = random_array(PARSCAN_F32, PARSCAN_SUM, N);
        size_t call = 0;
        while (survives_failure(&scan, call, in))
            cr_assert_lt(++call, 100, "the allocations have no end");
        cr_assert_geq(call, 1, "the context itself was not allocated");
        free(in);
        cut_destroy(&cut);
    }
}
