#include "apps/allocate/pack_plan.h"

enum { WARPS, MOST_BATCH, HALVED_ABOVE, HALVED_BELOW, SMALL_PIECES, LIMITS };

static const parscan_plan_limit limits[LIMITS] = {
    [WARPS] = {"warps", (size_t)132 * PACK_SMALL_BLOCKS *PACK_WARPS, PARSCAN_PER_MULTIPROCESSOR,
               "warps", "", ""},
    [MOST_BATCH] = {"most_batch", 32, PARSCAN_ABSOLUTE, "records", "", ""},
    /* Where a warp has only a few batches, an uneven last one matters. */
    [HALVED_ABOVE] = {"halved_above", 3, PARSCAN_ABSOLUTE, "batches of a warp", "", ""},
    [HALVED_BELOW] = {"halved_below", 12, PARSCAN_ABSOLUTE, "batches of a warp", "", ""},
    [SMALL_PIECES] = {"small_pieces", PACK_SMALL_PIECES, PARSCAN_ABSOLUTE, "16-byte pieces", "H200",
                      "allocate.md"},
};

static const parscan_plan_variant variants[PACK_VARIANTS] = {
    [PACK_IN_BATCHES] = {"in_batches", "small records, on the device: a batch a warp"},
    [PACK_IN_PIECES] = {"in_pieces", "above small_pieces, on the device: listed, divided evenly"},
};

const parscan_plan_table parscan_pack_plans = {"pack", variants, PACK_VARIANTS, limits, LIMITS};

/* As few as give all warps some. */
unsigned parscan_pack_plan(const parscan_plan_device *device, size_t n)
{
    const size_t warps = parscan_plan_limit_of(device, limits, WARPS);
    size_t batch = 1;
    while (batch < limits[MOST_BATCH].value && n / batch > warps)
        batch *= 2;
    const size_t turns = n / batch / warps;
    const bool halved = turns > limits[HALVED_ABOVE].value && turns < limits[HALVED_BELOW].value;
    return (unsigned)(halved ? batch / 2 : batch);
}
