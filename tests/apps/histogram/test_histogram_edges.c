/* Values on the edges of bins, beside them, and outside; bounds near what a type holds. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/half_number.h"
#include "tests/support/histogram_case.h"
#include "tests/support/oracle_histogram.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

/* Every value of a byte, for many bounds: below, at and above the width. */
SimdTest(bins, of_bytes_are_right_for_every_value_and_many_bounds)
{
    enum { N = 256 };
    uint8_t in[N];
    parscan_context *const context = test_context();
    for (unsigned i = 0; i < N; i++)
        in[i] = (uint8_t)i;
    for (parscan_type type = PARSCAN_U8; type <= PARSCAN_I8; type++)
        for (int lower = 0; lower < 255; lower += 1 + (int)random_below(12))
            for (int upper = lower + 1; upper < 256; upper += 1 + (int)random_below(12)) {
                if (!takes_larger_case())
                    continue;
                static const size_t bins[] = {1, 2, 3, 7, 16, 100, 255, 256, 300, 1000};
                const int shift = type == PARSCAN_I8 ? -128 : 0;
                char bounds[2];
                number_write_integer(type, bounds, 0, lower + shift);
                number_write_integer(type, bounds, 1, upper + shift);
                const histogram_case h = {.type = type,
                                          .count_type = PARSCAN_U32,
                                          .n = N,
                                          .bins = bins[random_below(COUNT_OF(bins))],
                                          .lower = bounds,
                                          .upper = bounds + 1};
                expect_histogram(context, &h, in);
            }
    parscan_context_destroy(context);
}

/* For each bin the last value below it, the first one in it, the next: by 128-bit arithmetic. */
static void expect_integer_edges(parscan_context *context, parscan_type type, int128 lower,
                                 int128 upper, size_t bins)
{
    const size_t size = parscan_type_size(type), n = 3 * (bins + 1);
    const int128 lowest = number_lowest(type), highest = number_highest(type);
    char *const in = malloc(n * size), bounds[2 * sizeof(uint64_t)];
    number_write_integer(type, bounds, 0, lower);
    number_write_integer(type, bounds, 1, upper);
    for (size_t k = 0; k < n; k++) {
        const int128 width = upper - lower, b = (int128)(k / 3);
        const int128 edge = lower + (b * width + (int128)bins - 1) / (int128)bins;
        const int128 x = edge + (int128)(k % 3) - 1;
        number_write_integer(type, in, k, x < lowest ? lowest : x > highest ? highest : x);
    }
    const histogram_case h = {.type = type,
                              .count_type = PARSCAN_U64,
                              .n = n,
                              .bins = bins,
                              .lower = bounds,
                              .upper = bounds + size};
    expect_histogram(context, &h, in);
    free(in);
}

SimdTest(bins, of_integers_begin_where_exact_arithmetic_says)
{
    static const size_t bins[] = {1, 2, 3, 7, 10, 100, 255, 256, 257, 1000, 4096, 65535, 65536};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < COUNT_OF(bins) && !oracle_is_float(all_types[t]); k++) {
            if (!takes_larger_case())
                continue;
            const parscan_type type = all_types[t];
            const int128 lowest = number_lowest(type), highest = number_highest(type);
            expect_integer_edges(context, type, lowest, highest, bins[k]);
            expect_integer_edges(context, type, lowest, highest - 1, bins[k]);
            expect_integer_edges(context, type, lowest + 1, highest, bins[k]);
            expect_integer_edges(context, type, lowest / 2, highest / 3, bins[k]);
            expect_integer_edges(context, type, 0, highest, bins[k]);
            expect_integer_edges(context, type, highest - 1, highest, bins[k]);
            expect_integer_edges(context, type, lowest, lowest + 100, bins[k]);
        }
    parscan_context_destroy(context);
}

/* Widths around those from which products no longer fit a double. */
SimdTest(bins, of_integers_are_exact_at_every_magnitude)
{
    static const size_t bins[] = {3, 1000, 4096, 50021};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(bins); k++)
        for (int power = 1; power < 63; power++)
            for (int off = -1; off <= 1; off++) {
                const int128 width = ((int128)1 << power) + off;
                const int128 lower = -(int128)random_below(1000);
                if (width > 0 && lower + width <= number_highest(PARSCAN_I64) &&
                    takes_larger_case())
                    expect_integer_edges(context, PARSCAN_I64, lower, lower + width, bins[k]);
            }
    parscan_context_destroy(context);
}

static double neighbour(parscan_type type, double x, double towards)
{
    return type == PARSCAN_F32 ? (double)nextafterf((float)x, (float)towards)
                               : nextafter(x, towards);
}

/* Each edge as double arithmetic finds it, and the floats around it; the bounds and what lies
   outside. */
static void expect_real_edges(parscan_context *context, parscan_type type, double lower,
                              double upper, size_t bins)
{
    enum { AROUND = 5 };
    const size_t size = parscan_type_size(type), n = AROUND * (bins + 1) + 20;
    char *const in = malloc(n * size), bounds[2 * sizeof(uint64_t)];
    number_write_real(type, bounds, 0, lower);
    number_write_real(type, bounds, 1, upper);
    const oracle_bins of = oracle_bins_of(type, bins, bounds, bounds + size);
    const size_t specials = number_specials(type, in);
    for (size_t k = specials; k < n; k++) {
        const size_t bin = (k - specials) / AROUND % (bins + 1);
        number_write_real(type, in, k, oracle_edge(&of, bin));
        double x = number_read(type, in, k).real;
        for (size_t steps = (k - specials) % AROUND; steps > 0; steps--)
            x = neighbour(type, x, steps % 2 ? INFINITY : -INFINITY);
        for (size_t steps = k % 3; steps > 0; steps--)
            x = neighbour(type, x, -INFINITY);
        number_write_real(type, in, k, x);
    }
    const histogram_case h = {.type = type,
                              .count_type = PARSCAN_U32,
                              .n = n,
                              .bins = bins,
                              .lower = bounds,
                              .upper = bounds + size};
    expect_histogram(context, &h, in);
    free(in);
}

SimdTest(bins, of_floats_begin_where_the_formula_says)
{
    static const size_t bins[] = {1, 2, 3, 7, 10, 49, 100, 255, 256, 1000, 4096, 65536};
    static const double bounds[][2] = {
        {0, 1},         {-1, 1},        {0.1, 0.3},        {-0.0, 1e-30},     {1, 1 + 1e-6},
        {-1000, 0.001}, {1e10, 1.1e10}, {-3.3e38, 3.3e38}, {0, FLT_MIN},      {-FLT_MIN, FLT_MIN},
        {5, 5.0000005}, {-7, -0.0},     {0, 0x1p-140},     {0, 3.4028234e38}, {-1e-40, 1e-40},
    };
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(bins) * COUNT_OF(bounds); k++)
        for (parscan_type type = PARSCAN_F32; type <= PARSCAN_F64; type++) {
            const double *const b = bounds[k % COUNT_OF(bounds)];
            if (takes_larger_case())
                expect_real_edges(context, type, b[0], b[1], bins[k / COUNT_OF(bounds)]);
        }
    parscan_context_destroy(context);
}

SimdTest(bins, of_doubles_take_very_small_and_very_large_widths)
{
    static const size_t bins[] = {1, 2, 10, 256, 5000};
    static const double bounds[][2] = {
        {0, DBL_MAX},   {-DBL_MAX / 2, DBL_MAX / 2}, {1, 1 + DBL_EPSILON},
        {0, 1e-290},    {-1e-300, 1e-299},           {1e300, 1.0000001e300},
        {-DBL_MAX, -1}, {DBL_MAX / 2, DBL_MAX},      {1 - DBL_EPSILON, 1},
    };
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(bins) * COUNT_OF(bounds); k++) {
        const double *const b = bounds[k % COUNT_OF(bounds)];
        if (takes_larger_case())
            expect_real_edges(context, PARSCAN_F64, b[0], b[1], bins[k / COUNT_OF(bounds)]);
    }
    parscan_context_destroy(context);
}

/* The whole numbers of [0, upper) are in the bin whose edges enclose them: here found without the
   oracle, by a walk along the edges, as is the greatest number below each. */
static void expect_whole_numbers(parscan_context *context, parscan_type type, unsigned upper,
                                 unsigned bins)
{
    enum { MOST = 400 };
    static uint32_t counts[MOST], expected[MOST];
    char in[2 * MOST * sizeof(double)], bounds[2 * sizeof(double)];
    const size_t size = parscan_type_size(type);
    const double step = (double)upper / (double)bins;
    unsigned bin = 0, n = 0;
    memset(expected, 0, sizeof expected);
    number_write_real(type, bounds, 0, 0);
    number_write_real(type, bounds, 1, upper);
    for (unsigned x = 0; x < 2 * upper; x++) {
        /* Below 1, then 1, below 2, then 2, and so on. */
        const double whole = (x + 1) / 2;
        const double value = x % 2 == 0 ? whole : neighbour(type, whole, 0);
        while (bin + 1 < bins && value >= (bin + 1) * step)
            bin++;
        number_write_real(type, in, n++, value);
        expected[bin]++;
    }
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = bounds, .upper = bounds + size);
    cr_assert_eq(parscan_histogram(context, type, in, n, bins, PARSCAN_U32, counts, &options),
                 PARSCAN_OK);
    cr_assert_eq(memcmp(counts, expected, bins * sizeof *counts), 0, "%u bins of [0, %u) of %s",
                 bins, upper, parscan_type_name(type));
}

SimdTest(bins, of_floats_hold_the_whole_numbers_that_their_edges_enclose)
{
    parscan_context *const context = test_context();
    for (unsigned upper = 2; upper <= 200; upper += 3)
        for (unsigned bins = 1; bins <= 400; bins += 1 + (bins > 200) * 7) {
            if (!takes_larger_case())
                continue;
            expect_whole_numbers(context, PARSCAN_F32, upper, bins);
            expect_whole_numbers(context, PARSCAN_F64, upper, bins);
        }
    parscan_context_destroy(context);
}

SimdTest(bins, of_49_in_2_bins_of_0_to_98_are_the_second)
{
    const double lower = 0, upper = 98, in[] = {49, 48.99999999999999};
    const float lower_single = 0, upper_single = 98, singles[] = {49, 48.999996f};
    uint64_t counts[2];
    parscan_context *const context = test_context();
    for (size_t n = 1; n <= 2; n++) {
        cr_assert_eq(
            parscan_histogram(context, PARSCAN_F64, in, n, 2, PARSCAN_U64, counts,
                              &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper)),
            PARSCAN_OK);
        cr_assert(counts[0] == n - 1 && counts[1] == 1);
        cr_assert_eq(parscan_histogram(context, PARSCAN_F32, singles, n, 2, PARSCAN_U64, counts,
                                       &PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower_single,
                                                                  .upper = &upper_single)),
                     PARSCAN_OK);
        cr_assert(counts[0] == n - 1 && counts[1] == 1);
    }
    parscan_context_destroy(context);
}

/* A bin that is a fraction of a double wide starts where the doubles before it end. */
SimdTest(bins, of_doubles_may_be_narrower_than_the_doubles_between_their_bounds)
{
    static const double bounds[][2] = {{0x1p53, 0x1p53 + 2},       {0x1p53, 0x1p53 + 64},
                                       {-0x1p53 - 2, -0x1p53 + 2}, {1, 1 + 5 * DBL_EPSILON},
                                       {-1, 2 * DBL_EPSILON - 1},  {1e9, 1e9 + 1e-3},
                                       {-1e9, 1e-3 - 1e9}};
    static const size_t bins[] = {2, 3, 5, 64, 1000, 1u << 14, 65537};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(bins) * COUNT_OF(bounds); k++) {
        const double *const b = bounds[k % COUNT_OF(bounds)];
        if (takes_larger_case())
            expect_real_edges(context, PARSCAN_F64, b[0], b[1], bins[k / COUNT_OF(bounds)]);
    }
    parscan_context_destroy(context);
}

/* Bounds of any magnitude and any distance. */
SimdTest(bins, of_floats_enclose_their_values_whatever_the_bounds)
{
    parscan_context *const context = test_context();
    for (unsigned k = 0; k < 1000; k++) {
        if (!takes_larger_case())
            continue;
        const parscan_type type = k % 2 ? PARSCAN_F32 : PARSCAN_F64;
        const int digits = type == PARSCAN_F32 ? 20 : 50;
        const double mantissa = 1 + (double)random_below(1u << 20) * 0x1p-20;
        const double lower = ldexp(random_below(2) ? mantissa : -mantissa, (int)random_below(40));
        const double width =
            fabs(lower) * ldexp(1 + (double)random_below(99) / 99, (int)random_below(60) - digits);
        expect_real_edges(context, type, lower, lower + width,
                          1 + random_below((size_t)2 << random_below(12)));
    }
    parscan_context_destroy(context);
}

/* No NaN, no infinity, no bound above; -0 is 0. */
SimdTest(histogram, of_floats_leaves_out_what_lies_outside)
{
    const float lower = 0, upper = 4;
    float in[100];
    uint32_t counts[4];
    parscan_context *const context = test_context();
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
    const float values[] = {NAN,  -NAN,    INFINITY, -INFINITY, -0.0f, 0.0f, 4.0f,
                            3.9f, -1e-45f, 1e-45f,   1.0f,      2.0f,  3.0f, 0.99999994f};
    for (size_t n = 1; n <= COUNT_OF(in); n += 3) {
        uint32_t expected[4] = {0};
        for (size_t i = 0; i < n; i++) {
            in[i] = values[i % COUNT_OF(values)];
            if (in[i] >= 0 && in[i] < 4)
                expected[(int)in[i]]++;
        }
        cr_assert_eq(
            parscan_histogram(context, PARSCAN_F32, in, n, 4, PARSCAN_U32, counts, &options),
            PARSCAN_OK);
        cr_assert_eq(memcmp(counts, expected, sizeof counts), 0, "n = %zu", n);
    }
    parscan_context_destroy(context);
}

/* Every value of a type of 16 bits, for bounds of every magnitude: beside each other, subnormal, the greatest. */
SimdTest(bins, of_floats_of_16_bits_are_right_for_every_value_and_many_bounds)
{
    enum { N = 65536 };
    static const size_t bins[] = {1, 2, 3, 7, 10, 64, 100, 255, 256, 1000, 4096, 65536, 100003};
    static const double bounds[][2] = {{0, 1},        {-1, 1},        {0.1, 0.3},
                                       {-7, -0.0},    {-1000, 3},     {0, 0x1p-20},
                                       {-60000, 6e4}, {1, 1.0078125}, {0, 0x1p-24},
                                       {2047, 2048},  {-3e38, 3e38},  {-0x1p-133, 0x1p-133},
                                       {0, 98}};
    static uint16_t in[N];
    parscan_context *const context = test_context();
    for (unsigned i = 0; i < N; i++)
        in[i] = (uint16_t)(i * 40503u); /* odd: all of them, out of order */
    for (parscan_type type = PARSCAN_F16; type <= PARSCAN_BF16; type++)
        for (size_t k = 0; k < COUNT_OF(bins) * COUNT_OF(bounds); k++) {
            if (!takes_larger_case())
                continue;
            const double *const b = bounds[k % COUNT_OF(bounds)];
            uint16_t ends[2] = {half_from_number(type, b[0]), half_from_number(type, b[1])};
            const double lower = half_to_number(type, ends[0]),
                         upper = half_to_number(type, ends[1]);
            if (!(lower < upper) || isinf(lower) || isinf(upper))
                continue;
            const histogram_case h = {.type = type,
                                      .count_type = k % 2 ? PARSCAN_U32 : PARSCAN_U64,
                                      .n = N,
                                      .bins = bins[k / COUNT_OF(bounds)],
                                      .lower = ends,
                                      .upper = ends + 1};
            expect_histogram(context, &h, in);
        }
    parscan_context_destroy(context);
}
