#include "apps/select/arg_reduce_plan.h"

enum { TILE_BYTES, LIMITS };

static const parscan_plan_limit limits[LIMITS] = {
    [TILE_BYTES] = {"tile_bytes", 132 << 16, PARSCAN_PER_MULTIPROCESSOR, "bytes of input", "H200",
                    "select.md"},
};

static const parscan_plan_variant variants[ARG_REDUCE_VARIANTS] = {
    [ARG_REDUCE_TILES] = {"tiles", "few bytes: a block each tile, read once"},
    [ARG_REDUCE_BLOCKS] = {"blocks", "blocks keep the best chunk, the last one reads it again"},
    [ARG_REDUCE_PARTS] = {"parts", "by offsets, rows: a merge path, equal parts"},
    [ARG_REDUCE_FOUND_PARTS] = {"found_parts", "by flags, keys: the same, offsets are made before"},
};

const parscan_plan_table parscan_arg_reduce_plans = {"arg_reduce", variants, ARG_REDUCE_VARIANTS,
                                                     limits, LIMITS};

arg_reduce_plan parscan_arg_reduce_plan(const parscan_plan_device *device,
                                        const arg_reduce_facts *call)
{
    if (call->has_segments)
        return (arg_reduce_plan){call->by_offsets ? ARG_REDUCE_PARTS : ARG_REDUCE_FOUND_PARTS};
    const size_t few = parscan_plan_limit_of(device, limits, TILE_BYTES);
    return (arg_reduce_plan){call->n <= few / call->size ? ARG_REDUCE_TILES : ARG_REDUCE_BLOCKS};
}
