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

Test(select_plans, an_extreme_of_few_bytes_takes_tiles)
{
    const size_t bytes =
        plan_limit(&parscan_arg_reduce_plans, "tile_bytes", &plan_devices[PLAN_H100]);
    for (size_t size = 1; size <= 8; size *= 2) {
        cr_expect_eq(variant_of(0, size), ARG_REDUCE_TILES);
        cr_expect_eq(variant_of(bytes / size, size), ARG_REDUCE_TILES);
        cr_expect_eq(variant_of(bytes / size + 1, size), ARG_REDUCE_BLOCKS);
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

static top_k_plan plan_of_rows(unsigned device, size_t row, size_t k, size_t size)
{
    const top_k_facts call = {
        .n = row * 3000, .k = k, .size = size, .has_segments = true, .row = row, .wanted = true};
    return parscan_top_k_plan(&plan_devices[device], &call);
}

Test(select_plans, threads_warps_or_blocks_choose_of_rows)
{
    for (size_t size = 1; size <= 8; size *= 2)
        for (size_t k = 1; k <= 2 * TOP_K_MOST_CHOSEN; k = k * 2 - k / 2)
            for (size_t row = 1; row <= 4 * TOP_K_WARP_ELEMENTS; row = row * 2 - row / 2) {
                const bool by_threads = row <= TOP_K_THREAD_ELEMENTS && k <= TOP_K_MOST_OF_THREAD;
                const bool by_warps = row <= TOP_K_WARP_ELEMENTS && k <= TOP_K_MOST_OF_WARP;
                cr_expect_eq(plan_of_rows(PLAN_H100, row, k, size).variant,
                             k > TOP_K_MOST_CHOSEN ? TOP_K_SEGMENTS_SORTED
                             : by_threads          ? TOP_K_ROW_THREADS
                             : by_warps            ? TOP_K_ROW_WARPS
                                                   : TOP_K_ROW_BLOCKS);
            }
    const top_k_facts unknown = {
        .n = 1 << 20, .k = TOP_K_MOST_OF_WARP, .size = 4, .has_segments = true, .wanted = true};
    cr_expect_eq(parscan_top_k_plan(&plan_devices[PLAN_H100], &unknown).variant,
                 TOP_K_SEGMENT_BOTH);
    cr_expect(!plan_of_rows(PLAN_H100, (size_t)1 << 22, 500, 4).wide, "of places within a row");
}

Test(select_plans, one_launch_chooses_very_few)
{
    for (size_t n = 1; n < (size_t)1 << 34; n = n * 3 + 1) {
        const top_k_plan plan = top_plan(n, TOP_K_MOST_OF_BLOCKS, 4, false);
        cr_expect_eq(plan.variant, TOP_K_BLOCKS);
        cr_expect(plan.blocks >= 2 && plan.blocks <= 2 * plan_devices[PLAN_H100].multiprocessors);
    }
    /* Streams do not fit into the shared memory of all devices. */
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const top_k_facts call = {.n = 1 << 20, .k = 5, .size = 4, .wanted = true};
        const bool fits = plan_devices[d].shared_bytes >= TOP_K_STREAM_BYTES;
        cr_expect_eq(parscan_top_k_plan(&plan_devices[d], &call).variant,
                     fits ? TOP_K_BLOCKS : TOP_K_FEW);
        cr_expect_eq(plan_of_rows(d, 5000, 50, 4).variant,
                     fits ? TOP_K_ROW_BLOCKS : TOP_K_SEGMENT_BLOCKS);
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
            const bool apart = rows == 1 || row >= rows * each;
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
        for (size_t k = TOP_K_MOST_OF_BLOCKS + 1; k <= n / 4; k = k * 5 + 1) {
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
