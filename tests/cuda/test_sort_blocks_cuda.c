/* Sorts on the device of arrays, and of segments, that one block sorts. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/cuda/sort_on_device.h"
#include "tests/support/oracle.h"
#include "tests/support/test_engine.h"

TestSuite(sort_blocks, .timeout = 300);

static const size_t value_sizes[] = {0, 4, 8};

/* Of each length with each pattern of keys. Types, values and order take turns. */
Test(sort_blocks, hold_keys_of_every_pattern)
{
    static const size_t lengths[] = {2, 31, 33, 511, 513, 1025, 2047, 2049, 3071, 4095, 4096};
    parscan_context *const context = context_on(NULL);
    unsigned turn = 0;
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        for (key_pattern pattern = 0; pattern < KEY_PATTERNS; pattern++)
            for (size_t repeat = 0; repeat < 3; repeat++, turn++) {
                sort_case sort = {.type = all_types[turn % TYPES],
                                  .n = lengths[k],
                                  .value_size = value_sizes[turn % 3]};
                sort.options.descending = turn / 3 % 2;
                sort.keys_in_place = turn % 4 == 0;
                sort.values_in_place = turn % 8 < 4 && sort.value_size != 0;
                expect_on_device(context, sort, pattern);
            }
    parscan_context_destroy(context);
}

/* Equal keys are unlike in the bits that do not count. */
Test(sort_blocks, keep_the_order_of_keys_that_are_equal_in_some_bits)
{
    static const unsigned ranges[][2] = {{0, 1}, {0, 8}, {3, 9}, {7, 29}, {31, 32}, {13, 0}};
    parscan_context *const context = context_on(NULL);
    for (size_t k = 0; k < 6 * COUNT_OF(ranges); k++) {
        sort_case sort = {.type = k % 2 == 0 ? PARSCAN_U32 : PARSCAN_I64,
                          .n = 1000 + 600 * (k % 6)};
        sort.options.begin_bit = ranges[k / 6][0];
        sort.options.end_bit = ranges[k / 6][1];
        sort.value_size = value_sizes[k % 3];
        expect_on_device(context, sort, k % 5 < 3 ? KEYS_RANDOM : KEYS_SPARSE);
    }
    parscan_context_destroy(context);
}

/* Lengths around those that a thread has 1, 8, 16 or 32 elements of, and longer than a block sorts. */
static cut_array cut_for_blocks(size_t n, unsigned turn)
{
    static const size_t lengths[] = {511,  512, 513,  1,    4095,  4096,  4097, 300,   0,
                                     8191, 33,  8192, 8193, 16383, 16384, 2,    16385, 17000};
    enum { MOST_HEADS = 4000 };
    size_t heads[MOST_HEADS], count = 0, end = 0;
    for (; count < MOST_HEADS && end < n; count++) {
        heads[count] = end;
        end += lengths[(turn + count) % COUNT_OF(lengths)];
    }
    return cut_create_at(n, heads, count, all_segment_forms[2]);
}

/* Arrays in which the block that has a long segment sorts it, and arrays in which all blocks do. */
Test(sort_blocks, hold_segments_one_by_one)
{
    static const size_t lengths[] = {40001, 131072, 131073, 250007};
    parscan_context *const context = context_on(NULL);
    for (unsigned turn = 0; turn < 3 * KEY_PATTERNS; turn++) {
        cut_array cut = cut_for_blocks(lengths[turn % COUNT_OF(lengths)], 5 * turn);
        sort_case sort = {.type = all_types[turn % TYPES], .n = cut.n, .cut = &cut};
        sort.options.descending = turn / 3 % 2;
        sort.value_size = value_sizes[turn % 3];
        sort.keys_in_place = turn % 4 == 1;
        sort.values_in_place = turn % 5 < 2 && sort.value_size != 0;
        if (turn % 7 == 0 && !oracle_is_float(sort.type))
            sort.options.end_bit = 7;
        expect_on_device(context, sort, turn % KEY_PATTERNS);
        cut_destroy(&cut);
    }
    parscan_context_destroy(context);
}

Test(sort_blocks, hold_thousands_of_segments_of_a_few_hundred)
{
    enum { COUNT = 2500, ELEMENTS = 1000003 };
    size_t heads[COUNT];
    parscan_context *const context = context_on(NULL);
    for (size_t k = 0; k < COUNT; k++)
        heads[k] = k * 400 + k % 7;
    cut_array cut = cut_create_at(ELEMENTS, heads, COUNT, all_segment_forms[2]);
    for (unsigned turn = 0; turn < 6; turn++) {
        sort_case sort = {.type = turn < 3 ? PARSCAN_U32 : PARSCAN_F64, .n = ELEMENTS, .cut = &cut};
        sort.value_size = value_sizes[turn % 3];
        expect_on_device(context, sort, turn % 2 == 0 ? KEYS_RANDOM : KEYS_SPECIAL);
    }
    cut_destroy(&cut);
    parscan_context_destroy(context);
}
