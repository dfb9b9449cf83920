/* parscan_lower_bound() and parscan_upper_bound() against an oracle that counts: every type, keys and needles
   of every kind, in order and not, of any alignment, in place. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/search.h"
#include "tests/support/every_simd.h"
#include "tests/support/key_patterns.h"
#include "tests/support/oracle_search.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

typedef struct bounds_case {
    parscan_type type, index_type;
    bool upper, in_place;
    const void *sorted, *values;
    size_t count, n;
} bounds_case;

static parscan_status search(parscan_context *context, const bounds_case *c, const void *sorted,
                             const void *values, void *out)
{
    return c->upper ? parscan_upper_bound(context, c->type, sorted, c->count, values, c->n,
                                          c->index_type, out)
                    : parscan_lower_bound(context, c->type, sorted, c->count, values, c->n,
                                          c->index_type, out);
}

/* A copy that starts `shift` bytes after an aligned address, with known bytes before and after. */
enum { AROUND = 16 };
static unsigned char *shifted(const void *from, size_t bytes, size_t shift)
{
    unsigned char *const memory = malloc(bytes + 2 * AROUND);
    cr_assert_not_null(memory);
    memset(memory, 0xa5, bytes + 2 * AROUND);
    if (bytes > 0)
        memcpy(memory + shift, from, bytes);
    return memory;
}

static void expect_around(const unsigned char *memory, size_t bytes, size_t shift)
{
    for (size_t i = 0; i < bytes + 2 * AROUND; i++)
        if (i < shift || i >= shift + bytes)
            cr_assert_eq(memory[i], 0xa5, "byte %zu of %zu", i - shift, bytes);
}

static void expect_bounds(parscan_context *context, const bounds_case *c, const uint64_t *expected)
{
    const size_t size = parscan_type_size(c->type), index_size = parscan_type_size(c->index_type);
    const size_t out_bytes = c->n * index_size, shift = random_below(9);
    unsigned char *const sorted = shifted(c->sorted, c->count * size, shift);
    unsigned char *const values = shifted(c->values, c->n * size, shift);
    unsigned char *const memory = malloc(out_bytes + 2 * AROUND);
    cr_assert_not_null(memory);
    memset(memory, 0xa5, out_bytes + 2 * AROUND);
    void *const out = c->in_place ? values + shift : memory + shift;
    cr_assert_eq(search(context, c, sorted + shift, values + shift, out), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    for (size_t i = 0; i < c->n; i++) {
        uint64_t wide;
        uint32_t narrow;
        memcpy(&wide, (char *)out + i * index_size, index_size == 8 ? 8 : 4);
        memcpy(&narrow, &wide, sizeof narrow);
        const uint64_t bound = index_size == 8 ? wide : narrow;
        cr_assert_eq(bound, expected[i], "%s, %s bound %zu of %zu in %zu keys: %llu, not %llu",
                     parscan_type_name(c->type), c->upper ? "upper" : "lower", i, c->n, c->count,
                     (unsigned long long)bound, (unsigned long long)expected[i]);
    }
    expect_around(memory, out_bytes, shift);
    expect_around(values, c->n * size, shift);
    free(sorted);
    free(values);
    free(memory);
}

/* Both bounds, by both types of indices, and in place where that can be. */
static void expect_both(parscan_context *context, parscan_type type, const void *sorted,
                        size_t count, const void *values, size_t n)
{
    uint64_t *const expected = malloc((n + 1) * sizeof *expected);
    cr_assert_not_null(expected);
    for (int upper = 0; upper < 2; upper++) {
        oracle_bounds(type, sorted, count, values, n, upper, expected);
        bounds_case c = {.type = type,
                         .index_type = upper ? PARSCAN_U64 : PARSCAN_U32,
                         .upper = upper,
                         .sorted = sorted,
                         .values = values,
                         .count = count,
                         .n = n};
        expect_bounds(context, &c, expected);
        c.index_type = upper ? PARSCAN_I32 : PARSCAN_I64;
        expect_bounds(context, &c, expected);
        c.index_type = parscan_type_size(type) == 4 ? PARSCAN_U32 : PARSCAN_U64;
        c.in_place = true;
        if (parscan_type_size(type) >= 4)
            expect_bounds(context, &c, expected);
    }
    free(expected);
}

static void expect_patterns(parscan_context *context, parscan_type type, key_pattern of_keys,
                            size_t count, key_pattern of_values, size_t n)
{
    void *const keys = patterned_keys(type, of_keys, count);
    void *const sorted = oracle_sorted(type, keys, count);
    void *const values = patterned_keys(type, of_values, n);
    void *const in_order = oracle_sorted(type, values, n);
    expect_both(context, type, sorted, count, values, n);
    expect_both(context, type, sorted, count, in_order, n);
    free(keys);
    free(sorted);
    free(values);
    free(in_order);
}

SimdTest(bounds, are_counts_of_what_is_less_at_every_length)
{
    static const size_t lengths[] = {0, 1, 2, 15, 16, 17, 100, 1023, 1025};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
                if ((i + k + t) % 3 == 0 || lengths[i] * lengths[k] == 0)
                    expect_patterns(context, all_types[t], KEYS_RANDOM, lengths[i], KEYS_RANDOM,
                                    lengths[k]);
    parscan_context_destroy(context);
}

SimdTest(bounds, are_right_of_keys_and_needles_of_every_kind)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_EQUAL, KEYS_FEW, KEYS_ONE_STRANGER,
                                           KEYS_SPECIAL};
    enum { PATTERNS = sizeof patterns / sizeof *patterns };
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < PATTERNS; i++)
            for (size_t k = 0; k < PATTERNS; k++)
                expect_patterns(context, all_types[t], patterns[i], 300, patterns[k], 77);
    parscan_context_destroy(context);
}

/* So many that there is a sample of the keys, or a table of all values, and that threads share the tiles. */
SimdTest(bounds, of_many_needles_are_right)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++) {
        expect_patterns(context, all_types[t], KEYS_RANDOM, 20011, KEYS_RANDOM, 9001);
        expect_patterns(context, all_types[t], KEYS_CLUSTERED, 4096, KEYS_CLUSTERED, 3001);
        expect_patterns(context, all_types[t], KEYS_SPECIAL, 5000, KEYS_SPECIAL, 3001);
        expect_patterns(context, all_types[t], KEYS_RANDOM, 65, KEYS_SORTED_FEW, 20001);
    }
    parscan_context_destroy(context);
}

SimdTest(bounds, of_all_values_of_16_bits_are_right)
{
    enum { COPIES = 4 };
    static const parscan_type types[] = {PARSCAN_U16, PARSCAN_I16, PARSCAN_F16, PARSCAN_BF16};
    parscan_context *const context = test_context();
    uint16_t *const codes = every_code(COPIES);
    for (size_t t = 0; t < 4; t++) {
        void *const sorted = oracle_sorted(types[t], codes, CODES / 3);
        expect_both(context, types[t], sorted, CODES / 3, codes, COPIES * CODES);
        free(sorted);
    }
    free(codes);
    parscan_context_destroy(context);
}

/* Tiles in order beside tiles that are not, needles beyond both ends, far steps. */
SimdTest(bounds, of_needles_that_are_in_order_in_parts_are_right)
{
    enum { COUNT = 50000, N = 12000 };
    parscan_context *const context = test_context();
    uint32_t *const sorted = malloc(COUNT * sizeof *sorted), *const values =
                                                                 malloc(N * sizeof *values);
    cr_assert(sorted != NULL && values != NULL);
    for (size_t i = 0; i < COUNT; i++)
        sorted[i] = (uint32_t)(1000 + (i < COUNT / 2 ? i / 5 : i * 70));
    for (size_t i = 0; i < N; i++)
        values[i] = i < N / 3       ? (uint32_t)random_bits()
                    : i < 2 * N / 3 ? (uint32_t)(i * i / 40)
                                    : (uint32_t)(i / 6 * 400);
    expect_both(context, PARSCAN_U32, sorted, COUNT, values, N);
    free(sorted);
    free(values);
    parscan_context_destroy(context);
}

/* One thread has so many tiles that a walk goes on from one to the next; and needles so far apart that they are
   searched. */
SimdTest(bounds, of_needles_in_order_go_on_from_tile_to_tile)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 1});
    expect_patterns(context, PARSCAN_I16, KEYS_RANDOM, 300, KEYS_RANDOM, 17000);
    expect_patterns(context, PARSCAN_F32, KEYS_SPECIAL, 40000, KEYS_SPECIAL, 17000);
    expect_patterns(context, PARSCAN_U64, KEYS_RANDOM, 40000, KEYS_RANDOM, 17000);
    expect_patterns(context, PARSCAN_U32, KEYS_RANDOM, 250000, KEYS_RANDOM, 1500);
    parscan_context_destroy(context);
}

/* The order is that of sorts: -0 is before +0, a NaN of either sign after infinity. */
Test(bounds, order_zeros_and_nans_as_sorts_do)
{
    const uint32_t sorted[] = {0xff800000, 0x80000000, 0x80000000, 0,
                               0x7f800000, 0xffc00000, 0x7fc00001};
    const uint32_t values[] = {0, 0x80000000, 0x7fffffff, 0xffc12345, 0x7f800000, 1};
    const uint32_t lower[] = {3, 1, 5, 5, 4, 4}, upper[] = {4, 3, 7, 7, 5, 4};
    uint32_t out[6];
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_lower_bound(context, PARSCAN_F32, sorted, 7, values, 6, PARSCAN_U32, out),
                 PARSCAN_OK);
    cr_assert_arr_eq(out, lower, sizeof out);
    cr_assert_eq(parscan_upper_bound(context, PARSCAN_F32, sorted, 7, values, 6, PARSCAN_U32, out),
                 PARSCAN_OK);
    cr_assert_arr_eq(out, upper, sizeof out);
    parscan_context_destroy(context);
}
