/* parscan_histogram(): every type, numbers of bins, bounds, spreads, lengths, threads. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/histogram_case.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

static const size_t few_bins[] = {1, 2, 3, 10, 100, 127, 128, 129, 255, 256, 257, 1000, 4096};
static const size_t many_bins[] = {4095, 4097, 65536, 100003, 1u << 20};
static const unsigned thread_counts[] = {1, 2, 3, 7};

static parscan_type any_count_type(void)
{
    return random_below(2) == 0 ? PARSCAN_U32 : PARSCAN_U64;
}

/* Two elements of type, the first one less. */
typedef struct bounds {
    char lower[sizeof(uint64_t)], upper[sizeof(uint64_t)];
} bounds;

static bounds integer_bounds(parscan_type type, int128 lower, int128 upper)
{
    bounds b;
    number_write_integer(type, b.lower, 0, lower);
    number_write_integer(type, b.upper, 0, upper);
    return b;
}

static bounds real_bounds(parscan_type type, double lower, double upper)
{
    bounds b;
    number_write_real(type, b.lower, 0, lower);
    number_write_real(type, b.upper, 0, upper);
    return b;
}

/* Widths of all magnitudes. */
static bounds any_bounds(parscan_type type)
{
    for (;;) {
        bounds b;
        const uint64_t a = random_bits(), width = random_bits() >> random_below(64);
        if (oracle_is_float(type)) {
            const double lower = (double)(int64_t)a * 0x1p-60;
            b = real_bounds(type, lower, lower + (double)width * 0x1p-55);
        } else {
            memcpy(b.lower, &a, sizeof a);
            const int128 lower = number_read(type, b.lower, 0).integer;
            const int128 upper = lower + (int128)width, highest = number_highest(type);
            b = integer_bounds(type, lower, upper > highest ? highest : upper);
        }
        if (number_compare(number_read(type, b.lower, 0), number_read(type, b.upper, 0)) ==
            NUMBER_LESS)
            return b;
    }
}

static void expect_spread(parscan_context *context, histogram_case h, spread s)
{
    if (!takes_larger_case())
        return;
    h.count_type = any_count_type();
    void *const in = spread_array(&h, s);
    expect_histogram(context, &h, in);
    free(in);
}

static void expect_every_spread(parscan_context *context, const histogram_case *h)
{
    for (spread s = SPREAD_UNIFORM; s < SPREADS; s++)
        expect_spread(context, *h, s);
}

static spread any_spread(void)
{
    return (spread)random_below(SPREADS);
}

static void expect_small_lengths(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n <= 200; n++)
        for (size_t k = 0; k < COUNT_OF(few_bins); k++) {
            if (!takes_case())
                continue;
            const bounds b = any_bounds(type);
            const histogram_case h = {
                .type = type, .n = n, .bins = few_bins[k], .lower = b.lower, .upper = b.upper};
            expect_spread(context, h, any_spread());
        }
    parscan_context_destroy(context);
}

/* The ways of counting change at lengths and numbers of bins that are powers of two. */
static void expect_powers_of_two(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t power = 256; power <= 1u << 17; power *= 2)
        for (size_t n = power - 1; n <= power + 1; n++) {
            const bounds b = any_bounds(type);
            const histogram_case h = {.type = type,
                                      .n = n,
                                      .bins = few_bins[random_below(COUNT_OF(few_bins))],
                                      .lower = b.lower,
                                      .upper = b.upper};
            expect_spread(context, h, any_spread());
        }
    parscan_context_destroy(context);
}

static void expect_bins(parscan_type type, const size_t *bins, size_t count, size_t n)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < count; k++) {
        const bounds b = any_bounds(type);
        histogram_case h = {
            .type = type, .n = n, .bins = bins[k], .lower = b.lower, .upper = b.upper};
        expect_every_spread(context, &h);
        h.lower = h.upper = NULL;
        /* Into many bins each spread has gone above: here one, by chance. */
        if (!oracle_is_float(type) && bins == few_bins)
            expect_every_spread(context, &h);
        else if (!oracle_is_float(type))
            expect_spread(context, h, any_spread());
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                                     \
    SimdTest(histogram, is_right_at_every_small_length_##name)              \
    {                                                                       \
        expect_small_lengths(PARSCAN_##NAME);                               \
    }                                                                       \
    SimdTest(histogram, is_right_around_every_power_of_two_##name)          \
    {                                                                       \
        expect_powers_of_two(PARSCAN_##NAME);                               \
    }                                                                       \
    SimdTest(histogram, has_few_bins_##name)                                \
    {                                                                       \
        expect_bins(PARSCAN_##NAME, few_bins, COUNT_OF(few_bins), 10007);   \
    }                                                                       \
    SimdTest(histogram, has_many_bins_##name)                               \
    {                                                                       \
        expect_bins(PARSCAN_##NAME, many_bins, COUNT_OF(many_bins), 70001); \
    }
PARSCAN_TYPES(X, )
#undef X

/* One bound given, the other one the default. */
SimdTest(histogram, of_integers_has_0_and_the_number_of_bins_for_missing_bounds)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < COUNT_OF(few_bins) && !oracle_is_float(all_types[t]); k++) {
            const parscan_type type = all_types[t];
            histogram_case h = {.type = type, .n = 5003, .bins = few_bins[k]};
            const int128 highest = number_highest(type), lowest = number_lowest(type);
            for (int near = 0; near < 2; near++) {
                const int128 below = near ? (int128)h.bins - 1 : lowest;
                const int128 above = near ? 1 : highest;
                const bounds b = integer_bounds(type, below < highest ? below : 0, above);
                h.lower = b.lower;
                h.upper = NULL;
                expect_every_spread(context, &h);
                h.lower = NULL;
                h.upper = b.upper;
                expect_every_spread(context, &h);
            }
        }
    parscan_context_destroy(context);
}

SimdTest(histogram, takes_the_widest_range_of_every_integer)
{
    static const size_t bins[] = {1, 3, 255, 256, 257, 65536, 65537, (1u << 20) - 1};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < COUNT_OF(bins) && !oracle_is_float(all_types[t]); k++) {
            const parscan_type type = all_types[t];
            const bounds b = integer_bounds(type, number_lowest(type), number_highest(type));
            const histogram_case h = {
                .type = type, .n = 20011, .bins = bins[k], .lower = b.lower, .upper = b.upper};
            expect_every_spread(context, &h);
        }
    parscan_context_destroy(context);
}

SimdTest(histogram, takes_16777216_bins)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    histogram_case h = {
        .type = PARSCAN_U32, .count_type = PARSCAN_U32, .n = 1001, .bins = 1u << 24};
    void *const few = spread_array(&h, SPREAD_UNIFORM);
    expect_histogram(context, &h, few);
    free(few);
    h.type = PARSCAN_F32;
    h.n = (1u << 22) + 3;
    const bounds b = real_bounds(PARSCAN_F32, -3, 1000);
    h.lower = b.lower;
    h.upper = b.upper;
    void *const many = spread_array(&h, SPREAD_SKEWED);
    expect_histogram(context, &h, many);
    free(many);
    parscan_context_destroy(context);
}

static void expect_on_threads(size_t n, size_t bins)
{
    for (size_t t = 0; t < TYPES; t++) {
        const bounds b = any_bounds(all_types[t]);
        const histogram_case h = {.type = all_types[t],
                                  .count_type = any_count_type(),
                                  .n = n,
                                  .bins = bins,
                                  .lower = b.lower,
                                  .upper = b.upper};
        void *const in = spread_array(&h, any_spread());
        for (size_t k = 0; k < COUNT_OF(thread_counts); k++) {
            parscan_context *const context =
                test_context_with((parscan_context_options){.threads = thread_counts[k]});
            expect_histogram(context, &h, in);
            parscan_context_destroy(context);
        }
        free(in);
    }
}

SimdTest(histogram, of_few_bins_is_right_on_every_number_of_threads)
{
    expect_on_threads(300007, 256);
}

SimdTest(histogram, of_more_bins_is_right_on_every_number_of_threads)
{
    expect_on_threads(200003, 1000);
}

SimdTest(histogram, of_many_bins_is_right_on_every_number_of_threads)
{
    expect_on_threads(200003, 65536);
}

SimdTest(histogram, of_a_prime_number_of_elements_is_right_for_every_spread)
{
    const parscan_type types[] = {PARSCAN_U8, PARSCAN_I16, PARSCAN_F32, PARSCAN_U64};
    static const size_t bins[] = {256, 4096, 65536};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (spread s = SPREAD_UNIFORM; s < SPREADS; s++)
        for (size_t k = 0; k < COUNT_OF(types); k++) {
            const bounds b = any_bounds(types[k]);
            const histogram_case h = {.type = types[k],
                                      .n = 1048573,
                                      .bins = bins[(s + k) % COUNT_OF(bins)],
                                      .lower = b.lower,
                                      .upper = b.upper};
            expect_spread(context, h, s);
        }
    parscan_context_destroy(context);
}

/* Every counter of a byte goes over 255, in every way to count. */
SimdTest(histogram, of_one_value_counts_all_of_them)
{
    static const size_t bins[] = {1, 256, 5000, 65536};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < COUNT_OF(bins); k++)
            for (size_t n = 255; n <= 1u << 18; n = n * 4 + 3) {
                const bounds b = oracle_is_float(all_types[t])
                                     ? real_bounds(all_types[t], -1, 1)
                                     : integer_bounds(all_types[t], 0, 100);
                const histogram_case h = {.type = all_types[t],
                                          .n = n,
                                          .bins = bins[k],
                                          .lower = b.lower,
                                          .upper = b.upper};
                expect_spread(context, h, SPREAD_ONE);
            }
    parscan_context_destroy(context);
}

/* So many elements a bin that narrow counters fill up and are emptied on the way. */
SimdTest(histogram, counts_far_more_elements_than_bins_of_which_there_are_many)
{
    const parscan_type types[] = {PARSCAN_U32, PARSCAN_U16, PARSCAN_F32, PARSCAN_I64};
    const size_t bins[] = {16385, 20011};
    const spread spreads[] = {SPREAD_ONE, SPREAD_SKEWED, SPREAD_UNIFORM};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t s = 0; s < COUNT_OF(spreads); s++) {
            const bounds b = any_bounds(types[t]);
            expect_spread(context,
                          (histogram_case){.type = types[t],
                                           .n = 700001,
                                           .bins = bins[(t + s) % COUNT_OF(bins)],
                                           .lower = b.lower,
                                           .upper = b.upper},
                          spreads[s]);
        }
    parscan_context_destroy(context);
}

static void expect_bytes(const uint8_t *in, size_t n, unsigned threads)
{
    parscan_context *const context =
        test_context_with((parscan_context_options){.threads = threads});
    const histogram_case h = {.type = PARSCAN_U8, .count_type = PARSCAN_U64, .n = n, .bins = 256};
    expect_histogram(context, &h, in);
    parscan_context_destroy(context);
}

/* Bytes are counted in pairs, by counters of a byte while these suffice. One pair is so often in a chunk that its counter
   is just full, or overflows once or twice: where no sample sees it. */
Test(histogram, of_bytes_of_which_one_pair_is_as_often_as_a_counter_can_tell)
{
    enum { N = (1 << 18) + 1, PAIRS = N / 2 };
    static const size_t times[] = {254, 255, 256, 257, 511, 512, 513, 768};
    uint8_t *const in = malloc(N);
    for (size_t k = 0; k < COUNT_OF(times); k++) {
        for (size_t pair = 0; pair < PAIRS; pair++) {
            in[2 * pair] = (uint8_t)(pair % 251 + 5);
            in[2 * pair + 1] = (uint8_t)(pair / 251 % 256);
        }
        in[N - 1] = 7;
        for (size_t i = 0; i < times[k]; i++) {
            const size_t pair = 100 + PAIRS / times[k] * i;
            in[2 * pair] = 1;
            in[2 * pair + 1] = 7;
        }
        expect_bytes(in, N, 1);
    }
    free(in);
}

/* Stretches for each way to count follow one another: random bytes, one value, runs, few values. */
Test(histogram, of_bytes_that_change_from_random_to_runs_and_back)
{
    enum { N = (3 << 20) + 4099, STRETCH = 1 << 16 };
    uint8_t *const in = malloc(N);
    for (size_t i = 0; i < N; i++) {
        const size_t stretch = i / STRETCH;
        const uint64_t bits = random_bits();
        in[i] = stretch < 17 || stretch > 40 ? (uint8_t)bits
                : stretch % 3 == 0           ? (uint8_t)stretch
                : stretch % 3 == 1           ? (uint8_t)(i / 100)
                                             : (uint8_t)(bits & 3);
    }
    for (unsigned threads = 1; threads <= 3; threads++)
        expect_bytes(in + 1, N - threads, threads);
    free(in);
}
