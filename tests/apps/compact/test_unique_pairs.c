/* parscan_unique_pairs(), against the oracle of runs. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/guarded.h"
#include "tests/support/oracle_compact.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define NEVER_ENDS SIZE_MAX

static const size_t run_lengths[] = {1, 2, 10, 100, 5000, NEVER_ENDS};
static const size_t value_sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 64, 100, 257, 1000};

/* An array that ends at a guard, of which the first `bytes` are filled. */
typedef struct array {
    guarded memory;
    char *at;
} array;

static array array_of(const void *from, size_t bytes, size_t beyond)
{
    array a = {.memory = guarded_create_beyond(bytes, beyond + 1)};
    a.at = guarded_array(a.memory, bytes, true);
    if (from != NULL)
        memcpy(a.at, from, bytes);
    return a;
}

typedef struct pairs_case {
    parscan_type type;
    size_t value_size, n;
    bool keys_in_place, values_in_place;
} pairs_case;

static void expect_firsts(const char *out, const char *in, size_t size, const uint64_t *starts,
                          size_t count, const pairs_case *c, const char *what)
{
    for (size_t s = 0; s < count; s++)
        cr_assert_eq(memcmp(out + s * size, in + starts[s] * size, size), 0,
                     "%s, values of %zu, n %zu, in place %d %d: %s %zu", parscan_type_name(c->type),
                     c->value_size, c->n, c->keys_in_place, c->values_in_place, what, s);
}

/* Results that are not in place have room for the first `room` runs. */
static void expect_room(parscan_context *context, const pairs_case *c, const char *keys,
                        const char *values, const uint64_t *starts, size_t runs, size_t room)
{
    const size_t size = parscan_type_size(c->type), fit = room < runs ? room : runs;
    array k = array_of(keys, c->n * size, 0), v = array_of(values, c->n * c->value_size, 0);
    array k_out = array_of(NULL, fit * size, c->n * size);
    array v_out = array_of(NULL, fit * c->value_size, c->n * c->value_size);
    char *const to = c->keys_in_place ? k.at : k_out.at;
    char *const values_to = c->values_in_place ? v.at : v_out.at;
    uint64_t count = UINT64_MAX;
    guarded_watch("unique_pairs");
    if (room < runs)
        cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = room)), 0);
    const parscan_status status = parscan_unique_pairs(context, c->type, k.at, to, c->value_size,
                                                       v.at, values_to, c->n, &count);
    cr_assert_eq(status, room < runs ? PARSCAN_ERROR_CAPACITY : PARSCAN_OK, "%s",
                 parscan_context_error(context));
    cr_assert_eq(count, runs);
    expect_firsts(to, keys, size, starts, fit, c, "key");
    expect_firsts(values_to, values, c->value_size, starts, fit, c, "value");
    guarded_destroy(k.memory);
    guarded_destroy(v.memory);
    guarded_destroy(k_out.memory);
    guarded_destroy(v_out.memory);
}

static void expect_pairs(parscan_context *context, const pairs_case *c, size_t length)
{
    char *const keys = array_of_runs(c->type, length, c->n);
    char *const values = malloc(c->n * c->value_size + 8);
    uint64_t *const starts = calloc(c->n + 1, sizeof *starts);
    cr_assert(values != NULL && starts != NULL);
    for (size_t i = 0; i < c->n * c->value_size; i += 8) {
        const uint64_t bits = random_bits();
        memcpy(values + i, &bits, sizeof bits);
    }
    const size_t runs = oracle_run_starts(c->type, keys, c->n, starts);
    expect_room(context, c, keys, values, starts, runs, SIZE_MAX);
    if (runs > 1)
        expect_room(context, c, keys, values, starts, runs, 1 + random_below(runs));
    free(keys);
    free(values);
    free(starts);
}

static void expect_key_type(parscan_type type)
{
    static const size_t tiles[] = {255, 256, 257, 1023, 2048, 2049, 4097, 8191, 16384, 16385};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    for (size_t n = 0; n <= 200; n += n < 66 ? 1 : 13) {
        const pairs_case c = {.type = type,
                              .value_size = value_sizes[random_below(COUNT_OF(value_sizes))],
                              .n = n,
                              .keys_in_place = random_below(2),
                              .values_in_place = random_below(2)};
        expect_pairs(context, &c, run_lengths[n % COUNT_OF(run_lengths)]);
    }
    for (size_t k = 0; k < COUNT_OF(tiles); k++) {
        const pairs_case c = {.type = type,
                              .value_size = value_sizes[k],
                              .n = tiles[k],
                              .keys_in_place = random_below(2),
                              .values_in_place = random_below(2)};
        expect_pairs(context, &c, run_lengths[random_below(COUNT_OF(run_lengths))]);
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)       \
    SimdTest(unique_pairs, of_keys_of_##name) \
    {                                         \
        expect_key_type(PARSCAN_##NAME);      \
    }
PARSCAN_TYPES(X, )
#undef X

/* Enough elements for several threads. */
SimdTest(unique_pairs, are_right_on_several_threads)
{
    for (size_t k = 0; k < COUNT_OF(value_sizes); k++) {
        const size_t widest = value_sizes[k] > 4 ? value_sizes[k] : 4;
        const pairs_case c = {.type = k % 2 == 0 ? PARSCAN_U32 : PARSCAN_F16,
                              .value_size = value_sizes[k],
                              .n = (3u << 20) / widest + k,
                              .keys_in_place = k % 3 == 0,
                              .values_in_place = k % 2};
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = 2 + (unsigned)k % 4});
        expect_pairs(context, &c, run_lengths[k % COUNT_OF(run_lengths)]);
        parscan_context_destroy(context);
    }
}

SimdTest(unique_pairs, take_any_nan_for_equal_and_zeros_of_both_signs)
{
    const double keys[] = {0.0, -0.0, NAN, -NAN, NAN, 1, 1, -0.0, 0.0};
    const char values[] = "abcdefghi";
    double keys_out[4];
    char out[5] = "....";
    uint64_t count = 0;
    parscan_context *const context = test_context();
    cr_assert_eq(
        parscan_unique_pairs(context, PARSCAN_F64, keys, keys_out, 1, values, out, 9, &count),
        PARSCAN_OK);
    cr_assert_eq(count, 4);
    cr_assert_eq(memcmp(keys_out, (double[]){keys[0], keys[2], keys[5], keys[7]}, sizeof keys_out),
                 0);
    cr_assert_str_eq(out, "acfh");
    parscan_context_destroy(context);
}

#define EXPECT_ERROR(call, words)                                                          \
    do {                                                                                   \
        cr_assert_eq(call, PARSCAN_ERROR_INVALID_ARGUMENT, words);                         \
        cr_assert_not_null(strstr(parscan_context_error(context), words), "%s: %s", words, \
                           parscan_context_error(context));                                \
    } while (0)

Test(unique_pairs, refuse_bad_arguments_in_words)
{
    parscan_context *const context = test_context();
    const parscan_type u32 = PARSCAN_U32;
    uint32_t keys[4] = {1, 1, 2, 2}, values[4] = {1, 2, 3, 4}, a[4] = {7}, b[4] = {7};
    uint64_t count = 99;
    EXPECT_ERROR(parscan_unique_pairs(context, (parscan_type)77, keys, a, 4, values, b, 4, &count),
                 "key_type = 77");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, keys, a, 0, values, b, 4, &count),
                 "value_size = 0");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, keys, a, 4, values, b, 4, NULL),
                 "count is NULL");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, NULL, a, 4, values, b, 4, &count),
                 "keys_in is NULL");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, keys, NULL, 4, values, b, 4, &count),
                 "keys_out is NULL");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, keys, a, 4, NULL, b, 4, &count),
                 "values_in is NULL");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, keys, a, 4, values, NULL, 4, &count),
                 "values_out is NULL");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, keys, a, 4, values, a, 4, &count), "keys_out");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, keys, values, 4, values, b, 4, &count),
                 "keys_out");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, keys, a, 4, values, keys, 4, &count),
                 "values_out");
    EXPECT_ERROR(parscan_unique_pairs(context, u32, keys, keys + 1, 4, values, b, 3, &count),
                 "keys_out");
    cr_assert(count == 99 && a[0] == 7 && b[0] == 7 && keys[2] == 2 && values[3] == 4);
    cr_assert_eq(parscan_unique_pairs(context, u32, NULL, NULL, 4, NULL, NULL, 0, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, 0);
    parscan_context_destroy(context);
}

Test(unique_pairs, without_outputs_are_counted)
{
    enum { N = 20000 };
    parscan_context *const context = test_context();
    uint32_t *const keys = malloc(N * sizeof *keys);
    cr_assert_not_null(keys);
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i / 3;
    uint64_t count = 0, length = 100;
    cr_assert_eq(parscan_unique_pairs(context, PARSCAN_U32, keys, NULL, 24, keys, NULL, N, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, (N + 2) / 3);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &length)), PARSCAN_OK);
    cr_assert_eq(parscan_unique_pairs(context, PARSCAN_U32, keys, NULL, 4, NULL, NULL, N, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, 34);
    EXPECT_ERROR(parscan_unique_pairs(context, PARSCAN_U32, NULL, NULL, 4, NULL, NULL, N, &count),
                 "keys_in is NULL");
    free(keys);
    parscan_context_destroy(context);
}
