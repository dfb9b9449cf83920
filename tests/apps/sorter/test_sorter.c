/* The sorter against the oracle: types, patterns, values, numbers of runs, levels, folders. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/apps/sorter/sorter_case.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/sort_case.h"
#include "tests/support/test_engine.h"

Test(sorter, sorts_every_type_and_pattern_in_runs)
{
    static const size_t value_sizes[] = {0, 4, 8, 0, 13};
    size_t k = 0;
    for (size_t t = 0; t < TYPES; t++)
        for (int pattern = 0; pattern < KEY_PATTERNS;
             pattern += LESS_UNDER_THREAD_SANITIZER(1, 4), k++) {
            const sorter_seen seen = expect_sorter(
                (sorter_case){.options = {.key_type = all_types[t],
                                          .value_size = value_sizes[k % COUNT_OF(value_sizes)],
                                          .descending = k % 4 == 1,
                                          .run_limit = 1999},
                              .pattern = (key_pattern)pattern,
                              .n = 16001,
                              .threads = 1 + k % 3});
            cr_assert_eq(seen.runs, 9);
            cr_assert_eq(seen.levels, 1);
            cr_assert_gt(seen.bytes_spilled, 7 * 1999 * parscan_type_size(all_types[t]));
        }
}

/* NaNs of both signs with every payload, zeros and denormals: of equal ones the values tell which is
   which. */
Test(sorter, keeps_every_float_of_16_bits_and_is_stable)
{
    parscan_context *const context = test_context();
    uint16_t *const codes = every_code(2);
    for (size_t k = 0; k < 12; k += LESS_UNDER_THREAD_SANITIZER(1, 5)) {
        const sorter_case c = {.options = {.key_type = k % 2 == 0 ? PARSCAN_F16 : PARSCAN_BF16,
                                           .value_size = k / 4 == 1 ? 4 : 0,
                                           .argsort = k / 4 == 2,
                                           .descending = k / 2 % 2,
                                           .run_limit = 20011},
                               .n = 2 * (size_t)CODES};
        sort_case sort = {.type = c.options.key_type, .n = c.n};
        sort.options.descending = c.options.descending;
        size_t *const order = sort_order(&sort, codes);
        cr_assert_eq(expect_sorter_in(context, c, codes, order).runs, 7);
        free(order);
    }
    free(codes);
    parscan_context_destroy(context);
}

Test(sorter, merges_1_to_500_runs)
{
    static const size_t runs[] = {1, 2, 3, 4, 7, 50, 120, 200, 500};
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_EQUAL, KEYS_SORTED, KEYS_REVERSED_FEW};
    for (size_t k = 0; k < COUNT_OF(runs) * COUNT_OF(patterns); k++) {
        const size_t count = runs[k % COUNT_OF(runs)];
        const sorter_seen seen = expect_sorter(
            (sorter_case){.options = {.key_type = k % 2 == 0 ? PARSCAN_U32 : PARSCAN_F64,
                                      .argsort = k % 3 == 0,
                                      .run_limit = 100,
                                      .memory_limit = (size_t)16 << 20},
                          .pattern = patterns[k / COUNT_OF(runs)],
                          .n = 100 * count,
                          .threads = 2});
        cr_assert_eq(seen.runs, count);
        cr_assert_eq(seen.levels, count == 1 ? 0 : count <= 120 ? 1 : 2);
        cr_assert_eq(seen.bytes_spilled == 0, count <= 2);
    }
}

Test(sorter, with_argsort_gives_indices_with_and_without_keys)
{
    for (size_t k = 0; k < 12; k++)
        expect_sorter((sorter_case){.options = {.key_type = k % 2 == 0 ? PARSCAN_I16 : PARSCAN_U64,
                                                .argsort = 1,
                                                .descending = k % 4 > 1,
                                                .run_limit = k % 3 == 0 ? 0 : 5000},
                                    .pattern = KEYS_FEW,
                                    .n = 30011,
                                    .threads = 2,
                                    .drops_keys = k % 3 == 1});
}

Test(sorter, moves_values_of_every_size)
{
    for (size_t size = 1; size <= 64; size += LESS_UNDER_THREAD_SANITIZER(1, 5))
        expect_sorter((sorter_case){.options = {.key_type = PARSCAN_U8,
                                                .value_size = size,
                                                .run_limit = 1 + random_below(2000)},
                                    .pattern = KEYS_RANDOM,
                                    .n = 5000,
                                    .threads = 2});
}

Test(sorter, uses_several_folders)
{
    for (unsigned folders = 1; folders <= MOST_FOLDERS; folders++)
        expect_sorter(
            (sorter_case){.options = {.key_type = PARSCAN_F32, .value_size = 4, .run_limit = 3000},
                          .pattern = KEYS_ZIPF,
                          .n = 50000,
                          .folder_count = folders,
                          .threads = 2});
}

Test(sorter, of_few_elements_is_right)
{
    for (size_t n = 0; n < 70; n++)
        expect_sorter((sorter_case){
            .options = {.key_type = PARSCAN_I32, .value_size = n % 3, .run_limit = n % 7},
            .pattern = KEYS_FEW,
            .n = n,
            .threads = 2});
}

/* Blocks, slots and levels at their full sizes: 16 MiB hold a run of about 3.5 MiB. */
Test(sorter, sorts_more_than_its_limit)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_SORTED, KEYS_FEW};
    for (size_t k = 0; k < COUNT_OF(patterns); k++) {
        const sorter_seen seen =
            expect_sorter((sorter_case){.options = {.key_type = PARSCAN_U64,
                                                    .value_size = k * 4,
                                                    .memory_limit = (size_t)16 << 20},
                                        .pattern = patterns[k],
                                        .n = 3000017,
                                        .folder_count = 2,
                                        .threads = 2});
        cr_assert_gt(seen.runs, 5);
        cr_assert_eq(seen.levels, 1);
    }
}
