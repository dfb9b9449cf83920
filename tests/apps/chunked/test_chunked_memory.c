/* The memory of primitives in chunks: it does not grow with the chunks, and may fail. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chunked_case.h"
#include "tests/support/counting.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

enum { N = 300007, BINS = 5000 };

enum {
    SCAN,
    BLOCKS,
    TREE,
    SEGMENTS,
    RECURRENCE,
    HISTOGRAM,
    FLAGS,
    FILTER,
    INDICES,
    UNIQUE,
    RUNS,
    ALLOCATION,
    DIFFERENCE,
    PREDICATE,
    BY_KEY,
    PAIRS,
    KINDS
};

static parscan_status make(parscan_chunked **chunked, parscan_context *context, int kind)
{
    switch (kind) {
    case SCAN:
        return parscan_chunked_create_inclusive_scan(chunked, context, PARSCAN_U32, NULL);
    case BLOCKS:
        return parscan_chunked_create_inclusive_scan(
            chunked, context, PARSCAN_U32, &PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_BRENT_KUNG));
    case TREE:
        return parscan_chunked_create_inclusive_scan(chunked, context, PARSCAN_F32,
                                                     &PARSCAN_SCAN_OPTIONS(.reproducible = 1));
    case SEGMENTS:
        return parscan_chunked_create_segmented_inclusive_scan(
            chunked, context, PARSCAN_U32, PARSCAN_SEGMENTS_KEYS, PARSCAN_U32, NULL);
    case RECURRENCE:
        return parscan_chunked_create_recurrence(chunked, context, PARSCAN_F32, NULL);
    case HISTOGRAM:
        return parscan_chunked_create_histogram(chunked, context, PARSCAN_U32, BINS, PARSCAN_U32,
                                                NULL);
    case FLAGS:
        return parscan_chunked_create_compact(chunked, context, 4);
    case FILTER:
        return parscan_chunked_create_compact_if(chunked, context, PARSCAN_U32, NULL);
    case INDICES:
        return parscan_chunked_create_compact_indices(chunked, context, PARSCAN_U32, NULL,
                                                      PARSCAN_U32);
    case UNIQUE:
        return parscan_chunked_create_unique(chunked, context, PARSCAN_U32);
    case RUNS:
        return parscan_chunked_create_run_length_encode(chunked, context, PARSCAN_U32, PARSCAN_U32);
    case ALLOCATION:
        return parscan_chunked_create_allocate(chunked, context, PARSCAN_U32, PARSCAN_U64, NULL);
    case DIFFERENCE:
        return parscan_chunked_create_difference(chunked, context, PARSCAN_U32, NULL);
    case PREDICATE:
        return parscan_chunked_create_flags_if(chunked, context, PARSCAN_U32, NULL);
    case BY_KEY:
        return parscan_chunked_create_reduce_by_key(chunked, context, PARSCAN_U32, PARSCAN_U32,
                                                    NULL);
    default:
        return parscan_chunked_create_unique_pairs(chunked, context, PARSCAN_U32, 8);
    }
}

/* Arrays of 8 * n bytes, for a chunk of any kind. */
typedef struct chunk_arrays {
    void *in, *in2, *out, *out2;
} chunk_arrays;

static chunk_arrays arrays_create(size_t n)
{
    const chunk_arrays a = {need_memory(8 * n), need_memory(8 * n), need_memory(8 * n),
                            need_memory(8 * n)};
    for (size_t i = 0; i < 2 * n; i++) {
        ((uint32_t *)a.in)[i] = (uint32_t)random_below(BINS);
        ((uint32_t *)a.in2)[i] = (uint32_t)random_below(2);
    }
    return a;
}

static void arrays_destroy(chunk_arrays a)
{
    free(a.in);
    free(a.in2);
    free(a.out);
    free(a.out2);
}

static parscan_status update(parscan_chunked *chunked, int kind, const chunk_arrays *a, size_t n)
{
    uint64_t written;
    const bool results = kind == BY_KEY || kind == PAIRS; /* two arrays of them too */
    const bool two = kind == SEGMENTS || kind == RECURRENCE || kind == FLAGS || results;
    return parscan_chunked_update(chunked,
                                  &PARSCAN_CHUNK(.in = a->in, .in2 = two ? a->in2 : NULL,
                                                 .out = kind == HISTOGRAM ? NULL : a->out,
                                                 .out2 = kind == RUNS || results ? a->out2 : NULL,
                                                 .n = n, .written = &written));
}

/* After chunks of all lengths, the same again allocate nothing. */
Test(chunked_memory, does_not_grow_with_the_chunks)
{
    const chunk_arrays a = arrays_create(N);
    for (int kind = 0; kind < KINDS; kind++) {
        counting c = counting_begin(NEVER);
        parscan_context *const context = test_context_with(counting_options(&c));
        parscan_chunked *chunked;
        cr_assert_eq(make(&chunked, context, kind), PARSCAN_OK);
        cr_assert_leq(c.live_bytes, 72000 + BINS * 8 + 4096, "kind %d", kind);
        for (size_t n = N; n > 0; n = n * 2 / 3)
            cr_assert_eq(update(chunked, kind, &a, n), PARSCAN_OK);
        const size_t bytes = c.live_bytes, calls = c.calls;
        for (size_t n = N; n > 0; n = n * 2 / 3)
            cr_assert_eq(update(chunked, kind, &a, n), PARSCAN_OK);
        cr_assert_eq(c.live_bytes, bytes, "kind %d", kind);
        cr_assert_eq(c.calls, calls, "kind %d", kind);
        parscan_chunked_destroy(chunked);
        parscan_context_destroy(context);
        counting_end(&c);
    }
    arrays_destroy(a);
}

/* A creation without memory gives NULL. A chunk without memory for scratch is done without it or is
   not taken: then the carry is as before. */
Test(chunked_memory, may_fail_at_any_allocation)
{
    const chunk_arrays a = arrays_create(N);
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t fails_at = 1; fails_at < 5; fails_at++) {
            counting c = counting_begin(fails_at);
            parscan_context *const context = test_context_with(counting_options(&c));
            parscan_chunked *chunked;
            parscan_status status = make(&chunked, context, kind);
            if (fails_at == 1) {
                cr_assert_eq(status, PARSCAN_ERROR_OUT_OF_MEMORY);
                cr_assert_null(chunked);
                status = make(&chunked, context, kind);
            }
            cr_assert_eq(status, PARSCAN_OK);
            const size_t size = parscan_chunked_carry_size(chunked);
            char *const before = need_memory(size), *const after = need_memory(size);
            while (update(chunked, kind, &a, 1000) != PARSCAN_OK)
                cr_assert_leq(c.calls, fails_at + 1);
            cr_assert_eq(parscan_chunked_carry_get(chunked, before, size), PARSCAN_OK);
            status = update(chunked, kind, &a, N);
            cr_assert(status == PARSCAN_OK || status == PARSCAN_ERROR_OUT_OF_MEMORY);
            if (status != PARSCAN_OK) {
                cr_assert_eq(parscan_chunked_carry_get(chunked, after, size), PARSCAN_OK);
                cr_assert_eq(memcmp(before, after, size), 0, "kind %d", kind);
                cr_assert_eq(update(chunked, kind, &a, N), PARSCAN_OK);
            }
            parscan_chunked_destroy(chunked);
            parscan_context_destroy(context);
            counting_end(&c);
            free(before);
            free(after);
        }
    arrays_destroy(a);
}

/* The scan by blocks and the histogram have no way without scratch. */
Test(chunked_memory, that_is_limited_refuses_a_chunk_and_takes_a_smaller_one)
{
    const chunk_arrays a = arrays_create(N);
    static const int kinds[] = {BLOCKS, HISTOGRAM};
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = 1, .scratch_limit = 4096});
        parscan_chunked *chunked;
        cr_assert_eq(make(&chunked, context, kinds[k]), PARSCAN_OK);
        const size_t size = parscan_chunked_carry_size(chunked);
        char *const before = need_memory(size), *const after = need_memory(size);
        cr_assert_eq(update(chunked, kinds[k], &a, 100), PARSCAN_OK);
        cr_assert_eq(parscan_chunked_carry_get(chunked, before, size), PARSCAN_OK);
        cr_assert_eq(update(chunked, kinds[k], &a, N), PARSCAN_ERROR_OUT_OF_MEMORY);
        cr_assert_eq(parscan_chunked_carry_get(chunked, after, size), PARSCAN_OK);
        cr_assert_eq(memcmp(before, after, size), 0);
        cr_assert_eq(update(chunked, kinds[k], &a, 100), PARSCAN_OK);
        parscan_chunked_destroy(chunked);
        parscan_context_destroy(context);
        free(before);
        free(after);
    }
    arrays_destroy(a);
}
