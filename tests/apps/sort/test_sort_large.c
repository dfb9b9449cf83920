/* Sorts of more than 2^32 keys. Pages of the scratch that a sort does not write take no memory. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/sort.h"
#include "tests/support/large.h"
#include "tests/support/test_engine.h"

#define N ((UINT64_C(1) << 32) + 5)
#define MUCH (UINT64_C(6) << 20) /* KiB: the keys */
#define TWICE (UINT64_C(11) << 20)

/* How many there are of each key; in four tables, since most keys are equal. */
static void count_keys(const uint8_t *keys, uint64_t counts[256])
{
    uint64_t tables[4][256] = {{0}};
    for (size_t i = 0; i < N; i++)
        tables[i % 4][keys[i]]++;
    for (size_t k = 0; k < 256; k++)
        counts[k] = tables[0][k] + tables[1][k] + tables[2][k] + tables[3][k];
}

/* Whether no key is below the one before it, by these bits. */
static bool ascends(const uint8_t *keys, uint8_t bits)
{
    uint8_t wrong = 0;
    for (size_t i = 1; i < N; i++)
        wrong |= (keys[i] & bits) < (keys[i - 1] & bits);
    return wrong == 0;
}

/* Most keys are zeros, a few are not, on both sides of 2^32. */
static const size_t places[] = {0, 1, 77, UINT32_MAX, UINT32_MAX + (size_t)1, N - 2};
enum { MARKS = sizeof places / sizeof places[0] };

static uint8_t *marked_zeros(void)
{
    uint8_t *const keys = large_zeros(N);
    for (size_t k = 0; k < MARKS; k++)
        keys[places[k]] = (uint8_t)(200 - k);
    return keys;
}

Test(sort, takes_more_than_2_32_keys)
{
    large_fits_or_skip(MUCH);
    uint64_t counts[256];
    uint8_t *const keys = marked_zeros();
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_U8, keys, keys, N, NULL), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    cr_assert(ascends(keys, 0xff));
    count_keys(keys, counts);
    cr_assert_eq(counts[0], N - MARKS);
    for (size_t k = 0; k < MARKS; k++)
        cr_assert_eq(counts[200 - k], 1);
    parscan_context_destroy(context);
    large_free(keys, N);
}

/* By their upper bits keys are moved, not counted: the lower ones go along, in their order. */
Test(sort, moves_more_than_2_32_keys)
{
    large_fits_or_skip(TWICE);
    uint64_t before[256], after[256];
    uint8_t *const keys = large_zeros(N);
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.begin_bit = 5);
    parscan_context *const context = test_context();
    for (size_t i = 0; i < N; i++)
        keys[i] = (uint8_t)(i * 0x9e3779b97f4a7c15u >> 56);
    count_keys(keys, before);
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_U8, keys, keys, N, &options), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    cr_assert(ascends(keys, 0xe0));
    count_keys(keys, after);
    cr_assert_eq(memcmp(before, after, sizeof before), 0);
    parscan_context_destroy(context);
    large_free(keys, N);
}

Test(sort_segments, takes_more_than_2_32_keys)
{
    large_fits_or_skip(TWICE);
    const uint64_t offsets[] = {0, 3, UINT32_MAX, UINT32_MAX + UINT64_C(2), N};
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = offsets,
                         .count = 4);
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.descending = 1);
    uint8_t *const keys = marked_zeros();
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_sort_segments(context, PARSCAN_U8, keys, keys, 0, NULL, NULL, N, &segments,
                                       &options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert(keys[0] == 200 && keys[1] == 199 && keys[2] == 0 && keys[3] == 198 && keys[4] == 0);
    const uint8_t *const beyond = keys + UINT32_MAX;
    cr_assert(beyond[-1] == 0 && beyond[0] == 197 && beyond[1] == 196);
    cr_assert(beyond[2] == 195 && beyond[3] == 0 && beyond[5] == 0);
    parscan_context_destroy(context);
    large_free(keys, N);
}
