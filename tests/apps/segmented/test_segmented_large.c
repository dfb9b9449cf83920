/* Segments of more than 2^32 elements, and as many segments. Pages of zeros take no memory until they
   are written. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/segmented.h"
#include "tests/support/large.h"
#include "tests/support/test_engine.h"

#define N ((UINT64_C(1) << 32) + 5)
#define LITTLE (UINT64_C(1) << 20) /* KiB */
#define MUCH (UINT64_C(6) << 20)
#define TWICE (UINT64_C(11) << 20)

/* Heads, and elements that are 1 among zeros, on both sides of 2^32. */
static const uint64_t offsets[] = {0, 100, UINT32_MAX, UINT32_MAX + UINT64_C(3), N};
static const uint64_t ones[] = {5,    99, 100, UINT32_MAX - UINT64_C(1), UINT32_MAX + UINT64_C(2),
                                N - 1};
enum { HEADS = sizeof offsets / sizeof offsets[0] - 1, ONES = sizeof ones / sizeof ones[0] };
static const uint64_t sums[HEADS] = {2, 2, 1, 1};

#define OFFSETS                                                                              \
    PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = offsets, \
                     .count = HEADS)

static uint8_t *marks(const uint64_t *places, size_t count)
{
    uint8_t *const bytes = large_zeros(N);
    for (size_t k = 0; k < count; k++)
        bytes[places[k]] = 1;
    return bytes;
}

/* The sums of the segments, which 8 bits hold and 64 do. */
static void expect_sums(parscan_context *context, const uint8_t *in, parscan_segments segments)
{
    uint8_t narrow[HEADS];
    uint64_t wide[HEADS], count = 0;
    const parscan_scan_options widening = PARSCAN_SCAN_OPTIONS(.out_type = PARSCAN_U64);
    cr_assert_eq(
        parscan_segmented_reduce(context, PARSCAN_U8, in, narrow, N, &segments, &count, NULL),
        PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(count, HEADS);
    cr_assert_eq(
        parscan_segmented_reduce(context, PARSCAN_U8, in, wide, N, &segments, &count, &widening),
        PARSCAN_OK, "%s", parscan_context_error(context));
    for (size_t s = 0; s < HEADS; s++)
        cr_assert(narrow[s] == sums[s] && wide[s] == sums[s], "segment %zu", s);
}

Test(segmented_reduce, takes_more_than_2_32_elements)
{
    large_fits_or_skip(LITTLE);
    parscan_context *const context = test_context();
    uint8_t *const in = marks(ones, ONES), *const flags = marks(offsets, HEADS);
    expect_sums(context, in, OFFSETS);
    expect_sums(context, in, PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = flags));
    parscan_context_destroy(context);
    large_free(in, N);
    large_free(flags, N);
}

Test(segmented_reduce, takes_more_than_2_32_segments)
{
    large_fits_or_skip(TWICE);
    uint64_t count = 0;
    parscan_context *const context = test_context();
    uint8_t *const in = large_zeros(N), *const out = large_zeros(N);
    memset(in, 7, N); /* each starts a segment too */
    const parscan_segments segments = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = in);
    cr_assert_eq(parscan_segmented_reduce(context, PARSCAN_U8, in, out, N, &segments, &count, NULL),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(count, N);
    cr_assert_eq(memcmp(in, out, N), 0);
    parscan_context_destroy(context);
    large_free(in, N);
    large_free(out, N);
}

static bool all_are(const uint8_t *bytes, size_t n, size_t value)
{
    return bytes[0] == value && memcmp(bytes, bytes + 1, n - 1) == 0;
}

/* In place, by offsets and by flags, forward and back. From a one to the next the sums stay. */
static void expect_scan(parscan_context *context, parscan_segments segments, int reverse)
{
    uint8_t *const array = marks(ones, ONES);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.reverse = reverse);
    cr_assert_eq(
        parscan_segmented_inclusive_scan(context, PARSCAN_U8, array, array, N, &segments, &options),
        PARSCAN_OK, "%s", parscan_context_error(context));
    for (size_t s = 0, one = 0; s < HEADS; s++) {
        size_t passed = one;
        const size_t first = one;
        while (one < ONES && ones[one] < offsets[s + 1])
            one++;
        for (size_t i = offsets[s], end; i < offsets[s + 1]; i = end) {
            const bool is_one = passed < one && ones[passed] == i;
            const size_t through = passed + is_one;
            const size_t expected = reverse ? one - passed : through - first;
            end = is_one ? i + 1 : passed < one ? ones[passed] : offsets[s + 1];
            cr_assert(all_are(array + i, end - i, expected), "elements %zu to %zu are not %zu", i,
                      end - 1, expected);
            passed = through;
        }
    }
    large_free(array, N);
}

Test(segmented_scan, takes_more_than_2_32_elements)
{
    large_fits_or_skip(MUCH);
    parscan_context *const context = test_context();
    uint8_t *const flags = marks(offsets, HEADS);
    expect_scan(context, OFFSETS, 0);
    expect_scan(context, PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = flags), 1);
    parscan_context_destroy(context);
    large_free(flags, N);
}
