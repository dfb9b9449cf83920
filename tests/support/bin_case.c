#include "tests/support/bin_case.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/engine_array.h"
#include "tests/support/oracle_histogram.h"
#include "tests/support/plot.h"
#include "tests/support/random.h"

static struct {
    plot bin_of, values, offsets, values_out;
    char words[CASE_WORDS];
} here;

static void *allocate_bin_array(size_t bytes)
{
    void *const memory = malloc(bytes + 1);
    if (memory == NULL)
        abort();
    return memory;
}

static void describe_bin(parscan_context *context, const bin_case *b, plot_place in)
{
    snprintf(here.words, sizeof here.words,
             "bin of %zu values of %zu bytes%s%s by %s, %zu bins, offsets %s, threads %u, simd %s, "
             "bins %u bytes from the guard %s it",
             b->n, b->value_size, b->no_values ? ", indices" : "",
             b->no_values_out ? ", offsets only" : "", parscan_type_name(b->bin_type), b->bins,
             parscan_type_name(b->offset_type), parscan_context_threads(context),
             parscan_context_simd(context), in.gap, in.at_end ? "after" : "before");
}

static void *values_in_order(const bin_case *b, const char *values, const size_t *order, size_t n)
{
    const size_t size = b->value_size;
    char *const sorted = allocate_bin_array(n * size);
    for (size_t k = 0; k < n; k++)
        if (b->no_values)
            number_write_integer(size == 4 ? PARSCAN_U32 : PARSCAN_U64, sorted, k, order[k]);
        else
            memcpy(sorted + k * size, values + order[k] * size, size);
    return sorted;
}

static void expect_bins(parscan_context *context, const bin_case *b, const void *bin_of,
                        const void *values, const void *offsets, const void *sorted, size_t inside,
                        bool anywhere)
{
    const size_t offset_size = parscan_type_size(b->offset_type);
    plot_place places[4];
    for (size_t k = 0; k < COUNT_OF(places); k++)
        places[k] = anywhere ? plot_anywhere() : (plot_place){.at_end = true};
    const void *const bins_in =
        plot_input(&here.bin_of, bin_of, b->n * parscan_type_size(b->bin_type), places[0]);
    const void *const values_in =
        b->no_values ? NULL : plot_input(&here.values, values, b->n * b->value_size, places[1]);
    void *const offsets_out = plot_output(&here.offsets, (b->bins + 1) * offset_size, places[2]);
    void *const values_out =
        b->no_values_out ? NULL : plot_output(&here.values_out, inside * b->value_size, places[3]);
    describe_bin(context, b, places[0]);
    guarded_watch(here.words);
    if (parscan_bin(context, b->bin_type, bins_in, b->value_size, values_in, b->n, b->bins,
                    b->offset_type, offsets_out, values_out) != PARSCAN_OK ||
        parscan_synchronize(context) != PARSCAN_OK)
        cr_assert_fail("%s: %s", parscan_context_error(context), here.words);
    plot_expect(&here.offsets, "offset", offsets, b->bins + 1, offset_size, here.words);
    if (!b->no_values_out)
        plot_expect(&here.values_out, "value", sorted, inside, b->value_size, here.words);
}

static void expect_equal(const engine_array *a, const void *expected, const char *name)
{
    void *const found = engine_array_read(a, here.words);
    cr_assert_eq(memcmp(found, expected, a->bytes), 0, "%s in the engine's memory: %s", name,
                 here.words);
    free(found);
}

/* The same with arrays in the engine's memory, off by some elements. */
static void expect_bins_there(parscan_context *context, const bin_case *b, const void *bin_of,
                              const void *values, const void *offsets, const void *sorted,
                              size_t inside)
{
    const size_t bin_size = parscan_type_size(b->bin_type), size = b->value_size;
    const size_t offset_size = parscan_type_size(b->offset_type);
    engine_array bins_in =
        engine_array_create(context, bin_of, b->n * bin_size, random_below(9) * bin_size);
    engine_array values_in = engine_array_create(context, values, b->no_values ? 0 : b->n * size,
                                                 random_below(9) * size);
    engine_array offsets_out = engine_array_create(context, NULL, (b->bins + 1) * offset_size,
                                                   random_below(4) * offset_size);
    engine_array values_out =
        engine_array_create(context, NULL, inside * size, random_below(9) * size);
    describe_bin(context, b, (plot_place){.at_end = true});
    if (parscan_bin(context, b->bin_type, bins_in.array, size,
                    b->no_values ? NULL : values_in.array, b->n, b->bins, b->offset_type,
                    offsets_out.array, b->no_values_out ? NULL : values_out.array) != PARSCAN_OK ||
        parscan_synchronize(context) != PARSCAN_OK)
        cr_assert_fail("%s: %s", parscan_context_error(context), here.words);
    expect_equal(&offsets_out, offsets, "offsets");
    if (!b->no_values_out)
        expect_equal(&values_out, sorted, "values");
    engine_array_destroy(&bins_in);
    engine_array_destroy(&values_in);
    engine_array_destroy(&offsets_out);
    engine_array_destroy(&values_out);
}

void expect_bin(parscan_context *context, const bin_case *b, const void *bin_of, const void *values)
{
    uint64_t *const numbers = allocate_bin_array((b->bins + 1) * sizeof *numbers);
    size_t *const order = allocate_bin_array(b->n * sizeof *order);
    const size_t inside = oracle_bin_order(b->bin_type, bin_of, b->n, b->bins, numbers, order);
    void *const offsets = numbers_as(b->offset_type, numbers, b->bins + 1);
    void *const sorted = values_in_order(b, values, order, inside);
    free(numbers);
    free(order);
    expect_bins(context, b, bin_of, values, offsets, sorted, inside, false);
    expect_bins(context, b, bin_of, values, offsets, sorted, inside, true);
    if (engine_has_memory(context))
        expect_bins_there(context, b, bin_of, values, offsets, sorted, inside);
    free(offsets);
    free(sorted);
}
