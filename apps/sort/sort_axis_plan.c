#include "apps/sort/sort_axis_plan.h"

enum {
    NETWORK_LEAST,
    NETWORK_MOST,
    NETWORK_ROWS,
    ALONE_LENGTH,
    BY_ROW_LENGTH,
    BY_ROW_ELEMENTS,
    LIMITS
};

/* Segments that are longer than a tile are listed, and sorted by key and by segment, with gathers between. By row
   there are none. A sort of its own takes some 35 us whatever its length. All are estimates (axis.md). */
static const parscan_plan_limit limits[LIMITS] = {
    /* Threads have segments of up to 32 elements. */
    [NETWORK_LEAST] = {"network_least", 33, PARSCAN_ABSOLUTE, "elements a row", "", ""},
    [NETWORK_MOST] = {"network_most", 16384, PARSCAN_ABSOLUTE, "elements a row", "", ""},
    [NETWORK_ROWS] = {"network_rows", 132, PARSCAN_PER_MULTIPROCESSOR, "rows", "", ""},
    [ALONE_LENGTH] = {"alone_length", 1 << 20, PARSCAN_PER_MULTIPROCESSOR, "elements a row", "",
                      ""},
    [BY_ROW_LENGTH] = {"by_row_length", 4097, PARSCAN_ABSOLUTE, "elements a row", "", ""},
    [BY_ROW_ELEMENTS] = {"by_row_elements", 1 << 17, PARSCAN_PER_MULTIPROCESSOR, "elements", "",
                         ""},
};

static const parscan_plan_variant variants[SORT_AXIS_VARIANTS] = {
    [SORT_AXIS_SEGMENTS] = {"segments", "all rows together, as segments: sort_segments"},
    [SORT_AXIS_NETWORKS] = {"networks",
                            "rows up to 16384, no values, indices of 4-byte keys: in registers"},
    [SORT_AXIS_BY_ROW] = {"by_row", "rows longer than a tile, no values: by key, then by row"},
    [SORT_AXIS_ALONE] = {"alone", "long rows, or one row: each is a sort of its own"},
};

const parscan_plan_table parscan_sort_axis_plans = {"sort_axis", variants, SORT_AXIS_VARIANTS,
                                                    limits, LIMITS};

/* Codes go through a block's shared memory, with one more for 32. */
static bool has_networks(const parscan_plan_device *device, const sort_axis_facts *facts)
{
    size_t places = 64;
    while (places < facts->n)
        places *= 2;
    return facts->code_size != 0 && !facts->has_values &&
           facts->n >= parscan_plan_limit_of(device, limits, NETWORK_LEAST) &&
           facts->n <= parscan_plan_limit_of(device, limits, NETWORK_MOST) &&
           facts->rows >= parscan_plan_limit_of(device, limits, NETWORK_ROWS) &&
           places / 32 * 33 * facts->code_size <= device->shared_bytes;
}

sort_axis_variant parscan_sort_axis_plan(const parscan_plan_device *device,
                                         const sort_axis_facts *facts)
{
    const size_t n = facts->n;
    if (facts->rows == 1 || n >= parscan_plan_limit_of(device, limits, ALONE_LENGTH))
        return SORT_AXIS_ALONE;
    if (has_networks(device, facts))
        return SORT_AXIS_NETWORKS;
    return !facts->has_values && facts->rows <= UINT32_MAX / n &&
                   n >= parscan_plan_limit_of(device, limits, BY_ROW_LENGTH) &&
                   facts->rows * n > parscan_plan_limit_of(device, limits, BY_ROW_ELEMENTS)
               ? SORT_AXIS_BY_ROW
               : SORT_AXIS_SEGMENTS;
}
