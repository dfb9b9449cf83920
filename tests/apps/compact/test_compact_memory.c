/* How much scratch compaction takes, and every allocation failing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/compact_case.h"
#include "tests/support/counting.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define LARGE 1048573u

/* A case of every kind, of n elements. */
#define KINDS 8u
static compact_case case_of_kind(size_t k, parscan_type type, const uint8_t *flags, size_t n)
{
    const compact_case kinds[KINDS] = {
        {.kind = COMPACT_FLAGS, .element_size = parscan_type_size(type), .flags = flags},
        {.kind = COMPACT_IF},
        {.kind = COMPACT_INDICES},
        {.kind = COMPACT_PARTITION},
        {.kind = COMPACT_UNIQUE},
        {.kind = COMPACT_RUNS},
        {.kind = COMPACT_CSR, .rows = n / 100, .columns = 100},
        {.kind = COMPACT_CSR, .rows = 1, .columns = n},
    };
    compact_case c = kinds[k];
    c.type = type;
    c.index_type = k % 2 == 0 ? PARSCAN_U32 : PARSCAN_U64;
    c.n = c.kind == COMPACT_CSR ? c.rows * c.columns : n;
    return c;
}

/* Outputs that are large enough for every kind; zeros as input, in memory that is never written. */
typedef struct room {
    void *in, *out[3];
    uint8_t *flags;
} room;

static room room_create(size_t n)
{
    room r = {.in = calloc(n + 1, sizeof(uint64_t)), .flags = calloc(n + 1, 1)};
    for (size_t k = 0; k < 3; k++)
        r.out[k] = malloc((n + 2) * sizeof(uint64_t));
    for (size_t i = 0; i < n; i += 3) {
        ((uint64_t *)r.in)[i] = random_bits();
        r.flags[i] = 1;
    }
    return r;
}

static void room_destroy(room r)
{
    free(r.in);
    free(r.flags);
    for (size_t k = 0; k < 3; k++)
        free(r.out[k]);
}

static void expect_little_memory(parscan_type type, unsigned threads, size_t n, const room *r)
{
    for (size_t k = 0; k < KINDS; k++) {
        counting c = counting_begin(NEVER);
        parscan_context_options options = counting_options(&c);
        options.threads = threads;
        parscan_context *const context = test_context_with(options);
        const compact_case of = case_of_kind(k, type, r->flags, n);
        uint64_t count;
        cr_assert_eq(call_compact(context, &of, r->in, r->flags, r->out, &count), PARSCAN_OK, "%s",
                     parscan_context_error(context));
        const size_t allowed = (64u << 10) + (threads > 1 ? threads * (size_t)(2u << 20) : 0);
        cr_assert_leq(c.most_bytes, allowed, "%zu bytes for kind %d of %zu %s on %u threads",
                      c.most_bytes, (int)of.kind, n, parscan_type_name(type), threads);
        const size_t calls = c.calls;
        cr_assert_eq(call_compact(context, &of, r->in, r->flags, r->out, &count), PARSCAN_OK);
        cr_assert_eq(c.calls, calls, "kind %d allocates again", (int)of.kind);
        parscan_context_destroy(context);
        counting_end(&c);
    }
}

Test(compact_scratch, is_2_MiB_for_each_thread_at_most_and_is_kept)
{
    static const size_t lengths[] = {0, 1, 1000, 100003, LARGE};
    static const unsigned threads[] = {1, 2, 64};
    const parscan_type types[] = {PARSCAN_U8, PARSCAN_F32, PARSCAN_U64};
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        const room r = room_create(lengths[k]);
        for (size_t t = 0; t < COUNT_OF(threads) * COUNT_OF(types); t++)
            if (takes_larger_case())
                expect_little_memory(types[t % COUNT_OF(types)], threads[t / COUNT_OF(types)],
                                     lengths[k], &r);
        room_destroy(r);
    }
}

Test(compact_scratch, is_2_MiB_for_each_thread_at_most_for_a_large_input)
{
    const room r = room_create((size_t)1 << 23);
    expect_little_memory(PARSCAN_U8, 2, (size_t)1 << 23, &r);
    expect_little_memory(PARSCAN_U64, 2, (size_t)1 << 23, &r);
    room_destroy(r);
}

static bool is_untouched(const room *r, size_t bytes)
{
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < bytes; i++)
            if (((unsigned char *)r->out[k])[i] != 0xa5)
                return false;
    return true;
}

/* Creates a context and makes a call, the k-th allocation failing; whether one did. What fails is
   OUT_OF_MEMORY, writes nothing, may be tried again. */
static bool survives_failure(const compact_case *of, size_t k, const room *r)
{
    failing_run run;
    failing_begin(&run, k);
    const size_t bytes = (of->n + 2) * sizeof(uint64_t);
    uint64_t count = 12345;
    for (size_t o = 0; o < 3; o++)
        memset(r->out[o], 0xa5, bytes);
    const parscan_status status = call_compact(run.context, of, r->in, r->flags, r->out, &count);
    if (failing_check(&run, status)) {
        cr_assert(is_untouched(r, bytes), "kind %d wrote and failed", (int)of->kind);
        cr_assert_eq(count, 12345, "kind %d counted and failed", (int)of->kind);
    }
    expect_compact(run.context, of, r->in);
    return failing_end(&run);
}

Test(compact_allocator, that_fails_at_any_call_is_survived)
{
    const parscan_type types[] = {PARSCAN_U8, PARSCAN_F32, PARSCAN_I64};
    enum { N = 200003 };
    const room r = room_create(N);
    for (size_t k = 0; k < KINDS * COUNT_OF(types); k++) {
        const compact_case of = case_of_kind(k % KINDS, types[k / KINDS], r.flags, N);
        size_t at = 0;
        while (survives_failure(&of, at, &r))
            cr_assert_lt(++at, 100, "the allocations have no end");
        cr_assert_geq(at, 1, "the context itself was not allocated");
    }
    room_destroy(r);
}

Test(compact_scratch, beyond_the_limit_is_out_of_memory)
{
    enum { N = 200003 };
    const room r = room_create(N);
    parscan_context *const context =
        test_context_with((parscan_context_options){.threads = 2, .scratch_limit = 1});
    for (size_t k = 0; k < KINDS; k++) {
        const compact_case of = case_of_kind(k, PARSCAN_U32, r.flags, N);
        uint64_t count;
        const parscan_status status = call_compact(context, &of, r.in, r.flags, r.out, &count);
        cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_OUT_OF_MEMORY);
        cr_assert(status == PARSCAN_OK || strstr(parscan_context_error(context), "scratch_limit"));
    }
    parscan_context_destroy(context);
    room_destroy(r);
}
