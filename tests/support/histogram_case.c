#include "tests/support/histogram_case.h"
#include "tests/support/half_number.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/engine_array.h"
#include "tests/support/oracle_histogram.h"
#include "tests/support/plot.h"
#include "tests/support/random.h"
#include "tests/support/remember.h"

static struct {
    plot in, out;
    char words[CASE_WORDS];
} here;

static void *allocate_histogram_array(size_t bytes)
{
    void *const memory = malloc(bytes + 1);
    if (memory == NULL)
        abort();
    return memory;
}

static void write_bound(parscan_type type, const void *bound, char words[64])
{
    const number x = bound != NULL ? number_read(type, bound, 0) : (number){0};
    if (bound == NULL)
        snprintf(words, 64, "NULL");
    else if (x.is_float)
        snprintf(words, 64, "%a", x.real);
    else if (x.integer < 0)
        snprintf(words, 64, "%lld", (long long)x.integer);
    else
        snprintf(words, 64, "%llu", (unsigned long long)x.integer);
}

static void describe_histogram(parscan_context *context, const histogram_case *h, plot_place in)
{
    char lower[64], upper[64];
    write_bound(h->type, h->lower, lower);
    write_bound(h->type, h->upper, upper);
    snprintf(here.words, sizeof here.words,
             "histogram of %zu %s, %zu bins of [%s, %s), counts %s, threads %u, simd %s, input %u "
             "bytes from the guard %s it",
             h->n, parscan_type_name(h->type), h->bins, lower, upper,
             parscan_type_name(h->count_type), parscan_context_threads(context),
             parscan_context_simd(context), in.gap, in.at_end ? "after" : "before");
}

/* The element at an odd address. */
static const void *at_odd_address(parscan_type type, const void *element, char room[17])
{
    if (element == NULL)
        return NULL;
    return memcpy(room + ((uintptr_t)room + 1) % 2, element, parscan_type_size(type));
}

static void expect_counts(parscan_context *context, const histogram_case *h, const void *in,
                          const void *expected, bool anywhere)
{
    const size_t size = parscan_type_size(h->count_type);
    const plot_place end = {.at_end = true}, place = anywhere ? plot_anywhere() : end;
    char rooms[2][17];
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = at_odd_address(h->type, h->lower, rooms[0]),
                                  .upper = at_odd_address(h->type, h->upper, rooms[1]));
    const bool defaults = h->lower == NULL && h->upper == NULL && !anywhere;
    const void *const from = plot_input(&here.in, in, h->n * parscan_type_size(h->type), place);
    void *const counts = plot_output(&here.out, h->bins * size, anywhere ? plot_anywhere() : end);
    describe_histogram(context, h, place);
    guarded_watch(here.words);
    if (parscan_histogram(context, h->type, from, h->n, h->bins, h->count_type, counts,
                          defaults ? NULL : &options) != PARSCAN_OK ||
        parscan_synchronize(context) != PARSCAN_OK)
        cr_assert_fail("%s: %s", parscan_context_error(context), here.words);
    plot_expect(&here.out, "count", expected, h->bins, size, here.words);
}

/* The same with arrays in the engine's memory, off by some elements. */
static void expect_counts_there(parscan_context *context, const histogram_case *h, const void *in,
                                const void *expected)
{
    const size_t size = parscan_type_size(h->count_type), in_size = parscan_type_size(h->type);
    const plot_place nowhere = {.at_end = true};
    const parscan_histogram_options options =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = h->lower, .upper = h->upper);
    engine_array from =
        engine_array_create(context, in, h->n * in_size, random_below(20) * in_size);
    engine_array counts =
        engine_array_create(context, NULL, h->bins * size, random_below(5) * size);
    describe_histogram(context, h, nowhere);
    if (parscan_histogram(context, h->type, from.array, h->n, h->bins, h->count_type, counts.array,
                          &options) != PARSCAN_OK ||
        parscan_synchronize(context) != PARSCAN_OK)
        cr_assert_fail("%s: %s", parscan_context_error(context), here.words);
    void *const found = engine_array_read(&counts, here.words);
    for (size_t b = 0; b < h->bins; b++)
        cr_assert_eq(memcmp((char *)found + b * size, (const char *)expected + b * size, size), 0,
                     "count %zu in the engine's memory: %s", b, here.words);
    free(found);
    engine_array_destroy(&from);
    engine_array_destroy(&counts);
}

void expect_histogram(parscan_context *context, const histogram_case *h, const void *in)
{
    const oracle_bins of = oracle_bins_of(h->type, h->bins, h->lower, h->upper);
    uint64_t *const counts = allocate_histogram_array(h->bins * sizeof *counts);
    const size_t size = parscan_type_size(h->type);
    const uint64_t parts[] = {(uint64_t)h->type, h->bins, h->lower != NULL, h->upper != NULL};
    uint64_t asked = fingerprint(4, parts, sizeof parts);
    asked = fingerprint(asked, h->lower, h->lower != NULL ? size : 0);
    asked = fingerprint(asked, h->upper, h->upper != NULL ? size : 0);
    asked = fingerprint(asked, in, h->n * size);
    if (!recall(asked, counts, h->bins * sizeof *counts)) {
        oracle_histogram(&of, h->type, in, h->n, counts);
        remember(asked, counts, h->bins * sizeof *counts);
    }
    void *const expected = numbers_as(h->count_type, counts, h->bins);
    free(counts);
    expect_counts(context, h, in, expected, false);
    expect_counts(context, h, in, expected, true);
    if (engine_has_memory(context))
        expect_counts_there(context, h, in, expected);
    free(expected);
}

/* A random integer of [0, below). */
static int128 random_integer_below(int128 below)
{
    __extension__ typedef unsigned __int128 uint128;
    const uint128 bits = (uint128)random_bits() << 64 | random_bits();
    return (int128)(bits % (uint128)below);
}

static double random_unit(void)
{
    return ldexp((double)(random_bits() >> 11), -53);
}

/* A bin, and how far into it, of [0, 1): what the spreads differ in. */
static void random_position(const histogram_case *h, spread s, size_t i, size_t *bin, double *into)
{
    const size_t few = h->bins < 4 ? h->bins : 4;
    *into = s == SPREAD_EDGES || s == SPREAD_ONE ? 0 : random_unit();
    if (s == SPREAD_ONE)
        *bin = h->bins / 3;
    else if (s == SPREAD_SKEWED && random_below(16) != 0)
        *bin = h->bins / 2 - h->bins / 2 % few + random_below(few) % (h->bins - h->bins / 2);
    else if (s == SPREAD_SORTED)
        *bin = (size_t)((double)i / (double)h->n * (double)h->bins);
    else
        *bin = random_below(h->bins);
}

/* Edges are the least values of their bins, or their neighbours. */
static void spread_integer(const histogram_case *h, const oracle_bins *of, spread s, size_t i,
                           void *array)
{
    const int128 lower = of->lower.integer, width = of->upper.integer - lower;
    const int128 bins = (int128)of->bins;
    size_t bin;
    double into;
    random_position(h, s, i, &bin, &into);
    int128 x = lower + ((int128)bin * width + bins - 1) / bins;
    const int128 bin_width = width / bins;
    if (s == SPREAD_EDGES)
        x += random_integer_below(3) - 1;
    else if (s != SPREAD_ONE && s != SPREAD_SORTED)
        x += bin_width > 0 ? random_integer_below(bin_width) : 0;
    if (s == SPREAD_UNIFORM && random_below(20) == 0)
        x = random_below(2) ? lower - 1 - (int128)random_below(100)
                            : of->upper.integer + (int128)random_below(100);
    const int128 lowest = number_lowest(h->type), highest = number_highest(h->type);
    number_write_integer(h->type, array, i, x < lowest ? lowest : x > highest ? highest : x);
}

static void spread_real(const histogram_case *h, const oracle_bins *of, spread s, size_t i,
                        void *array)
{
    const double lower = of->lower.real, upper = of->upper.real;
    size_t bin;
    double into;
    random_position(h, s, i, &bin, &into);
    const double edge = oracle_edge(of, bin);
    double x = edge + into * (oracle_edge(of, bin + 1) - edge);
    if (s == SPREAD_UNIFORM && random_below(20) == 0)
        x = random_below(2) ? upper + random_unit() : lower - random_unit();
    if (is_half(h->type)) {
        uint16_t half = half_from_number(h->type, x);
        if (s == SPREAD_EDGES && random_below(3) != 0)
            half = half_next(half, random_below(2) != 0);
        x = half_to_number(h->type, half);
    } else if (h->type == PARSCAN_F32) {
        float narrow = (float)x;
        if (s == SPREAD_EDGES && random_below(3) != 0)
            narrow = nextafterf(narrow, random_below(2) ? INFINITY : -INFINITY);
        x = narrow;
    } else if (s == SPREAD_EDGES && random_below(3) != 0) {
        x = nextafter(x, random_below(2) ? INFINITY : -INFINITY);
    }
    number_write_real(h->type, array, i, x);
}

void *spread_array(const histogram_case *h, spread s)
{
    const size_t size = parscan_type_size(h->type);
    const oracle_bins of = oracle_bins_of(h->type, h->bins, h->lower, h->upper);
    char specials[NUMBER_SPECIALS * sizeof(uint64_t)];
    const size_t count = number_specials(h->type, specials);
    char *const array = allocate_histogram_array(h->n * size);
    for (size_t i = 0; i < h->n; i++) {
        const uint64_t bits = random_bits();
        if (s != SPREAD_ANY && oracle_is_float(h->type))
            spread_real(h, &of, s, i, array);
        else if (s != SPREAD_ANY)
            spread_integer(h, &of, s, i, array);
        else if (random_below(2) == 0)
            memcpy(array + i * size, &bits, size);
        else
            memcpy(array + i * size, specials + random_below(count) * size, size);
    }
    return array;
}
