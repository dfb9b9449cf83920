/* parscan_bin(): a stable counting sort by bins, and coordinates to compressed rows. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/bin_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test_engine.h"

static const parscan_type bin_types[] = {PARSCAN_U8, PARSCAN_U16, PARSCAN_U32, PARSCAN_U64};
static const size_t few_bins[] = {0, 1, 2, 3, 10, 100, 255, 256, 257, 1000};
static const size_t many_bins[] = {4096, 65535, 65536, 65537, 300007, 1u << 20};
static const unsigned thread_counts[] = {1, 2, 3, 7};

/* How entries are spread over bins: like histograms, some beyond the bins. */
typedef enum spread_of_bins {
    EVEN,
    OUTSIDE,
    ALL_IN_ONE,
    FEW,
    ASCENDING,
    DESCENDING,
    ANY
} bin_spread;
#define BIN_SPREADS 7

static void *spread_bins(parscan_type type, bin_spread s, size_t n, size_t bins)
{
    void *const bin_of = malloc(n * parscan_type_size(type) + 1);
    const uint64_t most = (uint64_t)number_highest(type), last = bins > 0 ? bins - 1 : 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t b = random_bits() % (last + 1);
        if (s == OUTSIDE && random_below(3) == 0)
            b = random_below(2) ? bins + random_below(3) : most - random_below(3);
        else if (s == ALL_IN_ONE)
            b = last / 2;
        else if (s == FEW)
            b = random_below(16) ? last / 3 + random_bits() % 3 : b;
        else if (s == ASCENDING || s == DESCENDING)
            b = (uint64_t)((double)(s == ASCENDING ? i : n - 1 - i) / (double)n * (double)bins);
        else if (s == ANY)
            b = random_bits();
        number_write_integer(type, bin_of, i, b < most || s == ANY ? b : most);
    }
    return bin_of;
}

static void *random_bytes(size_t n)
{
    uint64_t *const words = malloc(n + sizeof *words);
    for (size_t k = 0; k < n / sizeof *words + 1; k++)
        words[k] = random_bits();
    return words;
}

static void expect_spread(parscan_context *context, bin_case b, bin_spread s)
{
    if (!takes_larger_case())
        return;
    void *const bin_of = spread_bins(b.bin_type, s, b.n, b.bins);
    void *const values = b.no_values ? NULL : random_bytes(b.n * b.value_size);
    b.offset_type = random_below(2) ? PARSCAN_U32 : PARSCAN_U64;
    expect_bin(context, &b, bin_of, values);
    free(bin_of);
    free(values);
}

static bin_spread any_spread(void)
{
    return (bin_spread)random_below(BIN_SPREADS);
}

/* The indices of the entries as values: what is not stable shows. */
static void expect_indices(parscan_context *context, parscan_type bin_type, size_t n, size_t bins,
                           bin_spread s)
{
    for (size_t size = 4; size <= 8; size += 4)
        expect_spread(
            context,
            (bin_case){
                .bin_type = bin_type, .value_size = size, .no_values = true, .n = n, .bins = bins},
            s);
}

static void expect_small_lengths(parscan_type bin_type)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n <= 200; n++)
        for (size_t k = 0; k < COUNT_OF(few_bins); k++) {
            if (!takes_case())
                continue;
            expect_indices(context, bin_type, n, few_bins[k], any_spread());
            expect_spread(context,
                          (bin_case){.bin_type = bin_type,
                                     .value_size = 1 + random_below(64),
                                     .n = n,
                                     .bins = few_bins[k]},
                          any_spread());
        }
    parscan_context_destroy(context);
}

static void expect_every_spread(parscan_type bin_type)
{
    parscan_context *const context = test_context();
    for (bin_spread s = EVEN; s < BIN_SPREADS; s++) {
        for (size_t k = 0; k < COUNT_OF(few_bins); k++)
            expect_indices(context, bin_type, 10007, few_bins[k], s);
        for (size_t k = 0; k < COUNT_OF(many_bins); k += 1 + random_below(3))
            expect_indices(context, bin_type, random_below(2) ? 20011 : 70001, many_bins[k], s);
    }
    parscan_context_destroy(context);
}

/* X(NAME, name): the types that bins may have. */
#define BIN_TYPES(X) X(U8, u8) X(U16, u16) X(U32, u32) X(U64, u64)

#define X(NAME, name)                                          \
    SimdTest(bin, is_stable_at_every_small_length_##name)      \
    {                                                          \
        expect_small_lengths(PARSCAN_##NAME);                  \
    }                                                          \
    SimdTest(bin, is_stable_however_entries_are_spread_##name) \
    {                                                          \
        expect_every_spread(PARSCAN_##NAME);                   \
    }
BIN_TYPES(X)
#undef X

SimdTest(bin, is_stable_around_every_power_of_two)
{
    parscan_context *const context = test_context();
    for (size_t power = 256; power <= 1u << 17; power *= 2)
        for (size_t n = power - 1; n <= power + 1; n++)
            for (size_t k = 0; k < COUNT_OF(bin_types); k++) {
                const size_t few = few_bins[random_below(COUNT_OF(few_bins))];
                const size_t many = many_bins[random_below(3)];
                expect_indices(context, bin_types[k], n, random_below(3) ? few : many,
                               any_spread());
            }
    parscan_context_destroy(context);
}

SimdTest(bin, moves_values_of_1_to_64_bytes)
{
    parscan_context *const context = test_context();
    for (size_t size = 1; size <= 64; size++)
        for (size_t k = 0; k < COUNT_OF(bin_types); k++)
            for (size_t bins = 3; bins < 100000; bins = bins * 300 + 7)
                expect_spread(
                    context,
                    (bin_case){
                        .bin_type = bin_types[k], .value_size = size, .n = 3001, .bins = bins},
                    any_spread());
    parscan_context_destroy(context);
}

SimdTest(bin, moves_many_values_of_any_size_on_many_threads)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 64};
    static const size_t bins[] = {10, 256, 5000, 65536};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 3});
    for (size_t k = 0; k < COUNT_OF(sizes) * COUNT_OF(bins); k++)
        expect_spread(context,
                      (bin_case){.bin_type = bin_types[1 + k % 3],
                                 .value_size = sizes[k % COUNT_OF(sizes)],
                                 .n = 150001,
                                 .bins = bins[k / COUNT_OF(sizes)]},
                      any_spread());
    parscan_context_destroy(context);
}

SimdTest(bin, is_stable_on_every_number_of_threads)
{
    static const size_t bins[] = {2, 256, 1000, 65536, 1u << 20};
    for (size_t t = FIRST_OF_1_2_3_7_THREADS; t < COUNT_OF(thread_counts); t++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = thread_counts[t]});
        for (size_t k = 0; k < COUNT_OF(bins); k++)
            /* Every spread comes with several numbers of threads and of bins. */
            for (bin_spread s = (t + k) % LESS_UNDER_SANITIZER(2, 3); s < BIN_SPREADS;
                 s += LESS_UNDER_SANITIZER(2, 3))
                expect_indices(context, bin_types[(k + s) % COUNT_OF(bin_types)], 200003, bins[k],
                               s);
        parscan_context_destroy(context);
    }
}

SimdTest(bin, is_stable_for_a_prime_number_of_entries)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(bin_types); k++) {
        expect_indices(context, bin_types[k], 1048573, 256, EVEN);
        expect_indices(context, bin_types[k], 1048573, 1u << 20, OUTSIDE);
    }
    parscan_context_destroy(context);
}

SimdTest(bin, without_an_output_gives_the_offsets_only)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n < 300000; n = n * 7 + 5)
        for (size_t k = 0; k < COUNT_OF(few_bins); k++)
            for (int no_values = 0; no_values < 2; no_values++)
                expect_spread(context,
                              (bin_case){.bin_type = bin_types[k % COUNT_OF(bin_types)],
                                         .value_size = 8,
                                         .no_values = no_values,
                                         .no_values_out = true,
                                         .n = n,
                                         .bins = few_bins[k]},
                              any_spread());
    parscan_context_destroy(context);
}

/* A bin of 64 bits whose low bits are those of one that there is. */
SimdTest(bin, leaves_out_bins_that_only_look_small)
{
    enum { N = 1000, BINS = 100 };
    uint64_t bin_of[N];
    parscan_context *const context = test_context();
    for (size_t i = 0; i < N; i++)
        bin_of[i] =
            random_below(BINS) + (random_below(2) ? UINT64_C(1) << (8 + random_below(56)) : 0);
    for (size_t size = 4; size <= 8; size += 4) {
        const bin_case b = {.bin_type = PARSCAN_U64,
                            .offset_type = PARSCAN_U64,
                            .value_size = size,
                            .no_values = true,
                            .n = N,
                            .bins = BINS};
        expect_bin(context, &b, bin_of, NULL);
    }
    parscan_context_destroy(context);
}

SimdTest(bin, turns_coordinates_into_compressed_rows)
{
    /* 2 . 3
       . . .
       . 1 4   in no order of rows, in the order of columns within one */
    const uint32_t rows[] = {2, 0, 0, 2}, columns[] = {1, 0, 2, 2};
    const float values[] = {1, 2, 3, 4};
    uint32_t offsets[4], sorted_columns[4];
    float sorted[4];
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_bin(context, PARSCAN_U32, rows, sizeof *columns, columns, 4, 3,
                             PARSCAN_U32, offsets, sorted_columns),
                 PARSCAN_OK);
    cr_assert_eq(parscan_bin(context, PARSCAN_U32, rows, sizeof *values, values, 4, 3, PARSCAN_U32,
                             offsets, sorted),
                 PARSCAN_OK);
    cr_assert_eq(memcmp(offsets, (uint32_t[]){0, 2, 2, 4}, sizeof offsets), 0);
    cr_assert_eq(memcmp(sorted_columns, (uint32_t[]){0, 2, 1, 2}, sizeof sorted_columns), 0);
    cr_assert_eq(memcmp(sorted, (float[]){2, 3, 1, 4}, sizeof sorted), 0);
    parscan_context_destroy(context);
}
