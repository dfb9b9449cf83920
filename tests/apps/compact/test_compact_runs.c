/* parscan_unique(), parscan_run_length_encode(). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define SMALL 200u
#define NEVER_ENDS SIZE_MAX
#define PRIME_NEAR_2_20 1048573u

static const unsigned thread_counts[] = {1, 2, 3, 7};
static const size_t run_lengths[] = {1, 2, 10, 100, 5000, NEVER_ENDS};

static const compact_case ways[] = {
    {.kind = COMPACT_UNIQUE},
    {.kind = COMPACT_UNIQUE, .in_place = true},
    {.kind = COMPACT_RUNS, .index_type = PARSCAN_U32},
    {.kind = COMPACT_RUNS, .index_type = PARSCAN_U64},
    {.kind = COMPACT_RUNS, .index_type = PARSCAN_U32, .in_place = true},
    {.kind = COMPACT_RUNS, .index_type = PARSCAN_U64, .in_place = true},
    {.kind = COMPACT_RUNS, .index_type = PARSCAN_U32, .no_values = true},
    {.kind = COMPACT_RUNS, .index_type = PARSCAN_U64, .no_values = true},
    {.kind = COMPACT_RUNS, .index_type = PARSCAN_U32, .no_indices = true},
    {.kind = COMPACT_RUNS, .index_type = PARSCAN_U64, .in_place = true, .no_indices = true},
    {.kind = COMPACT_RUNS, .index_type = PARSCAN_U32, .no_values = true, .no_indices = true},
};

static void expect_way(parscan_context *context, size_t way, parscan_type type, size_t n,
                       const void *in)
{
    if (!takes_larger_case())
        return;
    compact_case c = ways[way];
    c.type = type;
    c.n = n;
    expect_compact(context, &c, in);
}

static void expect_every_way(parscan_context *context, parscan_type type, size_t n, const void *in)
{
    for (size_t way = 0; way < COUNT_OF(ways); way++)
        expect_way(context, way, type, n, in);
}

static void expect_small_lengths(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t k = 0; k < COUNT_OF(run_lengths); k += k == 3 ? 2 : 1) {
            if (!takes_case())
                continue;
            void *const in = array_of_runs(type, run_lengths[k], n);
            expect_every_way(context, type, n, in);
            free(in);
        }
    parscan_context_destroy(context);
}

static void expect_powers_of_two(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t power = 128; power <= 1u << 17; power *= 2) {
        const size_t length = run_lengths[random_below(COUNT_OF(run_lengths))];
        void *const in = array_of_runs(type, length, power + 1);
        for (size_t n = power - 1; n <= power + 1; n++)
            for (int k = 0; k < 3; k++)
                expect_way(context, random_below(COUNT_OF(ways)), type, n, in);
        free(in);
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                        \
    SimdTest(runs, are_found_at_every_small_length_##name)     \
    {                                                          \
        expect_small_lengths(PARSCAN_##NAME);                  \
    }                                                          \
    SimdTest(runs, are_found_around_every_power_of_two_##name) \
    {                                                          \
        expect_powers_of_two(PARSCAN_##NAME);                  \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(runs, are_found_on_every_number_of_threads)
{
    for (size_t t = 0; t < TYPES; t++) {
        const size_t n = PRIME_NEAR_2_20 / parscan_type_size(all_types[t]);
        void *const in = array_of_runs(all_types[t], run_lengths[t % COUNT_OF(run_lengths)], n);
        for (size_t k = 0; k < COUNT_OF(thread_counts); k++) {
            parscan_context *const context =
                test_context_with((parscan_context_options){.threads = thread_counts[k]});
            expect_every_way(context, all_types[t], n, in);
            parscan_context_destroy(context);
        }
        free(in);
    }
}

SimdTest(runs, of_any_length_are_found_on_many_threads)
{
    enum { N = 300007 };
    const parscan_type types[] = {PARSCAN_U8, PARSCAN_F32, PARSCAN_I64};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 7});
    for (size_t k = 0; k < COUNT_OF(run_lengths) * COUNT_OF(types); k++) {
        const parscan_type type = types[k % COUNT_OF(types)];
        void *const in = array_of_runs(type, run_lengths[k / COUNT_OF(types)], N);
        expect_every_way(context, type, N, in);
        free(in);
    }
    parscan_context_destroy(context);
}

/* A run that ends at every element around the middle of the array, and another one after it. */
SimdTest(runs, may_end_anywhere)
{
    enum { N = 700 };
    static uint16_t in[N];
    parscan_context *const context = test_context();
    for (size_t end = 1; end < N; end++) {
        for (size_t i = 0; i < N; i++)
            in[i] = i >= end;
        expect_way(context, 1, PARSCAN_U16, N, in);
        expect_way(context, 2, PARSCAN_U16, N, in);
    }
    parscan_context_destroy(context);
}

SimdTest(unique, takes_any_nan_for_equal_and_zeros_of_both_signs_and_keeps_the_first)
{
    double in[] = {0.0, -0.0, NAN, -NAN, NAN, 1, 1, -0.0, 0.0}, out[9];
    uint64_t count = 0;
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_unique(context, PARSCAN_F64, in, out, 9, &count), PARSCAN_OK);
    cr_assert_eq(count, 4);
    cr_assert_eq(memcmp(out, (double[]){in[0], in[2], in[5], in[7]}, 4 * sizeof *out), 0);
    parscan_context_destroy(context);
}

SimdTest(run_length_encode, of_text_gives_letters_and_lengths)
{
    const char text[] = "aaabccdddd";
    uint8_t letters[5] = "....";
    uint32_t lengths[5] = {9, 9, 9, 9, 9};
    uint64_t count = 0;
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_run_length_encode(context, PARSCAN_U8, text, letters, PARSCAN_U32, lengths,
                                           10, &count),
                 PARSCAN_OK);
    cr_assert_eq(count, 4);
    cr_assert_eq(memcmp(letters, "abcd", 5), 0);
    cr_assert_eq(memcmp(lengths, (uint32_t[]){3, 1, 2, 4, 9}, sizeof lengths), 0);
    parscan_context_destroy(context);
}
