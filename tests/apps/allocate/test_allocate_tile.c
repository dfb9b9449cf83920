/* Sums of tiles larger than 32 bits can hold: processors with much second-level cache have such tiles. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "apps/allocate/allocate_kernels.h"
#include "scan/context/context_state.h"

enum { N = 200003 };

/* All sizes have all bits, and are rounded up to `unit`. */
static void expect_sum(parscan_isa isa, parscan_type size_type, uint64_t unit)
{
    const size_t bytes = parscan_type_size(size_type);
    const uint64_t size = (UINT64_C(1) << 8 * bytes) - 1, units = (size + unit - 1) / unit * unit;
    void *const sizes = malloc(N * bytes);
    uint32_t *const offsets = malloc(N * sizeof *offsets);
    cr_assert(sizes != NULL && offsets != NULL);
    memset(sizes, 0xff, N * bytes);
    const allocate_kernels *const kernels = parscan_allocate_kernels(PARSCAN_U32, isa);
    const allocate_tile tile = {.size_type = size_type,
                                .sizes = sizes,
                                .offsets = offsets,
                                .n = N,
                                .before = 5,
                                .mask = unit - 1,
                                .next = sizes};
    const size_sum reduced = kernels->reduce(&tile), scanned = kernels->scan(&tile);
    cr_assert(!reduced.beyond && reduced.sum == N * units);
    cr_assert(!scanned.beyond && scanned.sum == N * units);
    for (size_t i = 0; i < N; i++)
        cr_assert_eq(offsets[i], (uint32_t)(5 + i * units), "offset %zu", i);
    free(sizes);
    free(offsets);
}

Test(allocate_tile, of_any_length_has_an_exact_sum)
{
    parscan_context *context;
    cr_assert_eq(
        parscan_context_create(&context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU)),
        PARSCAN_OK);
    for (unsigned best = 0; best < 2; best++) {
        const parscan_isa isa = best ? context->isa : PARSCAN_ISA_PORTABLE;
        expect_sum(isa, PARSCAN_U8, 1);
        expect_sum(isa, PARSCAN_U16, 1);
        expect_sum(isa, PARSCAN_U16, 65536);
        expect_sum(isa, PARSCAN_U32, 1);
    }
    parscan_context_destroy(context);
}
