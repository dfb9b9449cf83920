/* Which variant of a search for bounds runs on CUDA, at each limit and beside it, and its tree. */
#include <criterion/criterion.h>

#include "apps/search/bounds_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(bounds_plans, .timeout = 60);

static bounds_plan plan_of(unsigned device, size_t count, size_t n, size_t key_size)
{
    const bounds_facts call = {.count = count, .n = n, .key_size = key_size};
    return parscan_bounds_plan(&plan_devices[device], &call);
}

static size_t limit_of(unsigned device, const char *name)
{
    return plan_limit(&parscan_bounds_plans, name, &plan_devices[device]);
}

Test(bounds_plans, make_a_tree_of_many_keys_for_many_needles)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t size = 1; size <= 8; size *= 2) {
            const size_t few = limit_of(d, "direct_bytes") / size;
            const size_t sparse = limit_of(d, "keys_a_needle");
            cr_expect_eq(plan_of(d, few, few, size).variant, BOUNDS_DIRECT);
            cr_expect_eq(plan_of(d, few + 1, few, size).variant, BOUNDS_TREE);
            cr_expect_eq(plan_of(d, sparse << 25, 1 << 25, size).variant, BOUNDS_TREE);
            cr_expect_eq(plan_of(d, sparse << 25, (1 << 25) - 1, size).variant, BOUNDS_DIRECT);
        }
}

Test(bounds_plans, take_few_needles_a_lane_where_there_are_few)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const size_t few = limit_of(d, "few_needles");
        cr_expect_eq(plan_of(d, 100, few, 4).batches, 1);
        cr_expect_eq(plan_of(d, 100, few + 1, 4).batches, BOUNDS_BATCHES);
        cr_expect_eq(plan_of(d, 100, 1, 4).blocks, 1);
        cr_expect_eq(plan_of(d, 100, few, 4).blocks >= plan_devices[d].multiprocessors, true);
    }
}

Test(bounds_plans, seek_many_needles_in_order_before_the_tree)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t size = 1; size <= 8; size *= 2) {
            const size_t n = limit_of(d, "stream_needles");
            const bool has_room = plan_devices[d].shared_bytes >= BOUNDS_STREAM_BYTES;
            const size_t needles = BOUNDS_STREAM_THREADS * BOUNDS_STREAM_ROWS_OF(size);
            const bounds_facts join = {.count = n, .n = n, .key_size = size, .ranges = true};
            const bounds_plan plan = plan_of(d, n, n, size);
            cr_expect_eq(plan.stream_needles, has_room ? needles : 0);
            cr_expect_geq(plan.scratch_bytes, plan.tree_keys * size);
            if (has_room)
                cr_expect_geq(plan.scratch_bytes - plan.left_at,
                              BOUNDS_STREAM_BLOCKS + n / needles);
            cr_expect_eq(plan_of(d, 2 * n, n, size).stream_needles, 0);
            cr_expect_eq(plan_of(d, n, n - 1, size).stream_needles, 0);
            cr_expect_eq(parscan_bounds_plan(&plan_devices[d], &join).stream_needles, 0);
        }
}

Test(bounds_plans, read_sectors_where_blocks_begin_with_one)
{
    for (uintptr_t place = 0; place < 256; place += 4) {
        const bounds_facts call = {.count = 1, .n = 1, .key_size = 4, .sorted = place};
        const bounds_plan plan = parscan_bounds_plan(&plan_devices[PLAN_H100], &call);
        cr_expect_eq(plan.sectors, place % BOUNDS_NODE_BYTES == 0);
    }
}

Test(bounds_plans, keep_samples_in_the_cache_beside_keys_that_do_not_fit_it)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const size_t near = limit_of(d, "near_bytes") / 4;
        cr_expect_not(plan_of(d, near, near, 4).far);
        cr_expect(plan_of(d, near + 1, 1, 4).far);
    }
}

/* Each level has the last key of each node of the level below it. */
static void expect_tree(unsigned device, size_t count, size_t size)
{
    const bounds_plan plan = plan_of(device, count, count, size);
    const size_t fanout = BOUNDS_NODE_BYTES / size < BOUNDS_MOST_FANOUT ? BOUNDS_NODE_BYTES / size
                                                                        : BOUNDS_MOST_FANOUT;
    const size_t block = BOUNDS_BLOCK_BYTES / size;
    size_t samples = (count + block - 1) / block, at = 0;
    cr_expect_leq(plan.shared_bytes, plan_devices[device].shared_bytes);
    cr_expect_eq(plan.top & (plan.top - 1), 0);
    if (plan.variant == BOUNDS_DIRECT)
        return;
    cr_assert(plan.levels >= 1 && plan.levels <= BOUNDS_LEVELS);
    for (unsigned l = 0; l < plan.levels; l++) {
        cr_expect_eq(plan.level_at[l], at);
        cr_expect_eq(samples <= plan.top, l + 1 == plan.levels);
        at += (samples + fanout - 1) / fanout * fanout;
        samples = (samples + fanout - 1) / fanout;
    }
    cr_expect_eq(plan.tree_keys, at);
}

Test(bounds_plans, have_levels_down_to_what_shared_memory_holds)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t size = 1; size <= 8; size *= 2)
            for (size_t count = 1; count <= ((size_t)1 << 38) / size; count *= 2)
                for (size_t near = 0; near < 3; near++)
                    expect_tree(d, count + near, size);
}
