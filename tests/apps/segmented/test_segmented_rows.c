/* Rows (PARSCAN_SEGMENTS_ROWS) are segments by offsets at multiples: scans, reductions and sorts give the same
   bits. The other suites compare offsets with the oracles. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/sort.h"
#include "tests/support/engine_array.h"
#include "tests/support/every_simd.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/segmented_case.h"
#include "tests/support/test_engine.h"

/* Around words of heads, and tiles of both engines. */
static const size_t row_lengths[] = {1,    2,    3,    7,    31,    32,    33,    63,
                                     64,   65,   127,  2047, 2048,  2049,  4095,  4096,
                                     4097, 8191, 8192, 8193, 16383, 16384, 16385, 30011};

typedef struct row_case {
    scan_kind kind;
    parscan_type type;
    parscan_scan_options options;
    size_t n, row;
    bool in_place;
    unsigned shift; /* elements that arrays start past an aligned address */
} row_case;

/* The segments of n elements in rows; those by offsets, in memory for free(). */
static parscan_segments by_rows(size_t row)
{
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .count = row);
}

static parscan_segments by_offsets(size_t n, size_t row)
{
    const size_t count = n / row;
    uint64_t *const offsets = malloc((count + 1) * sizeof *offsets);
    cr_assert_not_null(offsets);
    for (size_t k = 0; k <= count; k++)
        offsets[k] = k * row;
    return PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = offsets,
                            .count = count);
}

/* Whole numbers of which sums are exact in any order, but products are not. */
static void *exact_elements(parscan_type type, size_t n)
{
    char *const elements = random_array(type, PARSCAN_SUM, n);
    for (size_t i = 0; i < n && oracle_is_float(type); i++)
        number_write_real(type, elements, i, (double)random_below(9) - 4);
    return elements;
}

static size_t results_of(const row_case *c)
{
    return c->kind == SCAN_REDUCE ? c->n / c->row : c->n;
}

static parscan_type out_type_of(const row_case *c)
{
    return c->options.out_type != 0 ? c->options.out_type : c->type;
}

/* The answer, for free(). engine: arrays in the engine's memory. */
static void *answer(parscan_context *context, const row_case *c, const parscan_segments *segments,
                    bool engine, const void *in)
{
    const size_t in_bytes = c->n * parscan_type_size(c->type);
    const size_t size = parscan_type_size(out_type_of(c)), bytes = results_of(c) * size;
    engine_array from =
        engine_array_create(context, in, in_bytes, c->shift * parscan_type_size(c->type));
    engine_array to = engine_array_create(context, c->in_place ? in : NULL, bytes, c->shift * size);
    char *const out = malloc(bytes + 1);
    cr_assert_not_null(out);
    if (c->in_place && bytes > 0)
        memcpy(out, in, bytes);
    uint64_t count = UINT64_MAX;
    const void *const given =
        engine ? (c->in_place ? to.array : from.array) : (c->in_place ? out : in);
    cr_assert_eq(call_segmented(context, c->kind, c->type, given, engine ? to.array : (void *)out,
                                c->n, segments, &count, &c->options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert(c->kind != SCAN_REDUCE || count == c->n / c->row);
    void *const found = engine_array_read(&to, "out");
    if (engine && bytes > 0)
        memcpy(out, found, bytes);
    free(found);
    engine_array_destroy(&from);
    engine_array_destroy(&to);
    return out;
}

static void expect_rows(parscan_context *context, const row_case *c)
{
    void *const in = exact_elements(c->type, c->n);
    const parscan_segments rows = by_rows(c->row), offsets = by_offsets(c->n, c->row);
    void *const expected = answer(context, c, &offsets, false, in);
    const size_t bytes = results_of(c) * parscan_type_size(out_type_of(c));
    for (int engine = 0; engine < (engine_has_memory(context) ? 2 : 1); engine++) {
        void *const found = answer(context, c, &rows, engine, in);
        cr_assert_eq(
            memcmp(found, expected, bytes), 0,
            "kind %d of %zu %s in rows of %zu, op %s, algorithm %s, reverse %d, in place %d",
            (int)c->kind, c->n, parscan_type_name(c->type), c->row, parscan_op_name(c->options.op),
            parscan_algorithm_name(c->options.algorithm), c->options.reverse, c->in_place);
        free(found);
    }
    free(expected);
    free((void *)offsets.data);
    free(in);
}

/* A case of a type: operator, algorithm and place are random, init is some element. */
static void expect_some(parscan_context *context, parscan_type type, scan_kind kind, size_t row,
                        size_t rows)
{
    static const parscan_algorithm algorithms[] = {PARSCAN_AUTO, PARSCAN_AUTO, PARSCAN_SEQUENTIAL,
                                                   PARSCAN_SINGLE_PASS};
    void *const init = exact_elements(type, 1);
    row_case c = {.kind = kind, .type = type, .n = row * rows, .row = row};
    c.options.struct_size = sizeof c.options;
    do
        c.options.op = all_ops[random_below(OPS)];
    while (!type_has(type, c.options.op) ||
           (oracle_is_float(type) && c.options.op == PARSCAN_PRODUCT));
    c.options.algorithm = algorithms[random_below(COUNT_OF(algorithms))];
    c.options.init = random_below(2) == 0 ? init : NULL;
    c.options.reverse = (int)random_below(2);
    c.in_place = kind != SCAN_REDUCE && random_below(2) == 0;
    c.shift = (unsigned)random_below(9);
    expect_rows(context, &c);
    free(init);
}

static void expect_type(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(row_lengths); k++)
        for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++) {
            const size_t row = row_lengths[k];
            expect_some(context, type, kind, row, random_below(3) == 0 ? 1 : 9000 / row + 1);
        }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                     \
    SimdTest(segments_by_rows, are_those_by_offsets_##name) \
    {                                                       \
        expect_type(PARSCAN_##NAME);                        \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(segments_by_rows, of_long_arrays_on_three_threads)
{
    static const parscan_type types[] = {PARSCAN_U8, PARSCAN_I32, PARSCAN_F64, PARSCAN_BF16};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t k = t % 2; k < COUNT_OF(row_lengths); k += 4)
            for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++)
                expect_some(context, types[t], kind, row_lengths[k], 300000 / row_lengths[k]);
    parscan_context_destroy(context);
}

SimdTest(segments_by_rows, widen_and_reduce_in_any_direction)
{
    static const uint64_t init = 7;
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(row_lengths); k++)
        for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++)
            for (int reverse = 0; reverse < 2; reverse++) {
                const row_case c = {
                    .kind = kind,
                    .type = PARSCAN_U16,
                    .options = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64, .init = &init,
                                                    .reverse = reverse),
                    .n = 5 * row_lengths[k],
                    .row = row_lengths[k],
                };
                expect_rows(context, &c);
            }
    parscan_context_destroy(context);
}

SimdTest(segments_by_rows, of_no_element_are_none)
{
    parscan_context *const context = test_context();
    for (size_t row = 0; row < 3; row++)
        for (scan_kind kind = SCAN_INCLUSIVE; kind <= SCAN_REDUCE; kind++) {
            const parscan_segments rows = by_rows(row);
            uint64_t count = 5;
            cr_assert_eq(
                call_segmented(context, kind, PARSCAN_I16, NULL, NULL, 0, &rows, &count, NULL),
                PARSCAN_OK, "%s", parscan_context_error(context));
            cr_assert_eq(count, kind == SCAN_REDUCE ? 0 : 5);
            cr_assert_eq(parscan_sort_segments(context, PARSCAN_I16, NULL, NULL, 0, NULL, NULL, 0,
                                               &rows, NULL),
                         PARSCAN_OK);
        }
    parscan_context_destroy(context);
}

/* Data and type are not read, and the count may be NULL. */
Test(segments_by_rows, have_no_array)
{
    const uint32_t in[] = {1, 2, 3, 4, 5, 6};
    uint32_t out[3];
    parscan_context *const context = test_context();
    const parscan_segments rows =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_ROWS, .type = (parscan_type)99,
                         .data = (const void *)(uintptr_t)1, .count = 2);
    cr_assert_eq(parscan_segmented_reduce(context, PARSCAN_U32, in, out, 6, &rows, NULL, NULL),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
    cr_assert(out[0] == 3 && out[1] == 7 && out[2] == 11);
    parscan_context_destroy(context);
}

Test(segments_by_rows, refuse_a_length_that_does_not_fit)
{
    uint32_t in[7] = {0}, out[7];
    parscan_context *const context = test_context();
    for (size_t row = 0; row < 10; row++) {
        const parscan_segments rows = by_rows(row);
        char words[128];
        snprintf(words, sizeof words,
                 "segments->count = %zu, the length of a row: n = 7 is no multiple of it", row);
        const parscan_status scanned =
            parscan_segmented_inclusive_scan(context, PARSCAN_U32, in, out, 7, &rows, NULL);
        cr_assert_eq(scanned, row == 1 || row == 7 ? PARSCAN_OK : PARSCAN_ERROR_INVALID_ARGUMENT);
        if (scanned == PARSCAN_OK)
            continue;
        cr_assert_str_eq(parscan_context_error(context), words);
        cr_assert_eq(
            parscan_sort_segments(context, PARSCAN_U32, in, in, 0, NULL, NULL, 7, &rows, NULL),
            PARSCAN_ERROR_INVALID_ARGUMENT);
        cr_assert_str_eq(parscan_context_error(context), words);
    }
    parscan_context_destroy(context);
}

/* Keys, and values that tell where they come from. */
static void expect_sorted(parscan_context *context, parscan_type type, size_t row, size_t rows,
                          size_t value_size, bool descending)
{
    const size_t n = row * rows, key_bytes = n * parscan_type_size(type);
    const size_t value_bytes = n * value_size;
    const parscan_segments segments = by_rows(row), offsets = by_offsets(n, row);
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.descending = descending);
    void *const keys = random_array(type, PARSCAN_SUM, n), *const sorted = malloc(key_bytes);
    unsigned char *const values = malloc(value_bytes + 1), *const moved = malloc(value_bytes + 1);
    for (size_t k = 0; k < value_bytes; k++)
        values[k] = (unsigned char)random_bits();
    const bool pairs = value_size > 0;
    cr_assert_eq(parscan_sort_segments(context, type, keys, sorted, value_size,
                                       pairs ? values : NULL, pairs ? moved : NULL, n, &offsets,
                                       &options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    engine_array key_array = engine_array_create(context, keys, key_bytes, 0);
    engine_array value_array = engine_array_create(context, values, value_bytes, 0);
    cr_assert_eq(parscan_sort_segments(context, type, key_array.array, key_array.array, value_size,
                                       pairs ? value_array.array : NULL,
                                       pairs ? value_array.array : NULL, n, &segments, &options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK, "%s", parscan_context_error(context));
    void *const found = engine_array_read(&key_array, "keys");
    void *const along = engine_array_read(&value_array, "values");
    cr_assert_eq(memcmp(found, sorted, key_bytes), 0, "%zu %s in rows of %zu", n,
                 parscan_type_name(type), row);
    cr_assert(value_bytes == 0 || memcmp(along, moved, value_bytes) == 0);
    free(found);
    free(along);
    engine_array_destroy(&key_array);
    engine_array_destroy(&value_array);
    free(keys);
    free(sorted);
    free(values);
    free(moved);
    free((void *)offsets.data);
}

SimdTest(segments_by_rows, are_sorted_as_those_by_offsets)
{
    static const size_t value_sizes[] = {0, 4, 8, 3, 16};
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t t = 0; t < TYPES; t++)
            for (size_t k = t % 2; k < COUNT_OF(row_lengths); k += 2) {
                const size_t row = row_lengths[k], size = value_sizes[(t + k) % 5];
                expect_sorted(context, all_types[t], row, 9000 / row + 1, size, k % 4 < 2);
            }
        expect_sorted(context, PARSCAN_U32, 3, 100000, 4, false);
        parscan_context_destroy(context);
    }
}
