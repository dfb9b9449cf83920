#include "apps/allocate/expand_plan.h"

enum { NARROW_SLOTS, LIMITS };

static const parscan_plan_limit limits[LIMITS] = {
    [NARROW_SLOTS] = {"narrow_slots", UINT32_MAX, PARSCAN_ABSOLUTE, "slots of capacity", "H200",
                      "allocate.md"},
};

static const parscan_plan_variant variants[EXPAND_VARIANTS] = {
    [EXPAND_TOTAL] = {"total", "neither owner nor rank: sizes are summed"},
    [EXPAND_QUEUED] = {"queued", "arrays on the device: equal shares of slots and items"},
    [EXPAND_AFTER_TOTAL] = {"after_total", "the same, when the host has read the total"},
};

const parscan_plan_table parscan_expand_plans = {"expand", variants, EXPAND_VARIANTS, limits,
                                                 LIMITS};

expand_plan parscan_expand_plan(const parscan_plan_device *device, const expand_facts *call)
{
    return (expand_plan){
        .variant = !call->slots    ? EXPAND_TOTAL
                   : call->on_host ? EXPAND_AFTER_TOTAL
                                   : EXPAND_QUEUED,
        .wide = call->capacity > parscan_plan_limit_of(device, limits, NARROW_SLOTS),
    };
}
