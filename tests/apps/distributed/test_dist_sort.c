/* Sorts over ranks, compared with the sort of the joined array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scan/type_traits.h"
#include "tests/support/dist_sort_case.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/number.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

static const unsigned all_ranks[] = RANK_COUNTS;

/* Keys alone, values of several sizes, indices, in turn. */
static void choose_values(sort_case *sort, size_t k)
{
    static const size_t value_sizes[] = {0, 4, 0, 8, 3, 0, 33};
    sort->value_size = value_sizes[k % COUNT_OF(value_sizes)];
    sort->index_type = k % 5 == 2 && sort->value_size == 0 ? PARSCAN_U64 : 0;
}

static void expect_all_cuts(dist_sort_case sort, key_pattern pattern, size_t *turn)
{
    void *const keys = patterned_keys(sort.sort.type, pattern, sort.sort.n);
    size_t *const order = sort_order(&sort.sort, keys);
    for (size_t k = 0; k < 2; k++, ++*turn) {
        choose_values(&sort.sort, *turn);
        sort.ranks = all_ranks[*turn % COUNT_OF(all_ranks)];
        sort.threads = 1 + *turn % 3 / 2;
        sort.in = (piece_pattern)(*turn % PIECE_PATTERNS);
        sort.out = (piece_pattern)(*turn / PIECE_PATTERNS % PIECE_PATTERNS);
        expect_dist_sort(sort, keys, order);
    }
    free(keys);
    free(order);
}

Test(dist_sort, of_every_type_and_pattern_is_that_of_the_joined_array)
{
    static const size_t lengths[] = {5003, 997, 20011};
    size_t turn = 0;
    for (size_t t = 0; t < TYPES; t++)
        for (int pattern = 0; pattern < KEY_PATTERNS; pattern++) {
            dist_sort_case sort = {.sort.type = all_types[t]};
            sort.sort.n = lengths[turn / 2 % COUNT_OF(lengths)];
            sort.sort.options.descending = turn / 2 % 2;
            if (takes_case())
                expect_all_cuts(sort, (key_pattern)pattern, &turn);
            else
                turn += 2;
        }
}

/* NaNs of both signs with every payload, zeros and denormals, on several ranks: of equal ones the values
   and the indices tell which is which. */
Test(dist_sort, of_every_float_of_16_bits_is_stable)
{
    uint16_t *const codes = every_code(2);
    for (size_t k = 0; k < 12; k++) {
        dist_sort_case sort = {.sort = {.type = k % 2 == 0 ? PARSCAN_F16 : PARSCAN_BF16,
                                        .n = 2 * (size_t)CODES,
                                        .value_size = k / 4 == 1 ? 8 : 0,
                                        .index_type = k / 4 == 2 ? PARSCAN_U64 : 0},
                               .in = (piece_pattern)(k % PIECE_PATTERNS),
                               .ranks = 2 + (unsigned)k % 3,
                               .threads = 2};
        sort.sort.options.descending = k / 2 % 2;
        size_t *const order = sort_order(&sort.sort, codes);
        expect_dist_sort(sort, codes, order);
        free(order);
    }
    free(codes);
}

Test(dist_sort, compares_the_bits_that_it_is_told)
{
    static const unsigned bits[][2] = {{0, 1},  {3, 4},  {0, 5},   {7, 8},  {2, 8},
                                       {0, 16}, {9, 27}, {31, 32}, {0, 33}, {17, 64}};
    size_t turn = 0;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t k = 0; k < COUNT_OF(bits); k++) {
            if (parscan_is_float(all_types[t]) || bits[k][1] > 8 * parscan_type_size(all_types[t]))
                continue;
            dist_sort_case sort = {.sort = {.type = all_types[t], .n = 4001}};
            sort.sort.options.begin_bit = bits[k][0];
            sort.sort.options.end_bit = bits[k][1];
            sort.sort.options.descending = k % 2;
            expect_all_cuts(sort, k % 3 == 0 ? KEYS_CLUSTERED : KEYS_RANDOM, &turn);
        }
}

Test(dist_sort, takes_pieces_of_any_lengths)
{
    static const size_t lengths[] = {0, 1, 2, 6, 40, 3001};
    for (size_t l = 0; l < COUNT_OF(lengths); l++) {
        void *const keys = patterned_keys(PARSCAN_I32, KEYS_FEW, lengths[l]);
        dist_sort_case sort = {.sort = {.type = PARSCAN_I32, .n = lengths[l]}};
        size_t *const order = sort_order(&sort.sort, keys);
        for (size_t k = 0; k < COUNT_OF(all_ranks) * PIECE_PATTERNS * PIECE_PATTERNS; k++) {
            sort.ranks = all_ranks[k % COUNT_OF(all_ranks)];
            sort.in = (piece_pattern)(k / COUNT_OF(all_ranks) % PIECE_PATTERNS);
            sort.out = (piece_pattern)(k / COUNT_OF(all_ranks) / PIECE_PATTERNS);
            sort.sort.value_size = k % 2 * 4;
            if (takes_case())
                expect_dist_sort(sort, keys, order);
        }
        free(keys);
        free(order);
    }
}

Test(dist_sort, in_place_writes_over_its_input)
{
    for (size_t k = 0; k < 12; k++) {
        dist_sort_case sort = {.sort = {.type = PARSCAN_U32, .n = 30011, .keys_in_place = true},
                               .in = (piece_pattern)(k % PIECE_PATTERNS),
                               .ranks = 2 + (unsigned)k % 3};
        sort.sort.value_size = k / 6 * 4;
        void *const keys =
            patterned_keys(PARSCAN_U32, k % 2 == 0 ? KEYS_RANDOM : KEYS_EQUAL, sort.sort.n);
        expect_dist_sort(sort, keys, NULL);
        free(keys);
    }
}

/* Values are so large that a round has some thousand elements. On CUDA only descending sorts go in rounds: others
   are merges of sorted pieces. Nothing travels of keys that are in the order of ranks, and stay. */
static void expect_rounds(parscan_type type, const void *keys, size_t n, size_t value_size,
                          unsigned threads)
{
    dist_sort_case sort = {.sort = {.type = type, .n = n, .value_size = value_size},
                           .threads = threads};
    for (unsigned ranks = 2; ranks <= 3; ranks++) {
        sort.ranks = ranks;
        sort.in = ranks == 2 ? EVEN_PIECES : RANDOM_PIECES;
        sort.out = RANDOM_PIECES;
        sort.sort.options.descending = test_backend() == PARSCAN_BACKEND_CUDA;
        const thread_comm_result few = expect_dist_sort(sort, keys, NULL);
        cr_assert_gt(few.exchanges, 10);
    }
}

Test(dist_sort, goes_on_in_rounds)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_EQUAL, KEYS_ZIPF, KEYS_SORTED,
                                           KEYS_FEW};
    const size_t n = 150001;
    for (size_t k = 0; k < COUNT_OF(patterns); k++) {
        void *const keys = patterned_keys(PARSCAN_U32, patterns[k], n);
        expect_rounds(PARSCAN_U32, keys, n, 60, 1 + k % 2);
        free(keys);
    }
}

/* In the order of ranks, by the sort's order; or it looks so, but for one key that no sample meets. */
static void expect_apart(parscan_type type, key_pattern pattern, size_t value_size, bool descending,
                         bool misleads)
{
    const size_t n = 60007, size = parscan_type_size(type);
    char *const keys = patterned_keys(type, pattern, n);
    dist_sort_case sort = {.sort = {.type = type, .n = n, .value_size = value_size}, .threads = 2};
    sort.sort.options.descending = descending;
    if (misleads)
        memcpy(keys + size, keys + (n - 1) * size, size);
    for (sort.ranks = 2; sort.ranks <= 3; sort.ranks++)
        for (unsigned in_place = 0; in_place < 2; in_place++) {
            sort.sort.keys_in_place = in_place;
            const thread_comm_result result = expect_dist_sort(sort, keys, NULL);
            if (test_backend() == PARSCAN_BACKEND_CPU) /* CUDA looks at longer arrays */
                cr_assert_eq(result.exchanges > 6, misleads, "%zu exchanges", result.exchanges);
        }
    free(keys);
}

Test(dist_sort, of_keys_in_the_order_of_ranks_stays_where_it_is)
{
    for (size_t value_size = 0; value_size <= 4; value_size += 4)
        for (unsigned misleads = 0; misleads < 2; misleads++) {
            expect_apart(PARSCAN_U32, KEYS_SORTED, value_size, false, misleads);
            expect_apart(PARSCAN_F64, KEYS_SORTED, value_size, false, misleads);
            expect_apart(PARSCAN_I16, KEYS_REVERSED, value_size, true, misleads);
        }
    expect_apart(PARSCAN_U32, KEYS_EQUAL, 8, true, false);
}

/* Three values of the top bits, so that buckets without a border are too large for a cache. */
Test(dist_sort, sorts_buckets_that_are_larger_than_caches)
{
    const size_t n = 120001;
    uint64_t *const keys = patterned_keys(PARSCAN_U64, KEYS_RANDOM, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = keys[i] >> 20 | (keys[i] % 3) << 62;
    expect_rounds(PARSCAN_U64, keys, n, 56, 1);
    expect_rounds(PARSCAN_U64, keys, n, 56, 2);
    expect_rounds(PARSCAN_U64, keys, n, 0, 2);
    free(keys);
}

/* Random values of which no two are equal, for free(). Without NaNs, which are never counted: those with other bits
   are equal. */
static char *different_values(parscan_type type, size_t count)
{
    const size_t size = parscan_type_size(type);
    char *const values = patterned_keys(type, KEYS_RANDOM, count);
    for (size_t k = 0; k < count; k++) {
        const number value = number_read(type, values, k);
        bool fits = number_compare(value, value) != NUMBER_UNORDERED;
        for (size_t other = 0; other < k && fits; other++)
            fits = memcmp(values + k * size, values + other * size, size) != 0;
        if (!fits) {
            void *const next = patterned_keys(type, KEYS_RANDOM, 1);
            memcpy(values + k-- * size, next, size);
            free(next);
        }
    }
    return values;
}

/* Keys of so many values; as many for each rank as a sort on the CPU merges, and looks at
   before (CUDA at longer arrays: bench_nccl). Nothing but counts travels, unless a value is in no sample. */
static void expect_few(parscan_type type, size_t values, unsigned ranks, bool misleads)
{
    const size_t each = 1 << 14, size = parscan_type_size(type);
    dist_sort_case sort = {.sort = {.type = type, .n = each * ranks}, .ranks = ranks, .threads = 1};
    char *const pool = different_values(type, values + 1), *const keys = malloc(sort.sort.n * size);
    cr_assert_not_null(keys);
    for (size_t i = 0; i < sort.sort.n; i++)
        memcpy(keys + i * size, pool + ((uint32_t)i * UINT32_C(2654435761) >> 13) % values * size,
               size);
    if (misleads)
        memcpy(keys + size, pool + values * size, size);
    const thread_comm_result result = expect_dist_sort(sort, keys, NULL);
    if (test_backend() == PARSCAN_BACKEND_CPU && values <= 16)
        cr_assert_eq(result.exchanges > 8, misleads, "%s, %zu values, %u ranks: %zu exchanges",
                     parscan_type_name(type), values, ranks, result.exchanges);
    free(pool);
    free(keys);
}

Test(dist_sort, of_few_values_sends_counts)
{
    static const parscan_type types[] = {PARSCAN_U32,  PARSCAN_I64, PARSCAN_U8,
                                         PARSCAN_BF16, PARSCAN_F64, PARSCAN_I16};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (unsigned ranks = 2; ranks <= 3; ranks++) {
            expect_few(types[t], 3 + t, ranks, false);
            expect_few(types[t], 16, ranks, types[t] != PARSCAN_U8);
            expect_few(types[t], 64 + t % 2, ranks, false);
        }
}
