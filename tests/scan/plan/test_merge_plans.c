/* Which variants of a merge run on CUDA, and what they move at once. */
#include <criterion/criterion.h>

#include "apps/join/merge_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(merge_plans, .timeout = 60);

static merge_plan plan_of(unsigned device, size_t value_size, size_t alignment)
{
    const merge_facts call = {.value_size = value_size, .alignment = alignment};
    return parscan_merge_plan(&plan_devices[device], &call);
}

Test(merge_plans, move_values_in_the_largest_units_that_fit)
{
    cr_expect_eq(plan_of(PLAN_H100, 0, 16).variant, MERGE_KEYS);
    cr_expect_eq(plan_of(PLAN_H100, 0, 16).unit, 0);
    for (size_t size = 1; size <= 64; size++) {
        const size_t alignment = (size & -size) < 16 ? size & -size : 16;
        const merge_plan plan = plan_of(PLAN_H100, size, alignment);
        cr_expect_eq(plan.variant, MERGE_PAIRS);
        cr_expect_eq(plan.unit, alignment);
    }
}

Test(merge_plans, merge_many_short_keys_without_values_by_a_network)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const size_t many = plan_limit(&parscan_merge_plans, "network", device);
        for (size_t size = 1; size <= 8; size *= 2) {
            const bool network = device->shared_bytes >= MERGE_NETWORK_BYTES && size <= 4;
            const merge_facts more = {
                .count = plan_limit(&parscan_merge_plans, "network_words", device) + 1,
                .key_size = size};
            const merge_facts keys = {.count = many, .key_size = size};
            const merge_facts fewer = {.count = many - 1, .key_size = size};
            const merge_facts pairs = {
                .count = many, .key_size = size, .value_size = 4, .alignment = 4};
            cr_expect_eq(parscan_merge_plan(device, &keys).variant,
                         network ? MERGE_NETWORK : MERGE_KEYS);
            cr_expect_eq(parscan_merge_plan(device, &more).variant,
                         network && size < 4 ? MERGE_NETWORK : MERGE_KEYS);
            cr_expect_eq(parscan_merge_plan(device, &fewer).variant, MERGE_KEYS);
            cr_expect_eq(parscan_merge_plan(device, &pairs).variant, MERGE_PAIRS);
        }
    }
}

Test(merge_plans, give_each_block_elements_for_all_of_its_threads)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const size_t least = plan_limit(&parscan_merge_plans, "least_span", &plan_devices[d]);
        cr_expect_eq(plan_of(d, 0, 16).least_span, least);
        cr_expect_eq(least, 512, "a property of a block, not of the device");
    }
}
