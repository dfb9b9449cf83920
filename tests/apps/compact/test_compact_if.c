/* parscan_compact_if(), _compact_indices(), _compact_with_indices(), parscan_partition(): every type and comparison. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/number.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/test_engine.h"

#define SMALL 200u
#define COMPARISONS 8
#define PRIME_NEAR_2_20 1048573u

static const unsigned thread_counts[] = {1, 2, 3, 7};

/* The ways to keep by a predicate. */
static const compact_case ways[] = {
    {.kind = COMPACT_IF},
    {.kind = COMPACT_IF, .in_place = true},
    {.kind = COMPACT_INDICES, .index_type = PARSCAN_U32},
    {.kind = COMPACT_INDICES, .index_type = PARSCAN_U64},
    {.kind = COMPACT_PARTITION},
    {.kind = COMPACT_BOTH, .index_type = PARSCAN_U32},
    {.kind = COMPACT_BOTH, .index_type = PARSCAN_I64, .in_place = true},
};

static void expect_way(parscan_context *context, size_t way, parscan_type type,
                       const parscan_predicate *keep, size_t n, const void *in)
{
    if (!takes_larger_case())
        return;
    compact_case c = ways[way];
    c.type = type;
    c.keep = keep;
    c.n = n;
    expect_compact(context, &c, in);
}

static void expect_every_way(parscan_context *context, parscan_type type,
                             const parscan_predicate *keep, size_t n, const void *in)
{
    for (size_t way = 0; way < COUNT_OF(ways); way++)
        expect_way(context, way, type, keep, n, in);
}

/* A comparison with random elements; BETWEEN takes the lesser one first, if there is one. */
static void any_predicate(odd_predicate *of, parscan_type type, parscan_comparison comparison)
{
    char values[2 * sizeof(uint64_t)];
    char *const upper = values + parscan_type_size(type);
    random_fill(type, PARSCAN_SUM, values, 2);
    const bool swap = number_compare(number_read(type, values, 0), number_read(type, values, 1)) ==
                      NUMBER_GREATER;
    predicate_of(of, type, comparison, swap ? upper : values, swap ? values : upper);
}

static void expect_small_lengths(parscan_type type)
{
    parscan_context *const context = test_context();
    for (parscan_comparison comparison = PARSCAN_NONZERO; comparison < COMPARISONS; comparison++) {
        odd_predicate of;
        any_predicate(&of, type, comparison);
        for (size_t n = 0; n <= SMALL; n++) {
            if (!takes_case())
                continue;
            void *const in = patterned_array(type, &of.keep, any_pattern(), n);
            expect_every_way(context, type, &of.keep, n, in);
            free(in);
        }
    }
    parscan_context_destroy(context);
}

static void expect_patterns(parscan_type type)
{
    parscan_context *const context = test_context();
    for (pattern p = NONE; p < PATTERNS; p++)
        for (size_t power = 256; power <= 4096; power *= 4) {
            odd_predicate of;
            any_predicate(&of, type, (parscan_comparison)random_below(COMPARISONS));
            for (size_t n = power - 1; n <= power + 1; n++) {
                void *const in = patterned_array(type, &of.keep, p, n);
                expect_every_way(context, type, &of.keep, n, in);
                expect_every_way(context, type, NULL, n, in);
                free(in);
            }
        }
    parscan_context_destroy(context);
}

static void expect_powers_of_two(parscan_type type)
{
    parscan_context *const context = test_context();
    odd_predicate of;
    any_predicate(&of, type, PARSCAN_LESS);
    for (size_t power = 128; power <= 1u << 17; power *= 2) {
        void *const in = patterned_array(type, &of.keep, any_pattern(), power + 1);
        for (size_t n = power - 1; n <= power + 1; n++)
            expect_way(context, random_below(COUNT_OF(ways)), type, &of.keep, n, in);
        free(in);
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                                        \
    SimdTest(predicate, keeps_what_it_should_at_every_small_length_##name)     \
    {                                                                          \
        expect_small_lengths(PARSCAN_##NAME);                                  \
    }                                                                          \
    SimdTest(predicate, keeps_what_it_should_for_every_pattern_##name)         \
    {                                                                          \
        expect_patterns(PARSCAN_##NAME);                                       \
    }                                                                          \
    SimdTest(predicate, keeps_what_it_should_around_every_power_of_two_##name) \
    {                                                                          \
        expect_powers_of_two(PARSCAN_##NAME);                                  \
    }
PARSCAN_TYPES(X, )
#undef X

/* The values that comparisons get wrong, compared with each other: signed and unsigned, NaN, zeros
   of both signs, infinities. Long enough for vectors. */
static void expect_specials(parscan_type type)
{
    enum { N = 500 };
    char specials[NUMBER_SPECIALS * sizeof(uint64_t)], in[N * sizeof(uint64_t)];
    const size_t size = parscan_type_size(type), count = number_specials(type, specials);
    parscan_context *const context = test_context();
    for (size_t i = 0; i < N; i++)
        memcpy(in + i * size, specials + (i < count ? i : random_below(count)) * size, size);
    for (size_t a = 0; a < count; a++)
        for (parscan_comparison comparison = PARSCAN_NONZERO; comparison < COMPARISONS;
             comparison++)
            for (size_t b = 0; b < (comparison == PARSCAN_BETWEEN ? count : 1); b++) {
                odd_predicate of;
                predicate_of(&of, type, comparison, specials + a * size, specials + b * size);
                expect_way(context, random_below(COUNT_OF(ways)), type, &of.keep, N, in);
            }
    parscan_context_destroy(context);
}

SimdTest(predicate, orders_extremes_as_numbers_of_their_type)
{
    for (size_t t = 0; t < TYPES; t++)
        expect_specials(all_types[t]);
}

SimdTest(predicate, compares_every_byte_with_every_byte)
{
    enum { N = 256 };
    uint8_t in[N];
    parscan_context *const context = test_context();
    for (unsigned i = 0; i < N; i++)
        in[i] = (uint8_t)i;
    for (parscan_comparison comparison = PARSCAN_EQUAL; comparison < PARSCAN_BETWEEN; comparison++)
        for (unsigned value = 0; value < N; value++)
            for (parscan_type type = PARSCAN_U8; type <= PARSCAN_I8; type++) {
                odd_predicate of;
                const uint8_t byte = (uint8_t)value;
                predicate_of(&of, type, comparison, &byte, NULL);
                expect_way(context, 0, type, &of.keep, N, in);
            }
    parscan_context_destroy(context);
}

SimdTest(predicate, between_bounds_in_the_wrong_order_keeps_nothing)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++) {
        char values[2 * sizeof(uint64_t)];
        const parscan_type type = all_types[t];
        if (oracle_is_float(type)) {
            number_write_real(type, values, 0, 1);
            number_write_real(type, values, 1, -1);
        } else {
            number_write_integer(type, values, 0, number_highest(type));
            number_write_integer(type, values, 1, number_lowest(type));
        }
        odd_predicate of;
        predicate_of(&of, type, PARSCAN_BETWEEN, values, values + parscan_type_size(type));
        void *const in = random_array(type, PARSCAN_SUM, 1000);
        expect_every_way(context, type, &of.keep, 1000, in);
        uint64_t count = 1;
        cr_assert_eq(parscan_compact_if(context, type, in, &of.keep, values, 1000, &count), 0);
        cr_assert_eq(count, 0);
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(predicate, that_does_not_need_a_value_does_not_look_at_it)
{
    const int32_t in[] = {0, 5, -1, 0, 7}, five = 5;
    int32_t out[5];
    uint64_t count;
    parscan_context *const context = test_context();
    const void *const nowhere = (const void *)(uintptr_t)8;
    parscan_predicate keep =
        PARSCAN_PREDICATE(.comparison = PARSCAN_NONZERO, .value = nowhere, .upper = nowhere);
    cr_assert_eq(parscan_compact_if(context, PARSCAN_I32, in, &keep, out, 5, &count), PARSCAN_OK);
    cr_assert(count == 3 && out[0] == 5 && out[1] == -1 && out[2] == 7);
    keep = PARSCAN_PREDICATE(.comparison = PARSCAN_GREATER, .value = &five, .upper = nowhere);
    cr_assert_eq(parscan_compact_if(context, PARSCAN_I32, in, &keep, out, 5, &count), PARSCAN_OK);
    cr_assert(count == 1 && out[0] == 7);
    parscan_context_destroy(context);
}

SimdTest(predicate, holds_on_every_number_of_threads)
{
    static const parscan_comparison rotated[] = {PARSCAN_NONZERO, PARSCAN_LESS, PARSCAN_BETWEEN,
                                                 PARSCAN_NOT_EQUAL, PARSCAN_GREATER_EQUAL};
    for (size_t t = 0; t < TYPES; t++) {
        odd_predicate of;
        const parscan_type type = all_types[t];
        any_predicate(&of, type, rotated[t % COUNT_OF(rotated)]);
        const size_t n = PRIME_NEAR_2_20 / parscan_type_size(type);
        void *const in = patterned_array(type, &of.keep, any_pattern(), n);
        for (size_t k = FIRST_OF_1_2_3_7_THREADS; k < COUNT_OF(thread_counts); k++) {
            parscan_context *const context =
                test_context_with((parscan_context_options){.threads = thread_counts[k]});
            expect_every_way(context, type, &of.keep, n, in);
            parscan_context_destroy(context);
        }
        free(in);
    }
}

SimdTest(predicate, holds_on_many_threads_whatever_is_kept)
{
    enum { N = 300007 };
    const parscan_type types[] = {PARSCAN_U8, PARSCAN_I16, PARSCAN_F32, PARSCAN_U64};
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 7});
    for (pattern p = NONE; p < PATTERNS; p++) {
        const parscan_type type = types[p % COUNT_OF(types)];
        void *const in = patterned_array(type, NULL, p, N);
        expect_every_way(context, type, NULL, N, in);
        free(in);
    }
    parscan_context_destroy(context);
}

SimdTest(predicate, holds_for_a_prime_number_of_elements)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++) {
        void *const in = random_array(all_types[t], PARSCAN_OR, PRIME_NEAR_2_20);
        expect_way(context, t % COUNT_OF(ways), all_types[t], NULL, PRIME_NEAR_2_20, in);
        free(in);
    }
    parscan_context_destroy(context);
}
