#include "apps/sort/sort_columns_plan.h"

#include "apps/sort/column_bits.h"

enum { NARROW_FROM, NARROW_ELEMENTS, SAMPLED, SAMPLED_EQUAL, LISTERS, LISTED_AT_ONCE, LIMITS };

static const parscan_plan_limit limits[LIMITS] = {
    /* Fewer take less time to sort than another round takes to launch. */
    [NARROW_FROM] = {"narrow_from", (size_t)1 << 21, PARSCAN_PER_MULTIPROCESSOR, "rows", "", ""},
    /* So many rows of random bits have few that are equal in 32 of them. */
    [NARROW_ELEMENTS] = {"narrow_elements", (size_t)1 << 28, PARSCAN_ABSOLUTE, "rows", "", ""},
    /* Rows that are equal to another one of so few have equals among all: of random bits of an entropy of 0.2
       two fifths of the sample have. */
    [SAMPLED] = {"sampled", COLUMN_SAMPLE, PARSCAN_ABSOLUTE, "rows", "", ""},
    [SAMPLED_EQUAL] = {"sampled_equal", COLUMN_SAMPLE / 4, PARSCAN_ABSOLUTE, "rows", "", ""},
    [LISTERS] = {"listers", COLUMN_LISTERS, PARSCAN_ABSOLUTE, "warps", "", ""},
    [LISTED_AT_ONCE] = {"listed_at_once", 128, PARSCAN_ABSOLUTE, "rows of a warp", "", ""},
};

static const parscan_plan_variant variants[COLUMNS_VARIANTS] = {
    [COLUMNS_ONE_NARROW] = {"one_narrow", "up to 32 bits a row: one sort, keys of 4 bytes"},
    [COLUMNS_ONE] = {"one", "up to 64 bits a row: one sort, keys of 8 bytes"},
    [COLUMNS_NARROW_FIRST] = {"narrow_first",
                              "narrow_from to narrow_elements: keys of 4 bytes, then rounds"},
    [COLUMNS_ROUNDS] = {"rounds", "all others: rounds, keys of 8 bytes"},
};

const parscan_plan_table parscan_sort_columns_plans = {"sort_columns", variants, COLUMNS_VARIANTS,
                                                       limits, LIMITS};

static columns_variant variant_of(const parscan_plan_device *device, const columns_facts *call)
{
    if (call->bits <= 64)
        return call->bits <= 32 ? COLUMNS_ONE_NARROW : COLUMNS_ONE;
    return call->n >= parscan_plan_limit_of(device, limits, NARROW_FROM) &&
                   call->n <= parscan_plan_limit_of(device, limits, NARROW_ELEMENTS)
               ? COLUMNS_NARROW_FIRST
               : COLUMNS_ROUNDS;
}

static unsigned listers_for(const parscan_plan_device *device, size_t n)
{
    const size_t most = parscan_plan_limit_of(device, limits, LISTERS);
    const size_t pay = n / parscan_plan_limit_of(device, limits, LISTED_AT_ONCE) + 1;
    return (unsigned)(pay < most ? pay : most);
}

columns_plan parscan_sort_columns_plan(const parscan_plan_device *device, const columns_facts *call)
{
    columns_plan plan = {.variant = variant_of(device, call), .rounds = 1};
    const bool narrow = plan.variant == COLUMNS_ONE_NARROW || plan.variant == COLUMNS_NARROW_FIRST;
    plan.first_bits = narrow ? 32 : 64;
    plan.lister_count = listers_for(device, call->n);
    if (call->bits <= plan.first_bits)
        return plan;
    if (narrow)
        plan.sampled_equal = (unsigned)parscan_plan_limit_of(device, limits, SAMPLED_EQUAL);
    const unsigned left = call->bits - plan.first_bits;
    const unsigned group = bits_of_numbers(call->n / 2), gain = 64 - group;
    plan.rounds += (left + gain - 1) / gain;
    plan.later_bits = left < gain ? left + group : 64;
    return plan;
}
