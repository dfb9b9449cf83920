/* Which variant of a compaction runs on CUDA, at each limit and beside it. */
#include <criterion/criterion.h>

#include "apps/compact/compact_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(compact_plans, .timeout = 60);

enum { SMALL = 4096 };

static parscan_plan_device specialised(unsigned of)
{
    parscan_plan_device device = plan_devices[of];
    device.architecture = 90;
    return device;
}

static compact_facts call_of(size_t n, size_t blocks)
{
    return (compact_facts){
        .n = n, .width = 4, .more = true, .small_tile = SMALL, .small_blocks = blocks};
}

static void expect(const parscan_plan_device *device, size_t n, size_t blocks,
                   compact_variant variant)
{
    const compact_facts call = call_of(n, blocks);
    const compact_variant is = parscan_compact_plan(device, &call);
    cr_expect_eq(is, variant, "%d multiprocessors, %zu blocks, n = %zu: %s, not %s",
                 (int)device->multiprocessors, blocks, n, parscan_compact_plans.variants[is].name,
                 parscan_compact_plans.variants[variant].name);
}

/* But those that write lengths or rows, too, and records. */
Test(compact_plans, few_bytes_stay_in_registers)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t width = 1; width <= 8; width *= 2) {
            const parscan_plan_device *const device = &plan_devices[d];
            const size_t most = plan_limit(&parscan_compact_plans, "few_bytes", device) / width;
            for (size_t n = most - 1; n <= most + 1; n++) {
                const compact_facts few = {.n = n, .width = width, .few_blocks = SIZE_MAX};
                compact_facts other = few;
                cr_expect_eq(parscan_compact_plan(device, &few) == COMPACT_FEW, n <= most);
                other.few_blocks = n * width / 4096 + 1;
                cr_expect_neq(parscan_compact_plan(device, &other), COMPACT_FEW);
                other = few;
                other.more = true;
                cr_expect_neq(parscan_compact_plan(device, &other), COMPACT_FEW);
                other = few;
                other.records = true;
                cr_expect_neq(parscan_compact_plan(device, &other), COMPACT_FEW);
            }
        }
}

Test(compact_plans, small_tiles_are_at_most_one_for_each_multiprocessor)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device device = specialised(d);
        const size_t most = plan_limit(&parscan_compact_plans, "small_tiles", &device) * SMALL;
        cr_expect_eq(most, device.multiprocessors * SMALL);
        expect(&device, 1, 1000, COMPACT_SMALL);
        expect(&device, most - 1, 1000, COMPACT_SMALL);
        expect(&device, most, 1000, COMPACT_SMALL);
        expect(&device, most + 1, 1000, COMPACT_MANY);
    }
}

Test(compact_plans, small_tiles_are_at_most_the_blocks_that_the_context_may_have)
{
    const parscan_plan_device device = specialised(PLAN_H100);
    expect(&device, 7 * SMALL, 7, COMPACT_SMALL);
    expect(&device, 7 * SMALL + 1, 7, COMPACT_MANY);
}

Test(compact_plans, asks_for_blocks_only_where_they_decide)
{
    const parscan_plan_device device = specialised(PLAN_H100);
    for (size_t n = 132 * SMALL - 1; n <= 132 * SMALL + 1; n++) {
        const compact_facts call = call_of(n, 0);
        cr_expect_eq(parscan_compact_may_be_small(&device, &call), n <= 132 * SMALL);
    }
}

Test(compact_plans, records_have_large_tiles)
{
    for (size_t n = 1; n < (size_t)1 << 30; n *= 2) {
        const compact_facts call = {.n = n, .records = true};
        const parscan_plan_device device = specialised(PLAN_H100);
        cr_expect_eq(parscan_compact_plan(&device, &call), COMPACT_MANY);
        cr_expect_eq(parscan_compact_plan(&plan_devices[PLAN_A100], &call), COMPACT_UNSPECIALISED);
    }
}

Test(compact_plans, other_architectures_have_one_shape)
{
    for (size_t n = 1; n < (size_t)1 << 30; n *= 2) {
        const compact_facts call = call_of(n, 0);
        cr_expect_not(parscan_compact_may_be_small(&plan_devices[PLAN_A100], &call));
        expect(&plan_devices[PLAN_A100], n, 0, COMPACT_UNSPECIALISED);
        expect(&plan_devices[PLAN_SMALL], n, 0, COMPACT_UNSPECIALISED);
    }
}
