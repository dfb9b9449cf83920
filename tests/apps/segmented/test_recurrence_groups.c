/*
 * How a recurrence groups its maps: in the same way with every set of SIMD instructions, and so
 * that no product of neighbouring factors is lost where x is not.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/segmented.h"
#include "tests/support/every_simd.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const parscan_type types[] = {PARSCAN_F32, PARSCAN_F64, PARSCAN_F16, PARSCAN_BF16};

typedef struct arrays {
    parscan_type type;
    size_t n;
    void *a, *b, *out;
    double x0;
} arrays;

static void *room_for(parscan_type type, size_t n)
{
    void *const room = malloc(n * parscan_type_size(type) + 1);
    if (room == NULL)
        abort();
    return room;
}

static arrays make_arrays(parscan_type type, size_t n)
{
    return (arrays){type, n, room_for(type, n), room_for(type, n), room_for(type, n), 0};
}

static void free_arrays(const arrays *s)
{
    free(s->a);
    free(s->b);
    free(s->out);
}

static void put(parscan_type type, void *array, size_t i, double value)
{
    number_write_real(type, array, i, value);
}

static double get(parscan_type type, const void *array, size_t i)
{
    return number_read(type, array, i).real;
}

static void run(parscan_context *context, const arrays *s, void *out)
{
    char x0[sizeof(double)];
    put(s->type, x0, 0, s->x0);
    cr_assert_eq(parscan_recurrence(context, s->type, s->a, s->b, x0, out, s->n), PARSCAN_OK);
}

/* ---- the same bits ---- */

static double between(double low, double high)
{
    return low + (high - low) * (double)(random_bits() >> 11) * 0x1p-53;
}

/* The factors of one of some kinds: those of filters, zeros among them, and of every exponent, so that
   products leave the range of the type. */
static double factor_of_kind(parscan_type type, unsigned kind)
{
    const int exponents = type == PARSCAN_F64 ? 1000 : type == PARSCAN_F16 ? 24 : 120;
    switch (kind) {
    case 0:
        return between(-1, 1);
    case 1:
        return random_below(5) == 0 ? 0 : between(0.9, 1.1);
    case 2:
        return between(0, 0.05);
    default:
        return ldexp(between(-1, 1), (int)random_below((size_t)exponents) - exponents / 2);
    }
}

static bool same_numbers(parscan_type type, const void *a, const void *b, size_t i)
{
    const double x = get(type, a, i), y = get(type, b, i);
    return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0;
}

static void expect_same_bits(const arrays *s, unsigned kind, unsigned threads)
{
    void *first = NULL;
    for (size_t set = 0; set < SIMD_SETS; set++) {
        parscan_context *const context = test_context_simd(all_simd_sets[set], threads);
        if (context == NULL)
            continue;
        run(context, s, s->out); /* all to the same memory: its place shifts the tiles */
        for (size_t i = 0; first != NULL && i < s->n; i++)
            cr_assert(same_numbers(s->type, s->out, first, i),
                      "%s, %u threads, factors of kind %u, %zu of %zu: %a with %s, %a",
                      parscan_type_name(s->type), threads, kind, i, s->n, get(s->type, s->out, i),
                      all_simd_sets[set], get(s->type, first, i));
        if (first == NULL)
            first = memcpy(room_for(s->type, s->n), s->out, s->n * parscan_type_size(s->type));
        parscan_context_destroy(context);
    }
    free(first);
}

Test(recurrence, has_the_same_bits_with_every_set_of_simd_instructions)
{
    static const size_t lengths[] = {1, 5, 16, 17, 40, 1000, 300007};
    if (test_backend() != PARSCAN_BACKEND_CPU)
        cr_skip_test("the sets are the CPU's");
    const size_t taken = COUNT_OF(types);
    for (size_t k = 0; k < taken * COUNT_OF(lengths); k++) {
        const arrays s = make_arrays(types[k % taken], lengths[k / taken]);
        for (unsigned kind = 0; kind < 4; kind++) {
            for (size_t i = 0; i < s.n; i++) {
                put(s.type, s.a, i, factor_of_kind(s.type, kind));
                put(s.type, s.b, i, between(-1, 1));
            }
            for (unsigned threads = 1; threads <= (s.n > 1000 ? 3 : 1); threads++)
                expect_same_bits(&s, kind, threads);
        }
        free_arrays(&s);
    }
}

/* ---- products that leave the range ---- */

/* Powers of two that move x, a power of two, anywhere in its range: so all is exact, and products of a
   few neighbours would be 0 or infinite. */
static void wander(arrays *s, size_t steps)
{
    const int end = s->type == PARSCAN_F64 ? 1020 : s->type == PARSCAN_F16 ? 14 : 125;
    int at = end;
    s->x0 = ldexp(1, end);
    for (size_t i = 0; i < s->n; i++) {
        const int to = random_below(2) == 0 ? -end : (int)random_below((size_t)(2 * end)) - end;
        int step = i % 100 < steps ? to - at : 0;
        step = step < -end ? -end : step > end ? end : step;
        at += step;
        put(s->type, s->a, i, ldexp(random_below(2) == 0 ? 1 : -1, step));
        put(s->type, s->b, i, 0);
    }
}

static void expect_the_loop(parscan_context *context, const arrays *s)
{
    run(context, s, s->out);
    double x = s->x0;
    for (size_t i = 0; i < s->n; i++) {
        x *= get(s->type, s->a, i);
        cr_assert_eq(get(s->type, s->out, i), x, "%s, element %zu of %zu: %a, not %a",
                     parscan_type_name(s->type), i, s->n, get(s->type, s->out, i), x);
    }
}

SimdTest(recurrence, keeps_x_where_products_of_its_factors_underflow_or_overflow)
{
    static const size_t lengths[] = {2, 3, 4, 8, 16, 50, 3000, 300007};
    const size_t taken = COUNT_OF(types);
    for (size_t k = 0; k < taken * COUNT_OF(lengths); k++) {
        arrays s = make_arrays(types[k % taken], lengths[k / taken]);
        for (unsigned threads = 1; threads <= 3; threads++) {
            parscan_context *const context =
                test_context_with((parscan_context_options){.threads = threads});
            wander(&s, threads == 2 ? 3 : 100);
            expect_the_loop(context, &s);
            parscan_context_destroy(context);
        }
        free_arrays(&s);
    }
}

/* 1e200 stays 1e200: no product of factors of one order of size may become 0 on the way. */
SimdTest(recurrence, of_small_and_large_factors_does_not_become_zero)
{
    const double a[] = {1e-200, 1e200, 1e-200, 1e200}, b[4] = {0, 0, 0, 0}, x0 = 1e200;
    const double small[] = {1e-200, 1e-150, 1e200, 1e150};
    double out[4];
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_recurrence(context, PARSCAN_F64, a, b, &x0, out, 4), PARSCAN_OK);
    cr_assert(fabs(out[3] / 1e200 - 1) < 1e-12, "%g", out[3]);
    cr_assert_eq(parscan_recurrence(context, PARSCAN_F64, small, b, &x0, out, 4), PARSCAN_OK);
    cr_assert(fabs(out[3] / 1e200 - 1) < 1e-12, "%g", out[3]);
    parscan_context_destroy(context);
}
