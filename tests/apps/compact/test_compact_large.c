/*
 * Compaction of more than 2^32 bytes: zeros, in pages that take no memory, and some that are not, on
 * both sides of every bound that an index of 32 bits has.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/compact.h"
#include "tests/support/large.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#define N ((UINT64_C(1) << 32) + 5)
#define LITTLE (UINT64_C(1) << 20) /* KiB */
#define MUCH (UINT64_C(6) << 20)

static const uint64_t marks[] = {
    0,
    1,
    4095,
    1000003,
    INT32_MAX - UINT64_C(1),
    INT32_MAX,
    INT32_MAX + UINT64_C(1),
    3000000007,
    UINT32_MAX - UINT64_C(1),
    UINT32_MAX,
    UINT32_MAX + UINT64_C(1),
    N - 2,
    N - 1,
};
#define MARKS COUNT_OF(marks)

static uint8_t mark(size_t k)
{
    return (uint8_t)(k + 1);
}

static uint8_t *marked_zeros(void)
{
    uint8_t *const in = large_zeros(N);
    for (size_t k = 0; k < MARKS; k++)
        in[marks[k]] = mark(k);
    return in;
}

static void expect_marks(const uint8_t *out, uint64_t count)
{
    cr_assert_eq(count, MARKS, "%llu", (unsigned long long)count);
    for (size_t k = 0; k < MARKS; k++)
        cr_assert_eq(out[k], mark(k), "%zu", k);
}

Test(compaction, of_more_than_2_32_elements_keeps_the_right_ones)
{
    large_fits_or_skip(LITTLE);
    parscan_context *const context = test_context();
    uint8_t *const in = marked_zeros(), out[MARKS];
    uint64_t count = 0, indices[MARKS];
    cr_assert_eq(parscan_compact_if(context, PARSCAN_U8, in, NULL, out, N, &count), PARSCAN_OK);
    expect_marks(out, count);
    memset(out, 0, sizeof out);
    cr_assert_eq(parscan_compact(context, 1, in, in, out, N, &count), PARSCAN_OK);
    expect_marks(out, count);
    cr_assert_eq(
        parscan_compact_indices(context, PARSCAN_U8, in, NULL, PARSCAN_U64, indices, N, &count),
        PARSCAN_OK);
    cr_assert_eq(count, MARKS);
    cr_assert_eq(memcmp(indices, marks, sizeof marks), 0);
    cr_assert_eq(
        parscan_compact_indices(context, PARSCAN_U8, in, NULL, PARSCAN_U32, indices, N, &count),
        PARSCAN_ERROR_INVALID_ARGUMENT);
    large_free(in, N);
    parscan_context_destroy(context);
}

Test(compact_indices, of_2_32_elements_fit_32_bits)
{
    large_fits_or_skip(LITTLE);
    parscan_context *const context = test_context();
    uint8_t *const in = marked_zeros();
    uint64_t count = 0;
    uint32_t indices[MARKS];
    cr_assert_eq(parscan_compact_indices(context, PARSCAN_U8, in, NULL, PARSCAN_U32, indices,
                                         (size_t)1 << 32, &count),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(count, MARKS - 3);
    for (size_t k = 0; k < MARKS - 3; k++)
        cr_assert_eq(indices[k], marks[k]);
    large_free(in, N);
    parscan_context_destroy(context);
}

/* All that is not a mark is one run. */
Test(runs, of_2_32_elements_overflow_32_bits_only)
{
    large_fits_or_skip(LITTLE);
    parscan_context *const context = test_context();
    uint8_t *const in = large_zeros(N), out[3] = {9, 9, 9};
    uint64_t count = 0, lengths[2];
    uint32_t narrow[2];
    in[N - 1] = 1;
    cr_assert_eq(
        parscan_run_length_encode(context, PARSCAN_U8, in, out, PARSCAN_U64, lengths, N, &count),
        PARSCAN_OK);
    cr_assert(count == 2 && lengths[0] == N - 1 && lengths[1] == 1 && out[0] == 0 && out[1] == 1);
    cr_assert_eq(
        parscan_run_length_encode(context, PARSCAN_U8, in, out, PARSCAN_U32, narrow, N, &count),
        PARSCAN_ERROR_OVERFLOW);
    cr_assert_eq(parscan_run_length_encode(context, PARSCAN_U8, in, out, PARSCAN_U32, narrow,
                                           UINT32_MAX, &count),
                 PARSCAN_OK);
    cr_assert(count == 1 && narrow[0] == UINT32_MAX);
    cr_assert_eq(parscan_unique(context, PARSCAN_U8, in, out, N, &count), PARSCAN_OK);
    cr_assert(count == 2 && out[0] == 0 && out[1] == 1 && out[2] == 9);
    large_free(in, N);
    parscan_context_destroy(context);
}

static void expect_one_row(parscan_context *context, const uint8_t *in)
{
    uint64_t count = 0, offsets[2], columns[MARKS];
    uint32_t narrow[2 + MARKS];
    uint8_t values[MARKS];
    cr_assert_eq(parscan_dense_to_csr(context, PARSCAN_U8, in, 1, N, PARSCAN_U64, offsets, columns,
                                      values, &count),
                 PARSCAN_OK);
    expect_marks(values, count);
    cr_assert(offsets[0] == 0 && offsets[1] == MARKS);
    cr_assert_eq(memcmp(columns, marks, sizeof marks), 0);
    cr_assert_eq(parscan_dense_to_csr(context, PARSCAN_U8, in, 1, N, PARSCAN_U32, narrow,
                                      narrow + 2, values, &count),
                 PARSCAN_ERROR_OVERFLOW);
}

Test(dense_to_csr, takes_more_than_2_32_elements)
{
    large_fits_or_skip(LITTLE);
    enum { ROWS = 5 };
    const uint64_t columns = N / ROWS;
    uint64_t count = 0, expected[ROWS + 1] = {0};
    uint32_t offsets[ROWS + 1], indices[MARKS];
    uint8_t values[MARKS];
    parscan_context *const context = test_context();
    uint8_t *const in = marked_zeros();
    expect_one_row(context, in);
    cr_assert_eq(parscan_dense_to_csr(context, PARSCAN_U8, in, ROWS, columns, PARSCAN_U32, offsets,
                                      indices, values, &count),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    uint64_t kept = 0;
    for (; kept < MARKS && marks[kept] < ROWS * columns; kept++) {
        cr_assert_eq(values[kept], mark(kept));
        cr_assert_eq(indices[kept], marks[kept] % columns);
        expected[marks[kept] / columns + 1] = kept + 1;
    }
    cr_assert_eq(count, kept);
    for (size_t r = 1; r <= ROWS; r++) {
        expected[r] = expected[r] > expected[r - 1] ? expected[r] : expected[r - 1];
        cr_assert_eq(offsets[r], expected[r], "row %zu", r);
    }
    large_free(in, N);
    parscan_context_destroy(context);
}

/* The rest goes beyond 2^32; so does what is kept, of the opposite predicate. */
Test(partition, of_more_than_2_32_elements_puts_the_rest_behind)
{
    large_fits_or_skip(MUCH);
    parscan_context *const context = test_context();
    const uint8_t zero = 0;
    const parscan_predicate zeros = PARSCAN_PREDICATE(.comparison = PARSCAN_EQUAL, .value = &zero);
    uint8_t *const in = marked_zeros(), *const out = malloc(N);
    cr_assert_not_null(out);
    uint64_t count = 0;
    memset(out, 0xff, N);
    cr_assert_eq(parscan_partition(context, PARSCAN_U8, in, NULL, out, N, &count), PARSCAN_OK);
    expect_marks(out, count);
    cr_assert(out[MARKS] == 0 && memcmp(out + MARKS, out + MARKS + 1, N - MARKS - 1) == 0);
    memset(out, 0xff, N);
    cr_assert_eq(parscan_partition(context, PARSCAN_U8, in, &zeros, out, N, &count), PARSCAN_OK);
    cr_assert_eq(count, N - MARKS);
    cr_assert(out[0] == 0 && memcmp(out, out + 1, count - 1) == 0);
    expect_marks(out + count, N - count);
    free(out);
    large_free(in, N);
    parscan_context_destroy(context);
}
