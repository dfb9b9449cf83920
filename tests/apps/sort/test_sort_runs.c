/* Nearly sorted input: a few runs in order, with stretches in no order between them, which are merged, or are too many
   or too long for that. Keys are from few values, so many are equal: the order of the input is kept. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_simd.h"
#include "tests/support/key_patterns.h"
#include "tests/support/oracle_sort.h"
#include "tests/support/random.h"
#include "tests/support/scan_case.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

/* The pieces of an array, in parts of a thousand: below 0 in no order. */
#define MOST_PIECES 17
static const int pieces_of[][MOST_PIECES] = {
    {333, 667},
    {990, -10},
    {-10, 990},
    {400, -50, 20, 530},
    {100, -20, 100, -20, 360, -20, 380},
    {1, 999},
    {800, -200},
    {125, 125, 125, 125, 125, 125, 125, 125},
    {62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 70},
    {58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 72},
};

static void sort_piece(const sort_case *whole, char *keys, size_t n)
{
    const size_t size = parscan_type_size(whole->type);
    sort_case piece = *whole;
    piece.n = n;
    size_t *const order = sort_order(&piece, keys);
    char *const sorted = malloc(n * size + 1);
    oracle_gather(keys, size, order, n, sorted);
    memcpy(keys, sorted, n * size);
    free(sorted);
    free(order);
}

static char *keys_of(const sort_case *sort, const int *pieces, key_pattern pattern)
{
    const size_t size = parscan_type_size(sort->type);
    char *const keys = patterned_keys(sort->type, pattern, sort->n);
    size_t begin = 0;
    for (int k = 0; k < MOST_PIECES && pieces[k] != 0; k++) {
        const bool last = k + 1 == MOST_PIECES || pieces[k + 1] == 0;
        const size_t n = last ? sort->n - begin : (size_t)abs(pieces[k]) * sort->n / 1000;
        if (pieces[k] > 0)
            sort_piece(sort, keys + begin * size, n);
        begin += n;
    }
    return keys;
}

/* Keys alone, pairs, and indices, of which each has a form of its own. */
static void expect_all(parscan_context *context, sort_case sort, const void *keys, unsigned number)
{
    static const size_t value_sizes[] = {4, 8, 3, 16};
    size_t *const order = sort_order(&sort, keys);
    sort.keys_in_place = number & 1;
    expect_order(context, sort, keys, order);
    sort.value_size = value_sizes[number % COUNT_OF(value_sizes)];
    sort.values_in_place = number >> 1 & 1;
    expect_order(context, sort, keys, order);
    sort.keys_in_place = sort.values_in_place = false;
    sort.value_size = 0;
    sort.index_type = number & 1 ? PARSCAN_U32 : PARSCAN_U64;
    expect_order(context, sort, keys, order);
    free(order);
}

SimdTest(sort_runs, of_every_number_are_merged_in_the_order_of_the_input)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_I64, PARSCAN_F32,
                                         PARSCAN_F64, PARSCAN_I16, PARSCAN_BF16};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_FEW, KEYS_CLUSTERED, KEYS_SPECIAL};
    unsigned number = (unsigned)random_below(4);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t k = 0; k < COUNT_OF(pieces_of); k++, number++) {
            sort_case sort = {.type = types[(k + threads / 2 * 3) % COUNT_OF(types)]};
            sort.n = threads == 1 ? 140001 : 50001;
            sort.options.descending = number % 3 == 0;
            char *const keys = keys_of(&sort, pieces_of[k], patterns[number % COUNT_OF(patterns)]);
            expect_all(context, sort, keys, number);
            free(keys);
        }
        parscan_context_destroy(context);
    }
}

/* Keys that are compared by some of their bits: runs are runs by these. */
SimdTest(sort_runs, by_some_bits_are_merged)
{
    parscan_context *const context = test_context_with((parscan_context_options){.threads = 2});
    sort_case sort = {.type = PARSCAN_U64, .n = 60000};
    sort.options.begin_bit = 7;
    sort.options.end_bit = 50;
    char *const keys = keys_of(&sort, pieces_of[3], KEYS_RANDOM);
    expect_all(context, sort, keys, 1);
    free(keys);
    parscan_context_destroy(context);
}

/* One of `part` keys becomes another one of the array, the last one too. */
static char *nearly_sorted_keys(const sort_case *sort, key_pattern pattern, size_t part)
{
    const size_t size = parscan_type_size(sort->type);
    char *const keys = patterned_keys(sort->type, pattern, sort->n);
    sort_piece(sort, keys, sort->n);
    for (size_t k = 0; k < sort->n / part; k++)
        memmove(keys + random_below(sort->n) * size, keys + random_below(sort->n) * size, size);
    memmove(keys + (sort->n - 1) * size, keys, size);
    return keys;
}

/* Of special keys some are NaNs of several bits. More than 2^17 keys, so that one thread does not sort them in its caches. */
SimdTest(sort_runs, of_all_but_single_keys_are_right)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_I64, PARSCAN_F32,
                                         PARSCAN_U64, PARSCAN_I32, PARSCAN_F64};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_SPECIAL, KEYS_FEW, KEYS_CLUSTERED};
    static const size_t parts[] = {100, 10000, 25, 12};
    unsigned number = (unsigned)random_below(16);
    for (unsigned threads = 1; threads <= 2; threads++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        for (size_t t = 0; t < COUNT_OF(types); t++, number++) {
            sort_case sort = {
                .type = types[t], .n = 140000 + random_below(100), .keys_in_place = number & 1};
            sort.options.descending = number >> 1 & 1;
            char *const keys =
                nearly_sorted_keys(&sort, patterns[(t + threads + 2) % COUNT_OF(patterns)],
                                   parts[number % COUNT_OF(parts)]);
            expect_sort(context, sort, keys);
            free(keys);
        }
        parscan_context_destroy(context);
    }
}
