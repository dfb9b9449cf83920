/* The block algorithms on the GPU; each test skips where there is none. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/cuda/block_on_cuda.h"

#define MOST 2048u

static const parscan_block_shape shapes[] = {
    {PARSCAN_SEQUENTIAL, 32, 8},    {PARSCAN_KOGGE_STONE, 2, 1},    {PARSCAN_KOGGE_STONE, 33, 1},
    {PARSCAN_KOGGE_STONE, 1000, 1}, {PARSCAN_KOGGE_STONE, 1024, 1}, {PARSCAN_BRENT_KUNG, 1, 2},
    {PARSCAN_BRENT_KUNG, 48, 2},    {PARSCAN_BRENT_KUNG, 1024, 2},  {PARSCAN_THREE_PHASE, 3, 5},
    {PARSCAN_THREE_PHASE, 32, 8},   {PARSCAN_THREE_PHASE, 256, 8},  {PARSCAN_THREE_PHASE, 1024, 2},
    {PARSCAN_WARP, 32, 1},          {PARSCAN_WARP_PADDED, 32, 1},
};

static void expect_the_scan_of_affine_maps(parscan_block_shape shape, bool exclusive, bool reverse,
                                           unsigned n)
{
    affine in[MOST], out[MOST], before = {1, 0};
    for (unsigned i = 0; i < n; i++)
        in[i] = (affine){2 * (uint32_t)rand() + 1, (uint32_t)rand()};
    const block_result result = block_scan_affine_on_cuda(shape, exclusive, reverse, in, out, n);
    if (result == BLOCK_NO_DEVICE)
        cr_skip_test("no CUDA device: the algorithms were compiled, not run\n");
    cr_assert_eq(result, BLOCK_DONE);
    for (unsigned k = 0; k < n; k++) {
        const unsigned i = reverse ? n - 1 - k : k;
        const affine through = affine_after(before, in[i]);
        const affine expected = exclusive ? before : through;
        cr_assert(out[i].a == expected.a && out[i].b == expected.b,
                  "%s, %u threads, %u items, n = %u, exclusive %d, reverse %d: element %u",
                  parscan_algorithm_name(shape.algorithm), shape.threads, shape.items, n, exclusive,
                  reverse, i);
        before = through;
    }
}

Test(block_on_cuda, scans_a_non_commutative_operator_by_every_algorithm)
{
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const unsigned tile = shapes[s].threads * shapes[s].items;
        const unsigned sizes[] = {1, 2, tile / 2 + 1, tile - 1, tile};
        for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            for (int mode = 0; mode < 4; mode++)
                expect_the_scan_of_affine_maps(shapes[s], mode & 1, mode & 2, sizes[k]);
    }
}

Test(block_on_cuda, takes_its_operators_from_the_tables)
{
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const unsigned n = shapes[s].threads * shapes[s].items;
        double in[MOST], out[MOST], most = -1;
        for (unsigned i = 0; i < n; i++)
            in[i] = rand();
        const block_result result = block_scan_max_on_cuda(shapes[s], false, false, in, out, n);
        if (result == BLOCK_NO_DEVICE)
            cr_skip_test("no CUDA device: the algorithms were compiled, not run\n");
        cr_assert_eq(result, BLOCK_DONE);
        for (unsigned i = 0; i < n; i++) {
            most = in[i] > most ? in[i] : most;
            cr_assert_eq(out[i], most);
        }
    }
}
