/* How elements are moved between arrays with strides on CUDA: each element once, whatever the axes, in boxes that fit
   a block. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "scan/axis/move_lines_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(move_lines_plans, .timeout = 60);

static move_plan plan_of(const move_facts *facts)
{
    return parscan_move_lines_plan(&plan_devices[PLAN_H100], facts);
}

/* Lines along the middle axis of outer x n x inner elements, to rows. */
static move_facts to_rows(size_t outer, size_t n, size_t inner, size_t size)
{
    const int64_t bytes = (int64_t)size;
    return (move_facts){
        .lengths = {outer, n, inner},
        .from = {(int64_t)(n * inner) * bytes, (int64_t)inner * bytes, bytes},
        .to = {(int64_t)(inner * n) * bytes, bytes, (int64_t)n * bytes},
        .size = size,
        .alignment = 256,
    };
}

static void expect_fitting(const move_facts *facts, const move_plan *plan)
{
    size_t units = plan->unit, boxes = 1;
    for (int k = 0; k < MOVE_AXES; k++) {
        units *= plan->lengths[k];
        boxes *= plan->parts[k];
        cr_assert(plan->box[k] >= 1 && plan->box[k] <= plan->lengths[k]);
        cr_assert_eq(plan->parts[k], (plan->lengths[k] + plan->box[k] - 1) / plan->box[k]);
    }
    cr_assert_eq(units, facts->lengths[0] * facts->lengths[1] * facts->lengths[2] * facts->size);
    cr_assert_eq(boxes, plan->boxes);
    cr_assert_leq(plan->shared_bytes, 48 << 10);
    cr_assert_leq(plan->box[0] * plan->box[1] * plan->box[2] * plan->unit, 16 << 10);
    cr_assert_eq(plan->box[3], 1);
    cr_assert_eq(plan->shared_bytes == 0, plan->variant == MOVE_STRAIGHT);
    cr_assert_geq(plan->pitch, plan->box[0]);
    cr_assert_leq(plan->reads.shift, 8);
    cr_assert_leq(plan->writes.shift, 8);
    cr_assert_geq((size_t)plan->reads.chunks << plan->reads.shift, plan->box[0]);
    cr_assert_geq((size_t)plan->writes.chunks << plan->writes.shift, plan->box[1]);
    if (plan->variant == MOVE_TURNED)
        cr_assert(plan->box[2] == 1 && plan->reads.chunks == 1 && plan->writes.chunks == 1);
    /* The kernels divide numbers of 16 bits. */
    cr_assert_leq((size_t)plan->reads.chunks * plan->box[1] * plan->box[2], 32 << 10);
    cr_assert_leq((size_t)plan->writes.chunks * plan->box[0] * plan->box[2], 32 << 10);
}

Test(move_lines_plans, long_sides_are_turned)
{
    for (size_t size = 1; size <= 8; size *= 2) {
        const move_facts facts = to_rows(1, 1 << 20, 1000, size);
        const move_plan plan = plan_of(&facts);
        cr_expect_eq(plan.variant, MOVE_TURNED);
        cr_expect_geq(plan.box[0] * size, 128);
        cr_expect_geq(plan.box[1] * size, 128);
        expect_fitting(&facts, &plan);
    }
}

/* A box has many lines, or many rows, where the other axis is short. */
Test(move_lines_plans, short_sides_fill_a_box)
{
    for (size_t size = 1; size <= 8; size *= 2)
        for (size_t side = 2; side < 40; side++) {
            const move_facts columns = to_rows(1, 1 << 20, side, size),
                             rows = to_rows(1, side, 1 << 20, size),
                             both = to_rows(1 << 20, side, side, size);
            const move_facts *const all[] = {&columns, &rows, &both};
            for (int k = 0; k < 3; k++) {
                const move_plan plan = plan_of(all[k]);
                expect_fitting(all[k], &plan);
                cr_assert_geq(plan.box[0] * plan.box[1] * plan.box[2] * size, 4096,
                              "%zu of %zu bytes, %d", side, size, k);
            }
        }
}

Test(move_lines_plans, rows_with_gaps_are_copied_in_wide_units)
{
    move_facts facts = to_rows(1000, 64, 1, 4);
    facts.from[0] += 16;
    move_plan plan = plan_of(&facts);
    cr_expect_eq(plan.variant, MOVE_STRAIGHT);
    cr_expect_eq(plan.unit, 16);
    expect_fitting(&facts, &plan);
    facts.from[0] -= 12;
    plan = plan_of(&facts);
    cr_expect_eq(plan.unit, 4);
    facts.alignment = 8;
    facts.from[0] += 28;
    plan = plan_of(&facts);
    cr_expect_eq(plan.unit, 8);
    facts.from[1] = -4;
    plan = plan_of(&facts);
    cr_expect_eq(plan.unit, 4);
}

/* ---- each element once ---- */

typedef struct pair {
    int64_t from, to;
} pair;

static int compare(const void *a, const void *b)
{
    const pair *const x = a, *const y = b;
    return x->to != y->to ? (x->to < y->to ? -1 : 1) : (x->from > y->from) - (x->from < y->from);
}

/* Which byte goes where, of arrays with so many axes. */
static pair *pairs_of(unsigned axes, const size_t *lengths, const int64_t *from, const int64_t *to,
                      size_t size)
{
    size_t elements = 1, count = 0;
    for (unsigned k = 0; k < axes; k++)
        elements *= lengths[k];
    pair *const pairs = malloc(elements * size * sizeof *pairs);
    for (size_t i = 0; i < elements; i++) {
        pair at = {0, 0};
        size_t rest = i;
        for (unsigned k = 0; k < axes; k++, rest /= lengths[k - 1]) {
            at.from += (int64_t)(rest % lengths[k]) * from[k];
            at.to += (int64_t)(rest % lengths[k]) * to[k];
        }
        for (int64_t k = 0; k < (int64_t)size; k++)
            pairs[count++] = (pair){at.from + k, at.to + k};
    }
    qsort(pairs, count, sizeof *pairs, compare);
    return pairs;
}

static void choose_strides(const size_t lengths[3], size_t size, bool repeats, int64_t strides[3])
{
    int order[3] = {0, 1, 2};
    int64_t stride = (int64_t)size;
    for (int k = 2; k > 0; k--) {
        const int j = rand() % (k + 1), kept = order[k];
        order[k] = order[j];
        order[j] = kept;
    }
    for (int k = 0; k < 3; k++) {
        const int axis = order[k];
        strides[axis] = repeats && rand() % 3 == 0 ? 0 : rand() % 4 == 0 ? -stride : stride;
        stride *= (int64_t)lengths[axis];
        stride += rand() % 3 == 0
                      ? (int64_t)(size % 2 == 0 && rand() % 2 == 0 ? size / 2 : size) * (rand() % 5)
                      : 0;
    }
}

Test(move_lines_plans, each_element_is_moved_once)
{
    for (int round = 0; round < 600; round++) {
        move_facts facts = {.size = round % 2 == 0 ? (size_t)1 << rand() % 4
                                                   : 1 + (size_t)(rand() % 64),
                            .alignment = (size_t)1 << rand() % 6};
        for (int k = 0; k < 3; k++)
            facts.lengths[k] = 1 + (size_t)(rand() % (rand() % 4 == 0 ? 40 : 6));
        choose_strides(facts.lengths, facts.size, true, facts.from);
        choose_strides(facts.lengths, facts.size, false, facts.to);
        const move_plan plan = plan_of(&facts);
        expect_fitting(&facts, &plan);
        const size_t bytes = facts.lengths[0] * facts.lengths[1] * facts.lengths[2] * facts.size;
        pair *const expected = pairs_of(3, facts.lengths, facts.from, facts.to, facts.size);
        pair *const planned = pairs_of(MOVE_AXES, plan.lengths, plan.from, plan.to, plan.unit);
        cr_assert_arr_eq(planned, expected, bytes * sizeof *planned, "round %d", round);
        cr_assert_leq(plan.unit, facts.alignment);
        for (int k = 0; k < MOVE_AXES; k++)
            cr_assert(plan.lengths[k] == 1 ||
                      (plan.from[k] % plan.unit == 0 && plan.to[k] % plan.unit == 0));
        free(planned);
        free(expected);
    }
}
