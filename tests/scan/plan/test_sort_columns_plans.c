/* How many rounds a sort by columns has on CUDA, and of which keys, at each limit and beside it. */
#include <criterion/criterion.h>

#include "apps/sort/column_bits.h"
#include "apps/sort/sort_columns_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(sort_columns_plans, .timeout = 60);

static columns_plan plan_of(size_t n, unsigned bits)
{
    const columns_facts call = {.n = n, .bits = bits};
    return parscan_sort_columns_plan(&plan_devices[PLAN_H100], &call);
}

Test(sort_columns_plans, have_one_sort_where_a_key_has_all_bits)
{
    for (unsigned bits = 0; bits <= 64; bits++) {
        const columns_plan plan = plan_of(1000, bits);
        cr_expect_eq(plan.variant, bits <= 32 ? COLUMNS_ONE_NARROW : COLUMNS_ONE);
        cr_expect_eq(plan.first_bits, bits <= 32 ? 32 : 64);
        cr_expect_eq(plan.rounds, 1);
    }
}

Test(sort_columns_plans, begin_with_short_keys_unless_many_rows_are_equal_in_them)
{
    const size_t most =
        plan_limit(&parscan_sort_columns_plans, "narrow_elements", &plan_devices[PLAN_H100]);
    for (size_t n = most - 1; n <= most + 1; n++) {
        cr_expect_eq(plan_of(n, 65).variant, n <= most ? COLUMNS_NARROW_FIRST : COLUMNS_ROUNDS);
        cr_expect_eq(plan_of(n, 65).first_bits, n <= most ? 32 : 64);
    }
    const size_t least =
        plan_limit(&parscan_sort_columns_plans, "narrow_from", &plan_devices[PLAN_H100]);
    for (size_t n = least - 1; n <= least + 1; n++)
        cr_expect_eq(plan_of(n, 65).variant, n >= least ? COLUMNS_NARROW_FIRST : COLUMNS_ROUNDS);
}

/* A sample tells more only where keys begin with 32 of more bits. */
Test(sort_columns_plans, sample_rows_where_short_keys_have_rounds_after_them)
{
    const unsigned device = PLAN_H100;
    const size_t equal =
        plan_limit(&parscan_sort_columns_plans, "sampled_equal", &plan_devices[device]);
    const size_t n = plan_limit(&parscan_sort_columns_plans, "narrow_from", &plan_devices[device]);
    cr_expect_lt(equal, plan_limit(&parscan_sort_columns_plans, "sampled", &plan_devices[device]));
    cr_expect_eq(plan_of(n, 32).sampled_equal, 0);
    cr_expect_eq(plan_of(n, 64).sampled_equal, 0);
    cr_expect_eq(plan_of(n, 65).sampled_equal, equal);
    cr_expect_eq(plan_of(n - 1, 65).sampled_equal, 0);
}

/* Rounds take all bits, if each has as many groups as there can be. */
Test(sort_columns_plans, have_rounds_for_all_bits)
{
    static const size_t lengths[] = {1, 2, 3, 1000, (size_t)1 << 24, (size_t)1 << 32};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (unsigned bits = 65; bits <= 64 * 64 * 8; bits += 1 + bits / 7) {
            const columns_plan plan = plan_of(lengths[k], bits);
            const unsigned gain = 64 - bits_of_numbers(lengths[k] / 2);
            cr_expect_geq(plan.first_bits + (plan.rounds - 1) * gain, bits);
            cr_expect_lt(plan.first_bits + (plan.rounds - 2) * gain, bits);
            cr_expect(plan.later_bits <= 64 && plan.later_bits > 0);
        }
    cr_expect_eq(plan_of((size_t)1 << 24, 96).rounds, 3);
}

Test(sort_columns_plans, have_no_more_warps_than_there_is_room_for)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const columns_facts few = {.n = 1, .bits = 96}, many = {.n = SIZE_MAX / 2, .bits = 96};
        cr_expect_eq(parscan_sort_columns_plan(&plan_devices[d], &few).lister_count, 1);
        cr_expect_eq(parscan_sort_columns_plan(&plan_devices[d], &many).lister_count,
                     COLUMN_LISTERS);
    }
}
