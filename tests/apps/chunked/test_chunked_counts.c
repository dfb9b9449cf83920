/* Histograms and allocations in chunks against one call with the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chunked_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/histogram_case.h"
#include "tests/support/oracle_allocate.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

static parscan_status make_histogram(parscan_chunked **chunked, parscan_context *context,
                                     const void *what)
{
    const histogram_case *const h = what;
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = h->lower, .upper = h->upper);
    return parscan_chunked_create_histogram(chunked, context, h->type, h->bins, h->count_type,
                                            h->lower == NULL ? NULL : &options);
}

static void expect_counts(const chunked_contexts *contexts, const histogram_case *h, spread s,
                          size_t most)
{
    void *const in = spread_array(h, s);
    const size_t bytes = h->bins * parscan_type_size(h->count_type);
    void *const whole = need_memory(bytes), *const counts = need_memory(bytes);
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = h->lower, .upper = h->upper);
    cr_assert_eq(parscan_histogram(contexts->of[1], h->type, in, h->n, h->bins, h->count_type,
                                   whole, h->lower == NULL ? NULL : &options),
                 PARSCAN_OK);
    const chunked_case c = {.make = make_histogram,
                            .what = h,
                            .in = in,
                            .in_size = parscan_type_size(h->type),
                            .n = h->n,
                            .most = most};
    chunked_run(contexts, &c, (parscan_chunked_end){.out = counts}, h->n);
    cr_assert_eq(memcmp(whole, counts, bytes), 0, "%s, %zu bins, n = %zu",
                 parscan_type_name(h->type), h->bins, h->n);
    free(in);
    free(whole);
    free(counts);
}

static void expect_histogram_of(const chunked_contexts *contexts, parscan_type type, size_t bins,
                                size_t n, size_t most)
{
    unsigned char lower[16], upper[16];
    histogram_case h = {.type = type, .n = n, .bins = bins};
    if (oracle_is_float(type)) {
        number_write_real(type, lower, 0, -3);
        number_write_real(type, upper, 0, 5.5);
    } else {
        number_write_integer(type, lower, 0, 3);
        number_write_integer(type, upper, 0, 100);
    }
    for (unsigned bounds = oracle_is_float(type); bounds < 2; bounds++) {
        h.lower = bounds ? lower : NULL;
        h.upper = bounds ? upper : NULL;
        h.count_type = bounds == random_below(2) ? PARSCAN_U32 : PARSCAN_U64;
        expect_counts(contexts, &h, (spread)random_below(SPREADS), most);
    }
}

SimdTest(chunked_histogram, of_every_type_equals_the_one_call)
{
    static const size_t bins[] = {1, 16, 97, 5000};
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++)
        for (size_t b = 0; b < COUNT_OF(bins); b++) {
            expect_histogram_of(&contexts, all_types[t], bins[b], 0, 1);
            expect_histogram_of(&contexts, all_types[t], bins[b], 9001, 9001);
            expect_histogram_of(&contexts, all_types[t], bins[b], 300, 3);
        }
    chunked_contexts_destroy(&contexts);
}

SimdTest(chunked_histogram, in_every_way_to_count_equals_the_one_call)
{
    static const size_t bins[] = {256, 3000, 40000, 100000};
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t b = 0; b < COUNT_OF(bins); b++)
        for (unsigned repeat = 0; repeat < 3; repeat++) {
            expect_histogram_of(&contexts, PARSCAN_U8, bins[b], 600011, 600011);
            expect_histogram_of(&contexts, PARSCAN_U32, bins[b], 300007, 300007);
        }
    chunked_contexts_destroy(&contexts);
}

/* ---- allocation ---- */

static parscan_status make_allocate(parscan_chunked **chunked, parscan_context *context,
                                    const void *what)
{
    const oracle_allocation *const a = what;
    return parscan_chunked_create_allocate(chunked, context, a->size_type, a->offset_type,
                                           &PARSCAN_ALLOCATE_OPTIONS(.alignment = a->alignment,
                                                                     .capacity = a->capacity,
                                                                     .close = a->close));
}

static void expect_allocation(const chunked_contexts *contexts, oracle_allocation a, size_t most)
{
    const size_t size = parscan_type_size(a.size_type), offset = parscan_type_size(a.offset_type);
    void *const sizes = need_memory(a.n * size), *const offsets = need_memory((a.n + 1) * offset);
    const uint64_t below = a.size_type == PARSCAN_U8 ? 256 : 2000;
    for (size_t i = 0; i < a.n; i++)
        oracle_set(a.size_type, sizes, i, random_below(below));
    a.sizes = sizes;
    uint64_t total;
    cr_assert_eq(oracle_allocate_total(&a, &total), PARSCAN_OK);
    const chunked_case c = {.make = make_allocate,
                            .what = &a,
                            .in = sizes,
                            .in_size = size,
                            .out = offsets,
                            .out_size = offset,
                            .n = a.n,
                            .most = most,
                            .in_place = size == offset};
    void *const last = a.close ? (char *)offsets + a.n * offset : NULL;
    chunked_run(contexts, &c, (parscan_chunked_end){.out = last}, total);
    cr_assert_eq(oracle_offset_wrong_at(&a, offsets), oracle_offsets_count(&a));
    free(sizes);
    free(offsets);
}

SimdTest(chunked_allocate, equals_the_one_call)
{
    static const parscan_type sizes[] = {PARSCAN_U8, PARSCAN_U16, PARSCAN_U32, PARSCAN_U64};
    static const uint64_t alignments[] = {0, 1, 16, 4096};
    static const size_t lengths[] = {0, 1, 3001, 300007};
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t a = 0; a < COUNT_OF(alignments); a++)
            for (size_t k = 0; k < COUNT_OF(lengths); k++)
                for (unsigned wide = 0; wide < 2; wide++)
                    expect_allocation(
                        &contexts,
                        (oracle_allocation){.size_type = sizes[s],
                                            .offset_type = wide ? PARSCAN_U64 : PARSCAN_U32,
                                            .n = lengths[k],
                                            .alignment = alignments[a],
                                            .close = (a + k) % 2 == 0},
                        lengths[k]);
    chunked_contexts_destroy(&contexts);
}

Test(chunked_allocate, with_close_needs_room_for_the_last_offset)
{
    const uint8_t size = 7;
    uint64_t offset = 1, written = 5;
    parscan_context *const context = test_context();
    parscan_chunked *chunked;
    cr_assert_eq(parscan_chunked_create_allocate(&chunked, context, PARSCAN_U8, PARSCAN_U64,
                                                 &PARSCAN_ALLOCATE_OPTIONS(.close = 1)),
                 PARSCAN_OK);
    cr_assert_eq(parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = &size, .n = 1)), PARSCAN_OK);
    cr_assert_eq(parscan_chunked_finish(chunked, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_str_eq(parscan_context_error(context),
                     "end->out is NULL: an allocation with close needs it");
    cr_assert_eq(
        parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.out = &offset, .written = &written)),
        PARSCAN_OK);
    cr_assert(offset == 7 && written == 1);
    parscan_chunked_destroy(chunked);
    parscan_context_destroy(context);
}

/* A chunk whose sizes do not fit is not taken; a smaller one is. */
Test(chunked_allocate, takes_no_chunk_beyond_the_capacity_or_the_type)
{
    static const uint64_t sizes[] = {60, 50, 40}, huge = UINT64_C(1) << 32;
    parscan_context *const context = test_context();
    for (unsigned narrow = 0; narrow < 2; narrow++) {
        uint64_t offsets[2], total;
        parscan_chunked *chunked;
        cr_assert_eq(parscan_chunked_create_allocate(&chunked, context, PARSCAN_U64,
                                                     narrow ? PARSCAN_U32 : PARSCAN_U64,
                                                     &PARSCAN_ALLOCATE_OPTIONS(.capacity = 100)),
                     PARSCAN_OK);
        const parscan_chunk first = PARSCAN_CHUNK(.in = sizes, .out = offsets, .n = 1);
        const parscan_chunk second = PARSCAN_CHUNK(.in = sizes + 1, .out = offsets, .n = 1);
        const parscan_chunk third = PARSCAN_CHUNK(.in = sizes + 2, .out = offsets, .n = 1);
        const parscan_chunk large = PARSCAN_CHUNK(.in = &huge, .out = offsets, .n = 1);
        cr_assert_eq(parscan_chunked_update(chunked, &first), PARSCAN_OK);
        cr_assert_eq(parscan_chunked_update(chunked, &second), PARSCAN_ERROR_CAPACITY);
        cr_assert_str_eq(parscan_context_error(context), "capacity = 100: total = 110 exceeds it");
        cr_assert_eq(parscan_chunked_update(chunked, &large),
                     narrow ? PARSCAN_ERROR_OVERFLOW : PARSCAN_ERROR_CAPACITY);
        cr_assert_eq(parscan_chunked_update(chunked, &third), PARSCAN_OK);
        cr_assert_eq(oracle_get(narrow ? PARSCAN_U32 : PARSCAN_U64, offsets, 0), 60);
        cr_assert_eq(parscan_chunked_finish(chunked, &PARSCAN_CHUNKED_END(.total = &total)),
                     PARSCAN_OK);
        cr_assert_eq(total, 100);
        parscan_chunked_destroy(chunked);
    }
    parscan_context_destroy(context);
}
