/* Which variant of a scan or a reduction runs on CUDA, at each limit and beside it. */
#include <criterion/criterion.h>

#include "scan/scan_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(scan_plans, .timeout = 60);

static size_t limit(const char *name, const parscan_plan_device *device)
{
    return plan_limit(&parscan_scan_plans, name, device);
}

static scan_facts scan_of(size_t n, size_t size)
{
    return (scan_facts){.kind = PARSCAN_KIND_INCLUSIVE,
                        .shape = {.algorithm = PARSCAN_AUTO},
                        .n = n,
                        .in_size = size,
                        .out_size = size,
                        .few_blocks = SIZE_MAX};
}

static void expect(const parscan_plan_device *device, const scan_facts *call, scan_variant variant)
{
    const scan_plan plan = parscan_scan_plan(device, call);
    cr_expect_eq(plan.variant, variant, "%d multiprocessors, n = %zu of %zu bytes: %s, not %s",
                 (int)device->multiprocessors, call->n, call->out_size,
                 parscan_scan_plans.variants[plan.variant].name,
                 parscan_scan_plans.variants[variant].name);
}

static scan_variant pass_on(const parscan_plan_device *device)
{
    return device->architecture >= 90 ? SCAN_SINGLE_PASS : SCAN_UNSPECIALISED;
}

Test(scan_plans, few_bytes_are_scanned_in_registers)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t size = 1; size <= 8; size *= 2) {
            const parscan_plan_device *const device = &plan_devices[d];
            const size_t most = limit("few_bytes", device) / size;
            for (size_t n = most - 1; n <= most + 1; n++) {
                const scan_facts call = scan_of(n, size);
                expect(device, &call, n <= most ? SCAN_FEW : pass_on(device));
            }
        }
}

/* A tile more may start before the array, and another one end after it. */
Test(scan_plans, few_bytes_go_to_a_pass_if_a_block_for_each_tile_may_not_stay)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t blocks = 0; blocks < 10; blocks++) {
            scan_facts call = scan_of(1, 4);
            call.few_blocks = blocks;
            for (size_t n = 1; n < 20000; n += 1023)
                expect(&plan_devices[d], (call.n = n, &call),
                       n / 1024 + 2 <= blocks ? SCAN_FEW : pass_on(&plan_devices[d]));
        }
}

Test(scan_plans, few_elements_go_to_a_pass_if_it_is_named)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        scan_facts call = scan_of(1, 4);
        call.shape.algorithm = PARSCAN_SINGLE_PASS;
        expect(&plan_devices[d], &call, pass_on(&plan_devices[d]));
        call.shape.algorithm = PARSCAN_SEQUENTIAL;
        expect(&plan_devices[d], &call, SCAN_SEQUENTIAL);
    }
}

Test(scan_plans, few_bytes_are_scanned_in_registers_if_their_length_or_init_is_on_the_device)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++) {
        scan_facts call = scan_of(1, 4);
        call.length_on_device = true;
        expect(&plan_devices[d], &call, SCAN_FEW);
        call.length_on_device = false;
        call.init_on_device = true;
        expect(&plan_devices[d], &call, SCAN_FEW);
    }
}

Test(scan_plans, passes_have_roles_from_90_to_below_120)
{
    static const int architectures[] = {75, 80, 86, 89, 90, 100, 110, 119, 120};
    for (size_t k = 0; k < sizeof architectures / sizeof *architectures; k++) {
        parscan_plan_device device = plan_devices[PLAN_H100];
        const scan_facts call = scan_of(1 << 24, 4);
        device.architecture = architectures[k];
        expect(&device, &call,
               architectures[k] >= 90 && architectures[k] < 120 ? SCAN_SINGLE_PASS
                                                                : SCAN_UNSPECIALISED);
    }
}

Test(scan_plans, block_algorithms_take_batches_in_their_usual_shapes)
{
    static const parscan_block_shape usual[] = {
#define X(ctx, NAME, threads, items) {PARSCAN_##NAME, threads, items},
        CUDA_SHAPES(X, )
#undef X
    };
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
        scan_facts call = scan_of(1 << 20, 4);
        call.shape = usual[k];
        expect(&plan_devices[PLAN_H100], &call, SCAN_BATCHES);
        call.shape.threads--;
        expect(&plan_devices[PLAN_H100], &call, SCAN_TILES);
        call.shape.threads++;
        call.shape.items++;
        expect(&plan_devices[PLAN_H100], &call, SCAN_TILES);
    }
}

Test(scan_plans, reproducible_floats_are_a_tree_at_any_length)
{
    for (size_t n = 1; n <= 1 << 20; n *= 1024)
        for (unsigned kind = PARSCAN_KIND_INCLUSIVE; kind <= PARSCAN_KIND_REDUCE; kind++) {
            scan_facts call = scan_of(n, 4);
            call.kind = (parscan_scan_kind)kind;
            call.reproducible = call.has_tree = true;
            expect(&plan_devices[PLAN_H100], &call, SCAN_TREE_ELEMENTS);
            call.vectors = true;
            expect(&plan_devices[PLAN_H100], &call, SCAN_TREE_VECTORS);
            call.length_on_device = true;
            expect(&plan_devices[PLAN_H100], &call, SCAN_TREE_VECTORS);
            call.vectors = false;
            expect(&plan_devices[PLAN_H100], &call, SCAN_TREE_ELEMENTS);
        }
}

/* Their results are the same in any grouping. */
Test(scan_plans, reproducible_integers_are_scanned_as_others_are)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t n = 1; n <= 1 << 28; n <<= 14) {
            const scan_facts call = scan_of(n, 4);
            scan_facts same = call;
            same.reproducible = true;
            expect(&plan_devices[d], &same, parscan_scan_plan(&plan_devices[d], &call).variant);
        }
}

Test(scan_plans, reductions_of_few_bytes_take_small_blocks)
{
    for (unsigned d = 0; d < PLAN_DEVICES; d++)
        for (size_t size = 1; size <= 8; size *= 2) {
            const size_t most = limit("reduce_few_bytes", &plan_devices[d]) / size;
            for (size_t n = most - 1; n <= most + 1; n++) {
                scan_facts call = scan_of(n, size);
                call.kind = PARSCAN_KIND_REDUCE;
                expect(&plan_devices[d], &call, n <= most ? REDUCE_FEW : REDUCE_BLOCKS);
            }
        }
    scan_facts nothing = scan_of(0, 4);
    nothing.kind = PARSCAN_KIND_REDUCE;
    expect(&plan_devices[PLAN_H100], &nothing, REDUCE_FEW);
}

Test(scan_plans, tiles_are_reduced_by_some_of_a_warp_or_by_a_block)
{
    const parscan_plan_device *const device = &plan_devices[PLAN_H100];
    const size_t block = limit("shared_by_block", device);
    static const struct {
        size_t pieces;
        unsigned sharing;
    } known[] = {{0, 0},  {3, 0},  {4, 1},  {7, 1},   {8, 2},
                 {31, 2}, {32, 3}, {64, 4}, {127, 4}, {128, 5}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        cr_expect_eq(parscan_scan_sharing(device, 16 * known[k].pieces), known[k].sharing,
                     "%zu pieces", known[k].pieces);
    cr_expect_eq(parscan_scan_sharing(device, block - 1), 5);
    cr_expect_eq(parscan_scan_sharing(device, block), REDUCE_TILES_SHARING);
}
