/* Sorts of segments: every shape, written down in every way. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

/* Keys alone and pairs of some size, in any place, either direction. */
static void expect_segments(parscan_context *context, sort_case sort, key_pattern pattern)
{
    static const size_t value_sizes[] = {0, 4, 8, 1, 3, 64, 16, 2};
    if (!takes_larger_case())
        return;
    void *const keys = patterned_keys(sort.type, pattern, sort.n);
    size_t *const order = sort_order(&sort, keys);
    expect_order(context, sort, keys, order);
    sort.value_size = value_sizes[random_below(COUNT_OF(value_sizes))];
    sort.keys_in_place = random_below(2) == 0;
    sort.values_in_place = random_below(2) == 0;
    sort.in_offset = (unsigned)random_below(2) * 3;
    sort.out_offset = (unsigned)random_below(2);
    expect_order(context, sort, keys, order);
    free(keys);
    free(order);
}

static void expect_cut(parscan_context *context, parscan_type type, size_t n, segment_shape shape,
                       segment_form form, key_pattern pattern)
{
    cut_array cut = cut_create(n, shape, form);
    sort_case sort = {.type = type, .n = n, .cut = &cut};
    sort.options.descending = random_below(2) == 0;
    expect_segments(context, sort, pattern);
    cut_destroy(&cut);
}

static void expect_every_shape_of(parscan_type type)
{
    static const size_t lengths[] = {1, 2, 3, 17, 100, 1025, 7001};
    parscan_context *const context = test_context();
    for (segment_shape shape = 0; shape < SEGMENT_SHAPES; shape++)
        for (size_t s = 0; s < COUNT_OF(lengths); s++)
            for (size_t form = 0; form < 4; form++)
                expect_cut(context, type, lengths[s], shape, all_segment_forms[form],
                           random_below(2) == 0 ? KEYS_RANDOM : KEYS_FEW);
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                                    \
    SimdTest(sort_segments, agrees_with_the_oracle_for_every_shape_##name) \
    {                                                                      \
        expect_every_shape_of(PARSCAN_##NAME);                             \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(sort_segments, takes_keys_of_every_type_as_segments)
{
    static const size_t lengths[] = {1, 2, 100, 3001};
    parscan_context *const context = test_context();
    for (size_t form = 0; form < SEGMENT_FORMS; form++)
        for (segment_shape shape = 0; shape < EMPTY_AT_THE_START; shape++)
            for (size_t s = 0; s < COUNT_OF(lengths); s++)
                expect_cut(context, all_types[(form + shape) % TYPES], lengths[s], shape,
                           all_segment_forms[form], KEYS_RANDOM);
    parscan_context_destroy(context);
}

SimdTest(sort_segments, takes_every_pattern_of_keys)
{
    static const parscan_type types[] = {PARSCAN_U8,  PARSCAN_I32, PARSCAN_F32, PARSCAN_F64,
                                         PARSCAN_U64, PARSCAN_F16, PARSCAN_BF16};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(types) * KEY_PATTERNS * EMPTY_AT_THE_START; k++)
        expect_cut(context, types[k % COUNT_OF(types)], 1 + random_below(4000),
                   (segment_shape)(k / COUNT_OF(types) / KEY_PATTERNS),
                   all_segment_forms[random_below(SEGMENT_FORMS)],
                   (key_pattern)(k / COUNT_OF(types) % KEY_PATTERNS));
    parscan_context_destroy(context);
}

/* One huge segment among hundreds of thousands of tiny ones, and the rest of the shapes. */
static void expect_long(size_t first_shape)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_F64, PARSCAN_I16};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_FEW, KEYS_ONE_STRANGER, KEYS_ZIPF};
    parscan_context *const context = test_context();
    for (size_t shape = first_shape; shape < SEGMENT_SHAPES; shape += 2)
        for (size_t form = 0; form < 5; form += 2)
            expect_cut(context, types[form / 2], 250007, (segment_shape)shape,
                       all_segment_forms[form], patterns[random_below(COUNT_OF(patterns))]);
    parscan_context_destroy(context);
}

SimdTest(sort_segments, takes_long_arrays_of_even_shapes)
{
    expect_long(0);
}

SimdTest(sort_segments, takes_long_arrays_of_odd_shapes)
{
    expect_long(1);
}

SimdTest(sort_segments, takes_one_huge_segment_among_a_million_tiny_ones)
{
    parscan_context *const context = test_context();
    expect_cut(context, PARSCAN_U32, 2097143, HUGE_AMONG_TINY, all_segment_forms[3], KEYS_RANDOM);
    parscan_context_destroy(context);
}

SimdTest(sort_segments, is_right_on_1_2_3_7_and_64_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7, 64};
    for (size_t k = 0; k < COUNT_OF(threads); k++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads[k]});
        for (segment_shape shape = 0; shape < SEGMENT_SHAPES; shape++)
            expect_cut(context, all_types[(3 * k + shape) % TYPES], 60013, shape,
                       all_segment_forms[(k + shape) % SEGMENT_FORMS], KEYS_RANDOM);
        parscan_context_destroy(context);
    }
}

/* Long segments, which all threads sort, one after another and each in its way: of many equal keys, of random ones. Keys
   alone. What a way leaves in the threads' memory must not be read by the next. */
SimdTest(sort_segments, of_several_long_segments_in_different_ways_are_right)
{
    enum { EACH = 250007, SEGMENTS = 4 };
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_I64, PARSCAN_F32, PARSCAN_F64};
    static const key_pattern patterns[] = {KEYS_ZIPF,      KEYS_RANDOM,   KEYS_FEW,
                                           KEYS_CLUSTERED, KEYS_TOP_BYTE, KEYS_SPARSE};
    const size_t heads[] = {EACH, 2 * (size_t)EACH, 3 * (size_t)EACH};
    for (size_t k = 0; k < 4 * COUNT_OF(types); k++) {
        if (!takes_larger_case())
            continue;
        const parscan_type type = types[k % COUNT_OF(types)];
        const size_t n = SEGMENTS * (size_t)EACH, bytes = EACH * parscan_type_size(type);
        char *const keys = malloc(n * parscan_type_size(type));
        cr_assert_not_null(keys);
        for (size_t segment = 0; segment < SEGMENTS; segment++) {
            const size_t turn = k / COUNT_OF(types) * 2 + segment;
            void *const part = patterned_keys(type, patterns[turn % COUNT_OF(patterns)], EACH);
            memcpy(keys + segment * bytes, part, bytes);
            free(part);
        }
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = 2 + (unsigned)(k % 3)});
        cut_array cut =
            cut_create_at(n, heads, COUNT_OF(heads), all_segment_forms[k % SEGMENT_FORMS]);
        const sort_case sort = {.type = type, .n = n, .cut = &cut};
        size_t *const order = sort_order(&sort, keys);
        expect_order(context, sort, keys, order);
        free(order);
        cut_destroy(&cut);
        parscan_context_destroy(context);
        free(keys);
    }
}

SimdTest(sort_segments, by_bits_compares_these_alone)
{
    static const unsigned ranges[][2] = {{0, 8}, {4, 9}, {24, 32}, {31, 32}, {0, 31}, {13, 0}};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 4 * COUNT_OF(ranges); k++) {
        cut_array cut =
            cut_create(5003, k % 4 < 2 ? SHORT_SEGMENTS : LONG_SEGMENTS, all_segment_forms[0]);
        sort_case sort = {.type = k % 2 == 0 ? PARSCAN_I32 : PARSCAN_U64, .n = 5003, .cut = &cut};
        sort.options.begin_bit = ranges[k / 4][0];
        sort.options.end_bit = ranges[k / 4][1];
        sort.options.descending = (int)(k % 2);
        expect_segments(context, sort, KEYS_RANDOM);
        cut_destroy(&cut);
    }
    parscan_context_destroy(context);
}

SimdTest(sort_segments, by_keys_may_have_its_keys_as_segments)
{
    /* Runs of equal keys are sorted as they are. */
    const float keys[] = {0.0f, -0.0f, 0.0f, 3, 3, 1, -0.0f, 0.0f, 5};
    float out[COUNT_OF(keys)];
    const float expected[] = {-0.0f, 0.0f, 0.0f, 3, 3, 1, -0.0f, 0.0f, 5};
    parscan_context *const context = test_context();
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_F32, .data = keys);
    cr_assert_eq(parscan_sort_segments(context, PARSCAN_F32, keys, out, 0, NULL, NULL,
                                       COUNT_OF(keys), &segments, NULL),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(memcmp(out, expected, sizeof out), 0);
    parscan_context_destroy(context);
}

SimdTest(sort_segments, of_nothing_takes_no_segment_and_empty_ones)
{
    const uint64_t offsets[] = {0, 0, 0, 0};
    parscan_context *const context = test_context();
    const parscan_segments cuts[] = {
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS),
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_F64),
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = offsets,
                         .count = 3),
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = offsets),
    };
    for (size_t k = 0; k < COUNT_OF(cuts); k++)
        cr_assert_eq(parscan_sort_segments(context, PARSCAN_U32, NULL, NULL, 0, NULL, NULL, 0,
                                           &cuts[k], NULL),
                     PARSCAN_OK, "%zu: %s", k, parscan_context_error(context));
    parscan_context_destroy(context);
}
