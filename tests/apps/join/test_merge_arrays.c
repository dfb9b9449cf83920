/* Merges of two arrays against the oracle's stable sort of the elements of both. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/support/allocated.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/oracle_sort.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define GUARD 64u
#define GUARD_BYTE 0xa5

typedef struct merge_case {
    parscan_type type;
    key_pattern pattern;
    size_t n, n2, value_size;
    unsigned in_offset, out_offset, threads; /* threads 0: the default */
} merge_case;

/* The keys of a, then those of b, each in order, at in_offset. */
static char *sorted_halves(const merge_case *c)
{
    const size_t n = c->n + c->n2, size = parscan_type_size(c->type);
    const size_t bounds[3] = {0, c->n, n};
    void *const keys = patterned_keys(c->type, c->pattern, n);
    size_t *const order = allocated(n * sizeof *order);
    char *const sorted = (char *)allocated(n * size + GUARD) + c->in_offset;
    const size_t *const of_b = bounds + 1;
    oracle_sort_order(&(oracle_sort){.type = c->type, .keys = keys, .n = c->n}, order);
    oracle_gather(keys, size, order, c->n, sorted);
    oracle_sort_order(
        &(oracle_sort){.type = c->type, .keys = (char *)keys + c->n * size, .n = c->n2}, order);
    oracle_gather((char *)keys + *of_b * size, size, order, c->n2, sorted + c->n * size);
    free(order);
    free(keys);
    return sorted;
}

static char *guarded_output(const merge_case *c, size_t bytes)
{
    char *const memory = allocated(bytes + 3 * GUARD);
    memset(memory, GUARD_BYTE, bytes + 3 * GUARD);
    return memory + GUARD + c->out_offset;
}

static void expect_output(const char *what, const merge_case *c, char *out, const void *from,
                          size_t size, const size_t *order)
{
    const size_t n = c->n + c->n2;
    char *const expected = allocated(n * size);
    oracle_gather(from, size, order, n, expected);
    for (size_t i = 0; i < n; i++)
        cr_assert(
            memcmp(out + i * size, expected + i * size, size) == 0,
            "%s %zu is not that of element %zu: %zu and %zu %s, %s, value size %zu, %u threads",
            what, i, order[i], c->n, c->n2, parscan_type_name(c->type),
            key_pattern_name(c->pattern), c->value_size, c->threads);
    for (size_t i = 0; i < GUARD; i++)
        cr_assert((unsigned char)out[n * size + i] == GUARD_BYTE &&
                      (unsigned char)out[-1 - (ptrdiff_t)i] == GUARD_BYTE,
                  "%s: memory beside the output was written", what);
    free(expected);
    free(out - GUARD - c->out_offset);
}

static void expect_merge(parscan_context *context, const merge_case *c)
{
    if (!takes_larger_case())
        return;
    const size_t n = c->n + c->n2, size = parscan_type_size(c->type);
    char *const keys = sorted_halves(c), *const values = allocated(n * c->value_size);
    size_t *const order = allocated(n * sizeof *order);
    oracle_sort_order(&(oracle_sort){.type = c->type, .keys = keys, .n = n}, order);
    for (size_t i = 0; i < n * c->value_size; i++)
        values[i] = (char)((uint64_t)(i / c->value_size) * 0x9e3779b97f4a7c15u >>
                           8 * (i % c->value_size % 8));
    char *const keys_out = guarded_output(c, n * size);
    char *const values_out = c->value_size > 0 ? guarded_output(c, n * c->value_size) : NULL;
    cr_assert_eq(parscan_merge(context, c->type, keys, c->n, keys + c->n * size, c->n2, keys_out,
                               c->value_size, c->value_size > 0 ? values : NULL,
                               c->value_size > 0 ? values + c->n * c->value_size : NULL,
                               values_out),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    expect_output("key", c, keys_out, keys, size, order);
    if (c->value_size > 0)
        expect_output("value", c, values_out, values, c->value_size, order);
    free(order);
    free(values);
    free(keys - c->in_offset);
}

static void expect_on_threads(merge_case c)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    for (size_t t = FIRST_OF_1_2_3_7_THREADS; t < COUNT_OF(threads); t++) {
        parscan_context *const context =
            test_context_with(PARSCAN_CONTEXT_OPTIONS(.threads = threads[t]));
        c.threads = threads[t];
        expect_merge(context, &c);
        parscan_context_destroy(context);
    }
}

/* One side far larger, one empty, both alike. */
static void share(merge_case *c, size_t n, size_t k)
{
    c->n = k % 4 == 0 ? n / 2 : k % 4 == 1 ? n - n / 100 : k % 4 == 2 ? n / 1000 : random_below(n);
    c->n2 = n - c->n;
}

static void expect_every_pattern_of(parscan_type type)
{
    static const size_t lengths[] = {40, 1000, 20011};
    static const size_t value_sizes[] = {0, 4, 8, 1, 24};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(lengths) * KEY_PATTERNS; k++) {
        merge_case c = {.type = type,
                        .pattern = (key_pattern)(k % KEY_PATTERNS),
                        .value_size = value_sizes[(k + k / KEY_PATTERNS) % COUNT_OF(value_sizes)],
                        .in_offset = (unsigned)random_below(9),
                        .out_offset = (unsigned)random_below(9)};
        share(&c, lengths[k / KEY_PATTERNS], k);
        expect_merge(context, &c);
        c.value_size = 0;
        expect_merge(context, &c);
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                                 \
    SimdTest(merge, of_every_pattern_is_the_stable_sort_of_both_##name) \
    {                                                                   \
        expect_every_pattern_of(PARSCAN_##NAME);                        \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(merge, of_any_number_of_elements_to_40_each_is_right)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n <= 40; n++)
        for (size_t n2 = 0; n2 <= 40; n2++)
            expect_merge(context, &(merge_case){.type = all_types[(n + n2) % TYPES],
                                                .pattern = n % 2 == 0 ? KEYS_FEW : KEYS_RANDOM,
                                                .n = n,
                                                .n2 = n2,
                                                .value_size = n2 % 6});
    parscan_context_destroy(context);
}

/* So many that threads share the work and vectors bypass the caches, and a tile ends beside. */
SimdTest(merge, of_many_elements_is_right_on_1_2_3_and_7_threads)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_F32, PARSCAN_I64, PARSCAN_F64,
                                         PARSCAN_U8};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_EQUAL, KEYS_SPECIAL, KEYS_SORTED,
                                           KEYS_ZIPF};
    const size_t n = LESS_UNDER_SANITIZER(660001, LESS_UNDER_THREAD_SANITIZER(200001, 300001));
    for (size_t k = 0; k < COUNT_OF(types); k++) {
        merge_case c = {.type = types[k], .pattern = patterns[k], .out_offset = k % 2 * 8};
        share(&c, n + k, k);
        expect_on_threads(c);
        c.pattern = patterns[(k + 1) % COUNT_OF(patterns)];
        c.value_size = k % 2 == 0 ? 8 : 5;
        expect_on_threads(c);
    }
}

/* Arrays that do not overlap are moved as they are. */
SimdTest(merge, of_arrays_one_after_the_other_is_their_concatenation)
{
    const size_t n = 600011;
    float *const keys = allocated(n * sizeof *keys), *const out = allocated(n * sizeof *out);
    parscan_context *const context = test_context();
    for (size_t i = 0; i < n; i++)
        keys[i] = i + 5 < n ? (float)i - 1000 : -NAN;
    cr_assert_eq(parscan_merge(context, PARSCAN_F32, keys, 350003, keys + 350003, n - 350003, out,
                               0, NULL, NULL, NULL),
                 PARSCAN_OK);
    cr_assert(memcmp(out, keys, n * sizeof *keys) == 0);
    cr_assert_eq(parscan_merge(context, PARSCAN_F32, keys + 350003, n - 350003, keys, 350003, out,
                               0, NULL, NULL, NULL),
                 PARSCAN_OK);
    cr_assert(memcmp(out, keys, n * sizeof *keys) == 0);
    parscan_context_destroy(context);
    free(keys);
    free(out);
}

/* Nothing is promised but that no other memory is touched, and that the call ends. */
SimdTest(merge, of_arrays_that_are_not_sorted_stays_inside)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 12 * TYPES; k++) {
        const parscan_type type = all_types[k % TYPES];
        const size_t size = parscan_type_size(type), n = k % 5 == 0 ? 150001 : random_below(3000);
        const size_t of_a = random_below(n + 1), value_size = k % 3 == 0 ? 0 : k % 3 == 1 ? 4 : 16;
        const merge_case none = {.n = 0};
        char *const keys = patterned_keys(type, k % 2 == 0 ? KEYS_RANDOM : KEYS_REVERSED, n);
        char *const values = calloc(n + 1, value_size + 1);
        char *const keys_out = guarded_output(&none, n * size);
        char *const values_out = guarded_output(&none, n * value_size);
        const bool has = value_size > 0;
        cr_assert_eq(parscan_merge(context, type, keys, of_a, keys + of_a * size, n - of_a,
                                   keys_out, value_size, has ? values : NULL,
                                   has ? values + of_a * value_size : NULL,
                                   has ? values_out : NULL),
                     PARSCAN_OK);
        for (size_t i = 0; i < GUARD; i++)
            cr_assert((unsigned char)keys_out[n * size + i] == GUARD_BYTE &&
                      (unsigned char)values_out[n * value_size + i] == GUARD_BYTE);
        free(keys);
        free(values);
        free(keys_out - GUARD);
        free(values_out - GUARD);
    }
    parscan_context_destroy(context);
}

/* ---- arguments ---- */

static void expect_refusal(parscan_status expected, const char *words, parscan_type type,
                           const void *a, size_t n, const void *b, void *out, size_t value_size,
                           const void *values, void *values_out)
{
    parscan_context *const context = test_context();
    const parscan_status status =
        parscan_merge(context, type, a, n, b, 2, out, value_size, values, values, values_out);
    cr_assert_eq(status, expected, "%s: %s", words, parscan_status_string(status));
    cr_assert_not_null(strstr(parscan_context_error(context), words), "\"%s\" lacks \"%s\"",
                       parscan_context_error(context), words);
    parscan_context_destroy(context);
}

#define INVALID(words, ...) expect_refusal(PARSCAN_ERROR_INVALID_ARGUMENT, words, __VA_ARGS__)

Test(arguments, that_are_wrong_are_named)
{
    uint32_t a[8] = {1, 2}, b[8] = {3, 4}, out[8] = {9}, values[8] = {0}, moved[8] = {0};
    INVALID("key_type = 99", (parscan_type)99, a, 2, b, out, 0, NULL, NULL);
    INVALID("a_keys is NULL", PARSCAN_U32, NULL, 2, b, out, 0, NULL, NULL);
    INVALID("b_keys is NULL", PARSCAN_U32, a, 2, NULL, out, 0, NULL, NULL);
    INVALID("keys_out is NULL", PARSCAN_U32, a, 2, b, NULL, 0, NULL, NULL);
    INVALID("address space", PARSCAN_U32, a, SIZE_MAX / 4, b, out, 0, NULL, NULL);
    INVALID("value_size = 0", PARSCAN_U32, a, 2, b, out, 0, values, NULL);
    INVALID("value_size = 65", PARSCAN_U32, a, 2, b, out, 65, values, moved);
    INVALID("a_values is NULL", PARSCAN_U32, a, 2, b, out, 4, NULL, moved);
    INVALID("values_out is NULL", PARSCAN_U32, a, 2, b, out, 4, values, NULL);
    INVALID("keys_out", PARSCAN_U32, a, 2, b, a, 0, NULL, NULL);
    INVALID("values_out", PARSCAN_U32, a, 2, b, out, 4, values, values + 1);
    cr_assert(out[0] == 9 && a[0] == 1 && moved[0] == 0);
    cr_assert_eq(parscan_merge(NULL, PARSCAN_U32, a, 2, b, 2, out, 0, NULL, NULL, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
}

Test(lengths, are_those_of_both_arrays)
{
    parscan_context *const context = test_context();
    const uint32_t a[3] = {1, 5, 6}, b[3] = {2, 3, 9};
    const uint64_t two = 2, one = 1, four = 4;
    uint32_t out[6] = {7, 7, 7, 7, 7, 7};
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &two, .n2 = &one)), PARSCAN_OK);
    cr_assert_eq(parscan_merge(context, PARSCAN_U32, a, 3, b, 3, out, 0, NULL, NULL, NULL),
                 PARSCAN_OK);
    cr_assert(out[0] == 1 && out[1] == 2 && out[2] == 5 && out[3] == 7);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n2 = &four)), PARSCAN_OK);
    cr_assert_eq(parscan_merge(context, PARSCAN_U32, a, 3, b, 3, out, 0, NULL, NULL, NULL),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert(out[0] == 1 && out[5] == 9);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = 4)), PARSCAN_OK);
    cr_assert_eq(parscan_merge(context, PARSCAN_U32, a, 3, b, 3, out, 0, NULL, NULL, NULL),
                 PARSCAN_ERROR_UNSUPPORTED);
    parscan_context_destroy(context);
}
