/* How scans and reductions along an axis are divided on CUDA: a tile fits its block, and every shape is
   covered. */
#include <criterion/criterion.h>

#include "scan/axis/axis_plan.h"
#include "scan/reproducible/tree_carry.h"
#include "tests/scan/plan/plans.h"

TestSuite(axis_plans, .timeout = 60);

static axis_plan plan_of(unsigned device, axis_facts call)
{
    return parscan_axis_plan(&plan_devices[device], &call);
}

static axis_facts scan_of(size_t outer, size_t n, size_t inner, size_t size, bool packed)
{
    return (axis_facts){.outer = outer,
                        .n = n,
                        .inner = inner,
                        .in_size = size,
                        .out_size = size,
                        .packed = packed};
}

Test(axis_plans, narrow_rows_are_staged)
{
    for (size_t size = 1; size <= 8; size *= 2) {
        const size_t most =
            plan_limit(&parscan_axis_plans, "narrow_bytes", &plan_devices[PLAN_H100]) / size;
        cr_expect_eq(plan_of(PLAN_H100, scan_of(1, 1 << 20, most, size, true)).variant,
                     AXIS_STAGED);
        cr_expect_eq(plan_of(PLAN_H100, scan_of(1, 1 << 20, most + 1, size, true)).variant,
                     AXIS_COLUMNS);
        cr_expect_eq(plan_of(PLAN_H100, scan_of(1, 1 << 20, most, size, false)).variant,
                     AXIS_COLUMNS);
    }
}

Test(axis_plans, many_lines_are_taken_by_a_thread_each)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const size_t lines = plan_limit(&parscan_axis_plans, "serial_lines", &plan_devices[d]);
        cr_expect_eq(plan_of(d, scan_of(1, 4096, lines, 4, true)).variant, AXIS_SERIAL);
        cr_expect_eq(plan_of(d, scan_of(1, 4096, lines - 1, 4, true)).variant, AXIS_COLUMNS);
    }
    cr_expect_eq(plan_of(PLAN_H100, scan_of(1, 33, 1000, 4, true)).variant, AXIS_SERIAL);
    cr_expect_eq(plan_of(PLAN_H100, scan_of(1, 34, 1000, 4, true)).variant, AXIS_COLUMNS);
}

Test(axis_plans, short_lines_side_by_side_are_taken_in_vectors)
{
    for (unsigned reduces = 0; reduces < 2; reduces++) {
        const size_t most =
            plan_limit(&parscan_axis_plans, reduces ? "neighbour_reduced" : "neighbour_rows",
                       &plan_devices[PLAN_H100]);
        for (size_t n = most - 1; n <= most + 1; n++) {
            axis_facts call = scan_of(1, n, 1 << 16, 4, true);
            call.reduces = reduces;
            const axis_variant without = plan_of(PLAN_H100, call).variant;
            cr_expect_eq(without, reduces ? AXIS_REDUCE : AXIS_SERIAL);
            call.has_neighbours = true;
            cr_expect_eq(plan_of(PLAN_H100, call).variant, n <= most ? AXIS_NEIGHBOURS : without);
            call.inner = 4; /* in rows of 16 bytes */
            cr_expect_eq(plan_of(PLAN_H100, call).variant == AXIS_NEIGHBOURS, reduces && n <= most);
        }
    }
}

/* Longer ones, if there are enough of them for all threads. */
Test(axis_plans, many_lines_side_by_side_are_reduced_in_vectors)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const size_t groups = plan_limit(&parscan_axis_plans, "neighbour_groups", &plan_devices[d]);
        const size_t most =
            plan_limit(&parscan_axis_plans, "neighbour_reduced_many", &plan_devices[d]);
        for (size_t size = 1; size <= 8; size *= 2) {
            axis_facts call = scan_of(groups, most, AXIS_NEIGHBOURS(size), size, true);
            call.reduces = call.has_neighbours = true;
            cr_expect_eq(plan_of(d, call).variant, AXIS_NEIGHBOURS);
            call.outer--;
            cr_expect_eq(plan_of(d, call).variant, AXIS_REDUCE);
            call.outer++;
            call.n++;
            cr_expect_eq(plan_of(d, call).variant, AXIS_REDUCE);
        }
    }
}

/* A few rows that fill tiles are for warps with roles, more of them for a warp each. */
Test(axis_plans, a_warp_a_row_needs_more_rows_than_the_pipeline)
{
    const parscan_plan_device *const device = &plan_devices[PLAN_H100];
    const size_t lines = plan_limit(&parscan_axis_plans, "warp_lines_piped", device);
    axis_facts call = scan_of(lines - 1, (size_t)1 << 16, 1, 4, true);
    call.sum_size = 4;
    call.alike = true;
    cr_expect_eq(plan_of(PLAN_H100, call).variant, AXIS_WARPS);
    call.has_near = true;
    cr_expect_eq(plan_of(PLAN_H100, call).variant, AXIS_PIPED_STAGED);
    call.n = 10000; /* less than a tile */
    cr_expect_eq(plan_of(PLAN_H100, call).variant, AXIS_WARPS);
    call.n = (size_t)1 << 16;
    call.outer = lines;
    cr_expect_eq(plan_of(PLAN_H100, call).variant, AXIS_WARPS);
}

/* Elements that are several rows: sums are of one. */
Test(axis_plans, runs_are_taken_by_the_pipeline)
{
    axis_facts call = scan_of(4, (size_t)1 << 24, 1, 4, true);
    call.sum_size = 1;
    call.has_near = true;
    cr_expect_eq(plan_of(PLAN_H100, call).variant, AXIS_STAGED);
    call.has_runs = true;
    cr_expect_eq(plan_of(PLAN_H100, call).variant, AXIS_PIPED_STAGED);
}

/* The warps with roles publish each column by itself, so three columns of a byte take three words of a tile. */
Test(axis_plans, all_that_is_published_has_words)
{
    axis_facts call = scan_of(1, (size_t)1 << 24, 3, 1, true);
    call.sum_size = 1;
    axis_plan plan = plan_of(PLAN_H100, call);
    cr_expect_eq(plan.variant, AXIS_STAGED);
    cr_expect_eq(parscan_axis_status_words(&plan, 1, 3, 1), plan.tiles);
    call.has_near = true;
    plan = plan_of(PLAN_H100, call);
    cr_expect_eq(plan.variant, AXIS_PIPED_STAGED);
    cr_expect_eq(parscan_axis_status_words(&plan, 1, 3, 1), plan.sets * plan.tiles * 3);
    call = scan_of(1, (size_t)1 << 24, 3, 8, true);
    call.sum_size = 8;
    call.has_near = true;
    plan = plan_of(PLAN_H100, call);
    cr_expect_eq(parscan_axis_status_words(&plan, 1, 3, 8), plan.sets * plan.tiles * 6);
    call.reduces = true;
    plan = plan_of(PLAN_H100, call);
    cr_expect_eq(plan.variant, AXIS_REDUCE);
    cr_expect_eq(parscan_axis_status_words(&plan, 1, 3, 8), plan.splits * 3 * 2);
    plan = plan_of(PLAN_H100, scan_of(1, 4, 4, 4, true));
    cr_expect_eq(parscan_axis_status_words(&plan, 1, 4, 4), 0);
}

Test(axis_plans, a_short_line_that_is_reduced_is_a_threads)
{
    const size_t most = plan_limit(&parscan_axis_plans, "reduce_short", &plan_devices[PLAN_H100]);
    for (size_t inner = 1; inner <= 4; inner++) {
        axis_facts call = scan_of((size_t)1 << 20, most / inner, inner, 1, true);
        call.reduces = true;
        call.sum_size = 1;
        axis_plan plan = plan_of(PLAN_H100, call);
        cr_expect_eq(plan.variant, AXIS_REDUCE);
        cr_expect_eq(plan.together, 1);
        call.packed = false;
        cr_expect_gt(plan_of(PLAN_H100, call).together, 1);
        call.packed = true;
        call.n++;
        cr_expect_gt(plan_of(PLAN_H100, call).together, 1);
    }
}

/* Elements of 16 bytes in rows of up to 64. */
Test(axis_plans, lanes_of_a_warp_have_columns_of_16_bytes)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t inner = 1; inner <= 8; inner++) {
            const bool taken = inner == 1 || inner == 2 || inner == 4;
            axis_facts call = scan_of((size_t)1 << 20, 16, inner, 16, true);
            call.sum_size = 16;
            call.alike = call.has_sixteen = true;
            cr_expect_eq(plan_of(d, call).variant == AXIS_WARPS, taken);
            call.reduces = call.has_row_vectors = true;
            const axis_plan plan = plan_of(d, call);
            cr_expect_eq(plan.variant == AXIS_ROW_VECTORS, taken);
            cr_expect(!taken || (plan.together % inner == 0 && plan.together <= 32));
            call.has_row_vectors = false;
            call.n = 4;
            cr_expect_neq(plan_of(d, call).variant, AXIS_WARPS); /* it only scans such elements */
        }
}

Test(axis_plans, long_rows_are_calls_of_their_own)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t size = 1; size <= 8; size *= 2)
            for (unsigned reduces = 0; reduces < 2; reduces++) {
                const size_t least = plan_limit(
                    &parscan_axis_plans, reduces ? "row_reduced" : "row_scanned", &plan_devices[d]);
                axis_facts call = scan_of(8, least / size, 1, size, true);
                call.reduces = reduces;
                cr_expect_neq(plan_of(d, call).variant, AXIS_ROW_CALLS);
                call.has_row_calls = true;
                cr_expect_eq(plan_of(d, call).variant, AXIS_ROW_CALLS);
                call.n--;
                cr_expect_neq(plan_of(d, call).variant, AXIS_ROW_CALLS);
                call = scan_of(8, least / size, 1, size, false);
                call.has_row_calls = true;
                cr_expect_neq(plan_of(d, call).variant, AXIS_ROW_CALLS);
                call = scan_of(64, least / size, 1, size, true);
                call.has_row_calls = call.has_near = true;
                call.sum_size = size;
                call.reduces = reduces;
                if (d == PLAN_H100 && !reduces)
                    cr_expect_eq(plan_of(d, call).variant, AXIS_PIPED_STAGED);
            }
}

Test(axis_plans, reductions_of_rows_are_taken_in_vectors)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const size_t lines = plan_limit(&parscan_axis_plans, "vector_lines", device);
        const size_t most = plan_limit(&parscan_axis_plans, "vector_bytes", device) / 4;
        static const struct {
            size_t n;
            unsigned together;
        } rows[] = {{1, 1},  {2, 1},   {3, 0},    {4, 1},    {6, 0},     {8, 2},    {12, 4},
                    {64, 8}, {128, 8}, {256, 16}, {400, 32}, {1000, 32}, {1022, 0}, {16384, 32}};
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            axis_facts call = scan_of(lines, rows[k].n, 1, 4, true);
            call.reduces = call.has_row_vectors = true;
            const axis_plan plan = plan_of(d, call);
            cr_expect_eq(plan.variant == AXIS_ROW_VECTORS, rows[k].together != 0, "%zu", call.n);
            if (rows[k].together != 0)
                cr_expect_eq(plan.together, rows[k].together, "%zu", call.n);
            call.outer = lines - 1;
            cr_expect_neq(plan_of(d, call).variant, AXIS_ROW_VECTORS);
        }
        static const size_t bytes[][2] = {{1, 1},  {2, 1},    {8, 4},    {16, 8},
                                          {64, 8}, {128, 16}, {1024, 32}};
        for (size_t k = 0; k < sizeof bytes / sizeof *bytes;
             k++) { /* of 16 bytes that are 16 parts */
            axis_facts call = scan_of(lines, bytes[k][0], 1, 16, true);
            call.part_size = 1;
            call.reduces = call.has_row_vectors = call.has_sixteen = true;
            cr_expect_eq(plan_of(d, call).together, bytes[k][1], "%zu vectors", bytes[k][0]);
        }
        axis_facts longer = scan_of(lines, most + 4, 1, 4, true);
        longer.reduces = longer.has_row_vectors = true;
        cr_expect_neq(plan_of(d, longer).variant, AXIS_ROW_VECTORS);
    }
}

/* Narrow rows, and columns of 4 or 8 bytes, in at least piped_tiles tiles, where a block has the shared memory. */
Test(axis_plans, many_tiles_of_columns_are_taken_by_warps_with_roles)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const bool fits =
            device->shared_bytes >= plan_limit(&parscan_axis_plans, "piped_bytes", device);
        const bool piped = fits && PARSCAN_WARP_SPECIALISED(device->architecture);
        for (size_t size = 1; size <= 8; size *= 2)
            for (size_t inner = 2; inner <= 200; inner *= 10) {
                const bool narrow = inner * size <= 127;
                if (size < 4 && !narrow)
                    continue;
                axis_facts call = scan_of(1, (size_t)1 << 24, inner, size, true);
                call.sum_size = size;
                const axis_variant without = narrow ? AXIS_STAGED : AXIS_COLUMNS;
                const axis_variant with = narrow ? AXIS_PIPED_STAGED : AXIS_PIPED_COLUMNS;
                cr_expect_eq(plan_of(d, call).variant, without);
                call.has_near = true;
                const axis_plan plan = plan_of(d, call);
                cr_expect_eq(plan.variant, piped ? with : without);
                if (!piped)
                    continue;
                const size_t least = plan_limit(&parscan_axis_plans, "piped_tiles", device);
                const size_t tiles = (least + plan.sets - 1) / plan.sets;
                call.n = (tiles - 1) * plan.tile_rows + 1;
                cr_expect_eq(plan_of(d, call).variant, with);
                call.n--;
                cr_expect_eq(plan_of(d, call).variant, without);
                call.n = (size_t)1 << 24;
                call.outer = 2; /* rows of both halves; but no sets of columns */
                cr_expect_eq(plan_of(d, call).variant, narrow ? with : without);
                if (narrow) { /* lines of which half of the second tile would be missing */
                    call.outer = 4096;
                    call.n = 2 * plan.tile_rows;
                    cr_expect_eq(plan_of(d, call).variant, with);
                    call.n = plan.tile_rows + plan.tile_rows / 3;
                    cr_expect_eq(plan_of(d, call).variant, without);
                    call.n = (size_t)1 << 24;
                }
                call.outer = 1;
                call.sum_size = size == 8 ? 4 : 8;
                cr_expect_eq(plan_of(d, call).variant, without);
            }
    }
}

/* Whole lines in a tile need no look-back. */
Test(axis_plans, short_rows_are_whole_in_a_tile)
{
    const axis_plan plan = plan_of(PLAN_H100, scan_of(1 << 22, 64, 1, 4, true));
    cr_expect_eq(plan.variant, AXIS_STAGED);
    cr_expect_eq(plan.tile_rows % 64, 0);
    cr_expect_not(plan.chained);
    cr_expect(plan_of(PLAN_H100, scan_of(4096, 65536, 1, 4, true)).chained);
}

Test(axis_plans, many_rows_are_taken_by_a_warp_each)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const size_t lines = plan_limit(&parscan_axis_plans, "warp_lines", &plan_devices[d]);
        const size_t bytes = plan_limit(&parscan_axis_plans, "warp_bytes", &plan_devices[d]);
        for (unsigned reduces = 0; reduces < 2; reduces++) {
            axis_facts call = scan_of(lines, 4096, 1, 4, true);
            if (reduces) {
                call.reduces = true;
                call.n = plan_limit(&parscan_axis_plans, "warp_reduced", &plan_devices[d]) / 4;
            }
            call.sum_size = 4;
            cr_expect_neq(plan_of(d, call).variant, AXIS_WARPS);
            call.alike = true;
            cr_expect_eq(plan_of(d, call).variant, AXIS_WARPS);
            cr_expect_eq(plan_of(d, call).rows, 1);
            call.n++;
            cr_expect_eq(plan_of(d, call).variant == AXIS_WARPS, !reduces);
            call.outer = (size_t)1 << 24;
            call.n = 16;
            cr_expect_eq(plan_of(d, call).rows, bytes / 64);
            call.outer = lines - 1;
            cr_expect_neq(plan_of(d, call).variant, AXIS_WARPS);
            call.outer = lines;
            call.inner = 2;
            cr_expect_neq(plan_of(d, call).variant, AXIS_WARPS);
        }
    }
}

static void expect_sound(unsigned device, const axis_facts *call)
{
    const axis_plan plan = parscan_axis_plan(&plan_devices[device], call);
    const size_t lines = call->outer * call->inner;
    const size_t size = call->in_size > call->out_size ? call->in_size : call->out_size;
    if (plan.variant == AXIS_SERIAL || plan.variant == AXIS_ROW_CALLS)
        return;
    if (plan.variant == AXIS_TREE) {
        cr_assert(plan.width >= 1 && plan.rows >= 1 && plan.rows <= TILE_ROWS);
        cr_assert(plan.threads % 32 == 0 && plan.threads <= 1024);
        cr_assert_leq(plan.width * plan.rows, plan.threads);
        cr_assert(plan.tiles > 1 || plan.rows * ROW >= call->n);
        cr_assert(plan.tiles * TREE_TILE >= call->n && (plan.tiles - 1) * TREE_TILE < call->n);
        cr_assert(plan.sets * plan.width >= lines && (plan.sets - 1) * plan.width < lines);
        return;
    }
    if (plan.variant == AXIS_WARPS) {
        cr_assert(call->packed && call->alike && call->inner == 1 && plan.rows >= 1);
        cr_assert(plan.rows == 1 || plan.rows * call->n * size <= 8192);
        return;
    }
    if (plan.variant == AXIS_REDUCE) {
        cr_assert(plan.near >= 1 && plan.far >= 1 && plan.together >= 1);
        cr_assert_leq(plan.near * plan.far * plan.together, plan.threads);
        cr_assert_geq(plan.splits * plan.tile_rows, call->n);
        cr_assert(call->n == 0 || (plan.splits - 1) * plan.tile_rows < call->n);
        cr_assert(!plan.many || (call->n <= 8 * plan.together && plan.splits == 1));
        cr_assert_eq(plan.chained, plan.splits > 1);
        return;
    }
    cr_assert(plan.width >= 1 && plan.width <= 256 / size && plan.width <= plan.threads);
    cr_assert_leq(plan.rows, AXIS_ROWS(size, call->sum_size));
    cr_assert_leq(plan.threads, AXIS_THREADS);
    if (plan.variant == AXIS_PIPED_COLUMNS || plan.variant == AXIS_PIPED_STAGED) {
        cr_assert(call->has_near && call->in_size == call->out_size);
        cr_assert(call->outer == 1 || call->inner % plan.width == 0);
        cr_assert_eq(plan.rows, AXIS_ROWS(size, size));
        cr_assert_leq(plan.width, 32);
        cr_assert_eq(plan.tile_rows, plan.threads / plan.width * plan.rows);
    }
    const size_t groups = plan.threads / plan.width;
    cr_assert(plan.tile_rows >= 1 && plan.tile_rows <= groups * plan.rows);
    const size_t rows = plan.variant == AXIS_STAGED ? call->outer * call->n : call->n;
    cr_assert(plan.tiles * plan.tile_rows >= rows && (plan.tiles - 1) * plan.tile_rows < rows);
    if (plan.variant == AXIS_STAGED) {
        cr_assert_eq(plan.width, call->inner);
        const size_t beside = call->sum_size > 12 ? 21000 : 14000;
        cr_assert_leq(plan.tile_rows * plan.width * size + 64 + beside,
                      plan_devices[device].shared_bytes);
        cr_assert(plan.chained || plan.tiles == 1 || plan.tile_rows % call->n == 0);
    } else {
        cr_assert(plan.sets * plan.width >= lines && (plan.sets - 1) * plan.width < lines);
        cr_assert_eq(plan.chained, plan.tiles > 1);
    }
}

/* A recurrence: elements of both arrays, and sums that are maps. */
static axis_facts recurrence_of(axis_facts call, bool constant, bool packed)
{
    call.in_size = constant ? call.out_size : 2 * call.out_size;
    call.sum_size = call.out_size == 8 ? 24 : 12;
    call.packed = packed;
    return call;
}

Test(axis_plans, every_shape_is_covered)
{
    static const size_t lengths[] = {0,   1,   2,   3,    5,    16,    31,     32,      33,     100,
                                     255, 256, 257, 1000, 4096, 65536, 100003, 1 << 20, 1 << 27};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (unsigned k = 0; k < LENGTHS * LENGTHS * LENGTHS; k++)
            for (unsigned how = 0; how < 7; how++)
                for (size_t size = 1; size <= 8; size *= 2) {
                    axis_facts call =
                        scan_of(lengths[k / LENGTHS / LENGTHS], lengths[k / LENGTHS % LENGTHS],
                                lengths[k % LENGTHS], size, how == 1);
                    call.alike = k % 4 < 2;
                    call.reduces = how == 2 || how == 3;
                    call.has_near = how < 2 && k % 3 != 0;
                    call.has_tree = how == 3 || how == 4;
                    call.sum_size = how == 2 && k % 3 == 0 ? 16 : size;
                    if (how < 5)
                        call.out_size = k % 2 == 0 ? size : 8;
                    else
                        call = recurrence_of(call, how == 5, k % 2 == 0);
                    if (call.outer > 0 && call.inner > 0 && (call.reduces || call.n > 0))
                        expect_sound(d, &call);
                }
}
