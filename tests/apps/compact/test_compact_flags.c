/* parscan_compact(): elements of any size, moved whole, by flags. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define SMALL 200u
#define LARGEST_SIZE 1000u

static const size_t odd_sizes[] = {40, 48, 63, 64, 65, 100, 128, 255, LARGEST_SIZE};
static const unsigned thread_counts[] = {1, 2, 3, 7};

static unsigned char *random_bytes(size_t n)
{
    unsigned char *const bytes = malloc(n + 8);
    if (bytes == NULL)
        abort();
    for (size_t i = 0; i < n; i += 8) {
        const uint64_t bits = random_bits();
        memcpy(bytes + i, &bits, sizeof bits);
    }
    return bytes;
}

/* Any byte that is not zero keeps. */
static void fill_flags(uint8_t *flags, pattern p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        flags[i] = pattern_keeps(p, i, n) ? (uint8_t)(1 + random_below(255)) : 0;
}

static void expect_compaction(parscan_context *context, size_t element_size, pattern p, size_t n,
                              bool in_place, const void *in)
{
    uint8_t *const flags = malloc(n + 1);
    fill_flags(flags, p, n);
    const compact_case c = {.kind = COMPACT_FLAGS,
                            .element_size = element_size,
                            .flags = flags,
                            .n = n,
                            .in_place = in_place};
    expect_compact(context, &c, in);
    free(flags);
}

static void expect_small_lengths(size_t element_size)
{
    parscan_context *const context = test_context();
    unsigned char *const in = random_bytes((SMALL + 1) * element_size);
    for (size_t n = 0; n <= SMALL; n++)
        for (int mode = 0; mode < 4; mode++)
            if (takes_case())
                expect_compaction(context, element_size, any_pattern(), n, mode % 2, in);
    free(in);
    parscan_context_destroy(context);
}

SimdTest(compact, is_right_at_every_small_length_for_elements_of_1_to_33_bytes)
{
    for (size_t size = 1; size <= 33; size++)
        expect_small_lengths(size);
}

SimdTest(compact, is_right_at_every_small_length_for_large_elements)
{
    for (size_t k = 0; k < COUNT_OF(odd_sizes); k++)
        expect_small_lengths(odd_sizes[k]);
}

SimdTest(compact, is_right_for_every_pattern_of_flags)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 8, 12, 16, 24};
    parscan_context *const context = test_context();
    unsigned char *const in = random_bytes(5003 * 24);
    for (size_t k = 0; k < COUNT_OF(sizes); k++)
        for (pattern p = NONE; p < PATTERNS; p++)
            for (size_t n = 1; n <= 5003; n = n * 5 / 2 + 6)
                for (int in_place = 0; in_place < 2; in_place++)
                    if (takes_larger_case())
                        expect_compaction(context, sizes[k], p, n, in_place, in);
    free(in);
    parscan_context_destroy(context);
}

SimdTest(compact, keeps_by_any_flag_that_is_not_zero)
{
    enum { N = 300 };
    parscan_context *const context = test_context();
    unsigned char *const in = random_bytes(N * sizeof(uint64_t));
    uint8_t flags[N];
    for (unsigned flag = 1; flag < 256; flag++)
        for (size_t size = 1; size <= 8; size *= 2) {
            if (!takes_larger_case())
                continue;
            for (size_t i = 0; i < N; i++)
                flags[i] = random_below(2) == 0 ? (uint8_t)flag : 0;
            const compact_case c = {
                .kind = COMPACT_FLAGS, .element_size = size, .flags = flags, .n = N};
            expect_compact(context, &c, in);
        }
    free(in);
    parscan_context_destroy(context);
}

SimdTest(compact, is_right_around_every_power_of_two)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 33};
    parscan_context *const context = test_context();
    unsigned char *const in = random_bytes(33 * ((1u << 17) + 1));
    for (size_t power = 128; power <= 1u << 17; power *= 2)
        for (size_t n = power - 1; n <= power + 1; n++)
            for (size_t k = 0; k < COUNT_OF(sizes); k++)
                if (takes_larger_case())
                    expect_compaction(context, sizes[k], any_pattern(), n, random_below(2), in);
    free(in);
    parscan_context_destroy(context);
}

SimdTest(compact, is_right_on_every_number_of_threads)
{
    static const size_t sizes[] = {1, 2, 4, 8, 12};
    enum { N = 1048573 }; /* a prime */
    unsigned char *const in = random_bytes(12 * N);
    for (size_t t = 0; t < COUNT_OF(thread_counts); t++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = thread_counts[t]});
        for (size_t k = 0; k < COUNT_OF(sizes); k++)
            for (int in_place = 0; in_place < 2; in_place++)
                if (takes_larger_case())
                    expect_compaction(context, sizes[k], any_pattern(), N, in_place, in);
        parscan_context_destroy(context);
    }
    free(in);
}

SimdTest(compact, is_right_in_place_whatever_is_kept_on_many_threads)
{
    enum { N = 300007 };
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 7});
    unsigned char *const in = random_bytes(8 * N);
    for (pattern p = NONE; p < PATTERNS; p++)
        for (size_t size = 1; size <= 8; size *= 2)
            expect_compaction(context, size, p, N, true, in);
    free(in);
    parscan_context_destroy(context);
}

SimdTest(compact, moves_large_elements_on_many_threads)
{
    static const size_t sizes[] = {100, 256, 500, 512, 513, LARGEST_SIZE};
    enum { N = 1501 };
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 7});
    unsigned char *const in = random_bytes(LARGEST_SIZE * N);
    for (pattern p = NONE; p < PATTERNS; p++)
        for (size_t k = 0; k < 2 * COUNT_OF(sizes); k++)
            if (takes_larger_case())
                expect_compaction(context, sizes[k / 2], p, N, k % 2, in);
    free(in);
    parscan_context_destroy(context);
}
