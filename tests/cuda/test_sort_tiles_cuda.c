/* Sorts on the device of arrays long enough for large tiles and large windows. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/cuda/sort_on_device.h"
#include "tests/support/test_engine.h"

TestSuite(sort_tiles, .timeout = 300);

/* Many tiles for each block. */
#define MANY 3200017u

/* Pairs of each key and value, in all orders of keys, in tiles whose values can be copied in bulk and
   in tiles whose values cannot. */
static void expect_pairs(size_t value_size, parscan_type index_type, size_t n)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_ZIPF, KEYS_SPECIAL, KEYS_FEW,
                                           KEYS_SORTED};
    parscan_context *const context = context_on(NULL);
    for (size_t t = 0; t < TYPES; t++) {
        sort_case sort = {
            .type = all_types[t], .n = n + t, .value_size = value_size, .index_type = index_type};
        sort.options.descending = t % 2 == 0;
        sort.in_offset = t % 3 == 0 ? 8 : 0;
        sort.out_offset = t % 4 == 1 ? 8 : 0;
        sort.keys_in_place = t % 5 == 3;
        sort.values_in_place = t % 5 > 2 && value_size != 0;
        expect_on_device(context, sort, patterns[t % COUNT_OF(patterns)]);
    }
    parscan_context_destroy(context);
}

Test(sort_tiles, of_pairs_with_4_bytes_are_the_oracles)
{
    expect_pairs(4, 0, 800003);
}

Test(sort_tiles, of_pairs_with_8_bytes_are_the_oracles)
{
    expect_pairs(8, 0, 800003);
}

Test(sort_tiles, of_indices_are_the_oracles)
{
    expect_pairs(0, PARSCAN_U32, 800003);
    expect_pairs(0, PARSCAN_U64, 790000);
}

Test(sort_tiles, of_keys_are_the_oracles)
{
    expect_pairs(0, 0, 800003);
}

Test(sort_tiles, are_many_for_each_block)
{
    parscan_context *const context = context_on(NULL);
    sort_case sort = {.type = PARSCAN_U64, .n = MANY};
    expect_on_device(context, sort, KEYS_RANDOM);
    sort.value_size = 4;
    expect_on_device(context, sort, KEYS_CLUSTERED);
    sort.type = PARSCAN_U32;
    sort.value_size = 8;
    expect_on_device(context, sort, KEYS_RANDOM);
    parscan_context_destroy(context);
}

/* A part of a key's bits, of pairs: passes of fewer than 8 bits, and passes that move nothing. */
Test(sort_tiles, by_some_bits_are_the_oracles)
{
    static const unsigned ranges[][2] = {{0, 3}, {5, 27}, {24, 32}, {13, 0}};
    parscan_context *const context = context_on(NULL);
    for (size_t k = 0; k < 2 * COUNT_OF(ranges); k++) {
        sort_case sort = {.type = k % 2 == 0 ? PARSCAN_I32 : PARSCAN_U64, .n = 800003};
        sort.options.begin_bit = ranges[k / 2][0];
        sort.options.end_bit = ranges[k / 2][1];
        sort.value_size = k % 3 == 0 ? 8 : 4;
        expect_on_device(context, sort, KEYS_RANDOM);
    }
    parscan_context_destroy(context);
}

/* Short segments, among which are some as long as what a tile has behind its window, and as a tile. */
Test(sort_tiles, hold_short_segments_and_some_long_ones)
{
    static const size_t lengths[] = {2047, 2048, 2049, 4096, 4097, 6143, 6144,
                                     6145, 8191, 8192, 8193, 3000, 5000, 70000};
    enum { MOST = 400000 };
    size_t *const heads = malloc(MOST * sizeof *heads);
    cr_assert_not_null(heads);
    size_t count = 0;
    for (size_t end = 0; end < MANY && count < MOST; count++) {
        end += count % 211 == 0 ? lengths[count / 211 % COUNT_OF(lengths)] : count % 17;
        heads[count] = end;
    }
    cut_array cut = cut_create_at(MANY, heads, count, all_segment_forms[2]);
    cr_assert_eq(cut.segments.kind, PARSCAN_SEGMENTS_OFFSETS);
    cr_assert_gt(cut.count, MANY / 128);
    parscan_context *const context = context_on(NULL);
    sort_case sort = {.type = PARSCAN_U32, .n = MANY, .cut = &cut};
    expect_on_device(context, sort, KEYS_RANDOM);
    sort.type = PARSCAN_F64;
    sort.value_size = 4;
    expect_on_device(context, sort, KEYS_FEW);
    sort.type = PARSCAN_U64;
    sort.value_size = 0;
    sort.options.descending = 1;
    expect_on_device(context, sort, KEYS_RANDOM);
    parscan_context_destroy(context);
    cut_destroy(&cut);
    free(heads);
}
