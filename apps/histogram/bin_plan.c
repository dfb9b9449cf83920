#include "apps/histogram/bin_plan.h"

enum { BLOCK_ELEMENTS, DIGIT_BINS, RANGE_ELEMENTS, RANGES, HISTOGRAM_BINS, LIMITS };

static const parscan_plan_limit limits[LIMITS] = {
    [BLOCK_ELEMENTS] = {"block_elements", BIN_BLOCK_ELEMENTS, PARSCAN_ABSOLUTE, "elements", "H100",
                        "histogram.md"},
    [DIGIT_BINS] = {"digit_bins", SORT_DIGITS, PARSCAN_ABSOLUTE, "bins", "", ""},
    [RANGE_ELEMENTS] = {"range_elements", 1 << 16, PARSCAN_ABSOLUTE, "elements", "H100",
                        "histogram.md"},
    /* Each range costs a read of all elements, and a multiprocessor runs two ranges at once. */
    [RANGES] = {"ranges", 2 * 132, PARSCAN_PER_MULTIPROCESSOR, "ranges of 4096 bins", "H100",
                "histogram.md"},
    [HISTOGRAM_BINS] = {"histogram_bins", UINT32_MAX, PARSCAN_ABSOLUTE, "bins", "", ""},
};

static const parscan_plan_variant variants[BIN_VARIANTS] = {
    [BIN_COUNTED] = {"counted", "offsets alone: histogram, then exclusive scan"},
    [BIN_COUNTED_IN_MEMORY] = {"counted_in_memory",
                               "the same above histogram_bins: atomics in memory"},
    [BIN_IN_BLOCK] = {"in_block", "up to block_elements: one block sorts, others count offsets"},
    [BIN_BY_DIGITS] = {"by_digits", "up to digit_bins: one radix pass, offsets of its digits"},
    [BIN_BY_RANGES] = {"by_ranges", "radix passes, blocks count ranges of bins beside the digits"},
    [BIN_BY_TILES] = {"by_tiles", "radix passes, the last stores offsets, a scan fills gaps"},
};

const parscan_plan_table parscan_bin_plans = {"bin", variants, BIN_VARIANTS, limits, LIMITS};

static bool within(const parscan_plan_device *device, uint64_t value, unsigned which)
{
    return value <= parscan_plan_limit_of(device, limits, which);
}

bin_variant parscan_bin_plan(const parscan_plan_device *device, const bin_facts *facts)
{
    const bool any = facts->n > 0 && facts->bins > 0;
    const bool in_block = within(device, facts->n, BLOCK_ELEMENTS);
    if (!any || !(facts->values || in_block))
        return within(device, facts->bins, HISTOGRAM_BINS) ? BIN_COUNTED : BIN_COUNTED_IN_MEMORY;
    if (in_block)
        return BIN_IN_BLOCK;
    if (within(device, facts->bins, DIGIT_BINS))
        return BIN_BY_DIGITS;
    return within(device, facts->n, RANGE_ELEMENTS) &&
                   within(device, bin_ranges(facts->bins), RANGES)
               ? BIN_BY_RANGES
               : BIN_BY_TILES;
}
