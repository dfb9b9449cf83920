#include "apps/radix/radix_sort_plan.h"

enum {
    BLOCK_ELEMENTS,
    BLOCK_WIDE_BYTES,
    MANY_SHORT_KEYS,
    MANY_SHORT_PAIRS,
    MANY_LONG_PAIRS,
    MANY_OTHERS,
    MANY_COUNTED,
    LARGE_BYTES,
    COUNTED_PAIRS_BYTES,
    NOTICED,
    LIMITS
};

static const parscan_plan_limit limits[LIMITS] = {
    [BLOCK_ELEMENTS] = {"block_elements", SORT_BLOCK_ELEMENTS, PARSCAN_ABSOLUTE, "elements", "H100",
                        "sort-cuda.md"},
    [BLOCK_WIDE_BYTES] = {"block_wide_bytes", SORT_BLOCK_WIDE_BYTES, PARSCAN_ABSOLUTE,
                          "bytes a block", "", ""},
    /* The device then holds all small tiles at once, except those of 4-byte pairs. */
    [MANY_SHORT_KEYS] = {"many_short_keys", 1174272, PARSCAN_PER_MULTIPROCESSOR, "elements", "H100",
                         "sort-cuda.md"},
    [MANY_SHORT_PAIRS] = {"many_short_pairs", 5237760, PARSCAN_PER_MULTIPROCESSOR, "elements",
                          "H100", "sort-cuda.md"},
    [MANY_LONG_PAIRS] = {"many_long_pairs", 523776, PARSCAN_PER_MULTIPROCESSOR, "elements", "H100",
                         "sort-cuda.md"},
    [MANY_OTHERS] = {"many_others", 785664, PARSCAN_PER_MULTIPROCESSOR, "elements", "H100",
                     "sort-cuda.md"},
    [MANY_COUNTED] = {"many_counted", 4190208, PARSCAN_PER_MULTIPROCESSOR, "elements", "H100",
                      "sort-cuda.md"},
    [LARGE_BYTES] = {"large_bytes", SORT_LARGE_BYTES, PARSCAN_ABSOLUTE, "bytes a block", "", ""},
    [COUNTED_PAIRS_BYTES] = {"counted_pairs_bytes", SORT_COUNTED_PAIRS_BYTES, PARSCAN_ABSOLUTE,
                             "bytes a block", "", ""},
    /* A kernel more takes 3 us. */
    [NOTICED] = {"noticed", 8380416, PARSCAN_PER_MULTIPROCESSOR, "elements", "", ""},
};

static const parscan_plan_variant variants[RADIX_VARIANTS] = {
    [RADIX_IN_BLOCK] = {"in_block", "up to block_elements: one block, one launch"},
    [RADIX_COUNTED] = {"counted", "small tiles; the device knows how many elements"},
    [RADIX_FEW] = {"few", "small tiles, ranked by votes, below many_..."},
    [RADIX_BY_VOTES] = {"by_votes",
                        "large tiles, votes: bins, parts of keys, counted halves if NaNs differ"},
    [RADIX_BY_COUNTS] = {"by_counts", "large tiles, shared counters: whole keys, pairs"},
    [RADIX_NUMBERS_BY_COUNTS] = {"numbers_by_counts",
                                 "float keys: by_counts, by_votes if there are NaNs"},
};

const parscan_plan_table parscan_radix_sort_plans = {"radix_sort", variants, RADIX_VARIANTS, limits,
                                                     LIMITS};

static bool fits_block(const parscan_plan_device *device, const radix_sort_facts *facts)
{
    const bool wide = facts->key_size == 8 && facts->value_size != 0;
    return !facts->bins && facts->n <= parscan_plan_limit_of(device, limits, BLOCK_ELEMENTS) &&
           (!wide ||
            device->shared_bytes >= parscan_plan_limit_of(device, limits, BLOCK_WIDE_BYTES));
}

/* There are many elements from this number on. With fewer, large tiles would be too few for all
   multiprocessors. */
static unsigned many_from(const radix_sort_facts *facts)
{
    if (facts->key_size == 8 && facts->value_size == 8)
        return MANY_LONG_PAIRS;
    if (facts->key_size == 4 && facts->value_size == 4)
        return MANY_SHORT_PAIRS;
    return facts->key_size <= 4 && facts->value_size == 0 ? MANY_SHORT_KEYS : MANY_OTHERS;
}

/* Whole keys without NaNs are ranked by counts; pairs too, where tiles are large and a block can have the
   shared memory. Bins, parts of keys and NaNs are ranked by votes. */
static radix_sort_variant rank_many(const parscan_plan_device *device,
                                    const radix_sort_facts *facts)
{
    if (facts->bins || facts->only_nans)
        return RADIX_BY_VOTES;
    if (facts->value_size != 0)
        return device->shared_bytes >= parscan_plan_limit_of(device, limits, COUNTED_PAIRS_BYTES)
                   ? RADIX_BY_COUNTS
                   : RADIX_BY_VOTES;
    if (facts->floats)
        return RADIX_NUMBERS_BY_COUNTS;
    return facts->whole_keys ? RADIX_BY_COUNTS : RADIX_BY_VOTES;
}

radix_sort_plan parscan_radix_sort_plan(const parscan_plan_device *device,
                                        const radix_sort_facts *facts)
{
    const bool large = device->shared_bytes >= parscan_plan_limit_of(device, limits, LARGE_BYTES);
    const bool many_counted = facts->n >= parscan_plan_limit_of(device, limits, MANY_COUNTED);
    /* Each block adds its counts of all digits to the same words. In a short array that takes longer
       than the counting. Only the kernel for few keys has blocks for ranges. */
    radix_sort_plan plan = {
        .variant = RADIX_FEW,
        .many_counters = many_counted && large && !facts->by_ranges,
        .counting_blocks = many_counted ? SIZE_MAX : device->multiprocessors,
        .notices = facts->key_size >= 4 && facts->whole_keys && !facts->counted && !facts->bins &&
                   facts->n >= parscan_plan_limit_of(device, limits, NOTICED),
    };
    if (facts->counted)
        plan.variant = RADIX_COUNTED;
    else if (fits_block(device, facts))
        plan.variant = RADIX_IN_BLOCK;
    else if (facts->n >= parscan_plan_limit_of(device, limits, many_from(facts))) {
        plan.variant = rank_many(device, facts);
        plan.large_tiles = large;
    }
    return plan;
}
