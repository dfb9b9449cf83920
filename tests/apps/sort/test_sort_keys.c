/* Sorts of keys alone: every type, pattern, direction, range of bits, place and number of threads. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/type_traits.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

/* Around vectors, what is sorted without counting, buckets and tiles. */
static const size_t sizes[] = {0,    1,    2,    3,    7,    8,    9,    15,    16,    17,
                               31,   32,   33,   63,   64,   65,   127,  128,   129,   255,
                               256,  257,  511,  512,  513,  1023, 1024, 1025,  2047,  2048,
                               2049, 4095, 4096, 4097, 8191, 8192, 8193, 16383, 16384, 16385};
#define PRIME_NEAR_2_20 1048573u
#define SEVERAL_MILLIONS 3500017u
#define STREAM_BYTES 4300007u /* of keys that go past the caches */

static void expect_pattern(parscan_context *context, sort_case sort, key_pattern pattern)
{
    if (!takes_larger_case())
        return;
    void *const keys = patterned_keys(sort.type, pattern, sort.n);
    expect_sort(context, sort, keys);
    free(keys);
}

static void expect_every_size_of(parscan_type type)
{
    parscan_context *const context = test_context();
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (int mode = 0; mode < 4; mode++) {
            sort_case sort = {.type = type, .n = sizes[s], .keys_in_place = mode / 2};
            sort.options.descending = mode % 2;
            expect_pattern(context, sort, KEYS_RANDOM);
        }
    parscan_context_destroy(context);
}

static void expect_every_pattern_of(parscan_type type)
{
    static const size_t lengths[] = {2, 3, 5, 16, 33, 64, 100, 257, 1000, 4099, 20011};
    parscan_context *const context = test_context();
    for (key_pattern pattern = 0; pattern < KEY_PATTERNS; pattern++)
        for (size_t s = 0; s < COUNT_OF(lengths); s++)
            for (int descending = 0; descending < 2; descending++) {
                sort_case sort = {.type = type, .n = lengths[s]};
                sort.options.descending = descending;
                sort.keys_in_place = random_below(2) == 0;
                expect_pattern(context, sort, pattern);
            }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                             \
    SimdTest(sort, agrees_with_the_oracle_at_every_size_##name)     \
    {                                                               \
        expect_every_size_of(PARSCAN_##NAME);                       \
    }                                                               \
    SimdTest(sort, agrees_with_the_oracle_for_every_pattern_##name) \
    {                                                               \
        expect_every_pattern_of(PARSCAN_##NAME);                    \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(sort, takes_every_length_to_600)
{
    parscan_context *const context = test_context();
    for (size_t n = 0; n <= 600; n++) {
        const sort_case sort = {.type = all_types[n % TYPES], .n = n};
        expect_pattern(context, sort, KEYS_RANDOM);
        expect_pattern(context, sort, KEYS_SPECIAL);
        sort_case other = sort;
        other.type = all_types[(n + 5) % TYPES];
        other.options.descending = 1;
        other.keys_in_place = true;
        expect_pattern(context, other, KEYS_RANDOM);
        expect_pattern(context, other, KEYS_FEW);
    }
    parscan_context_destroy(context);
}

SimdTest(sort, takes_lengths_around_large_powers_of_two)
{
    parscan_context *const context = test_context();
    for (size_t power = 15; power <= 18; power++)
        for (size_t k = 0; k < TYPES; k++) {
            sort_case sort = {.type = all_types[k]};
            sort.n = ((size_t)1 << power) + (k + power) % 3 - 1;
            sort.options.descending = (int)(k + power) % 2;
            expect_pattern(context, sort, KEYS_RANDOM);
        }
    parscan_context_destroy(context);
}

/* One half of the types a test, so that they run side by side. */
static void expect_a_prime(size_t first)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_ZIPF, KEYS_TOP_BYTE};
    parscan_context *const context = test_context();
    for (size_t k = first; k < TYPES; k += 2) {
        sort_case sort = {.type = all_types[k], .n = PRIME_NEAR_2_20};
        sort.options.descending = (int)(k / 2 % 2);
        expect_pattern(context, sort, patterns[k / 2 % COUNT_OF(patterns)]);
    }
    parscan_context_destroy(context);
}

SimdTest(sort, takes_a_prime_near_2_20_unsigned_and_f32)
{
    expect_a_prime(0);
}

SimdTest(sort, takes_a_prime_near_2_20_signed_and_f64)
{
    expect_a_prime(1);
}

SimdTest(sort, takes_several_millions)
{
    parscan_context *const context = test_context();
    const sort_case sort = {.type = PARSCAN_U32, .n = SEVERAL_MILLIONS};
    expect_pattern(context, sort, KEYS_RANDOM);
    parscan_context_destroy(context);
}

/* The outputs start anywhere in a cache line, aligned to an element or not. Neighbouring types have
   other patterns. */
static void expect_streams(parscan_type type)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_CLUSTERED, KEYS_SORTED, KEYS_ZIPF};
    const size_t size = parscan_type_size(type);
    parscan_context *const context = test_context();
    const size_t step = LESS_UNDER_SANITIZER(2, 4);
    for (size_t k = size < 4 ? 0 : type % step; k < (size < 4 ? 1 : COUNT_OF(patterns));
         k += step) {
        sort_case sort = {.type = type, .n = STREAM_BYTES / size};
        sort.options.descending = (int)(k % 2);
        sort.out_offset = (unsigned)(random_below(64) / size * size + (k == 3));
        expect_pattern(context, sort, patterns[k]);
    }
    parscan_context_destroy(context);
}

#define X(ctx, NAME, number, name, ...)                            \
    SimdTest(sort, of_keys_larger_than_the_caches_is_right_##name) \
    {                                                              \
        expect_streams(PARSCAN_##NAME);                            \
    }
PARSCAN_TYPES(X, )
#undef X

SimdTest(sort, finds_one_key_astray_among_many_sorted_or_reversed)
{
    static const key_pattern patterns[] = {KEYS_SORTED,       KEYS_REVERSED,      KEYS_SORTED_FEW,
                                           KEYS_REVERSED_FEW, KEYS_FIRST_ASTRAY,  KEYS_LAST_ASTRAY,
                                           KEYS_ORGAN_PIPE,   KEYS_MIDDLE_ASTRAY, KEYS_EQUAL};
    static const parscan_type types[] = {PARSCAN_U8, PARSCAN_I32, PARSCAN_F32, PARSCAN_U64};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(types) * COUNT_OF(patterns); k++) {
        sort_case sort = {.type = types[k / COUNT_OF(patterns)], .n = 100003};
        sort.keys_in_place = k % 2 == 0;
        sort.options.descending = (int)(k / 2 % 2);
        expect_pattern(context, sort, patterns[k % COUNT_OF(patterns)]);
    }
    parscan_context_destroy(context);
}

/* Floats of few bits are counted, and not if they have NaNs, even one. */
SimdTest(sort, of_floats_of_few_bits_is_right)
{
    enum { N = 530001 };
    static uint64_t room[N];
    parscan_context *const context = test_context();
    for (unsigned turn = 0; turn < 12; turn++) {
        const parscan_type types[] = {PARSCAN_F16, PARSCAN_BF16, PARSCAN_F32, PARSCAN_F64};
        const parscan_type type = types[turn % 4];
        const size_t size = parscan_type_size(type);
        const uint64_t infinity = special_float(type, 14), nan = special_float(type, 1);
        const uint64_t sign = UINT64_C(1) << (8 * size - 1);
        for (size_t i = 0; i < N; i++) {
            /* Sign, exponent and the top of the fraction. */
            const uint64_t key = random_bits() >> 48 << (8 * size - 16);
            const bool number = (key & (sign - 1)) <= infinity;
            const uint64_t bits = number ? key : turn < 4 ? infinity : sign;
            memcpy((char *)room + i * size, &bits, size);
        }
        if (turn / 4 > 0)
            memcpy((char *)room + random_below(N) * size, &nan, size);
        if (turn / 4 > 1)
            memcpy((char *)room, &nan, size);
        sort_case sort = {.type = type, .n = N, .keys_in_place = turn % 3 == 0};
        sort.options.descending = turn % 5 < 2;
        expect_sort(context, sort, room);
    }
    parscan_context_destroy(context);
}

/* NaNs of both signs with every payload, zeros and denormals: of equal ones the indices tell which is
   which. */
SimdTest(sort, of_every_float_of_16_bits_is_stable)
{
    parscan_context *const context = test_context();
    uint16_t *const codes = every_code(2);
    for (size_t k = 0; k < 8; k++) {
        sort_case sort = {.type = k % 2 == 0 ? PARSCAN_F16 : PARSCAN_BF16,
                          .n = 2 * (size_t)CODES,
                          .index_type = k < 4 ? 0 : PARSCAN_U32};
        sort.options.descending = k / 2 % 2;
        expect_sort(context, sort, codes);
    }
    free(codes);
    parscan_context_destroy(context);
}

/* Enough for several threads, and for sorts that count keys and do not move them. */
static void expect_every_long_pattern(size_t first_type)
{
    parscan_context *const context = test_context();
    for (size_t t = first_type; t < TYPES; t += 2)
        for (key_pattern pattern = 0; pattern < KEY_PATTERNS; pattern++) {
            sort_case sort = {.type = all_types[t], .n = 33000 + random_below(10000)};
            sort.options.descending = random_below(2) == 0;
            sort.keys_in_place = random_below(2) == 0;
            expect_pattern(context, sort, pattern);
        }
    parscan_context_destroy(context);
}

SimdTest(sort, takes_every_pattern_at_length_unsigned_and_f32)
{
    expect_every_long_pattern(0);
}

SimdTest(sort, takes_every_pattern_at_length_signed_and_f64)
{
    expect_every_long_pattern(1);
}

/* A sample of the keys tells nothing of one that is nowhere else. */
SimdTest(sort, is_not_misled_by_the_keys_that_are_many)
{
    static const parscan_type types[] = {PARSCAN_U8,  PARSCAN_I16, PARSCAN_U32,
                                         PARSCAN_F32, PARSCAN_I64, PARSCAN_F64};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 6 * COUNT_OF(types); k++) {
        sort_case sort = {.type = types[k / 6], .n = 60013, .keys_in_place = k % 2};
        sort.options.descending = (int)(k / 2 % 2);
        expect_pattern(context, sort, KEYS_ONE_STRANGER);
    }
    parscan_context_destroy(context);
}

/* Sorted but for two neighbours that are exchanged, at every place. */
SimdTest(sort, finds_two_neighbours_exchanged_wherever_they_are)
{
    enum { N = 300 };
    uint32_t keys[N];
    parscan_context *const context = test_context();
    for (size_t at = 0; at + 1 < N; at++)
        for (int descending = 0; descending < 2; descending++) {
            for (uint32_t i = 0; i < N; i++)
                keys[i] = 1000 + (descending ? N - i : i);
            const uint32_t first = keys[at];
            keys[at] = keys[at + 1];
            keys[at + 1] = first;
            sort_case sort = {.type = PARSCAN_U32, .n = N, .keys_in_place = at % 2};
            sort.options.descending = descending;
            expect_sort(context, sort, keys);
        }
    parscan_context_destroy(context);
}

static void expect_bits(parscan_context *context, parscan_type type, unsigned begin, unsigned end)
{
    static const size_t lengths[] = {2, 40, 700};
    for (size_t k = 0; k < 2 * COUNT_OF(lengths); k++) {
        /* Values, so that equal bits show whether the order of the rest was kept. */
        sort_case sort = {.type = type, .n = lengths[k / 2], .value_size = k % 4 < 2 ? 0 : 4};
        sort.options =
            (parscan_sort_options){.descending = (int)k % 2, .begin_bit = begin, .end_bit = end};
        expect_pattern(context, sort, KEYS_RANDOM);
    }
}

SimdTest(bits, of_every_range_decide_alone)
{
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++) {
        const unsigned width = (unsigned)(8 * parscan_type_size(all_types[t]));
        if (parscan_is_float(all_types[t]))
            continue;
        for (unsigned begin = 0; begin < width; begin++) {
            const unsigned steps = width <= 16 ? 1 : 1 + (unsigned)random_below(9);
            for (unsigned end = begin + 1; end <= width; end += steps)
                expect_bits(context, all_types[t], begin, end);
            expect_bits(context, all_types[t], begin, width);
            expect_bits(context, all_types[t], begin, 0);
        }
    }
    parscan_context_destroy(context);
}

SimdTest(bits, of_long_arrays_decide_alone)
{
    static const unsigned ranges[][2] = {{0, 1},   {0, 8},   {3, 11}, {5, 6},  {8, 16}, {15, 16},
                                         {20, 32}, {31, 32}, {1, 32}, {0, 31}, {0, 17}, {7, 0}};
    static const parscan_type types[] = {PARSCAN_I32, PARSCAN_U32, PARSCAN_I64};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(ranges) * COUNT_OF(types); k++) {
        sort_case sort = {.type = types[k % COUNT_OF(types)], .n = 70001, .value_size = k % 3 * 4};
        sort.options.begin_bit = ranges[k / COUNT_OF(types)][0];
        sort.options.end_bit = ranges[k / COUNT_OF(types)][1];
        sort.options.descending = (int)(k % 2);
        sort.keys_in_place = k % 4 < 2;
        expect_pattern(context, sort, KEYS_RANDOM);
    }
    parscan_context_destroy(context);
}

/* All is sorted, or reversed, by its bits, and not as numbers; and the other way about. */
SimdTest(bits, and_not_numbers_say_whether_an_array_is_sorted)
{
    enum { N = 5003 };
    static uint32_t keys[N];
    parscan_context *const context = test_context();
    for (int mode = 0; mode < 8; mode++) {
        for (uint32_t i = 0; i < N; i++) {
            const uint32_t rank = mode & 1 ? N - i : i, noise = (uint32_t)random_bits();
            keys[i] = mode & 2 ? noise << 16 | rank : rank << 16 | (noise & 0xffff);
        }
        sort_case sort = {.type = PARSCAN_U32, .n = N, .value_size = 4};
        sort.options.end_bit = 16;
        sort.options.descending = mode / 4;
        expect_sort(context, sort, keys);
    }
    parscan_context_destroy(context);
}

SimdTest(sort, takes_pointers_of_any_alignment)
{
    static const size_t lengths[] = {1, 33, 257, 5003, 60013};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < 6 * COUNT_OF(lengths); k++) {
            sort_case sort = {.type = all_types[t], .n = lengths[k / 6]};
            sort.in_offset = k % 3 == 1 ? 0 : 1 + (unsigned)random_below(63);
            sort.out_offset = k % 3 == 0 ? 0 : 1 + (unsigned)random_below(63);
            sort.keys_in_place = k / 3 % 2 != 0;
            expect_pattern(context, sort, KEYS_RANDOM);
        }
    parscan_context_destroy(context);
}

SimdTest(sort, is_right_on_1_2_3_and_7_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_FEW, KEYS_CLUSTERED};
    for (size_t k = 0; k < TYPES * COUNT_OF(patterns); k++) {
        if (!takes_larger_case())
            continue;
        sort_case sort = {.type = all_types[k % TYPES], .n = 120011};
        sort.options.descending = (int)((k + k / TYPES) % 2);
        void *const keys = patterned_keys(sort.type, patterns[k / TYPES], sort.n);
        size_t *const order = sort_order(&sort, keys);
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            parscan_context *const context =
                test_context_with((parscan_context_options){.threads = threads[t]});
            sort.keys_in_place = t % 2 != 0;
            expect_order(context, sort, keys, order);
            parscan_context_destroy(context);
        }
        free(keys);
        free(order);
    }
}

SimdTest(sort, of_one_context_may_follow_larger_smaller_and_other_sorts)
{
    static const size_t lengths[] = {50021, 10, 300007, 1, 0, 4097, 300007, 77};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 3 * COUNT_OF(lengths); k++) {
        sort_case sort = {.type = all_types[(7 * k) % TYPES], .n = lengths[k % COUNT_OF(lengths)]};
        sort.value_size = k % 3 * 5;
        sort.options.descending = (int)(k / 3 % 2);
        expect_pattern(context, sort, KEYS_RANDOM);
    }
    parscan_context_destroy(context);
}

/* The header's words, one after another, on an array that a reader can check by eye. */
SimdTest(sort, of_floats_keeps_bits_and_puts_every_nan_last_in_the_order_of_the_input)
{
    static const uint32_t in[] = {0xffc00001, 0x3f800000, 0x7fc00002, 0x80000000, 0x00000000,
                                  0xff800000, 0x7f800000, 0x7f800001, 0x80000001, 0x00000001};
    static const uint32_t up[] = {0xff800000, 0x80000001, 0x80000000, 0x00000000, 0x00000001,
                                  0x3f800000, 0x7f800000, 0xffc00001, 0x7fc00002, 0x7f800001};
    static const uint32_t down[] = {0xffc00001, 0x7fc00002, 0x7f800001, 0x7f800000, 0x3f800000,
                                    0x00000001, 0x00000000, 0x80000000, 0x80000001, 0xff800000};
    uint32_t out[COUNT_OF(in)];
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_F32, in, out, COUNT_OF(in), NULL), PARSCAN_OK);
    cr_assert_eq(memcmp(out, up, sizeof up), 0);
    const parscan_sort_options descending = PARSCAN_SORT_OPTIONS(.descending = -1);
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_F32, in, out, COUNT_OF(in), &descending),
                 PARSCAN_OK);
    cr_assert_eq(memcmp(out, down, sizeof down), 0);
    parscan_context_destroy(context);
}
