/* How much scratch a histogram takes, and every allocation failing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/counting.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/histogram_case.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

static void expect_little_memory(const histogram_case *h, unsigned threads, const void *in,
                                 void *counts)
{
    counting c = counting_begin(NEVER);
    parscan_context_options options = counting_options(&c);
    options.threads = threads;
    parscan_context *const context = test_context_with(options);
    for (int again = 0; again < 2; again++) {
        const size_t calls = c.calls;
        cr_assert_eq(
            parscan_histogram(context, h->type, in, h->n, h->bins, h->count_type, counts, NULL),
            PARSCAN_OK, "%s", parscan_context_error(context));
        cr_assert(again == 0 || c.calls == calls, "it allocates again");
    }
    const size_t allowed = threads * (size_t)(2u << 20) + h->n * parscan_type_size(h->type) / 100 +
                           threads * h->bins * parscan_type_size(h->count_type);
    cr_assert_leq(c.most_bytes, allowed, "%zu bytes, not %zu, for %zu %s, %zu bins, %u threads",
                  c.most_bytes, allowed, h->n, parscan_type_name(h->type), h->bins, threads);
    parscan_context_destroy(context);
    counting_end(&c);
}

Test(histogram_scratch, is_2_MiB_and_the_counts_of_each_thread_and_a_hundredth_of_the_input_at_most)
{
    static const size_t lengths[] = {0, 1, 1000, 100003, 1u << 20}, bins[] = {1, 256, 4096, 65536};
    static const unsigned threads[] = {1, 2, 7};
    const parscan_type types[] = {PARSCAN_U8, PARSCAN_U32, PARSCAN_U64};
    uint64_t *const in = calloc((1u << 20) + 1, sizeof *in), *const counts = malloc(8 * 65536);
    for (size_t i = 0; i < 1u << 20; i += 3)
        in[i] = random_below(70000);
    for (size_t k = 0; k < COUNT_OF(lengths) * COUNT_OF(bins); k++)
        for (size_t t = 0; t < COUNT_OF(threads) * COUNT_OF(types); t++) {
            const histogram_case h = {.type = types[t % COUNT_OF(types)],
                                      .count_type = t % 2 ? PARSCAN_U32 : PARSCAN_U64,
                                      .n = lengths[k / COUNT_OF(bins)],
                                      .bins = bins[k % COUNT_OF(bins)]};
            if (takes_larger_case())
                expect_little_memory(&h, threads[t / COUNT_OF(types)], in, counts);
        }
    free(in);
    free(counts);
}

/* Creates a context and makes a call, the k-th allocation failing; whether one did. What fails is
   OUT_OF_MEMORY, writes nothing, may be tried again. */
static bool survives_failure(const histogram_case *h, size_t k, const void *in)
{
    failing_run run;
    failing_begin(&run, k);
    const size_t bytes = h->bins * sizeof(uint64_t);
    unsigned char *const counts = malloc(bytes);
    memset(counts, 0xa5, bytes);
    const parscan_status status =
        parscan_histogram(run.context, h->type, in, h->n, h->bins, h->count_type, counts, NULL);
    if (failing_check(&run, status)) {
        for (size_t i = 0; i < bytes; i++)
            cr_assert_eq(counts[i], 0xa5, "%zu bins: a failed call wrote", h->bins);
    }
    free(counts);
    expect_histogram(run.context, h, in);
    return failing_end(&run);
}

Test(histogram_allocator, that_fails_at_any_call_is_survived)
{
    static const size_t bins[] = {2, 256, 4096, 65536};
    const parscan_type types[] = {PARSCAN_U8, PARSCAN_U32, PARSCAN_I64};
    for (size_t k = 0; k < COUNT_OF(bins) * COUNT_OF(types); k++) {
        const histogram_case h = {.type = types[k % COUNT_OF(types)],
                                  .count_type = k % 2 ? PARSCAN_U32 : PARSCAN_U64,
                                  .n = 300007,
                                  .bins = bins[k / COUNT_OF(types)]};
        void *const in = spread_array(&h, SPREAD_UNIFORM);
        size_t at = 0;
        while (survives_failure(&h, at, in))
            cr_assert_lt(++at, 100, "the allocations have no end");
        cr_assert_geq(at, 1, "the context itself was not allocated");
        free(in);
    }
}
