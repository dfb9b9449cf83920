/* Every bad argument of the sorts: the status, the message, nothing written, the context as good as
   before. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/bad_offsets.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

#define N ((size_t)BAD_LENGTH)
#define BYTES (64 * N)

enum { KEYS = 1, PAIRS = 2, ARGSORT = 4, SEGMENTS = 8, ALL = 15, WITH_VALUES = PAIRS | SEGMENTS };

static unsigned char keys_in[BYTES], keys_out[BYTES], values_in[BYTES], values_out[BYTES];
static const uint8_t flags[N] = {0, 0, 1};

/* A call that is right until a test changes something. */
typedef struct call {
    parscan_type type, index_type;
    size_t n, value_size;
    const void *keys_in, *values_in;
    void *keys_out, *values_out;
    parscan_sort_options options;
    parscan_segments cut;
    bool segments_missing;
} call;

static call good_call(void)
{
    return (call){.type = PARSCAN_I32,
                  .index_type = PARSCAN_U32,
                  .n = N,
                  .value_size = 4,
                  .keys_in = keys_in,
                  .values_in = values_in,
                  .keys_out = keys_out,
                  .values_out = values_out,
                  .options = PARSCAN_SORT_OPTIONS(.descending = 0),
                  .cut = PARSCAN_SEGMENTS(.data = flags)};
}

static parscan_status make(parscan_context *context, unsigned function, const call *c)
{
    switch (function) {
    case KEYS:
        return parscan_sort_keys(context, c->type, c->keys_in, c->keys_out, c->n, &c->options);
    case PAIRS:
        return parscan_sort_pairs(context, c->type, c->keys_in, c->keys_out, c->value_size,
                                  c->values_in, c->values_out, c->n, &c->options);
    case ARGSORT:
        return parscan_argsort(context, c->type, c->keys_in, c->index_type, c->values_out, c->n,
                               &c->options);
    default:
        return parscan_sort_segments(context, c->type, c->keys_in, c->keys_out, c->value_size,
                                     c->values_in, c->values_out, c->n,
                                     c->segments_missing ? NULL : &c->cut, &c->options);
    }
}

static void fill_arrays(void)
{
    for (size_t i = 0; i < BYTES; i++) {
        keys_in[i] = (unsigned char)(37 * i);
        values_in[i] = (unsigned char)(i + 1);
        keys_out[i] = values_out[i] = 0xa5;
    }
}

static void expect_nothing_written(void)
{
    for (size_t i = 0; i < BYTES; i++) {
        cr_assert_eq(keys_in[i], (unsigned char)(37 * i));
        cr_assert_eq(values_in[i], (unsigned char)(i + 1));
        cr_assert(keys_out[i] == 0xa5 && values_out[i] == 0xa5, "an output was written");
    }
}

/* status: one, or two of which either will do. */
static void expect_failure(parscan_context *context, unsigned functions, parscan_status status,
                           parscan_status or_status, const char *name, const char *value,
                           const call *c)
{
    for (unsigned function = 1; function <= SEGMENTS; function *= 2) {
        if ((functions & function) == 0)
            continue;
        fill_arrays();
        const parscan_status found = make(context, function, c);
        const char *const words = parscan_context_error(context);
        cr_assert(found == status || found == or_status, "function %u, %s = %s: %s: %s", function,
                  name, value, parscan_status_string(found), words);
        cr_assert(strstr(words, name) != NULL && strstr(words, value) != NULL,
                  "function %u: \"%s\" does not name %s = %s", function, words, name, value);
        expect_nothing_written();
        expect_sort(context, (sort_case){.type = PARSCAN_I32, .n = N}, keys_in);
    }
}

#define EXPECT(functions, status, or_status, name, value, ...)                                \
    do {                                                                                      \
        call c = good_call();                                                                 \
        __VA_ARGS__;                                                                          \
        expect_failure(context, functions, PARSCAN_ERROR_##status, PARSCAN_ERROR_##or_status, \
                       name, value, &c);                                                      \
    } while (0)
#define INVALID(functions, name, value, ...) \
    EXPECT(functions, INVALID_ARGUMENT, INVALID_ARGUMENT, name, value, __VA_ARGS__)
#define UNSUPPORTED(functions, name, value, ...) \
    EXPECT(functions, UNSUPPORTED, UNSUPPORTED, name, value, __VA_ARGS__)

Test(bad_arguments, are_tested_with_calls_that_are_right_otherwise)
{
    parscan_context *const context = test_context();
    const call c = good_call();
    for (unsigned function = 1; function <= SEGMENTS; function *= 2) {
        fill_arrays();
        cr_assert_eq(make(context, function, &c), PARSCAN_OK, "function %u: %s", function,
                     parscan_context_error(context));
        cr_assert_eq(make(NULL, function, &c), PARSCAN_ERROR_INVALID_ARGUMENT);
    }
    parscan_context_destroy(context);
}

Test(bad_arguments, types_and_struct_sizes_that_are_unknown_are_named)
{
    parscan_context *const context = test_context();
    INVALID(ALL, "key_type", "0", c.type = (parscan_type)0);
    INVALID(ALL, "key_type", "13", c.type = (parscan_type)13);
    INVALID(ALL, "key_type", "99", c.type = (parscan_type)99, c.n = 0);
    INVALID(ALL, "struct_size", "0", c.options.struct_size = 0);
    INVALID(ALL, "struct_size", "8", c.options.struct_size = 8);
    INVALID(ALL, "struct_size", "4097", c.options.struct_size = 4097, c.n = 0);
    INVALID(ARGSORT, "index_type", "0", c.index_type = (parscan_type)0);
    INVALID(ARGSORT, "index_type", "99", c.index_type = (parscan_type)99, c.n = 0);
    parscan_context_destroy(context);
}

Test(bad_arguments, indices_of_other_types_than_integers_of_32_and_64_bits_are_refused)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        if (all_types[t] != PARSCAN_U32 && all_types[t] != PARSCAN_U64 &&
            all_types[t] != PARSCAN_I32 && all_types[t] != PARSCAN_I64)
            EXPECT(ARGSORT, INVALID_ARGUMENT, UNSUPPORTED, "index_type",
                   parscan_type_name(all_types[t]), c.index_type = all_types[t]);
    parscan_context_destroy(context);
}

Test(bad_arguments, ranges_of_bits_that_are_empty_or_beyond_the_key_are_named)
{
    parscan_context *const context = test_context();
    INVALID(ALL, "begin_bit", "32", c.options.begin_bit = 32);
    INVALID(ALL, "begin_bit", "4294967295", c.options.begin_bit = UINT32_MAX);
    INVALID(ALL, "begin_bit", "5", c.options.begin_bit = 5, c.options.end_bit = 5);
    INVALID(ALL, "begin_bit", "9", c.options.begin_bit = 9, c.options.end_bit = 3);
    INVALID(ALL, "end_bit", "33", c.options.end_bit = 33);
    INVALID(ALL, "end_bit", "4294967295", c.options.end_bit = UINT32_MAX, c.n = 0);
    INVALID(ALL, "end_bit", "9", c.type = PARSCAN_U8, c.options.end_bit = 9);
    INVALID(ALL, "begin_bit", "8", c.type = PARSCAN_I8, c.options.begin_bit = 8);
    INVALID(ALL, "end_bit", "65", c.type = PARSCAN_I64, c.options.end_bit = 65);
    parscan_context_destroy(context);
}

Test(bad_arguments, bits_of_floats_are_unsupported)
{
    parscan_context *const context = test_context();
    UNSUPPORTED(ALL, "begin_bit", "1", c.type = PARSCAN_F32, c.options.begin_bit = 1);
    UNSUPPORTED(ALL, "end_bit", "8", c.type = PARSCAN_F32, c.options.end_bit = 8);
    UNSUPPORTED(ALL, "end_bit", "64", c.type = PARSCAN_F64, c.options.end_bit = 64);
    UNSUPPORTED(ALL, "begin_bit", "3", c.type = PARSCAN_F64, c.options.begin_bit = 3,
                c.options.end_bit = 9);
    parscan_context_destroy(context);
}

Test(bad_arguments, missing_arrays_are_named)
{
    parscan_context *const context = test_context();
    INVALID(KEYS | PAIRS | SEGMENTS, "keys_in", "NULL", c.keys_in = NULL);
    INVALID(KEYS | PAIRS | SEGMENTS, "keys_out", "NULL", c.keys_out = NULL);
    INVALID(WITH_VALUES, "values_in", "NULL", c.values_in = NULL);
    INVALID(WITH_VALUES, "values_out", "NULL", c.values_out = NULL);
    INVALID(ARGSORT, "keys", "NULL", c.keys_in = NULL);
    INVALID(ARGSORT, "indices_out", "NULL", c.values_out = NULL);
    parscan_context_destroy(context);
}

Test(bad_arguments, values_of_no_byte_or_more_than_64_are_named)
{
    parscan_context *const context = test_context();
    INVALID(PAIRS, "value_size", "0", c.value_size = 0);
    INVALID(PAIRS, "value_size", "0", c.value_size = 0, c.n = 0);
    INVALID(WITH_VALUES, "value_size", "65", c.value_size = 65);
    INVALID(WITH_VALUES, "value_size", "18446744073709551615", c.value_size = SIZE_MAX);
    INVALID(SEGMENTS, "value", "", c.value_size = 0);
    parscan_context_destroy(context);
}

Test(bad_arguments, lengths_beyond_memory_or_the_indices_are_named)
{
    parscan_context *const context = test_context();
    INVALID(ALL, "n", "18446744073709551615", c.n = SIZE_MAX);
    INVALID(ALL, "n", "18446744073709551615", c.n = SIZE_MAX, c.type = PARSCAN_U8,
            c.value_size = 1);
    INVALID(ALL, "n", "4611686018427387905", c.n = SIZE_MAX / 4 + 2);
    INVALID(WITH_VALUES, "n", "288230376151711745", c.n = SIZE_MAX / 64 + 2, c.type = PARSCAN_U8,
            c.value_size = 64);
    INVALID(ARGSORT, "n", "4294967297", c.n = ((size_t)1 << 32) + 1);
    parscan_context_destroy(context);
}

Test(bad_arguments, segments_of_an_unknown_kind_type_or_size_are_named)
{
    parscan_context *const context = test_context();
    INVALID(SEGMENTS, "segments", "NULL", c.segments_missing = true);
    INVALID(SEGMENTS, "segments", "NULL", c.segments_missing = true, c.n = 0);
    INVALID(SEGMENTS, "struct_size", "0", c.cut.struct_size = 0);
    INVALID(SEGMENTS, "struct_size", "5000", c.cut.struct_size = 5000);
    INVALID(SEGMENTS, "kind", "4", c.cut.kind = (parscan_segment_kind)4);
    INVALID(SEGMENTS, "kind", "", c.cut.kind = (parscan_segment_kind)UINT32_MAX);
    INVALID(SEGMENTS, "data", "NULL", c.cut.data = NULL);
    INVALID(SEGMENTS, "type", "99", c.cut.type = (parscan_type)99);
    INVALID(SEGMENTS, "type", "0", c.cut.kind = PARSCAN_SEGMENTS_KEYS);
    INVALID(SEGMENTS, "type", "0", c.cut.kind = PARSCAN_SEGMENTS_OFFSETS);
    EXPECT(SEGMENTS, INVALID_ARGUMENT, UNSUPPORTED, "type", "u32", c.cut.type = PARSCAN_U32);
    EXPECT(SEGMENTS, INVALID_ARGUMENT, UNSUPPORTED, "type", "i16", c.cut.type = PARSCAN_I16,
           c.cut.kind = PARSCAN_SEGMENTS_OFFSETS);
    EXPECT(SEGMENTS, INVALID_ARGUMENT, UNSUPPORTED, "type", "f64", c.cut.type = PARSCAN_F64,
           c.cut.kind = PARSCAN_SEGMENTS_OFFSETS);
    parscan_context_destroy(context);
}

/* Offsets of n = 10 elements; the value that is wrong is named. */
#define BAD_OFFSETS(ctype, TYPE, length, value, ...)                                               \
    do {                                                                                           \
        const ctype offsets[] = {__VA_ARGS__};                                                     \
        INVALID(SEGMENTS, "offsets", value,                                                        \
                c.cut = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_##TYPE, \
                                         .data = offsets, .count = COUNT_OF(offsets) - 1),         \
                c.n = length);                                                                     \
    } while (0)

Test(bad_arguments, offsets_that_do_not_begin_with_0_end_with_n_or_that_decrease_are_named)
{
    parscan_context *const context = test_context();
    EACH_BAD_OFFSETS(BAD_OFFSETS);
    parscan_context_destroy(context);
}

Test(bad_arguments, counts_of_offsets_beyond_memory_are_named)
{
    const uint64_t offsets[] = {0, N};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(bad_offset_counts); k++)
        for (size_t n = 0; n <= N; n += N)
            INVALID(SEGMENTS, "count", "",
                    c.cut = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS,
                                             .type = k % 2 == 0 ? PARSCAN_U64 : PARSCAN_U32,
                                             .data = offsets, .count = bad_offset_counts[k]),
                    c.n = n);
    parscan_context_destroy(context);
}

/* Offsets that are wrong far behind, where others have sorted by then: nothing is written. */
Test(bad_arguments, offsets_that_are_wrong_at_any_place_of_many_leave_all_as_it_was)
{
    enum { SEGMENTS_OF_MANY = 40000, MANY = 3 * SEGMENTS_OF_MANY };
    static uint32_t in[MANY], out[MANY], offsets[SEGMENTS_OF_MANY + 1];
    parscan_context *const context = test_context();
    for (uint32_t i = 0; i < MANY; i++)
        in[i] = MANY - i;
    for (uint32_t s = 0; s <= SEGMENTS_OF_MANY; s++)
        offsets[s] = 3 * s;
    static const size_t places[] = {0, 1, 77, 20000, 39998, 39999, 40000};
    const parscan_segments cut =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = offsets,
                         .count = SEGMENTS_OF_MANY);
    for (size_t k = 0; k < 2 * COUNT_OF(places); k++) {
        const size_t at = places[k / 2];
        const uint32_t was = offsets[at];
        offsets[at] = k % 2 == 0 ? MANY + 1 : at < 2 ? MANY : 2;
        memset(out, 0xa5, sizeof out);
        cr_assert_eq(
            parscan_sort_segments(context, PARSCAN_U32, in, out, 0, NULL, NULL, MANY, &cut, NULL),
            PARSCAN_ERROR_INVALID_ARGUMENT, "offsets[%zu] = %u", at, offsets[at]);
        for (size_t i = 0; i < MANY; i++)
            cr_assert(out[i] == 0xa5a5a5a5 && in[i] == MANY - i, "offsets[%zu] = %u: %zu", at,
                      offsets[at], i);
        offsets[at] = was;
    }
    parscan_context_destroy(context);
}

Test(sort, of_nothing_takes_null_arrays)
{
    parscan_context *const context = test_context();
    call c = good_call();
    c.n = 0;
    c.keys_in = c.values_in = c.cut.data = NULL;
    c.keys_out = c.values_out = NULL;
    for (unsigned function = 1; function <= SEGMENTS; function *= 2)
        cr_assert_eq(make(context, function, &c), PARSCAN_OK, "%s", parscan_context_error(context));
    parscan_context_destroy(context);
}

Test(sort, takes_null_options_as_ascending_by_all_bits)
{
    const int8_t in[] = {3, -128, 127, 0, -1}, sorted[] = {-128, -1, 0, 3, 127};
    const uint64_t order[] = {1, 4, 3, 0, 2};
    int8_t out[5];
    uint64_t indices[5];
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_I8, in, out, 5, NULL), PARSCAN_OK);
    cr_assert_eq(memcmp(out, sorted, sizeof out), 0);
    cr_assert_eq(parscan_argsort(context, PARSCAN_I8, in, PARSCAN_U64, indices, 5, NULL),
                 PARSCAN_OK);
    cr_assert_eq(memcmp(indices, order, sizeof order), 0);
    parscan_context_destroy(context);
}
