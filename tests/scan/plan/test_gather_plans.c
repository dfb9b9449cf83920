/* Which variants of gather and scatter run on CUDA, at each limit and beside it. */
#include <criterion/criterion.h>

#include "apps/gather/gather_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(gather_plans, .timeout = 60);

static gather_plan plan_of(size_t value_size, size_t alignment, bool scatters, bool last_wins)
{
    const gather_facts call = {.n = 1000,
                               .value_size = value_size,
                               .alignment = alignment,
                               .scatters = scatters,
                               .last_wins = last_wins};
    return parscan_gather_plan(&plan_devices[PLAN_H100], &call);
}

Test(gather_plans, move_whole_elements_where_they_are_aligned)
{
    for (size_t size = 1; size <= 16; size *= 2) {
        cr_expect_eq(plan_of(size, size, false, false).variant, GATHER_ELEMENTS);
        if (size > 1)
            cr_expect_eq(plan_of(size, size / 2, false, false).variant, GATHER_UNITS);
    }
    cr_expect_eq(plan_of(12, 4, false, false).variant, GATHER_UNITS);
    cr_expect_eq(plan_of(12, 4, false, false).unit, 4);
    cr_expect_eq(plan_of(32, 16, false, false).unit, 16);
}

Test(gather_plans, store_at_once_what_no_other_thread_may_divide)
{
    const size_t most = plan_limit(&parscan_gather_plans, "at_once", &plan_devices[PLAN_H100]);
    for (size_t size = 1; size <= 16; size *= 2) {
        cr_expect_eq(plan_of(size, size, true, false).variant,
                     size <= most ? GATHER_SCATTER : GATHER_WINNERS);
        cr_expect_eq(plan_of(size, size, true, true).variant, GATHER_WINNERS);
    }
    cr_expect_eq(plan_of(8, 4, true, false).variant, GATHER_WINNERS);
    cr_expect_eq(most, 8, "a property of stores, not of the device");
}

Test(gather_plans, places_are_as_wide_as_there_are_indices)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const size_t most = plan_limit(&parscan_gather_plans, "narrow_places", &plan_devices[d]);
        for (size_t n = most - 1; n <= most + 1; n++) {
            const gather_facts call = {.n = n, .value_size = 4, .alignment = 4, .scatters = true};
            cr_expect_eq(parscan_gather_plan(&plan_devices[d], &call).wide_winners, n > most);
        }
        cr_expect_eq(most, UINT32_MAX, "a property of 32 bits, not of the device");
    }
}
