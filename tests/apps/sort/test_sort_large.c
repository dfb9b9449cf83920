/* Sorts of more than 2^32 keys. Pages of the scratch that a sort does not write take no memory. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/sort.h"
#include "tests/support/large.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

#define N ((UINT64_C(1) << 32) + 5)
#define NEEDED_KIB (UINT64_C(11) << 20) /* the keys and as much again */

/* Most keys are these sixteen, one after another: where all were equal, each count would wait for the one before it. A
   few are greater, on both sides of 2^32. */
enum { SMALL = 16, BLOCK = 1 << 20 };
static const size_t places[] = {0, 1, 77, UINT32_MAX, UINT32_MAX + (size_t)1, N - 2};
enum { MARKS = sizeof places / sizeof places[0] };

static void put_keys(uint8_t *keys)
{
    for (size_t i = 0; i < BLOCK; i++)
        keys[i] = (uint8_t)(i % SMALL);
    for (size_t i = BLOCK; i < N; i += BLOCK)
        memcpy(keys + i, keys, N - i < BLOCK ? N - i : BLOCK);
    for (size_t k = 0; k < MARKS; k++)
        keys[places[k]] = (uint8_t)(200 - k);
}

/* How many of the keys [begin, end) are the small one. */
static size_t count_small(size_t begin, size_t end, unsigned small)
{
    size_t count = (end + SMALL - 1 - small) / SMALL - (begin + SMALL - 1 - small) / SMALL;
    for (size_t k = 0; k < MARKS; k++)
        count -= places[k] >= begin && places[k] < end && places[k] % SMALL == small;
    return count;
}

/* at[0..count) are all the key. Returns where they end. */
static const uint8_t *expect_run(const uint8_t *at, size_t count, unsigned key)
{
    if (count > 0)
        cr_assert(at[0] == key && memcmp(at, at + 1, count - 1) == 0, "%zu of key %u", count, key);
    return at + count;
}

static void expect_counts(parscan_context *context, uint8_t *keys)
{
    put_keys(keys);
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_U8, keys, keys, N, NULL), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    const uint8_t *at = keys;
    for (unsigned small = 0; small < SMALL; small++)
        at = expect_run(at, count_small(0, N, small), small);
    for (unsigned k = 0; k < MARKS; k++)
        at = expect_run(at, 1, 200 - (MARKS - 1 - k));
    cr_assert_eq(at, keys + N);
}

static void expect_segments(parscan_context *context, uint8_t *keys)
{
    const uint64_t offsets[] = {0, 3, UINT32_MAX, UINT32_MAX + UINT64_C(2), N};
    const parscan_segments segments =
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U64, .data = offsets,
                         .count = 4);
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.descending = 1);
    put_keys(keys);
    cr_assert_eq(parscan_sort_segments(context, PARSCAN_U8, keys, keys, 0, NULL, NULL, N, &segments,
                                       &options),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    const uint8_t *at = keys;
    for (size_t s = 0; s < 4; s++) {
        for (unsigned k = 0; k < MARKS; k++)
            at = expect_run(at, places[k] >= offsets[s] && places[k] < offsets[s + 1], 200 - k);
        for (unsigned small = SMALL; small-- > 0;)
            at = expect_run(at, count_small(offsets[s], offsets[s + 1], small), small);
    }
    cr_assert_eq(at, keys + N);
}

/* Random keys, again and again. By their upper bits they are moved, not counted, and the lower ones go along in
   their order: the keys of a digit are those of the period, again and again. */
#define PERIOD 1000003u
enum { LOW_BITS = 5, DIGITS = 256 >> LOW_BITS };

/* Checks the keys of one digit, and returns where those of the next begin. */
static const uint8_t *expect_digit(const uint8_t *keys, const uint8_t *period, unsigned digit,
                                   uint8_t *same)
{
    size_t count = 0, rest = 0;
    for (size_t i = 0; i < PERIOD; i++)
        if (period[i] >> LOW_BITS == digit) {
            same[count++] = period[i];
            rest += i < N % PERIOD;
        }
    for (size_t k = 0; k < N / PERIOD; k++, keys += count)
        cr_assert_eq(memcmp(keys, same, count), 0, "period %zu of digit %u", k, digit);
    cr_assert_eq(memcmp(keys, same, rest), 0, "the last period of digit %u", digit);
    return keys + rest;
}

static void expect_moves(parscan_context *context, uint8_t *keys)
{
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.begin_bit = LOW_BITS);
    uint8_t *const period = malloc(2 * PERIOD);
    for (size_t i = 0; i < PERIOD; i++)
        period[i] = (uint8_t)random_bits();
    for (size_t i = 0; i < N; i += PERIOD)
        memcpy(keys + i, period, N - i < PERIOD ? N - i : PERIOD);
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_U8, keys, keys, N, &options), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    const uint8_t *at = keys;
    for (unsigned digit = 0; digit < DIGITS; digit++)
        at = expect_digit(at, period, digit, period + PERIOD);
    cr_assert_eq(at, keys + N);
    free(period);
}

/* One test, since each would put 8 GiB into memory anew. */
Test(sort, takes_more_than_2_32_keys)
{
    large_fits_or_skip(NEEDED_KIB);
    uint8_t *const keys = large_zeros(N);
    parscan_context *const context = test_context();
    expect_counts(context, keys);
    expect_segments(context, keys);
    expect_moves(context, keys);
    parscan_context_destroy(context);
    large_free(keys, N);
}
