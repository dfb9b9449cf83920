/* Histograms and counting sorts of more than 2^32 elements, in pages of zeros that take no memory. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/histogram.h"
#include "tests/support/large.h"
#include "tests/support/test_engine.h"

#define N ((UINT64_C(1) << 32) + 5)
#define LITTLE (UINT64_C(1) << 20) /* KiB */
#define MUCH (UINT64_C(6) << 20)

static parscan_status histogram(parscan_context *context, parscan_type type, const void *in,
                                size_t n, size_t bins, parscan_type count_type, void *counts)
{
    return parscan_histogram(context, type, in, n, bins, count_type, counts, NULL);
}

static void expect_counts(parscan_context *context, const uint8_t *in, size_t bins)
{
    uint64_t *const counts = malloc(bins * sizeof *counts);
    cr_assert_eq(histogram(context, PARSCAN_U8, in, N, bins, PARSCAN_U64, counts), PARSCAN_OK);
    cr_assert_eq(counts[0], N - 3, "%llu", (unsigned long long)counts[0]);
    cr_assert(counts[1] == 2 && counts[255] == 1);
    free(counts);
}

/* 2^32 of one value are too many, one less are not. */
static void expect_overflow(parscan_context *context, const uint8_t *in)
{
    uint32_t counts[256];
    cr_assert_eq(histogram(context, PARSCAN_U8, in, (size_t)1 << 32, 256, PARSCAN_U32, counts),
                 PARSCAN_ERROR_OVERFLOW);
    cr_assert_eq(histogram(context, PARSCAN_U8, in, UINT32_MAX, 256, PARSCAN_U32, counts),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert(counts[0] == UINT32_MAX && counts[1] == 0);
}

Test(histogram, of_more_than_2_32_bytes_overflows_32_bits_only)
{
    large_fits_or_skip(LITTLE);
    parscan_context *const context = test_context();
    uint8_t *const in = large_zeros(N);
    in[0] = in[N - 1] = 1;
    in[1] = 255;
    expect_counts(context, in, 256);
    expect_counts(context, in, 5000);
    expect_overflow(context, in + 2);
    large_free(in, N);
    parscan_context_destroy(context);
}

/* Not bytes, which have a way of their own. */
Test(histogram, of_more_than_2_32_elements_overflows_32_bits_only)
{
    large_fits_or_skip(LITTLE);
    static const size_t bins[] = {10, 65536};
    parscan_context *const context = test_context();
    uint16_t *const in = large_zeros(N * sizeof *in);
    uint64_t *const wide = malloc(65536 * sizeof *wide);
    uint32_t *const narrow = malloc(65536 * sizeof *narrow);
    in[N - 1] = 7;
    for (size_t k = 0; k < 2; k++)
        cr_assert_eq(histogram(context, PARSCAN_U16, in, N, bins[k], PARSCAN_U32, narrow),
                     PARSCAN_ERROR_OVERFLOW);
    cr_assert_eq(histogram(context, PARSCAN_U16, in, N, bins[1], PARSCAN_U64, wide), PARSCAN_OK);
    cr_assert(wide[0] == N - 1 && wide[7] == 1 && wide[8] == 0);
    free(wide);
    free(narrow);
    large_free(in, N * sizeof *in);
    parscan_context_destroy(context);
}

Test(bin, of_more_than_2_32_entries_overflows_offsets_of_32_bits)
{
    large_fits_or_skip(LITTLE);
    enum { BINS = 3 };
    parscan_context *const context = test_context();
    uint8_t *const bin_of = large_zeros(N);
    uint64_t offsets[BINS + 1];
    uint32_t narrow[BINS + 1];
    bin_of[5] = bin_of[N - 1] = 2;
    bin_of[N - 2] = 9;
    cr_assert_eq(
        parscan_bin(context, PARSCAN_U8, bin_of, 8, NULL, N, BINS, PARSCAN_U64, offsets, NULL),
        PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(memcmp(offsets, (uint64_t[]){0, N - 3, N - 3, N - 1}, sizeof offsets), 0);
    cr_assert_eq(
        parscan_bin(context, PARSCAN_U8, bin_of, 8, NULL, N, BINS, PARSCAN_U32, narrow, NULL),
        PARSCAN_ERROR_OVERFLOW);
    cr_assert_eq(parscan_bin(context, PARSCAN_U8, bin_of, 8, NULL, (size_t)1 << 32, BINS,
                             PARSCAN_U32, narrow, NULL),
                 PARSCAN_ERROR_OVERFLOW);
    large_free(bin_of, N);
    parscan_context_destroy(context);
}

/* Most entries are left out; the indices of the rest are on both sides of 2^32. */
Test(bin, gives_indices_beyond_2_32)
{
    large_fits_or_skip(LITTLE);
    static const uint64_t at[] = {0, 77, UINT32_MAX, UINT32_MAX + UINT64_C(1), N - 1};
    enum { MARKS = sizeof at / sizeof at[0], BINS = 1 };
    parscan_context *const context = test_context();
    uint8_t *const bin_of = large_zeros(N);
    uint64_t offsets[BINS + 1], out[MARKS];
    uint32_t narrow[BINS + 1];
    large_fits_or_skip(MUCH);
    memset(bin_of, 1, N);
    for (size_t k = 0; k < MARKS; k++)
        bin_of[at[k]] = 0;
    cr_assert_eq(
        parscan_bin(context, PARSCAN_U8, bin_of, 8, NULL, N, BINS, PARSCAN_U64, offsets, out),
        PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert(offsets[0] == 0 && offsets[1] == MARKS);
    cr_assert_eq(memcmp(out, at, sizeof at), 0);
    cr_assert_eq(
        parscan_bin(context, PARSCAN_U8, bin_of, 4, NULL, N, BINS, PARSCAN_U64, offsets, narrow),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    large_free(bin_of, N);
    parscan_context_destroy(context);
}
