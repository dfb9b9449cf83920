#include "apps/compact/compact_plan.h"

enum { FEW_BYTES, SMALL_TILES, COUNTED_TILES, TURNED_PERCENT, LIMITS };

static const parscan_plan_limit limits[LIMITS] = {
    /* As of scans (scan_plan.c). */
    [FEW_BYTES] = {"few_bytes", 1 << 20, PARSCAN_PER_MULTIPROCESSOR, "bytes of elements", "H200",
                   "compact.md"},
    /* With large tiles, a few multiprocessors would have all of them. */
    [SMALL_TILES] = {"small_tiles", 132, PARSCAN_PER_MULTIPROCESSOR, "small tiles", "H100",
                     "compact.md"},
    [COUNTED_TILES] = {"counted_tiles", PARTS_COUNTED_MOST, PARSCAN_ABSOLUTE,
                       "times what blocks hold", "H100", "compact.md"},
    [TURNED_PERCENT] = {"turned_percent", PARTS_TURNED_PERCENT, PARSCAN_ABSOLUTE,
                        "percent of a sample", "H100", "compact.md"},
};

static const parscan_plan_variant variants[COMPACT_VARIANTS] = {
    [COMPACT_FEW] = {"few", "up to few_bytes: a vector a thread"},
    [COMPACT_SMALL] = {"small", "rows, runs up to small_tiles: one a block"},
    [COMPACT_MANY] = {"many", "large tiles; records beside what is tested"},
    [COMPACT_UNSPECIALISED] = {"unspecialised", "below compute capability 9.0, from 12.0"},
    [COMPACT_PARTS_HELD] = {"parts_held", "partition, on the device: blocks hold all tiles"},
    [COMPACT_PARTS_COUNTED] = {"parts_counted",
                               "up to counted_tiles, or half is kept: elements read twice"},
    [COMPACT_PARTS_REST_TURNED] = {"parts_rest_turned",
                                   "most of a sample is kept: the rest is turned"},
    [COMPACT_PARTS_KEPT_TURNED] = {"parts_kept_turned",
                                   "little of a sample is kept: that is turned"},
};

const parscan_plan_table parscan_compact_plans = {"compact", variants, COMPACT_VARIANTS, limits,
                                                  LIMITS};

static bool is_few(const parscan_plan_device *device, const compact_facts *call)
{
    return !call->records && !call->more &&
           parscan_plan_is_few(parscan_plan_limit_of(device, limits, FEW_BYTES), call->few_blocks,
                               call->n, call->width);
}

bool parscan_compact_may_be_small(const parscan_plan_device *device, const compact_facts *call)
{
    return PARSCAN_WARP_SPECIALISED(device->architecture) && !call->records &&
           !is_few(device, call) &&
           call->n <= parscan_plan_limit_of(device, limits, SMALL_TILES) * call->small_tile;
}

compact_variant parscan_compact_plan(const parscan_plan_device *device, const compact_facts *call)
{
    if (is_few(device, call))
        return COMPACT_FEW;
    if (!PARSCAN_WARP_SPECIALISED(device->architecture))
        return COMPACT_UNSPECIALISED;
    return parscan_compact_may_be_small(device, call) &&
                   call->n <= call->small_blocks * call->small_tile
               ? COMPACT_SMALL
               : COMPACT_MANY;
}
