#include "apps/segmented/recurrence_plan.h"

static const parscan_plan_variant variants[RECURRENCE_VARIANTS] = {
    [RECURRENCE_SINGLE_PASS] = {"single_pass", "one pass over tiles, warps with roles"},
    [RECURRENCE_UNSPECIALISED] = {"unspecialised", "below compute capability 9.0, from 12.0"},
};

const parscan_plan_table parscan_recurrence_plans = {"recurrence", variants, RECURRENCE_VARIANTS,
                                                     NULL, 0};

recurrence_variant parscan_recurrence_plan(const parscan_plan_device *device)
{
    return PARSCAN_WARP_SPECIALISED(device->architecture) ? RECURRENCE_SINGLE_PASS
                                                          : RECURRENCE_UNSPECIALISED;
}
