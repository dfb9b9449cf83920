/* Floats of 16 bits in scans and reductions: sums in float, rounded once; extremes and first elements to
   the bit. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/cpu/tiles.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/half_number.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const parscan_type types[] = {PARSCAN_F16, PARSCAN_BF16};

enum { VALUES = 65536 };

/* The n bits of an answer by each algorithm are expected. */
static void expect_halves(parscan_context *context, scan_kind kind, parscan_type type,
                          parscan_scan_options options, const uint16_t *in, size_t n,
                          const uint16_t *expected)
{
    const size_t results = kind == SCAN_REDUCE ? 1 : n;
    uint16_t *const out = malloc(results * sizeof *out);
    for (size_t a = 0; a <= ALGORITHMS; a++) {
        options.algorithm = a < ALGORITHMS ? all_algorithms[a] : PARSCAN_AUTO;
        options.reproducible = a == ALGORITHMS;
        cr_assert_eq(call_scan(context, kind, type, in, out, n, &options), PARSCAN_OK, "%s",
                     parscan_context_error(context));
        for (size_t i = 0; i < results; i++)
            cr_assert_eq(out[i], expected[i],
                         "%s of %s by %s%s, kind %d, reverse %d, n = %zu: element %zu is %04x, "
                         "expected %04x",
                         parscan_op_name(options.op), parscan_type_name(type),
                         parscan_algorithm_name(options.algorithm),
                         options.reproducible ? " reproducible" : "", (int)kind, options.reverse, n,
                         i, out[i], expected[i]);
    }
    free(out);
}

/* Sums in 16 bits would stop at 2048, or at 256. */
SimdTest(cumulative_sum, of_5000_ones_is_5000_rounded_once)
{
    enum { N = 5000 };
    uint16_t ones[N], sums[N], before[N], backward[N];
    parscan_context *const context = test_context();
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        for (size_t i = 0; i < N; i++) {
            ones[i] = half_from_number(types[t], 1);
            sums[i] = backward[N - 1 - i] = half_from_number(types[t], (long double)(i + 1));
            before[i] = half_from_number(types[t], (long double)i);
        }
        parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM);
        expect_halves(context, SCAN_INCLUSIVE, types[t], options, ones, N, sums);
        expect_halves(context, SCAN_EXCLUSIVE, types[t], options, ones, N, before);
        expect_halves(context, SCAN_REDUCE, types[t], options, ones, N, &sums[N - 1]);
        options.reverse = 1;
        expect_halves(context, SCAN_INCLUSIVE, types[t], options, ones, N, backward);
    }
    cr_assert_eq(half_to_number(PARSCAN_F16, half_from_number(PARSCAN_F16, N)), N);
    parscan_context_destroy(context);
}

/* The sum is carried as a float: what a result is rounded to is not what the next one adds to. */
SimdTest(cumulative_sum, comes_back_from_beyond_the_range_of_f16)
{
    static const double numbers[] = {65504, 15, 1, 1e4, -1e4, -16};
    static const double sums[] = {65504, 65504, INFINITY, INFINITY, INFINITY, 65504};
    uint16_t in[COUNT_OF(numbers)], expected[COUNT_OF(numbers)];
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        in[i] = half_from_number(PARSCAN_F16, numbers[i]);
        expected[i] = half_from_number(PARSCAN_F16, sums[i]);
    }
    parscan_context *const context = test_context();
    expect_halves(context, SCAN_INCLUSIVE, PARSCAN_F16, PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM), in,
                  COUNT_OF(in), expected);
    parscan_context_destroy(context);
}

/* Signalling NaNs too. */
SimdTest(inclusive_scan, of_floats_of_16_bits_starts_with_the_first_element_to_the_bit)
{
    static const size_t lengths[] = {1, 2, 70, 5003};
    static uint16_t in[5003], out[5003];
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(types) * COUNT_OF(lengths); k++) {
        const size_t n = lengths[k / COUNT_OF(types)], step = n < 3 ? 61 : n < 100 ? 257 : 2039;
        const parscan_type type = types[k % COUNT_OF(types)];
        random_fill(type, PARSCAN_SUM, in, n);
        for (size_t bits = 0; bits < VALUES; bits += step)
            for (size_t mode = 0; mode < 2 * (ALGORITHMS + 1); mode++) {
                if (!takes_case())
                    continue;
                const size_t a = mode / 2, first = mode % 2 ? n - 1 : 0;
                const parscan_scan_options options =
                    PARSCAN_SCAN_OPTIONS(.op = bits % 2 ? PARSCAN_SUM : PARSCAN_MAX,
                                         .reverse = mode % 2, .reproducible = a == ALGORITHMS,
                                         .algorithm =
                                             a < ALGORITHMS ? all_algorithms[a] : PARSCAN_AUTO);
                in[first] = (uint16_t)bits;
                cr_assert_eq(parscan_inclusive_scan(context, type, in, out, n, &options), 0);
                cr_assert_eq(out[first], bits, "%s, mode %zu, n = %zu: %04zx became %04x",
                             parscan_type_name(type), mode, n, bits, out[first]);
            }
    }
    parscan_context_destroy(context);
}

static bool is_nan(parscan_type type, uint16_t bits)
{
    return isnan(half_to_number(type, bits));
}

/* Of numbers: whether a is below b, -0 below +0. */
static bool is_below(parscan_type type, uint16_t a, uint16_t b)
{
    const double x = half_to_number(type, a), y = half_to_number(type, b);
    return x < y || (x == y && signbit(x) != 0 && signbit(y) == 0);
}

/* All values in a random order; NaNs, of both signs, come last if `nans_last`. */
static void fill_with_all(parscan_type type, uint16_t *all, bool nans_last)
{
    size_t n = 0;
    for (int nans = 0; nans < 2; nans++) {
        const size_t begin = n;
        for (unsigned bits = 0; bits < VALUES; bits++)
            if (is_nan(type, (uint16_t)bits) == (nans == 1))
                all[n++] = (uint16_t)bits;
        const size_t from = nans == 1 && !nans_last ? 0 : begin;
        for (size_t i = n; i-- > from + 1;) {
            const size_t other = from + random_below(i - from + 1);
            const uint16_t kept = all[i];
            all[i] = all[other];
            all[other] = kept;
        }
    }
}

/* The least or the greatest so far, of which the first is one of numbers; a NaN from the first NaN on. */
static void extremes_of(parscan_type type, parscan_op op, const uint16_t *in, uint16_t *out)
{
    for (size_t i = 0; i < VALUES; i++) {
        const uint16_t before = i == 0 ? in[0] : out[i - 1];
        const bool better =
            op == PARSCAN_MIN ? is_below(type, in[i], before) : is_below(type, before, in[i]);
        out[i] = is_nan(type, before) ? before : is_nan(type, in[i]) || better ? in[i] : before;
    }
}

/* The bits are equal, or those of any two NaNs. */
static bool same_extreme(parscan_type type, uint16_t a, uint16_t b)
{
    return a == b || (is_nan(type, a) && is_nan(type, b));
}

/* The same in reverse, and exclusive, which starts with an init; at an odd place, too. */
static void expect_other_extremes(parscan_context *context, parscan_type type, parscan_op op,
                                  const uint16_t *in, const uint16_t *expected)
{
    static uint16_t turned[VALUES + 1], out[VALUES + 1];
    for (size_t mode = 0; mode < 8; mode++) {
        const bool exclusive = mode % 2 != 0, reverse = mode / 2 % 2 != 0;
        const size_t shift = mode / 4;
        const parscan_scan_options options =
            PARSCAN_SCAN_OPTIONS(.op = op, .reverse = reverse, .init = exclusive ? in : NULL);
        for (size_t i = 0; i < VALUES; i++)
            turned[shift + (reverse ? VALUES - 1 - i : i)] = in[i];
        cr_assert_eq((exclusive ? parscan_exclusive_scan : parscan_inclusive_scan)(
                         context, type, turned + shift, out + shift, VALUES, &options),
                     0);
        for (size_t i = 0; i < VALUES; i++) {
            const uint16_t shown = out[shift + (reverse ? VALUES - 1 - i : i)];
            cr_assert(same_extreme(type, shown, expected[exclusive && i > 0 ? i - 1 : i]),
                      "%s of %s, mode %zu: element %zu is %04x", parscan_op_name(op),
                      parscan_type_name(type), mode, i, shown);
        }
    }
}

SimdTest(minimum, and_maximum_of_all_values_of_16_bits_are_one_of_them)
{
    static uint16_t in[VALUES], out[VALUES], expected[VALUES];
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(types) * 4; k++) {
        const parscan_type type = types[k / 4];
        parscan_scan_options options =
            PARSCAN_SCAN_OPTIONS(.op = k % 2 ? PARSCAN_MIN : PARSCAN_MAX);
        fill_with_all(type, in, k / 2 % 2 != 0);
        extremes_of(type, options.op, in, expected);
        expect_other_extremes(context, type, options.op, in, expected);
        for (size_t a = 0; a <= ALGORITHMS; a++) {
            options.algorithm = a < ALGORITHMS ? all_algorithms[a] : PARSCAN_AUTO;
            options.reproducible = a == ALGORITHMS;
            cr_assert_eq(parscan_inclusive_scan(context, type, in, out, VALUES, &options), 0);
            for (size_t i = 0; i < VALUES; i++)
                cr_assert(same_extreme(type, out[i], expected[i]),
                          "%s of %s by %s: element %zu is %04x, expected %04x",
                          parscan_op_name(options.op), parscan_type_name(type),
                          parscan_algorithm_name(options.algorithm), i, out[i], expected[i]);
            size_t numbers = 0;
            while (numbers < VALUES && !is_nan(type, in[numbers]))
                numbers++;
            for (size_t n = numbers; n <= numbers + 1 && n < VALUES && n > 0; n++) {
                cr_assert_eq(parscan_reduce(context, type, in, out, n, &options), 0);
                cr_assert(same_extreme(type, out[0], expected[n - 1]));
            }
        }
    }
    parscan_context_destroy(context);
}

SimdTest(sum, of_negative_zeros_of_16_bits_is_negative_zero)
{
    enum { N = 5003 };
    static uint16_t zeros[N], shifted[N];
    parscan_context *const context = test_context();
    for (size_t i = 0; i < N; i++)
        zeros[i] = shifted[i] = 0x8000;
    shifted[0] = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM);
        expect_halves(context, SCAN_INCLUSIVE, types[t], options, zeros, N, zeros);
        expect_halves(context, SCAN_EXCLUSIVE, types[t], options, zeros, N, shifted);
        expect_halves(context, SCAN_REDUCE, types[t], options, zeros, N, zeros);
    }
    parscan_context_destroy(context);
}

SimdTest(reduce, of_no_floats_of_16_bits_is_the_identity_or_the_init)
{
    static const struct {
        parscan_op op;
        uint16_t f16, bf16;
    } identities[] = {{PARSCAN_SUM, 0, 0},
                      {PARSCAN_PRODUCT, 0x3c00, 0x3f80},
                      {PARSCAN_MIN, 0x7c00, 0x7f80},
                      {PARSCAN_MAX, 0xfc00, 0xff80}};
    const uint16_t init = 0x8001;
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(identities); k++) {
        parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = identities[k].op);
        expect_halves(context, SCAN_REDUCE, PARSCAN_F16, options, NULL, 0, &identities[k].f16);
        expect_halves(context, SCAN_REDUCE, PARSCAN_BF16, options, NULL, 0, &identities[k].bf16);
        expect_halves(context, SCAN_EXCLUSIVE, PARSCAN_BF16, options, &init, 1,
                      &identities[k].bf16);
        options.init = &init;
        expect_halves(context, SCAN_REDUCE, PARSCAN_F16, options, NULL, 0, &init);
        expect_halves(context, SCAN_EXCLUSIVE, PARSCAN_F16, options, &identities[0].f16, 1, &init);
    }
    parscan_context_destroy(context);
}

SimdTest(reproducible, scan_of_16_bits_ends_with_the_reduction)
{
    const size_t n = THREADS_FROM_BYTES + 4321;
    for (unsigned threads = 1; threads <= 3; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t k = 0; k < COUNT_OF(types) * 4; k++) {
            const parscan_type type = types[k % COUNT_OF(types)];
            const parscan_scan_options options =
                PARSCAN_SCAN_OPTIONS(.op = k / 4 ? PARSCAN_SUM : PARSCAN_PRODUCT,
                                     .reverse = k / 2 % 2, .reproducible = 1);
            uint16_t *const in = random_array(type, options.op, n), sum;
            uint16_t *const out = malloc(n * sizeof *out);
            cr_assert_eq(parscan_inclusive_scan(context, type, in, out, n, &options), 0);
            cr_assert_eq(parscan_reduce(context, type, in, &sum, n, &options), 0);
            cr_assert_eq(out[options.reverse ? 0 : n - 1], sum, "%s of %s on %u threads",
                         parscan_op_name(options.op), parscan_type_name(type), threads);
            free(in);
            free(out);
        }
        parscan_context_destroy(context);
    }
}
