/* Linear recurrences: a loop's answer within what rounding allows, and exactly where it allows
   nothing. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "parscan/segmented.h"
#include "tests/support/counting.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/guarded.h"
#include "tests/support/number.h"
#include "tests/support/oracle_segmented.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const size_t sizes[] = {0,    1,    2,    3,    4,    5,    7,    8,    9,     15,
                               16,   17,   31,   32,   33,   63,   64,   65,   127,   128,
                               129,  255,  256,  257,  511,  513,  1023, 1024, 1025,  2047,
                               2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 16385, 40009};

/* The loop is in long double. Where that has 128 bits it is software's, which an emulator runs besides. */
#define SLOW_LOOP (LDBL_MANT_DIG > 64)
#define MANY_STEPS (SLOW_LOOP ? 70001 : 300007)

static const parscan_type types[] = {PARSCAN_F32, PARSCAN_F64, PARSCAN_F16, PARSCAN_BF16};

enum { APART, OUT_IS_A, OUT_IS_B, PLACES };

static void put(parscan_type type, void *array, size_t i, double value)
{
    number_write_real(type, array, i, value);
}

/* The call on copies in the engine's memory, each `offset` elements after an aligned place; what it gives comes
   to `to`. */
static void call_in_engine_memory(parscan_context *context, const oracle_recurrence *question,
                                  int place, size_t offset, void *to)
{
    const size_t size = parscan_type_size(question->type), bytes = question->n * size;
    char *there[3]; /* a, b, out */
    for (size_t k = 0; k < 3; k++) {
        void *memory = NULL;
        cr_assert_eq(parscan_malloc(context, &memory, bytes + (offset + 1) * size), PARSCAN_OK);
        there[k] = memory;
    }
    const size_t begin = offset * size;
    cr_assert_eq(parscan_copy(context, there[0] + begin, question->a, bytes), PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, there[1] + begin, question->b, bytes), PARSCAN_OK);
    char *const out = there[place == OUT_IS_A ? 0 : place == OUT_IS_B ? 1 : 2] + begin;
    cr_assert_eq(parscan_recurrence(context, question->type, there[0] + begin, there[1] + begin,
                                    question->x0, out, question->n),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(parscan_copy(context, to, out, bytes), PARSCAN_OK);
    for (size_t k = 0; k < 3; k++)
        parscan_free(context, there[k]);
}

/* One call, in one of the places, at addresses that are odd where offset is; on an engine with memory of its
   own another one there. */
static void expect_recurrence(parscan_context *context, const oracle_recurrence *question,
                              int place, size_t offset)
{
    const size_t n = question->n, bytes = n * parscan_type_size(question->type);
    char *const a = malloc(bytes + 1 + offset), *const b = malloc(bytes + 1 + offset);
    char *const out = malloc(bytes + 2 + offset);
    char words[ORACLE_WORDS];
    memcpy(a + offset, question->a, bytes);
    memcpy(b + offset, question->b, bytes);
    char *const to = (place == OUT_IS_A ? a : place == OUT_IS_B ? b : out) + offset;
    to[bytes] = 77;
    cr_assert_eq(
        parscan_recurrence(context, question->type, a + offset, b + offset, question->x0, to, n),
        PARSCAN_OK, "%s", parscan_context_error(context));
    const size_t at = oracle_recurrence_disagrees_at(question, to, words);
    cr_assert_eq(at, ORACLE_AGREES, "%zu %s, place %d, offset %zu, x0 %s: element %zu: %s", n,
                 parscan_type_name(question->type), place, offset,
                 question->x0 == NULL ? "NULL" : "given", at, words);
    cr_assert_eq(to[bytes], 77);
    cr_assert(to == a + offset || n == 0 || memcmp(a + offset, question->a, bytes) == 0);
    cr_assert(to == b + offset || n == 0 || memcmp(b + offset, question->b, bytes) == 0);
    if (parscan_context_backend(context) != PARSCAN_BACKEND_CPU && n > 0) {
        call_in_engine_memory(context, question, place, n % 37 * offset, to);
        cr_assert_eq(oracle_recurrence_disagrees_at(question, to, words), ORACLE_AGREES,
                     "%zu %s in the engine's memory, place %d: %s", n,
                     parscan_type_name(question->type), place, words);
    }
    free(a);
    free(b);
    free(out);
}

/* Coefficients for free(): element i of a is a function of chance. */
static void *coefficients(parscan_type type, size_t n, double (*draw)(void))
{
    void *const array = malloc(n * parscan_type_size(type) + 1);
    if (array == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        put(type, array, i, draw());
    return array;
}

/* Of [-1, 1], some 0, some 1. */
static double bounded(void)
{
    const size_t choice = random_below(40);
    return choice < 3 ? (double)choice - 1 : (double)random_below(2000001) / 1000000 - 1;
}

/* Near one, so that what came long before is not opaque. */
static double long_memory(void)
{
    return 1 - ldexp((double)random_below(1024), -24);
}

static double sign_or_zero(void)
{
    const size_t choice = random_below(100);
    return choice == 0 ? 0 : choice % 2 == 0 ? 1 : -1;
}

static double small_integer(void)
{
    return (double)random_below(11) - 5;
}

static void expect_random(parscan_context *context, parscan_type type, size_t n, double (*a)(void),
                          double (*b)(void), bool exact)
{
    char x0[8];
    if (!takes_larger_case())
        return;
    put(type, x0, 0, exact ? 3 : -0.7);
    oracle_recurrence question = {.type = type, .n = n, .exact = exact};
    void *const as = coefficients(type, n, a), *const bs = coefficients(type, n, b);
    question.a = as;
    question.b = bs;
    for (int place = 0; place < PLACES; place++) {
        question.x0 = (n + (size_t)place) % 2 == 0 ? NULL : x0;
        expect_recurrence(context, &question, place, random_below(2));
    }
    free(as);
    free(bs);
}

static void expect_every_size(double (*a)(void), double (*b)(void), bool exact)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            expect_random(context, types[t], sizes[s], a, b, exact);
    parscan_context_destroy(context);
}

SimdTest(recurrence, agrees_with_a_loop_where_factors_are_bounded)
{
    expect_every_size(bounded, bounded, false);
}

SimdTest(recurrence, agrees_with_a_loop_where_the_past_is_not_forgotten)
{
    expect_every_size(long_memory, bounded, false);
}

SimdTest(recurrence, of_small_integers_is_exact)
{
    expect_every_size(sign_or_zero, small_integer, true);
}

SimdTest(recurrence, takes_every_length_to_300)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n <= 300; n++)
        expect_random(context, types[n / 2 % COUNT_OF(types)], n, sign_or_zero, small_integer,
                      true);
    parscan_context_destroy(context);
}

/* 2^24 / 5 steps of at most 5 and a little are exact in a float. */
SimdTest(recurrence, is_right_on_1_2_3_and_7_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    for (size_t k = FIRST_OF_1_2_3_7_THREADS; k < COUNT_OF(threads); k++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads[k]});
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            expect_random(context, types[t], SLOW_LOOP ? 50021 : 300007, sign_or_zero,
                          small_integer, true);
            expect_random(context, types[t], k % 2 == 0 || SLOW_LOOP ? 131071 : 1048573, bounded,
                          bounded, false);
        }
        parscan_context_destroy(context);
    }
}

/* Numbers n of which one is wild: all before it are as without it. */
static void expect_wild(parscan_context *context, parscan_type type, double wild, bool in_a)
{
    enum { N = 700 };
    double memory_a[N], memory_b[N];
    for (size_t at = 0; at < N; at += 1 + random_below(40)) {
        for (size_t i = 0; i < N; i++) {
            put(type, memory_a, i, i == at && in_a ? wild : i > at + 300 && i % 2 == 0 ? -1 : 1);
            put(type, memory_b, i, i == at && !in_a ? wild : (double)(i % 5));
        }
        const oracle_recurrence question = {
            .type = type, .a = memory_a, .b = memory_b, .n = N, .exact = true};
        expect_recurrence(context, &question, (int)(at % PLACES), 0);
    }
}

SimdTest(recurrence, carries_nan_and_infinity_on_and_not_back)
{
    static const double wild[] = {NAN, INFINITY, -INFINITY};
    parscan_context *const context = test_context();
    const size_t taken = COUNT_OF(types);
    for (size_t k = 0; k < taken * COUNT_OF(wild); k++) {
        expect_wild(context, types[k % taken], wild[k / taken], false);
        /* Not infinity: times a group's sum of 0 it is NaN, which a loop may not meet. */
        expect_wild(context, types[k % taken], NAN, true);
    }
    parscan_context_destroy(context);
}

SimdTest(recurrence, of_opposite_infinities_is_nan_from_there_on)
{
    double a[100], b[100];
    for (size_t i = 0; i < 100; i++) {
        a[i] = 1;
        b[i] = i == 30 ? INFINITY : i == 60 ? -INFINITY : 1;
    }
    parscan_context *const context = test_context();
    const oracle_recurrence question = {
        .type = PARSCAN_F64, .a = a, .b = b, .n = 100, .exact = true};
    expect_recurrence(context, &question, APART, 0);
    parscan_context_destroy(context);
}

/* Products of the factors overflow, or underflow, where the loop does neither: what it gives is finite,
   or stays infinite. Factors are powers of two, so that every grouping is exact. */
static void expect_loop(parscan_context *context, size_t n, double x0, double (*a)(size_t),
                        double (*b)(size_t))
{
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        char first[8];
        void *const as = coefficients(types[t], n, bounded);
        void *const bs = coefficients(types[t], n, bounded);
        put(types[t], first, 0, x0);
        for (size_t i = 0; i < n; i++) {
            put(types[t], as, i, a(i));
            put(types[t], bs, i, b(i));
        }
        const oracle_recurrence question = {
            .type = types[t], .a = as, .b = bs, .x0 = first, .n = n, .exact = true};
        for (int place = 0; place < PLACES; place++)
            expect_recurrence(context, &question, place, 0);
        free(as);
        free(bs);
    }
}

static double growing(size_t i)
{
    return i % 40 == 39 ? 0 : 0x1p100;
}

static double halving(size_t i)
{
    return i % 2 == 0 ? 0.5 : 0x1p-20;
}

static double nothing(size_t i)
{
    (void)i;
    return 0;
}

static double one_before_zero(size_t i)
{
    return i % 40 == 38 ? 1 : 0;
}

SimdTest(recurrence, is_the_loops_where_products_of_factors_overflow_and_no_element_does)
{
    static const size_t lengths[] = {1, 3, 7, 8, 16, 20, 33, 100, 1000, 5003, MANY_STEPS};
    parscan_context *const context = test_context();
    for (size_t s = 0; s < COUNT_OF(lengths); s++) {
        expect_loop(context, lengths[s], 0, growing, nothing);
        expect_loop(context, lengths[s], 0, growing, one_before_zero);
    }
    parscan_context_destroy(context);
}

/* Down and up again by powers of two, farther than a float's exponent goes on its own, so that x must be
   large to stay a number. */
static double there_and_back_f32(size_t i)
{
    return i % 400 < 200 ? 0.5 : 2;
}

static double there_and_back_f64(size_t i)
{
    return i % 2400 < 1200 ? 0.5 : 2;
}

static void expect_there_and_back(parscan_context *context, parscan_type type, double x0,
                                  double (*a)(size_t))
{
    enum { N = 300007 };
    char first[8];
    void *const as = coefficients(type, N, bounded), *const bs = coefficients(type, N, bounded);
    put(type, first, 0, x0);
    for (size_t i = 0; i < N; i++) {
        put(type, as, i, a(i));
        put(type, bs, i, 0);
    }
    const oracle_recurrence question = {
        .type = type, .a = as, .b = bs, .x0 = first, .n = N, .exact = true};
    expect_recurrence(context, &question, APART, 0);
    free(as);
    free(bs);
}

SimdTest(recurrence, remembers_x_where_the_product_of_many_factors_underflows_on_the_way)
{
    for (unsigned threads = FEWEST_THREADS; threads <= 3; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        expect_there_and_back(context, PARSCAN_F32, 0x1p100, there_and_back_f32);
        expect_there_and_back(context, PARSCAN_F64, 0x1p600, there_and_back_f64);
        parscan_context_destroy(context);
    }
}

SimdTest(recurrence, stays_infinite_where_products_of_factors_underflow)
{
    static const size_t lengths[] = {1, 7, 16, 33, 1000, 5003, MANY_STEPS};
    parscan_context *const context = test_context();
    for (size_t s = 0; s < COUNT_OF(lengths); s++) {
        expect_loop(context, lengths[s], INFINITY, halving, nothing);
        expect_loop(context, lengths[s], -INFINITY, halving, one_before_zero);
    }
    parscan_context_destroy(context);
}

/* A factor of zero ends the past; infinity times zero is NaN. */
SimdTest(recurrence, forgets_at_a_zero_what_is_finite_only)
{
    enum { N = 300 };
    double a[N], b[N], x0;
    parscan_context *const context = test_context();
    for (size_t at = 0; at < N; at += 7)
        for (int infinite = 0; infinite < 2; infinite++) {
            for (size_t i = 0; i < N; i++) {
                a[i] = i == at ? 0 : 1;
                b[i] = (double)(i % 7);
            }
            x0 = infinite ? INFINITY : 1000;
            const oracle_recurrence question = {
                .type = PARSCAN_F64, .a = a, .b = b, .x0 = &x0, .n = N, .exact = true};
            expect_recurrence(context, &question, APART, 0);
        }
    parscan_context_destroy(context);
}

/* 1 + 2^-52 + 2^-104 would be left over of a product that is not rounded. */
SimdTest(recurrence, rounds_products_on_their_own)
{
    const double a = 1 + DBL_EPSILON, b = -(1 + 2 * DBL_EPSILON), x0 = 1 + DBL_EPSILON;
    const float fa = 1 + FLT_EPSILON, fb = -(1 + 2 * FLT_EPSILON), fx0 = 1 + FLT_EPSILON;
    double out;
    float fout;
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_recurrence(context, PARSCAN_F64, &a, &b, &x0, &out, 1), PARSCAN_OK);
    cr_assert_eq(parscan_recurrence(context, PARSCAN_F32, &fa, &fb, &fx0, &fout, 1), PARSCAN_OK);
    cr_assert(out == 0 && fout == 0, "%g, %g", out, (double)fout);
    parscan_context_destroy(context);
}

SimdTest(recurrence, of_nothing_takes_null_arrays)
{
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_recurrence(context, PARSCAN_F64, NULL, NULL, NULL, NULL, 0), PARSCAN_OK);
    parscan_context_destroy(context);
}

/* The status, and words that name the argument and its value; nothing is written. */
static void expect_failure(parscan_context *context, parscan_status status, const char *name,
                           const char *value, parscan_type type, bool a_missing, bool b_missing,
                           bool out_missing, size_t n)
{
    const double a[4] = {1, 1, 1, 1}, b[4] = {1, 2, 3, 4};
    double out[4] = {7, 7, 7, 7};
    const parscan_status found =
        parscan_recurrence(context, type, a_missing ? NULL : a, b_missing ? NULL : b, NULL,
                           out_missing ? NULL : out, n);
    const char *const words = parscan_context_error(context);
    cr_assert_eq(found, status, "%s = %s: %s", name, value, words);
    cr_assert(strstr(words, name) != NULL && strstr(words, value) != NULL,
              "\"%s\" does not name %s = %s", words, name, value);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(out[i], 7);
}

SimdTest(bad_arguments, of_a_recurrence_are_named)
{
    const parscan_status invalid = PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        if (!oracle_is_float(all_types[t]))
            expect_failure(context, PARSCAN_ERROR_UNSUPPORTED, "type",
                           parscan_type_name(all_types[t]), all_types[t], 0, 0, 0, 4);
    expect_failure(context, invalid, "type", "0", (parscan_type)0, 0, 0, 0, 4);
    expect_failure(context, invalid, "type", "99", (parscan_type)99, 0, 0, 0, 0);
    expect_failure(context, invalid, "a", "NULL", PARSCAN_F64, 1, 0, 0, 4);
    expect_failure(context, invalid, "b", "NULL", PARSCAN_F64, 0, 1, 0, 4);
    expect_failure(context, invalid, "out", "NULL", PARSCAN_F64, 0, 0, 1, 4);
    expect_failure(context, invalid, "n", "18446744073709551615", PARSCAN_F32, 0, 0, 0, SIZE_MAX);
    cr_assert_eq(parscan_recurrence(NULL, PARSCAN_F64, NULL, NULL, NULL, NULL, 0), invalid);
    parscan_context_destroy(context);
}

/* The arrays lie against guards, the inputs in pages that cannot be written. */
SimdTest(recurrence, touches_nothing_next_to_its_arrays)
{
    parscan_context *const context = test_context();
    const size_t largest = 200003 * sizeof(double);
    const guarded memory[] = {guarded_create(largest), guarded_create(largest),
                              guarded_create(largest)};
    for (size_t k = 0; k < 8 * (COUNT_OF(sizes) + 1); k++) {
        const size_t n = k / 8 < COUNT_OF(sizes) ? sizes[k / 8] : 200003;
        const parscan_type type = types[k % 4 % COUNT_OF(types)];
        const size_t bytes = n * parscan_type_size(type);
        void *arrays[3];
        for (size_t i = 0; i < 3; i++)
            arrays[i] = guarded_array(memory[i], bytes, k % 8 < 4);
        for (size_t i = 0; i < n; i++) {
            put(type, arrays[0], i, sign_or_zero());
            put(type, arrays[1], i, small_integer());
        }
        const oracle_recurrence question = {
            .type = type, .a = arrays[0], .b = arrays[1], .n = n, .exact = true};
        char words[ORACLE_WORDS];
        guarded_read_only(memory[0], true);
        guarded_read_only(memory[1], true);
        cr_assert_eq(parscan_recurrence(context, type, arrays[0], arrays[1], NULL, arrays[2], n),
                     PARSCAN_OK);
        cr_assert_eq(oracle_recurrence_disagrees_at(&question, arrays[2], words), ORACLE_AGREES,
                     "%zu: %s", n, words);
        guarded_read_only(memory[0], false);
        guarded_read_only(memory[1], false);
    }
    for (size_t i = 0; i < 3; i++)
        guarded_destroy(memory[i]);
    parscan_context_destroy(context);
}

/* Whether the k-th allocation failed, and a recurrence with it or the context. */
static bool survives_failure(size_t k, const oracle_recurrence *question, void *out, size_t bytes)
{
    failing_run run;
    failing_begin(&run, k);
    memset(out, 0xa5, bytes);
    const parscan_status status = parscan_recurrence(run.context, question->type, question->a,
                                                     question->b, NULL, out, question->n);
    const bool ran_out = failing_check(&run, status);
    for (size_t i = 0; ran_out && i < bytes; i++)
        cr_assert_eq(((unsigned char *)out)[i], 0xa5, "a failed call wrote");
    expect_recurrence(run.context, question, APART, 0);
    /* Floats of 16 bits are widened to buffers, which take no more than a quarter of a and b widened. */
    const bool widens = parscan_type_size(question->type) == sizeof(uint16_t);
    cr_assert_leq(run.counted.most_bytes,
                  (widens ? (128u << 10) + bytes : 64u << 10) + bytes / 1000);
    return failing_end(&run);
}

SimdTest(allocator, that_fails_at_any_call_of_a_recurrence_is_survived)
{
    const size_t n = SLOW_LOOP ? 131101 : 300007; /* more than one thread's of a and b */
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        void *const a = coefficients(types[t], n, sign_or_zero);
        void *const b = coefficients(types[t], n, small_integer);
        const size_t bytes = n * parscan_type_size(types[t]);
        void *const out = malloc(bytes);
        const oracle_recurrence question = {
            .type = types[t], .a = a, .b = b, .n = n, .exact = true};
        size_t k = 0;
        while (survives_failure(k, &question, out, bytes))
            cr_assert_lt(++k, 100, "the allocations have no end");
        free(a);
        free(b);
        free(out);
    }
}

/* One a for all: what a loop gives, and, of any a, the bits that an array of it gives. */
SimdTest(recurrence, of_one_a_is_that_of_an_array_of_it)
{
    static const size_t lengths[] = {0, 1, 7, 16, 17, 1000, 300007};
    const parscan_recurrence_options one = PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1);
    parscan_context *const context = test_context();
    for (size_t t = 0; t < 4; t++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const size_t n = lengths[l], size = parscan_type_size(types[t]);
            char *const a = malloc(n * size + 8), *const b = malloc(n * size + 8);
            char *const x = malloc(n * size + 8), *const y = malloc(n * size + 8);
            double sum = 0;
            cr_assert(a != NULL && b != NULL && x != NULL && y != NULL);
            for (size_t i = 0; i < n; i++) {
                number_write_real(types[t], a, i, 0.75);
                number_write_real(types[t], b, i, (double)(i * 7 % 3));
            }
            number_write_real(types[t], a, n, 0.75);
            /* To the same place: bits may differ with it. */
            cr_assert_eq(parscan_recurrence(context, types[t], a, b, NULL, y, n), PARSCAN_OK);
            memcpy(x, y, n * size);
            cr_assert_eq(
                parscan_recurrence_with(context, types[t], a + n * size, b, NULL, y, n, &one),
                PARSCAN_OK, "%s", parscan_context_error(context));
            cr_assert_arr_eq(x, y, n * size, "%s, n = %zu", parscan_type_name(types[t]), n);
            number_write_real(types[t], a, 0, -1);
            memcpy(y, b, n * size); /* in place */
            cr_assert_eq(parscan_recurrence_with(context, types[t], a, y, NULL, y, n, &one),
                         PARSCAN_OK);
            for (size_t i = 0; i < n; i++) {
                sum = (double)(i * 7 % 3) - sum;
                cr_assert_eq(number_read(types[t], y, i).real, sum, "%s, %zu of %zu",
                             parscan_type_name(types[t]), i, n);
            }
            free(a);
            free(b);
            free(x);
            free(y);
        }
    parscan_context_destroy(context);
}

Test(recurrence, of_one_a_needs_it)
{
    double b[2] = {1, 2}, out[2] = {7, 7};
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_recurrence_with(context, PARSCAN_F64, NULL, b, NULL, out, 2,
                                         &PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert(strstr(parscan_context_error(context), "a is NULL, n = 2, constant_a = 1") != NULL &&
              out[0] == 7);
    cr_assert_eq(parscan_recurrence_with(context, PARSCAN_I32, b, b, NULL, out, 2,
                                         &PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1)),
                 PARSCAN_ERROR_UNSUPPORTED);
    parscan_context_destroy(context);
}
