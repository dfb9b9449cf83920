/* Which variants of selections run on CUDA, at each limit and beside it. */
#include <criterion/criterion.h>

#include "apps/select/arg_reduce_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(select_plans, .timeout = 60);

static arg_reduce_variant variant_of(size_t n, size_t size)
{
    const arg_reduce_facts call = {.n = n, .size = size};
    return parscan_arg_reduce_plan(&plan_devices[PLAN_H100], &call).variant;
}

Test(select_plans, an_extreme_of_few_bytes_takes_one_block)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const size_t bytes =
            plan_limit(&parscan_arg_reduce_plans, "one_block_bytes", &plan_devices[d]);
        cr_expect_eq(bytes, 32768, "the chunk of a block, not a property of the device");
        for (size_t size = 1; size <= 8; size *= 2) {
            cr_expect_eq(variant_of(0, size), ARG_REDUCE_ONE_BLOCK);
            cr_expect_eq(variant_of(bytes / size, size), ARG_REDUCE_ONE_BLOCK);
            cr_expect_eq(variant_of(bytes / size + 1, size), ARG_REDUCE_BLOCKS);
        }
    }
}

Test(select_plans, extremes_of_segments_are_found_by_offsets)
{
    const arg_reduce_facts by_offsets = {
        .n = 1000, .size = 4, .has_segments = true, .by_offsets = true};
    const arg_reduce_facts by_flags = {.n = 1000, .size = 4, .has_segments = true};
    cr_expect_eq(parscan_arg_reduce_plan(&plan_devices[PLAN_H100], &by_offsets).variant,
                 ARG_REDUCE_PARTS);
    cr_expect_eq(parscan_arg_reduce_plan(&plan_devices[PLAN_H100], &by_flags).variant,
                 ARG_REDUCE_FOUND_PARTS);
}
