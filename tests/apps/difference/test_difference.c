/* parscan_difference(), against loops over numbers, and against the scan that it inverts. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/scan.h"
#include "tests/support/engine_array.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/number.h"
#include "tests/support/oracle.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define PRIME_NEAR_2_20 1048573u
enum { MOST_BYTES = 16 };

static const unsigned thread_counts[] = {1, 2, 3, 7};

typedef struct difference_case {
    parscan_type type;
    parscan_op op;
    bool reverse, in_place;
    const void *init;
    size_t n, shift;
} difference_case;

/* result[0] = a - b or a ^ b. The difference of two numbers of up to 24 bits, taken in double and rounded
   once more, is the same as if it were rounded once: double has more than twice as many bits. */
static void subtract(const difference_case *c, number a, number b, void *result)
{
    if (!a.is_float)
        number_write_integer(c->type, result, 0,
                             c->op == PARSCAN_XOR ? a.integer ^ b.integer : a.integer - b.integer);
    else
        number_write_real(c->type, result, 0, a.real - b.real);
}

/* What the call must write, for free(). */
static char *expected_of(const difference_case *c, const void *in)
{
    const size_t size = parscan_type_size(c->type);
    char *const expected = malloc(c->n * size + 1);
    cr_assert_not_null(expected);
    for (size_t i = 0; i < c->n; i++) {
        const bool first = i == (c->reverse ? c->n - 1 : 0);
        if (first && c->init == NULL)
            memcpy(expected + i * size, (const char *)in + i * size, size);
        else
            subtract(c, number_read(c->type, in, i),
                     first ? number_read(c->type, c->init, 0)
                           : number_read(c->type, in, c->reverse ? i + 1 : i - 1),
                     expected + i * size);
    }
    return expected;
}

/* Any NaN is as good as another. */
static bool same(parscan_type type, const char *a, const char *b)
{
    const number x = number_read(type, a, 0), y = number_read(type, b, 0);
    return memcmp(a, b, parscan_type_size(type)) == 0 ||
           (x.is_float && isnan(x.real) && isnan(y.real));
}

static void expect_answer(parscan_context *context, const difference_case *c, const void *in,
                          const char *expected)
{
    const size_t size = parscan_type_size(c->type), bytes = c->n * size;
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = c->op, .reverse = c->reverse, .init = c->init);
    engine_array x = engine_array_create(context, in, bytes, c->shift);
    engine_array y = engine_array_create(context, NULL, bytes, c->shift);
    const engine_array *const out = c->in_place ? &x : &y;
    cr_assert_eq(parscan_difference(context, c->type, x.array, out->array, c->n, &options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    char *const found = engine_array_read(out, "differences");
    const bool all = memcmp(found, expected, bytes) == 0;
    for (size_t i = 0; !all && i < c->n; i++)
        cr_assert(same(c->type, found + i * size, expected + i * size),
                  "%s, op %s, reverse %d, in place %d, init %d, shift %zu: element %zu of %zu",
                  parscan_type_name(c->type), parscan_op_name(c->op), c->reverse, c->in_place,
                  c->init != NULL, c->shift, i, c->n);
    free(found);
    engine_array_destroy(&x);
    engine_array_destroy(&y);
}

static void expect_difference(parscan_context *context, const difference_case *c, const void *in)
{
    char *const expected = expected_of(c, in);
    expect_answer(context, c, in, expected);
    free(expected);
}

/* Odd ways have a shift, which on CUDA must be that of an element. */
static void expect_every_way(parscan_context *context, parscan_type type, size_t n, const void *in)
{
    char init[MOST_BYTES + 1];
    random_fill(type, PARSCAN_SUM, init + 1, 1);
    for (unsigned way = 0; way < 16; way++) {
        if (!takes_larger_case())
            continue;
        const difference_case c = {
            .type = type,
            .op = (way & 8) && !oracle_is_float(type) ? PARSCAN_XOR : PARSCAN_SUM,
            .reverse = way & 1,
            .in_place = way & 2,
            .init = way & 4 ? init + 1 : NULL,
            .n = n,
            .shift = way % 3 == 0 ? 0 : parscan_type_size(type),
        };
        expect_difference(context, &c, in);
    }
}

static void *filled(parscan_type type, size_t n)
{
    void *const in = malloc(n * parscan_type_size(type) + 1);
    cr_assert_not_null(in);
    random_fill(type, PARSCAN_SUM, in, n);
    return in;
}

static void expect_lengths(parscan_type type)
{
    parscan_context *const context = test_context();
    void *const in = filled(type, 4097);
    for (size_t n = 0; n <= 100; n++)
        expect_every_way(context, type, n, in);
    for (size_t power = 128; power <= 4096; power *= 2)
        for (size_t n = power - 1; n <= power + 1; n++)
            expect_every_way(context, type, n, in);
    free(in);
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                   \
    SimdTest(difference, is_right_at_every_length_##name) \
    {                                                     \
        expect_lengths(PARSCAN_##NAME);                   \
    }
PARSCAN_TYPES(X, )
#undef X

static void expect_on_threads(const difference_case *c, const void *in)
{
    char *const expected = expected_of(c, in);
    for (size_t k = 0; k < 2 * COUNT_OF(thread_counts); k++) {
        difference_case way = *c;
        way.in_place = k & 1;
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = thread_counts[k / 2]});
        expect_answer(context, &way, in, expected);
        parscan_context_destroy(context);
    }
    free(expected);
}

SimdTest(difference, is_right_on_every_number_of_threads)
{
    for (size_t t = 0; t < TYPES; t++) {
        if (!takes_larger_case())
            continue;
        const size_t n = PRIME_NEAR_2_20 / parscan_type_size(all_types[t]);
        void *const in = filled(all_types[t], n);
        expect_on_threads(&(difference_case){.type = all_types[t], .reverse = t & 1, .n = n}, in);
        free(in);
    }
}

/* From 2 MiB on results are stored past the caches, from any place. */
SimdTest(difference, of_a_long_array_is_right)
{
    for (size_t t = 0; t < TYPES; t++) {
        if (!takes_larger_case())
            continue;
        const size_t size = parscan_type_size(all_types[t]), n = (5u << 19) / size + 3;
        void *const in = filled(all_types[t], n);
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = 1 + t % 2});
        for (unsigned way = 0; way < 2; way++)
            expect_difference(
                context,
                &(difference_case){
                    .type = all_types[t], .reverse = way, .n = n, .shift = random_below(8) * size},
                in);
        parscan_context_destroy(context);
        free(in);
    }
}

/* A scan and a difference with the same options give integers back. */
static void expect_inverse(parscan_context *context, parscan_type type, unsigned way)
{
    const size_t size = parscan_type_size(type), n = 3000 + random_below(100000);
    char init[MOST_BYTES];
    char *const in = filled(type, n), *const sums = malloc(n * size);
    random_fill(type, PARSCAN_SUM, init, 1);
    cr_assert_not_null(sums);
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = way & 4 ? PARSCAN_XOR : PARSCAN_SUM, .reverse = way & 1,
                             .init = way & 2 ? init : NULL);
    cr_assert_eq(parscan_inclusive_scan(context, type, in, sums, n, &options), PARSCAN_OK);
    cr_assert_eq(parscan_difference(context, type, sums, sums, n, &options), PARSCAN_OK);
    cr_assert_eq(memcmp(in, sums, n * size), 0, "%s, way %u", parscan_type_name(type), way);
    free(in);
    free(sums);
}

SimdTest(difference, inverts_the_scan_with_its_options)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    for (size_t t = 0; t < TYPES; t++)
        for (unsigned way = 0; way < 8 && !oracle_is_float(all_types[t]); way++)
            expect_inverse(context, all_types[t], way);
    parscan_context_destroy(context);
}

SimdTest(difference, keeps_the_bits_of_the_first_element)
{
    const uint32_t quiet = 0x7fc01234, signalling = 0xff801234, zero = 0x80000000;
    const uint32_t in[] = {signalling, quiet, zero, zero};
    uint32_t out[4];
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_difference(context, PARSCAN_F32, in, out, 4, NULL), PARSCAN_OK);
    cr_assert_eq(out[0], signalling);
    cr_assert_eq(out[3], 0);
    cr_assert_eq(parscan_difference(context, PARSCAN_F32, in + 1, out, 3,
                                    &PARSCAN_SCAN_OPTIONS(.reverse = 1)),
                 PARSCAN_OK);
    cr_assert_eq(out[2], zero);
    cr_assert_eq(parscan_difference(context, PARSCAN_BF16, in, out, 1, NULL), PARSCAN_OK);
    cr_assert_eq((uint16_t)out[0], (uint16_t)signalling);
    parscan_context_destroy(context);
}

/* A difference is rounded to the nearest, and a subnormal one is kept, in every mode of the caller. */
SimdTest(difference, is_the_same_in_every_mode_of_the_caller)
{
    const float tiny = 1.5f * 0x1p-126f, in[] = {0x1p-126f, 0x1.8p-126f, 1, 0x1p-40f, tiny, 1};
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    float expected[6], out[6];
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_difference(context, PARSCAN_F32, in, expected, 6, NULL), PARSCAN_OK);
    cr_assert_eq(expected[1], 0x1p-127f);
    for (size_t k = 0; k < COUNT_OF(modes); k++) {
        fesetround(modes[k]);
        const parscan_status status = parscan_difference(context, PARSCAN_F32, in, out, 6, NULL);
        const int mode = fegetround();
        fesetround(FE_TONEAREST);
        cr_assert_eq(status, PARSCAN_OK);
        cr_assert_eq(mode, modes[k]);
        cr_assert_eq(memcmp(out, expected, sizeof out), 0);
    }
    parscan_context_destroy(context);
}

/* A failure with words; nothing is written. */
static void expect_error(parscan_context *context, parscan_scan_options options,
                         parscan_status status, const char *words)
{
    const uint32_t in[2] = {1, 2};
    uint32_t out[2] = {7, 7};
    cr_assert_eq(parscan_difference(context, PARSCAN_U32, in, out, 2, &options), status, "%s",
                 words);
    cr_assert_not_null(strstr(parscan_context_error(context), words), "%s",
                       parscan_context_error(context));
    cr_assert(out[0] == 7 && out[1] == 7);
}

Test(difference, refuses_what_it_cannot_invert_in_words)
{
    parscan_context *const context = test_context();
    const struct {
        parscan_scan_options options;
        parscan_status status;
        const char *words;
    } wrong[] = {
        {PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX), PARSCAN_ERROR_UNSUPPORTED, "op = max"},
        {PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64), PARSCAN_ERROR_UNSUPPORTED,
         "out_type = u64"},
        {PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_BRENT_KUNG), PARSCAN_ERROR_UNSUPPORTED,
         "algorithm = brent-kung"},
        {PARSCAN_SCAN_OPTIONS(.block_threads = 3), PARSCAN_ERROR_INVALID_ARGUMENT,
         "block_threads = 3"},
        {PARSCAN_SCAN_OPTIONS(.op = (parscan_op)77), PARSCAN_ERROR_INVALID_ARGUMENT, "op = 77"},
    };
    for (size_t k = 0; k < COUNT_OF(wrong); k++)
        expect_error(context, wrong[k].options, wrong[k].status, wrong[k].words);
    uint32_t x[3] = {1, 2, 4};
    cr_assert_eq(parscan_difference(context, PARSCAN_U32, x, x + 1, 2, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_difference(context, PARSCAN_U32, NULL, x, 2, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_difference(context, (parscan_type)99, x, x, 2, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_difference(NULL, PARSCAN_U32, x, x, 2, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(
        parscan_difference(context, PARSCAN_F32, x, x, 2, &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_XOR)),
        PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_eq(parscan_difference(context, PARSCAN_U32, NULL, NULL, 0, NULL), PARSCAN_OK);
    cr_assert(x[0] == 1 && x[1] == 2 && x[2] == 4);
    parscan_context_destroy(context);
}
