/* The plans of histograms and of sorts by bins, at each limit and beside it, on several devices. */
#include <criterion/criterion.h>

#include "apps/histogram/bin_plan.h"
#include "apps/histogram/histogram_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(histogram_plans, .timeout = 60);
TestSuite(bin_plans, .timeout = 60);

static histogram_plan plan_on(unsigned device, size_t n, size_t bins, size_t element_size)
{
    const histogram_facts facts = {.n = n, .bins = bins, .element_size = element_size};
    return parscan_histogram_plan(&plan_devices[device], &facts);
}

static size_t limit_on(unsigned device, const char *name)
{
    return plan_limit(&parscan_histogram_plans, name, &plan_devices[device]);
}

Test(histogram_plans, clear_the_counts_of_no_elements)
{
    const histogram_facts adds = {.bins = 256, .element_size = 4, .adds = true};
    cr_expect_eq(plan_on(PLAN_H100, 0, 256, 4).variant, HISTOGRAM_ONLY_CLEARED);
    cr_expect(plan_on(PLAN_H100, 0, 256, 4).clears);
    cr_expect_not(parscan_histogram_plan(&plan_devices[PLAN_H100], &adds).clears);
}

Test(histogram_plans, count_bytes_by_value)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        cr_expect_eq(plan_on(device, 1, 1, 1).variant, HISTOGRAM_IN_BYTES);
        cr_expect_eq(plan_on(device, 1 << 28, 1 << 20, 1).variant, HISTOGRAM_IN_BYTES);
        const size_t vector = 512 * 16, blocks = limit_on(device, "bytes_blocks");
        const size_t limits[] = {vector * blocks, 2 * vector * blocks};
        for (unsigned k = 0; k < 2; k++)
            for (size_t n = limits[k] - 1; n <= limits[k]; n++) {
                const histogram_plan plan = plan_on(device, n, 256, 1);
                cr_expect_eq(plan.vectors, n < limits[k] ? 1u << k : 2u << k);
                cr_expect_eq(plan.blocks, n / (vector * plan.vectors) + 1);
            }
    }
}

/* Where a block has the memory for counters of all values, and there are enough elements. */
Test(histogram_plans, count_many_elements_of_two_bytes_by_value)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const bool fits = device != PLAN_SMALL;
        const size_t from = limit_on(device, "codes_from");
        const size_t more = limit_on(device, "many_bins_codes_from");
        const size_t room = plan_devices[device].shared_bytes;
        const size_t bins = fits ? (room - 131072) / 4 : 256;
        cr_expect_neq(plan_on(device, from - 1, bins, 2).variant, HISTOGRAM_IN_CODES);
        cr_expect_eq(plan_on(device, from, bins, 2).variant == HISTOGRAM_IN_CODES, fits);
        cr_expect_neq(plan_on(device, from, bins, 4).variant, HISTOGRAM_IN_CODES);
        cr_expect_neq(plan_on(device, from, bins + 1, 2).variant, HISTOGRAM_IN_CODES);
        cr_expect_neq(plan_on(device, more - 1, bins + 1, 2).variant, HISTOGRAM_IN_CODES);
        cr_expect_eq(plan_on(device, more, bins + 1, 2).variant == HISTOGRAM_IN_CODES, fits);
        if (!fits)
            continue;
        cr_expect_leq(plan_on(device, from, bins, 2).shared_bytes, room);
        cr_expect_eq(plan_on(device, from, bins, 2).table_words, bins);
        cr_expect_eq(plan_on(device, more, bins + 1, 2).table_words, 0);
        cr_expect_eq(plan_on(device, more, bins, 2).blocks, plan_devices[device].multiprocessors);
    }
    cr_expect_eq(limit_on(PLAN_H100, "codes_from"), 1 << 24);
}

/* The kernels that count by value know the bounds at their launch, but for bytes. */
Test(histogram_plans, count_by_bin_if_a_bound_is_on_the_device)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        histogram_facts facts = {.n = (size_t)1 << 30, .bins = 256, .element_size = 2};
        facts.bounds_on_device = true;
        cr_expect_eq(parscan_histogram_plan(&plan_devices[device], &facts).variant,
                     HISTOGRAM_IN_WORDS);
        facts.element_size = 1;
        cr_expect_eq(parscan_histogram_plan(&plan_devices[device], &facts).variant,
                     HISTOGRAM_IN_BYTES);
    }
}

Test(histogram_plans, choose_the_table_by_bins)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const size_t words = limit_on(device, "words_bins");
        const size_t halves = limit_on(device, "halves_bytes") / 128 * 64;
        const size_t many = (halves + 1) * 64;
        cr_expect_eq(plan_on(device, many, words - 1, 4).variant, HISTOGRAM_IN_WORDS);
        cr_expect_eq(plan_on(device, many, words, 4).variant, HISTOGRAM_IN_WORDS);
        cr_expect_eq(plan_on(device, many, words + 1, 4).variant, HISTOGRAM_IN_HALVES);
        cr_expect_eq(plan_on(device, many, halves, 4).variant, HISTOGRAM_IN_HALVES);
        cr_expect_neq(plan_on(device, many, halves + 1, 4).variant, HISTOGRAM_IN_HALVES);
        cr_expect_leq(plan_on(device, many, halves, 4).shared_bytes,
                      plan_devices[device].shared_bytes);
    }
    cr_expect_eq(plan_on(PLAN_H100, 1 << 28, 116224, 4).variant, HISTOGRAM_IN_HALVES);
    cr_expect_eq(plan_on(PLAN_H100, 1 << 28, 116225, 4).variant, HISTOGRAM_CACHED);
    cr_expect_eq(plan_on(PLAN_SMALL, 1 << 28, 65536, 4).variant, HISTOGRAM_CACHED);
}

Test(histogram_plans, use_halves_for_enough_elements_a_bin)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const size_t bins = 20000, from = limit_on(device, "halves_from") * bins;
        cr_expect_neq(plan_on(device, from - 1, bins, 4).variant, HISTOGRAM_IN_HALVES);
        cr_expect_eq(plan_on(device, from, bins, 4).variant, HISTOGRAM_IN_HALVES);
        cr_expect_eq(plan_on(device, from + 1, bins, 4).variant, HISTOGRAM_IN_HALVES);
    }
}

/* A length on the device may be a 16th of the most. */
Test(histogram_plans, use_halves_for_enough_elements_a_bin_of_a_length_on_the_device)
{
    const size_t bins = 20000, from = limit_on(PLAN_H100, "halves_from_most") * bins;
    histogram_facts facts = {
        .n = from - 1, .bins = bins, .element_size = 4, .length_on_device = true};
    cr_expect_eq(from, 16 * limit_on(PLAN_H100, "halves_from") * bins);
    cr_expect_eq(parscan_histogram_plan(&plan_devices[PLAN_H100], &facts).variant,
                 HISTOGRAM_CACHED);
    facts.n = from;
    cr_expect_eq(parscan_histogram_plan(&plan_devices[PLAN_H100], &facts).variant,
                 HISTOGRAM_IN_HALVES);
}

Test(histogram_plans, have_small_blocks_for_few_elements)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const size_t few = limit_on(device, "few_elements"), bins = 1 << 22;
        cr_expect_eq(plan_on(device, few - 1, bins, 4).variant, HISTOGRAM_CACHED_FEW);
        cr_expect_eq(plan_on(device, few, bins, 4).variant, HISTOGRAM_CACHED_FEW);
        cr_expect_eq(plan_on(device, few, bins, 4).slots_log2, 12);
        cr_expect_eq(plan_on(device, few + 1, bins, 4).variant, HISTOGRAM_CACHED);
    }
    cr_expect_eq(limit_on(PLAN_H100, "few_elements"), 1 << 21);
    cr_expect_eq(plan_on(PLAN_H100, 1 << 22, 1 << 22, 4).slots_log2, 14);
    cr_expect_eq(plan_on(PLAN_A100, 1 << 22, 1 << 22, 4).slots_log2, 14);
    cr_expect_eq(plan_on(PLAN_SMALL, 1 << 22, 1 << 22, 4).slots_log2, 13, "99 KiB");
}

Test(histogram_plans, have_one_block_alone_for_few_bytes)
{
    const size_t most = limit_on(PLAN_H100, "alone_bytes"),
                 bins = limit_on(PLAN_H100, "alone_bins");
    const histogram_facts adds = {.n = most, .bins = bins, .element_size = 1, .adds = true};
    const histogram_plan plan = plan_on(PLAN_H100, most, bins, 1);
    cr_expect(plan.alone && !plan.clears && plan.blocks == 1 && plan.vectors == 4);
    cr_expect_not(plan_on(PLAN_H100, most + 1, bins, 1).alone);
    cr_expect_not(plan_on(PLAN_H100, most, bins + 1, 1).alone);
    cr_expect(plan_on(PLAN_H100, most + 1, bins, 1).clears);
    cr_expect_not(parscan_histogram_plan(&plan_devices[PLAN_H100], &adds).alone);
    cr_expect_not(parscan_histogram_plan(&plan_devices[PLAN_H100], &adds).clears);
}

Test(histogram_plans, have_one_block_alone_for_one_batch)
{
    const size_t batch = 512 * 16;
    const histogram_facts adds = {.n = batch - 1, .bins = 256, .element_size = 4, .adds = true};
    cr_expect(plan_on(PLAN_H100, batch - 1, 256, 4).alone);
    cr_expect_not(plan_on(PLAN_H100, batch - 1, 256, 4).clears);
    cr_expect_not(plan_on(PLAN_H100, batch, 256, 4).alone);
    cr_expect_not(parscan_histogram_plan(&plan_devices[PLAN_H100], &adds).alone);
}

/* Figures of the launches before there were plans. */
Test(histogram_plans, have_as_many_blocks_and_copies_as_pay)
{
    cr_expect_eq(plan_on(PLAN_H100, 1 << 28, 256, 4).blocks, 264);
    cr_expect_eq(plan_on(PLAN_SMALL, 1 << 28, 256, 4).blocks, 40);
    cr_expect_eq(plan_on(PLAN_H100, 1 << 20, 4096, 4).blocks, 127);
    cr_expect_eq(plan_on(PLAN_H100, 1 << 28, 256, 4).copies_log2, 5);
    cr_expect_eq(plan_on(PLAN_H100, 1 << 28, 4096, 4).copies_log2, 2);
    cr_expect_eq(plan_on(PLAN_H100, 100, 256, 4).copies_log2, 0);
    cr_expect_eq(plan_on(PLAN_H100, 1 << 28, 65536, 4).blocks, 132);
    cr_expect_eq(plan_on(PLAN_H100, 1 << 28, 65536, 4).table_words, 32768);
    cr_expect_eq(plan_on(PLAN_H100, 1 << 28, 65537, 4).table_words, 32800);
}

static bin_variant bin_on(unsigned device, size_t n, uint64_t bins, bool values)
{
    const bin_facts facts = {n, bins, values};
    return parscan_bin_plan(&plan_devices[device], &facts);
}

static size_t bin_limit(unsigned device, const char *name)
{
    return plan_limit(&parscan_bin_plans, name, &plan_devices[device]);
}

Test(bin_plans, count_where_there_is_nothing_to_place)
{
    const uint64_t most = bin_limit(PLAN_H100, "histogram_bins");
    cr_expect_eq(bin_on(PLAN_H100, 0, 10, true), BIN_COUNTED);
    cr_expect_eq(bin_on(PLAN_H100, 10, 0, true), BIN_COUNTED);
    cr_expect_eq(bin_on(PLAN_H100, 5000, most, false), BIN_COUNTED);
    cr_expect_eq(bin_on(PLAN_H100, 5000, most + 1, false), BIN_COUNTED_IN_MEMORY);
    cr_expect_eq(most, UINT32_MAX);
}

Test(bin_plans, sort_few_elements_in_a_block)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++)
        for (unsigned values = 0; values < 2; values++) {
            const size_t few = bin_limit(device, "block_elements");
            cr_expect_eq(few, 4096);
            cr_expect_eq(bin_on(device, few - 1, 10, values), BIN_IN_BLOCK);
            cr_expect_eq(bin_on(device, few, 1 << 20, values), BIN_IN_BLOCK);
            cr_expect_eq(bin_on(device, few + 1, 10, values), values ? BIN_BY_DIGITS : BIN_COUNTED);
        }
}

Test(bin_plans, take_offsets_of_digits_of_ranges_or_of_tiles)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const size_t digits = bin_limit(device, "digit_bins");
        const size_t few = bin_limit(device, "range_elements");
        const size_t ranges = bin_limit(device, "ranges") * 4096;
        cr_expect_eq(ranges, plan_devices[device].multiprocessors * 8192);
        cr_expect_eq(bin_on(device, few, digits - 1, true), BIN_BY_DIGITS);
        cr_expect_eq(bin_on(device, few, digits, true), BIN_BY_DIGITS);
        cr_expect_eq(bin_on(device, few, digits + 1, true), BIN_BY_RANGES);
        cr_expect_eq(bin_on(device, few + 1, digits + 1, true), BIN_BY_TILES);
        cr_expect_eq(bin_on(device, few, ranges - 1, true), BIN_BY_RANGES);
        cr_expect_eq(bin_on(device, few, ranges, true), BIN_BY_TILES);
    }
}
