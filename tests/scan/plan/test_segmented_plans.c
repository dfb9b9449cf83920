/* Which variant of a segmented scan or reduction, or of a recurrence, runs on CUDA, at each limit and
   beside it. */
#include <criterion/criterion.h>

#include "apps/segmented/recurrence_plan.h"
#include "apps/segmented/segmented_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(segmented_plans, .timeout = 60);

static size_t limit(const char *name, const parscan_plan_device *device)
{
    return plan_limit(&parscan_segmented_plans, name, device);
}

static segmented_facts scan_of(size_t n, size_t segments)
{
    return (segmented_facts){.by_offsets = true, .n = n, .segments = segments};
}

static segmented_facts reduction_of(size_t n, size_t segments)
{
    segmented_facts call = scan_of(n, segments);
    call.reduces = true;
    return call;
}

static void expect(const parscan_plan_device *device, segmented_facts call,
                   segmented_variant variant)
{
    const segmented_variant is = parscan_segmented_plan(device, &call);
    cr_expect_eq(is, variant, "%d multiprocessors, n = %zu, %zu segments: %s, not %s",
                 (int)device->multiprocessors, call.n, call.segments,
                 parscan_segmented_plans.variants[is].name,
                 parscan_segmented_plans.variants[variant].name);
}

Test(segmented_plans, flags_and_keys_take_the_pass_but_few_bytes)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t size = 1; size <= 8; size *= 2) {
            const size_t counted = size < 4 ? 4 : size;
            const size_t most = limit("few_bytes", &plan_devices[d]) / counted;
            for (size_t n = most - 1; n <= most + 1; n++) {
                const segmented_facts scan = {.n = n, .out_size = size, .few_blocks = SIZE_MAX};
                segmented_facts other = scan;
                expect(&plan_devices[d], scan, n <= most ? SEGMENTED_FEW : SEGMENTED_PASS);
                other.reduces = true;
                expect(&plan_devices[d], other, n <= most ? SEGMENTED_FEW : SEGMENTED_PASS);
                other = scan;
                other.few_blocks = n * counted / 4096 + 1;
                expect(&plan_devices[d], other, SEGMENTED_PASS);
                other = scan;
                other.continues = true;
                expect(&plan_devices[d], other, SEGMENTED_PASS);
                other = scan;
                other.carries = true;
                expect(&plan_devices[d], other, SEGMENTED_PASS);
            }
        }
}

Test(segmented_plans, scans_of_few_elements_by_offsets_are_direct)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const size_t most = limit("direct_elements", device);
        const size_t segments = limit("scan_segments", device);
        for (size_t n = most - 1; n <= most + 1; n++)
            expect(device, scan_of(n, segments), n <= most ? SEGMENTED_DIRECT : SEGMENTED_BITS);
        for (size_t count = segments - 1; count <= segments + 1; count++)
            expect(device, scan_of(most, count),
                   count <= segments ? SEGMENTED_DIRECT : SEGMENTED_BITS);
    }
}

Test(segmented_plans, scans_of_short_segments_are_direct)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const size_t most = limit("scan_mean", device), few = limit("scan_few", device);
        for (size_t mean = most - 1; mean <= most + 1; mean++)
            expect(device, scan_of(70 * mean, 70),
                   mean <= most ? SEGMENTED_DIRECT : SEGMENTED_BITS);
        for (size_t n = few - 1; n <= few + 1; n++)
            expect(device, scan_of(n, 1), n <= few ? SEGMENTED_DIRECT : SEGMENTED_BITS);
    }
}

Test(segmented_plans, reductions_by_offsets_are_direct_by_elements_segments_and_mean)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const size_t most = limit("direct_elements", device);
        const size_t segments = limit("reduce_segments", device);
        const size_t least = limit("reduce_least_mean", device);
        const size_t longest = limit("reduce_most_mean", device);
        for (size_t n = most - 1; n <= most + 1; n++)
            expect(device, reduction_of(n, segments),
                   n <= most ? SEGMENTED_DIRECT : SEGMENTED_PARTS);
        for (size_t count = segments - 1; count <= segments + 1; count++)
            expect(device, reduction_of(most, count),
                   count <= segments ? SEGMENTED_DIRECT : SEGMENTED_PARTS);
        for (size_t mean = least - 1; mean <= least + 1; mean++)
            expect(device, reduction_of(segments * mean, segments),
                   mean < least ? SEGMENTED_PARTS : SEGMENTED_DIRECT);
        for (size_t mean = longest - 1; mean <= longest + 1; mean++)
            expect(device, reduction_of(4 * mean, 4),
                   mean <= longest ? SEGMENTED_BLOCK_EACH : SEGMENTED_PARTS);
    }
}

/* of: makes a call of elements and segments. */
static void expect_block_each(const parscan_plan_device *device,
                              segmented_facts (*of)(size_t n, size_t segments), size_t most,
                              size_t mean)
{
    const size_t segments = limit("each_segments", device), least = most / mean;
    expect(device, of(most, least), SEGMENTED_BLOCK_EACH);
    expect(device, of(most + 1, least + 1), SEGMENTED_DIRECT);
    expect(device, of(2 * mean, 2), SEGMENTED_BLOCK_EACH);
    expect(device, of(segments, segments), SEGMENTED_BLOCK_EACH);
    expect(device, of(3 * segments + 3, segments + 1), SEGMENTED_DIRECT);
    expect(device, of(1, 1), SEGMENTED_BLOCK_EACH);
}

Test(segmented_plans, few_segments_by_offsets_have_a_block_each)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const size_t reduced_mean = limit("each_reduced_mean", device);
        const size_t scanned_mean = limit("each_scanned_mean", device);
        expect_block_each(device, reduction_of, limit("each_reduced", device), reduced_mean);
        expect_block_each(device, scan_of, limit("each_scanned", device), scanned_mean);
        expect(device, reduction_of(2 * reduced_mean + 2, 2), SEGMENTED_PARTS);
        expect(device, scan_of(scanned_mean + 1, 1), SEGMENTED_DIRECT);
    }
}

Test(segmented_plans, nothing_and_chunks_are_not_direct)
{
    const parscan_plan_device *const device = &plan_devices[PLAN_H100];
    expect(device, scan_of(0, 5), SEGMENTED_BITS);
    expect(device, scan_of(5, 0), SEGMENTED_BITS);
    expect(device, reduction_of(0, 5), SEGMENTED_PARTS);
    expect(device, reduction_of(5, 0), SEGMENTED_PARTS);
    segmented_facts chunk = scan_of(100, 5);
    chunk.continues = true;
    expect(device, chunk, SEGMENTED_BITS);
}

static segmented_direct_plan direct(const parscan_plan_device *device, segmented_facts call,
                                    size_t blocks)
{
    return parscan_segmented_direct_plan(device, &call, blocks);
}

Test(segmented_plans, segments_are_divided_evenly_over_finders)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        const parscan_plan_device *const device = &plan_devices[d];
        const size_t finders = limit("finders", device);
        for (size_t count = finders - 1; count <= finders + 1; count++) {
            const segmented_direct_plan plan = direct(device, scan_of(count, count), 264);
            cr_expect_eq(plan.each, count <= finders ? 1u : 2u);
            cr_expect_eq(plan.finders, count <= finders ? count : (count + 1) / 2);
            cr_expect_eq(plan.variant, SEGMENTED_DIRECT);
        }
        const size_t most = finders * DIRECT_EACH;
        for (size_t count = most - 1; count <= most + 1; count++) {
            const segmented_direct_plan plan = direct(device, scan_of(count, count), 264);
            cr_expect_eq(plan.each, DIRECT_EACH);
            cr_expect_eq(plan.finders, count <= most ? finders : finders + 1);
        }
    }
}

static void check_tiles(const parscan_plan_device *device, bool reduces)
{
    const size_t alone = limit(reduces ? "reduce_alone" : "scan_alone", device);
    const size_t tile = limit(reduces ? "reduce_tile" : "scan_tile", device);
    for (size_t n = alone - 1; n <= alone + 1; n++) {
        const segmented_direct_plan plan =
            direct(device, reduces ? reduction_of(n, 3) : scan_of(n, 3), 264);
        cr_expect_eq(plan.variant, n <= alone ? SEGMENTED_DIRECT : SEGMENTED_DIRECT_TILES);
        cr_expect_eq(plan.tile, n <= alone ? n : tile);
        cr_expect_eq(plan.tile_blocks, n <= alone ? 0 : (2 * n - 1) / tile);
    }
    cr_expect_eq(direct(device, scan_of(alone + 1, 3), 1).variant, SEGMENTED_DIRECT,
                 "one block is not enough for tiles");
}

Test(segmented_plans, blocks_for_tiles_come_where_a_block_alone_is_slower)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        check_tiles(&plan_devices[d], false);
        check_tiles(&plan_devices[d], true);
    }
}

/* Every device, also one with more multiprocessors than any today, has room for the status words, and
   a tile block has a thread for each finder. A reduction looks back over at most 64 tiles. */
Test(segmented_plans, direct_calls_fit_their_status_words)
{
    for (size_t multiprocessors = 1; multiprocessors <= 1024; multiprocessors *= 2)
        for (size_t blocks = 1; blocks <= 4096; blocks *= 4)
            for (size_t n = 1; n <= SEGMENTED_DIRECT_MOST; n *= 2)
                for (size_t count = 1; count <= SEGMENTED_DIRECT_SEGMENTS; count *= 2) {
                    const parscan_plan_device device = {.multiprocessors = multiprocessors};
                    const segmented_direct_plan scan = direct(&device, scan_of(n, count), blocks);
                    const segmented_direct_plan sum =
                        direct(&device, reduction_of(n, count), blocks);
                    const size_t words = (scan.finders + 1) / 2 * 2 + 2 * scan.tile_blocks;
                    cr_assert_leq(scan.finders, DIRECT_MOST_FINDERS);
                    cr_assert_leq(words, SEGMENTED_DIRECT_WORDS);
                    cr_assert_leq(sum.tile_blocks, 64);
                    cr_assert(scan.tile_blocks < blocks && sum.tile_blocks < blocks);
                }
}

static void expect_marks(segmented_marks_facts call, segmented_variant variant)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        cr_expect_eq(parscan_segmented_marks_plan(&plan_devices[d], &call), variant,
                     "%zu tiles, %zu of a block, %zu segments", call.tiles, call.own_tiles,
                     call.segments);
}

Test(segmented_plans, blocks_make_flags_of_a_stage_for_each_of_their_tiles)
{
    const size_t own = limit("own_tiles", &plan_devices[PLAN_H100]);
    for (size_t tiles = own - 1; tiles <= own + 1; tiles++)
        expect_marks((segmented_marks_facts){132 * tiles, 5120, tiles, 8, 100},
                     tiles <= own ? SEGMENTED_FLAGS_OF_TILES : SEGMENTED_BITS);
    for (size_t tiles = 4; tiles <= 6; tiles++)
        expect_marks((segmented_marks_facts){132 * tiles, 5120, tiles, 5, 100},
                     tiles <= 5 ? SEGMENTED_FLAGS_OF_TILES : SEGMENTED_BITS);
    expect_marks((segmented_marks_facts){0, 5120, 1, 8, 100}, SEGMENTED_BITS);
}

Test(segmented_plans, blocks_make_flags_of_not_too_many_offsets)
{
    const size_t all = limit("offsets_in_blocks", &plan_devices[PLAN_H100]);
    const size_t each = limit("offsets_of_element", &plan_devices[PLAN_H100]);
    for (size_t offsets = all - 1; offsets <= all + 1; offsets++)
        expect_marks((segmented_marks_facts){132 * 8, 5120, 8, 8, offsets},
                     offsets <= all ? SEGMENTED_FLAGS_OF_TILES : SEGMENTED_BITS);
    for (size_t elements = 5119; elements <= 5121; elements++)
        expect_marks((segmented_marks_facts){1, 5120, 1, 8, elements * each},
                     elements <= 5120 ? SEGMENTED_FLAGS_OF_TILES : SEGMENTED_BITS);
}

Test(segmented_plans, recurrences_have_roles_where_the_code_has)
{
    cr_expect_eq(parscan_recurrence_plan(&plan_devices[PLAN_H100]), RECURRENCE_SINGLE_PASS);
    cr_expect_eq(parscan_recurrence_plan(&plan_devices[PLAN_A100]), RECURRENCE_UNSPECIALISED);
    cr_expect_eq(parscan_recurrence_plan(&plan_devices[PLAN_SMALL]), RECURRENCE_UNSPECIALISED);
}
