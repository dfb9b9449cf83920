/* Which variants of allocations, expansions and moves of records run on CUDA, at each limit and beside
   it. */
#include <criterion/criterion.h>

#include "apps/allocate/allocate_plan.h"
#include "apps/allocate/expand_plan.h"
#include "apps/allocate/pack_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(allocate_plans, .timeout = 60);

Test(allocate_plans, have_roles_where_the_code_has)
{
    cr_expect_eq(parscan_allocate_plan(&plan_devices[PLAN_H100]), ALLOCATE_SINGLE_PASS);
    cr_expect_eq(parscan_allocate_plan(&plan_devices[PLAN_A100]), ALLOCATE_UNSPECIALISED);
    cr_expect_eq(parscan_allocate_plan(&plan_devices[PLAN_SMALL]), ALLOCATE_UNSPECIALISED);
}

Test(expand_plans, the_host_waits_for_its_arrays_only)
{
    const parscan_plan_device *const device = &plan_devices[PLAN_H100];
    expand_facts call = {.capacity = 1000};
    cr_expect_eq(parscan_expand_plan(device, &call).variant, EXPAND_TOTAL);
    call.on_host = true;
    cr_expect_eq(parscan_expand_plan(device, &call).variant, EXPAND_TOTAL);
    call.slots = true;
    cr_expect_eq(parscan_expand_plan(device, &call).variant, EXPAND_AFTER_TOTAL);
    call.on_host = false;
    cr_expect_eq(parscan_expand_plan(device, &call).variant, EXPAND_QUEUED);
}

Test(expand_plans, offsets_are_as_wide_as_the_capacity)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const uint64_t most = plan_limit(&parscan_expand_plans, "narrow_slots", &plan_devices[d]);
        for (uint64_t capacity = most - 1; capacity <= most + 1; capacity++) {
            const expand_facts call = {.capacity = capacity, .slots = true};
            cr_expect_eq(parscan_expand_plan(&plan_devices[d], &call).wide, capacity > most);
        }
        cr_expect_eq(most, UINT32_MAX, "a property of 32 bits, not of the device");
    }
}

Test(pack_plans, batches_are_as_small_as_give_all_warps_some)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const size_t warps = plan_limit(&parscan_pack_plans, "warps", device);
        cr_expect_eq(warps, device->multiprocessors * PACK_SMALL_BLOCKS * PACK_WARPS);
        cr_expect_eq(parscan_pack_plan(device, 1), 1);
        for (unsigned batch = 1; batch < 32; batch *= 2) {
            const size_t most = batch * (warps + 1);
            cr_expect_eq(parscan_pack_plan(device, most - batch), batch);
            cr_expect_eq(parscan_pack_plan(device, most - 1), batch);
            cr_expect_eq(parscan_pack_plan(device, most), 2 * batch);
            cr_expect_eq(parscan_pack_plan(device, most + 1), 2 * batch);
        }
    }
}

Test(pack_plans, batches_are_halved_where_a_warp_has_only_a_few)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const size_t all = 32 * plan_limit(&parscan_pack_plans, "warps", device);
        const size_t above = plan_limit(&parscan_pack_plans, "halved_above", device) + 1;
        const size_t below = plan_limit(&parscan_pack_plans, "halved_below", device);
        cr_expect_eq(parscan_pack_plan(device, above * all - 1), 32);
        cr_expect_eq(parscan_pack_plan(device, above * all), 16);
        cr_expect_eq(parscan_pack_plan(device, above * all + 1), 16);
        cr_expect_eq(parscan_pack_plan(device, below * all - 1), 16);
        cr_expect_eq(parscan_pack_plan(device, below * all), 32);
        cr_expect_eq(parscan_pack_plan(device, below * all + 1), 32);
    }
}
