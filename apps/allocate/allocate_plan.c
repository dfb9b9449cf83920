#include "apps/allocate/allocate_plan.h"

static const parscan_plan_variant variants[ALLOCATE_VARIANTS] = {
    [ALLOCATE_SINGLE_PASS] = {"single_pass", "one pass over tiles, warps with roles"},
    [ALLOCATE_UNSPECIALISED] = {"unspecialised", "below compute capability 9.0, from 12.0"},
};

const parscan_plan_table parscan_allocate_plans = {"allocate", variants, ALLOCATE_VARIANTS, NULL,
                                                   0};

allocate_variant parscan_allocate_plan(const parscan_plan_device *device)
{
    return PARSCAN_WARP_SPECIALISED(device->architecture) ? ALLOCATE_SINGLE_PASS
                                                          : ALLOCATE_UNSPECIALISED;
}
