#include "apps/sort/sort_axis_plan.h"

enum { ALONE_LENGTH, LIMITS };

/* Segments that are longer than a tile are sorted together, twice: by key, and by segment. A sort of its own takes
   a read for the counts and a pass for each digit, but some 20 us whatever its length. The limit is an estimate. */
static const parscan_plan_limit limits[LIMITS] = {
    [ALONE_LENGTH] = {"alone_length", 1 << 19, PARSCAN_PER_MULTIPROCESSOR, "elements a row", "",
                      ""},
};

static const parscan_plan_variant variants[SORT_AXIS_VARIANTS] = {
    [SORT_AXIS_SEGMENTS] = {"segments", "all rows together, as segments: sort_segments"},
    [SORT_AXIS_ALONE] = {"alone", "long rows, or one: each is a sort of its own"},
};

const parscan_plan_table parscan_sort_axis_plans = {"sort_axis", variants, SORT_AXIS_VARIANTS,
                                                    limits, LIMITS};

sort_axis_variant parscan_sort_axis_plan(const parscan_plan_device *device, size_t rows, size_t n)
{
    return rows == 1 || n >= parscan_plan_limit_of(device, limits, ALONE_LENGTH)
               ? SORT_AXIS_ALONE
               : SORT_AXIS_SEGMENTS;
}
