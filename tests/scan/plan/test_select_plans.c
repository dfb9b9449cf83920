/* Which variants of selections run on CUDA, at each limit and beside it. */
#include <criterion/criterion.h>

#include "apps/select/arg_reduce_plan.h"
#include "apps/select/top_k_plan.h"
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

/* ---- top-k ---- */

static top_k_plan top_plan(size_t n, size_t k, size_t size, bool has_segments)
{
    const top_k_facts call = {
        .n = n, .k = k, .size = size, .has_segments = has_segments, .wanted = true};
    return parscan_top_k_plan(&plan_devices[PLAN_H100], &call);
}

Test(select_plans, a_block_chooses_few_of_few)
{
    const size_t few = plan_limit(&parscan_top_k_plans, "block_elements", &plan_devices[PLAN_H100]);
    for (size_t n = few - 1; n <= few + 1; n++)
        cr_expect_eq(top_plan(n, 1000, 4, false).variant, n <= few ? TOP_K_ONE_BLOCK : TOP_K_FEW);
    for (size_t k = TOP_K_MOST_CHOSEN - 1; k <= TOP_K_MOST_CHOSEN + 1; k++) {
        const bool chosen = k <= TOP_K_MOST_CHOSEN;
        cr_expect_eq(top_plan(1 << 20, k, 4, false).variant, chosen ? TOP_K_FEW : TOP_K_MANY);
        cr_expect_eq(top_plan(1 << 20, k, 4, true).variant,
                     chosen ? TOP_K_SEGMENT_BLOCKS : TOP_K_SEGMENTS_SORTED);
    }
    cr_expect_eq(top_plan(0, 5, 4, false).variant, TOP_K_COUNTS);
    cr_expect_eq(top_plan(5, 0, 4, true).variant, TOP_K_COUNTS);
}

Test(select_plans, a_warp_chooses_few_of_a_short_segment)
{
    for (size_t k = TOP_K_MOST_OF_WARP; k <= TOP_K_MOST_OF_WARP + 1; k++)
        for (size_t row = 0; row <= 2 * TOP_K_WARP_ELEMENTS; row += TOP_K_WARP_ELEMENTS) {
            const top_k_facts call = {
                .n = 1 << 20, .k = k, .size = 4, .has_segments = true, .row = row, .wanted = true};
            const bool few = k <= TOP_K_MOST_OF_WARP && row <= TOP_K_WARP_ELEMENTS;
            cr_expect_eq(parscan_top_k_plan(&plan_devices[PLAN_H100], &call).variant,
                         !few       ? TOP_K_SEGMENT_BLOCKS
                         : row == 0 ? TOP_K_SEGMENT_BOTH
                                    : TOP_K_SEGMENT_WARPS);
        }
}

Test(select_plans, few_long_rows_are_taken_one_after_another)
{
    const size_t each = plan_limit(&parscan_top_k_plans, "apart", &plan_devices[PLAN_H100]);
    for (size_t rows = 1; rows < 50; rows = rows * 3 + 1)
        for (size_t row = rows * each - 1; row <= rows * each + 1; row++) {
            const top_k_facts call = {.n = rows * row,
                                      .k = 5000,
                                      .size = 4,
                                      .has_segments = true,
                                      .row = row,
                                      .wanted = true};
            const top_k_plan plan = parscan_top_k_plan(&plan_devices[PLAN_H100], &call);
            const bool apart = row >= rows * each;
            cr_expect_eq(plan.apart, apart ? rows : 0);
            cr_expect_eq(plan.variant, apart ? TOP_K_MANY : TOP_K_SEGMENTS_SORTED);
            cr_expect_eq(plan.room, apart ? top_plan(row, 5000, 4, false).room : 0);
        }
}

Test(select_plans, all_is_sorted_where_k_is_much_of_it)
{
    const size_t part = plan_limit(&parscan_top_k_plans, "sorted_part", &plan_devices[PLAN_H100]);
    const size_t n = 1 << 20;
    cr_expect_eq(top_plan(n, n / part, 4, false).variant, TOP_K_MANY);
    cr_expect_eq(top_plan(n, n / part + 1, 4, false).variant, TOP_K_SORTED);
    cr_expect_eq(top_plan(n, n, 4, false).variant, TOP_K_SORTED);
}

Test(select_plans, candidates_have_room_and_a_sample_is_small)
{
    const size_t most = plan_limit(&parscan_top_k_plans, "most_samples", &plan_devices[PLAN_H100]);
    const size_t roots =
        plan_limit(&parscan_top_k_plans, "sampled_roots", &plan_devices[PLAN_H100]);
    for (size_t n = 20000; n < (size_t)1 << 34; n = n * 3 + 1)
        for (size_t k = 1; k <= n / 4; k = k * 5 + 1) {
            const top_k_plan plan = top_plan(n, k, 2, false);
            if (plan.variant == TOP_K_SORTED)
                continue;
            cr_expect(plan.samples % TOP_K_SAMPLES_OF_BLOCK == 0 && plan.samples > 0);
            cr_expect(plan.samples <= most && plan.samples <= roots * n);
            cr_expect(plan.room > k && plan.room <= n, "%zu of %zu: room %zu", k, n, plan.room);
            cr_expect_eq(plan.wide, n > UINT32_MAX);
        }
    cr_expect(top_plan(1 << 20, 7, 8, false).wide);
}
