/* parscan_run_length_decode(), against a loop, and against the lengths that an encoding finds. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/guarded.h"
#include "tests/support/oracle_allocate.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

static const size_t value_sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 100, 5000};
static const parscan_type length_types[] = {PARSCAN_U8, PARSCAN_U16, PARSCAN_U32, PARSCAN_U64};

typedef enum shape { ONES, FEW, EMPTY, MANY_EMPTY, LONG, ONE_LONG, SHAPES } shape;

static uint64_t length_of(shape s, size_t i, size_t n, size_t most)
{
    switch (s) {
    case ONES:
        return 1;
    case FEW:
        return random_below(4);
    case EMPTY:
        return 0;
    case MANY_EMPTY:
        return random_below(1000) == 0 ? 1 + random_below(3) : 0;
    case LONG:
        return random_below(most < 200 ? most : 200);
    default:
        return i == n / 2 ? most : i % 7 == 0;
    }
}

typedef struct decode_case {
    size_t value_size, n;
    parscan_type length_type;
    shape shape;
} decode_case;

/* The lengths, and what must be written; *total values of it. */
static char *expected_of(const decode_case *c, const char *values, char *lengths, uint64_t *total)
{
    const size_t long_one = (1u << 20) / c->value_size / 4 + 1;
    const size_t beyond = c->length_type == PARSCAN_U8    ? UINT8_MAX
                          : c->length_type == PARSCAN_U16 ? UINT16_MAX
                                                          : SIZE_MAX;
    const size_t most = long_one < beyond ? long_one : beyond;
    *total = 0;
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t length = length_of(c->shape, i, c->n, most);
        oracle_set(c->length_type, lengths, i, length);
        *total += length;
    }
    char *const expected = malloc(*total * c->value_size + 1), *to = expected;
    cr_assert_not_null(expected);
    for (size_t i = 0; i < c->n; i++)
        for (uint64_t k = oracle_get(c->length_type, lengths, i); k > 0; k--, to += c->value_size)
            memcpy(to, values + i * c->value_size, c->value_size);
    return expected;
}

static void expect_decoded(parscan_context *context, const decode_case *c)
{
    const size_t length_size = parscan_type_size(c->length_type);
    const size_t bytes = c->n * c->value_size;
    const guarded in[2] = {guarded_create(bytes), guarded_create(c->n * length_size)};
    char *const values = guarded_array(in[0], bytes, true);
    char *const lengths = guarded_array(in[1], c->n * length_size, true);
    for (size_t i = 0; i < bytes; i++)
        values[i] = (char)random_bits();
    uint64_t all, total = 77;
    char *const expected = expected_of(c, values, lengths, &all);
    const guarded memory = guarded_create((size_t)all * c->value_size);
    char *const out = guarded_array(memory, (size_t)all * c->value_size, true);
    guarded_watch("run_length_decode");
    memset(out, 0xee, (size_t)all * c->value_size);
    if (all > 0) {
        cr_assert_eq(parscan_run_length_decode(context, c->value_size, values, c->length_type,
                                               lengths, c->n, out, all - 1, &total),
                     PARSCAN_ERROR_CAPACITY);
        cr_assert_eq(total, all);
        cr_assert_eq((unsigned char)out[0], 0xee);
    }
    cr_assert_eq(parscan_run_length_decode(context, c->value_size, values, c->length_type, lengths,
                                           c->n, out, all, &total),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(total, all);
    cr_assert_eq(memcmp(out, expected, (size_t)all * c->value_size), 0,
                 "values of %zu, lengths of %s, shape %d, n %zu", c->value_size,
                 parscan_type_name(c->length_type), (int)c->shape, c->n);
    free(expected);
    guarded_destroy(in[0]);
    guarded_destroy(in[1]);
    guarded_destroy(memory);
}

static void expect_value_size(size_t size)
{
    static const size_t counts[] = {0, 1, 2, 3, 63, 64, 65, 1000, 4095, 4096, 4097, 9000};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    for (size_t k = 0; k < COUNT_OF(counts); k++)
        for (int s = 0; s < SHAPES; s++) {
            const decode_case c = {.value_size = size,
                                   .n = size > 1000 ? counts[k] / 64 : counts[k],
                                   .length_type = length_types[random_below(4)],
                                   .shape = (shape)s};
            if (size <= 64 || s != LONG)
                expect_decoded(context, &c);
        }
    parscan_context_destroy(context);
}

#define OF_SIZE(size)                                \
    SimdTest(run_length_decode, of_values_of_##size) \
    {                                                \
        expect_value_size(size);                     \
    }
OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(3)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(12)
OF_SIZE(16)
OF_SIZE(100)
OF_SIZE(5000)

SimdTest(run_length_decode, is_right_on_several_threads)
{
    for (size_t k = 0; k < COUNT_OF(value_sizes) * 2; k++) {
        const size_t size = value_sizes[k / 2];
        const decode_case c = {.value_size = size,
                               .n = (1u << 20) / (size > 8 ? size : 8) + k,
                               .length_type = length_types[k % 4],
                               .shape = k % 2 == 0 ? ONE_LONG : FEW};
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = 2 + (unsigned)k % 3});
        expect_decoded(context, &c);
        parscan_context_destroy(context);
    }
}

SimdTest(run_length_decode, inverts_the_encoding)
{
    enum { N = 30011 };
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++) {
        const size_t size = parscan_type_size(all_types[t]);
        char *const in = array_of_runs(all_types[t], 1 + 10 * t, N), *const values =
                                                                         malloc(N * size);
        char *const out = calloc(N, size);
        uint32_t *const lengths = malloc(N * sizeof *lengths);
        uint64_t runs, total;
        cr_assert(values != NULL && out != NULL && lengths != NULL);
        cr_assert_eq(parscan_run_length_encode(context, all_types[t], in, values, PARSCAN_U32,
                                               lengths, N, &runs),
                     PARSCAN_OK);
        cr_assert_eq(parscan_run_length_decode(context, size, values, PARSCAN_U32, lengths,
                                               (size_t)runs, out, N, &total),
                     PARSCAN_OK);
        cr_assert_eq(total, N);
        /* Zeros and NaNs of a run may differ in their bits. */
        uint64_t again;
        cr_assert_eq(parscan_run_length_encode(context, all_types[t], out, in, PARSCAN_U32, lengths,
                                               N, &again),
                     PARSCAN_OK);
        cr_assert_eq(again, runs);
        cr_assert_eq(memcmp(in, values, (size_t)runs * size), 0);
        free(in);
        free(values);
        free(out);
        free(lengths);
    }
    parscan_context_destroy(context);
}

Test(run_length_decode, of_more_than_64_bits_overflows)
{
    const uint64_t lengths[2] = {UINT64_MAX, 1};
    uint64_t total = 0;
    char out = 7;
    parscan_context *const context = test_context();
    cr_assert_eq(
        parscan_run_length_decode(context, 1, "ab", PARSCAN_U64, lengths, 2, &out, 1, &total),
        PARSCAN_ERROR_OVERFLOW);
    cr_assert(total == UINT64_MAX && out == 7);
    parscan_context_destroy(context);
}

#define EXPECT_ERROR(call, words)                                                          \
    do {                                                                                   \
        cr_assert_eq(call, PARSCAN_ERROR_INVALID_ARGUMENT, words);                         \
        cr_assert_not_null(strstr(parscan_context_error(context), words), "%s: %s", words, \
                           parscan_context_error(context));                                \
    } while (0)

Test(run_length_decode, refuses_bad_arguments_in_words)
{
    parscan_context *const context = test_context();
    const parscan_type u32 = PARSCAN_U32;
    uint32_t values[3] = {1, 2, 3}, lengths[3] = {1, 0, 2}, out[3] = {7, 7, 7};
    uint64_t total = 99;
    EXPECT_ERROR(
        parscan_run_length_decode(context, 4, values, PARSCAN_I32, lengths, 3, out, 3, &total),
        "length_type = i32");
    EXPECT_ERROR(parscan_run_length_decode(context, 0, values, u32, lengths, 3, out, 3, &total),
                 "value_size = 0");
    EXPECT_ERROR(parscan_run_length_decode(context, 4, values, u32, lengths, 3, out, 3, NULL),
                 "total is NULL");
    EXPECT_ERROR(parscan_run_length_decode(context, 4, NULL, u32, lengths, 3, out, 3, &total),
                 "values is NULL");
    EXPECT_ERROR(parscan_run_length_decode(context, 4, values, u32, NULL, 3, out, 3, &total),
                 "lengths is NULL");
    EXPECT_ERROR(parscan_run_length_decode(context, 4, values, u32, lengths, 3, NULL, 3, &total),
                 "out is NULL, capacity = 3");
    EXPECT_ERROR(parscan_run_length_decode(context, 4, values, u32, lengths, 3, values, 3, &total),
                 "out");
    EXPECT_ERROR(
        parscan_run_length_decode(context, 4, values, u32, lengths, 3, lengths + 1, 3, &total),
        "out");
    cr_assert(total == 99 && out[0] == 7);
    cr_assert_eq(parscan_run_length_decode(context, 4, NULL, u32, NULL, 0, NULL, 0, &total),
                 PARSCAN_OK);
    cr_assert_eq(total, 0);
    parscan_context_destroy(context);
}

Test(run_length_decode, without_an_output_tells_the_total)
{
    parscan_context *const context = test_context();
    uint32_t values[3] = {1, 2, 3}, lengths[3] = {1, 0, 2}, none[2] = {0, 0};
    uint64_t total = 99;
    cr_assert_eq(
        parscan_run_length_decode(context, 4, values, PARSCAN_U32, lengths, 3, NULL, 0, &total),
        PARSCAN_ERROR_CAPACITY);
    cr_assert_eq(total, 3);
    cr_assert_str_eq(parscan_context_error(context), "capacity = 0: total = 3 exceeds it");
    cr_assert_eq(
        parscan_run_length_decode(context, 4, values, PARSCAN_U32, none, 2, NULL, 0, &total),
        PARSCAN_OK);
    cr_assert_eq(total, 0);
    parscan_context_destroy(context);
}
