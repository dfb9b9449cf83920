/*
 * More than 2^32 elements: bytes, of which 4 GiB fit a small machine, scanned in place.
 *
 * The input repeats a period of random bytes whose sum is odd, so the scan repeats after 256
 * periods: one such stretch is computed by a plain loop and compared all along the array.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/large.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define N ((UINT64_C(1) << 32) + 5)
#define PERIOD 4093u
#define STRETCH (256u * PERIOD)
#define NEEDED_KIB (UINT64_C(6) << 20)

typedef struct large {
    unsigned char *data;
    unsigned char period[PERIOD], stretch[STRETCH]; /* of input, and of its inclusive scan */
} large;

/* array[0..n) = pattern, again and again. */
static void repeat(unsigned char *array, size_t n, const unsigned char *pattern, size_t length)
{
    for (size_t i = 0; i < n; i += length)
        memcpy(array + i, pattern, n - i < length ? n - i : length);
}

static large *large_create(void)
{
    large *const l = malloc(sizeof *l);
    l->data = large_zeros(N);
    unsigned char sum = 0;
    for (size_t i = 0; i < PERIOD; i++) {
        l->period[i] = (unsigned char)random_bits();
        sum = (unsigned char)(sum + l->period[i]);
    }
    l->period[0] = (unsigned char)(l->period[0] + (sum % 2 == 0));
    sum = 0;
    for (size_t i = 0; i < STRETCH; i++)
        l->stretch[i] = sum = (unsigned char)(sum + l->period[i % PERIOD]);
    cr_assert_eq(sum, 0, "the scan does not repeat");
    return l;
}

static void large_destroy(large *l)
{
    large_free(l->data, N);
    free(l);
}

/* The sum of all elements. */
static uint64_t whole_sum(const large *l)
{
    uint64_t period = 0, rest = 0;
    for (size_t i = 0; i < PERIOD; i++) {
        period += l->period[i];
        rest += i < N % PERIOD ? l->period[i] : 0;
    }
    return N / PERIOD * period + rest;
}

/* array[0..n) is the inclusive scan. */
static void expect_stretches(const large *l, const unsigned char *array, size_t n)
{
    for (size_t i = 0; i < n; i += STRETCH) {
        const size_t length = n - i < STRETCH ? n - i : STRETCH;
        if (memcmp(array + i, l->stretch, length) == 0)
            continue;
        size_t k = 0;
        while (array[i + k] == l->stretch[k])
            k++;
        cr_assert_fail("result %zu is %u, not %u", i + k, array[i + k], l->stretch[k]);
    }
}

static void expect_sums(parscan_context *context, const large *l, parscan_algorithm algorithm)
{
    uint64_t wide = 0;
    uint8_t narrow = 0;
    parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.algorithm = algorithm, .out_type = PARSCAN_U64);
    cr_assert_eq(parscan_reduce(context, PARSCAN_U8, l->data, &wide, N, &options), PARSCAN_OK);
    cr_assert_eq(wide, whole_sum(l), "%s: 0x%llx", parscan_algorithm_name(algorithm),
                 (unsigned long long)wide);
    options.out_type = PARSCAN_U8;
    options.reverse = 1;
    cr_assert_eq(parscan_reduce(context, PARSCAN_U8, l->data, &narrow, N, &options), PARSCAN_OK);
    cr_assert_eq(narrow, (uint8_t)whole_sum(l));
}

/* One scan in place, of the input put there anew. */
static void expect_scans(parscan_context *context, large *l, scan_kind kind,
                         parscan_algorithm algorithm)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.algorithm = algorithm);
    repeat(l->data, N, l->period, PERIOD);
    cr_assert_eq(call_scan(context, kind, PARSCAN_U8, l->data, l->data, N, &options), PARSCAN_OK,
                 "%s", parscan_context_error(context));
    if (kind == SCAN_INCLUSIVE) {
        expect_stretches(l, l->data, N);
        return;
    }
    cr_assert_eq(l->data[0], 0);
    expect_stretches(l, l->data + 1, N - 1);
}

/* One test, since each would put 4 GiB into memory anew. */
Test(scan, and_reduction_take_more_than_2_32_elements)
{
    large_fits_or_skip(NEEDED_KIB);
    parscan_context *const context = test_context();
    large *const l = large_create();
    cr_assert_gt(whole_sum(l), UINT64_C(1) << 32);
    expect_scans(context, l, SCAN_INCLUSIVE, PARSCAN_AUTO);
    expect_scans(context, l, SCAN_EXCLUSIVE, PARSCAN_THREE_PHASE);
    repeat(l->data, N, l->period, PERIOD);
    expect_sums(context, l, PARSCAN_AUTO);
    expect_scans(context, l, SCAN_EXCLUSIVE, PARSCAN_AUTO);
    large_destroy(l);
    parscan_context_destroy(context);
}
