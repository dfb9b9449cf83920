/* Sorts on the device of arrays long enough for large tiles and large windows. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/cuda/sort_on_device.h"
#include "tests/support/test_engine.h"

TestSuite(sort_tiles, .timeout = 300);

/* Many tiles for each block. */
#define MANY 3200017u

static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_ZIPF, KEYS_SPECIAL, KEYS_FEW, KEYS_SORTED};

/* Pairs of each key and value, in all orders of keys, in tiles whose values can be copied in bulk and
   in tiles whose values cannot. Large tiles of 4-byte keys with 4-byte values come later. */
static void expect_pairs(size_t value_size, parscan_type index_type, size_t n)
{
    parscan_context *const context = context_on(NULL);
    for (size_t t = 0; t < TYPES; t++) {
        const size_t bytes = index_type != 0 ? parscan_type_size(index_type) : value_size;
        const bool later = parscan_type_size(all_types[t]) == 4 && bytes == 4;
        sort_case sort = {.type = all_types[t],
                          .n = later ? 5300003 + t : n + t,
                          .value_size = value_size,
                          .index_type = index_type};
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
    expect_pairs(0, 0, 1200003);
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

static void expect_keys(parscan_context *context, sort_case sort, unsigned turn)
{
    static const key_pattern orders[] = {KEYS_RANDOM,  KEYS_EQUAL, KEYS_SORTED, KEYS_ONE_STRANGER,
                                         KEYS_SPECIAL, KEYS_ZIPF,  KEYS_FEW,    KEYS_REVERSED};
    const unsigned size = (unsigned)parscan_type_size(sort.type);
    sort.options.descending = turn % 2 == 0;
    sort.in_offset = size * (turn % 5);
    sort.out_offset = size * (turn % 7);
    sort.keys_in_place = turn % 3 == 1;
    expect_on_device(context, sort, orders[turn % COUNT_OF(orders)]);
}

/* Many short keys are counted, and written anew (sort_plan.c: counted_bytes, counted_halves), from any
   alignment to any. */
Test(sort_tiles, are_not_needed_for_short_keys)
{
    static const parscan_type bytes[] = {PARSCAN_U8, PARSCAN_I8},
                              halves[] = {PARSCAN_U16, PARSCAN_I16};
    const size_t from_bytes = (size_t)1 << 19, from_halves = (size_t)1 << 22;
    parscan_context *const context = context_on(NULL);
    for (unsigned turn = 0; turn < 16; turn++)
        expect_keys(context, (sort_case){.type = bytes[turn / 8], .n = from_bytes - 1 + turn % 5},
                    turn);
    for (unsigned turn = 0; turn < 16; turn++)
        expect_keys(context, (sort_case){.type = halves[turn / 8], .n = from_halves - 1 + turn % 5},
                    turn);
    /* Parts of keys, keys with values, and indices are not counted. */
    sort_case others = {.type = PARSCAN_U8, .n = from_bytes, .value_size = 4};
    expect_on_device(context, others, KEYS_RANDOM);
    others = (sort_case){.type = PARSCAN_I8, .n = from_bytes, .index_type = PARSCAN_U32};
    expect_on_device(context, others, KEYS_RANDOM);
    others = (sort_case){.type = PARSCAN_U8, .n = from_bytes};
    others.options.begin_bit = 1;
    expect_on_device(context, others, KEYS_RANDOM);
    parscan_context_destroy(context);
}

/* Floats of 2 bytes without NaNs, with equal ones, and with two that differ, last: then their order is
   that of the input. */
static void expect_halves(parscan_context *context, sort_case sort, unsigned nans)
{
    const uint16_t infinity = sort.type == PARSCAN_F16 ? 0x7c00 : 0x7f80;
    uint16_t *const keys = patterned_keys(sort.type, KEYS_RANDOM, sort.n);
    for (size_t i = 0; i < sort.n; i++)
        if ((keys[i] & 0x7fff) > infinity)
            keys[i] = nans == 0 ? 0x8000 : 0xffff;
    if (nans == 2)
        keys[sort.n / 2] = infinity + 1;
    expect_keys_on_device(context, sort, keys);
    free(keys);
}

Test(sort_tiles, are_needed_for_halves_whose_nans_differ)
{
    parscan_context *const context = context_on(NULL);
    for (unsigned turn = 0; turn < 12; turn++) {
        sort_case sort = {.type = turn % 2 == 0 ? PARSCAN_F16 : PARSCAN_BF16};
        sort.n = ((size_t)1 << 22) - (turn == 0) + turn;
        sort.options.descending = turn / 2 % 2 == 0;
        sort.keys_in_place = turn % 3 == 0;
        sort.out_offset = 2 * (turn % 4);
        expect_halves(context, sort, turn / 4);
    }
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

/* Offsets of short segments, among which are some as long as what a tile has after its window, as a
   tile, and longer. */
static cut_array cut_with_long_ones(size_t n)
{
    static const size_t lengths[] = {2047, 2048, 2049, 4096,  4097, 6143, 6144, 6145,
                                     8191, 8192, 8193, 70000, 3000, 5000, 70001};
    size_t *const heads = malloc(n / 4 * sizeof *heads);
    cr_assert_not_null(heads);
    size_t count = 0;
    for (size_t end = 0; end < n && count < n / 4; count++) {
        end += count % 211 == 0 ? lengths[count / 211 % COUNT_OF(lengths)] : count % 17;
        heads[count] = end;
    }
    const cut_array cut = cut_create_at(n, heads, count, all_segment_forms[2]);
    free(heads);
    cr_assert_eq(cut.segments.kind, PARSCAN_SEGMENTS_OFFSETS);
    cr_assert_gt(cut.count, n / 128);
    return cut;
}

Test(sort_tiles, hold_short_segments_and_some_long_ones)
{
    enum { MORE = 4300007 }; /* than one launch sorts */
    cut_array cut = cut_with_long_ones(MORE);
    parscan_context *const context = context_on(NULL);
    sort_case sort = {.type = PARSCAN_U32, .n = MORE, .cut = &cut};
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
}

/* In these lengths the blocks of one launch sort the long segments together. */
Test(sort_tiles, leave_long_segments_to_all_blocks)
{
    static const size_t lengths[] = {131073, 300007, 1500001, 4194304};
    parscan_context *const context = context_on(NULL);
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        cut_array cut = cut_with_long_ones(lengths[k]);
        for (size_t t = k % 2; t < TYPES; t += k < 2 ? 1 : 3) {
            sort_case sort = {.type = all_types[t], .n = lengths[k], .cut = &cut};
            sort.options.descending = t % 2 == 0;
            sort.keys_in_place = t % 5 == 3;
            expect_on_device(context, sort, patterns[(t + k) % COUNT_OF(patterns)]);
            sort.value_size = t % 2 == 0 ? 4 : 8;
            sort.values_in_place = t % 3 == k % 3;
            expect_on_device(context, sort, KEYS_RANDOM);
            sort.values_in_place = false;
            sort.value_size = 2;
            expect_on_device(context, sort, KEYS_FEW);
        }
        cut_destroy(&cut);
    }
    parscan_context_destroy(context);
}

/* Nearly all elements are in long segments, after short ones; or in one. */
Test(sort_tiles, may_be_filled_by_long_segments)
{
    enum { ELEMENTS = 1000003, SHORT = 16384 };
    static size_t heads[SHORT + ELEMENTS / 9001 + 1];
    parscan_context *const context = context_on(NULL);
    for (size_t length = 9001; length <= ELEMENTS; length *= 111) {
        size_t count = 0;
        for (; count < SHORT; count++)
            heads[count] = count / 2;
        for (size_t at = SHORT / 2; at < ELEMENTS; at += length)
            heads[count++] = at;
        cut_array cut = cut_create_at(ELEMENTS, heads, count, all_segment_forms[2]);
        sort_case sort = {.type = PARSCAN_U32, .n = ELEMENTS, .value_size = 4, .cut = &cut};
        expect_on_device(context, sort, KEYS_RANDOM);
        expect_on_device(context, sort, KEYS_FEW);
        sort.options.begin_bit = 5;
        sort.options.end_bit = 12;
        expect_on_device(context, sort, KEYS_RANDOM);
        cut_destroy(&cut);
    }
    parscan_context_destroy(context);
}
