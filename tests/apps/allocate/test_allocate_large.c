/* More than 2^32 sizes, nearly all of them zero, which are pages that were never written; a record
   of more than 2^32 bytes. */
#include <criterion/criterion.h>

#include "parscan/allocate.h"
#include "tests/support/large.h"
#include "tests/support/test_engine.h"

#define N ((UINT64_C(1) << 32) + 5)
#define NEEDED_KIB (UINT64_C(10) << 20)

static unsigned char *large_array(void)
{
    large_fits_or_skip(NEEDED_KIB);
    return large_zeros(N);
}

Test(large, sizes_are_summed_and_expanded)
{
    unsigned char *const sizes = large_array();
    parscan_context *const context = test_context();
    sizes[0] = 2;
    sizes[UINT64_C(1) << 31] = 1;
    sizes[N - 6] = 3;
    sizes[N - 1] = 250;
    uint64_t total = 0, owner[256], rank[256];
    cr_assert_eq(parscan_allocate(context, PARSCAN_U8, sizes, N, PARSCAN_U64, NULL, &total, NULL),
                 PARSCAN_OK);
    cr_assert_eq(total, 256);
    total = 0;
    cr_assert_eq(
        parscan_expand(context, PARSCAN_U8, sizes, N, PARSCAN_U64, owner, rank, 256, &total),
        PARSCAN_OK);
    cr_assert_eq(total, 256);
    for (uint64_t slot = 0; slot < 256; slot++) {
        const uint64_t first = slot < 2 ? 0 : slot < 3 ? 2 : slot < 6 ? 3 : 6;
        const uint64_t item = slot < 2   ? 0
                              : slot < 3 ? UINT64_C(1) << 31
                              : slot < 6 ? N - 6
                                         : N - 1;
        cr_assert_eq(owner[slot], item, "slot %llu", (unsigned long long)slot);
        cr_assert_eq(rank[slot], slot - first, "slot %llu", (unsigned long long)slot);
    }
    parscan_context_destroy(context);
    large_free(sizes, N);
}

Test(large, record_is_moved)
{
    unsigned char *const in = large_array(), *const out = large_array();
    parscan_context *const context = test_context();
    for (uint64_t at = 0; at < N; at += 4093)
        in[at] = (unsigned char)(at >> 12 | 1);
    const uint64_t in_offset = 3, out_offset = 1, size = N - 4;
    cr_assert_eq(
        parscan_pack(context, in, PARSCAN_U64, &in_offset, PARSCAN_U64, &size, out, &out_offset, 1),
        PARSCAN_OK);
    for (uint64_t at = 0; at < size; at += at < 5000 || size - at < 5000 ? 1 : 1013)
        cr_assert_eq(out[1 + at], in[3 + at], "byte %llu", (unsigned long long)at);
    cr_assert(out[0] == 0 && out[size + 1] == 0);
    parscan_context_destroy(context);
    large_free(in, N);
    large_free(out, N);
}
