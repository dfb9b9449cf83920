/* The plans of sorts, at each limit and beside it, on several devices. */
#include <criterion/criterion.h>

#include "apps/histogram/histogram_plan.h"
#include "apps/radix/radix_sort_plan.h"
#include "apps/sort/sort_axis_plan.h"
#include "apps/sort/sort_parts_plan.h"
#include "apps/sort/sort_plan.h"
#include "apps/sort/sort_segments_plan.h"
#include "tests/scan/plan/plans.h"

TestSuite(radix_sort_plans, .timeout = 60);

static radix_sort_plan radix_on(unsigned device, const radix_sort_facts *facts, size_t n)
{
    radix_sort_facts of_n = *facts;
    of_n.n = n;
    return parscan_radix_sort_plan(&plan_devices[device], &of_n);
}

static size_t radix_limit(unsigned device, const char *name)
{
    return plan_limit(&parscan_radix_sort_plans, name, &plan_devices[device]);
}

/* The limit from which on there are many elements, by the bytes of key and value. */
static const char *many_limit(size_t key_size, size_t value_size)
{
    if (key_size == 8 && value_size == 8)
        return "many_long_pairs";
    if (key_size == 4 && value_size == 4)
        return "many_short_pairs";
    return key_size <= 4 && value_size == 0 ? "many_short_keys" : "many_others";
}

/* What ranks many elements, by the shared memory of the device. */
static radix_sort_variant variant_of_many(unsigned device, const radix_sort_facts *facts)
{
    if (facts->bins || (facts->value_size > 0 && device != PLAN_H100))
        return RADIX_BY_VOTES;
    if (facts->value_size > 0)
        return RADIX_BY_COUNTS;
    return facts->floats       ? RADIX_NUMBERS_BY_COUNTS
           : facts->whole_keys ? RADIX_BY_COUNTS
                               : RADIX_BY_VOTES;
}

static void check_around_limits(unsigned device, const radix_sort_facts *facts)
{
    const size_t block = radix_limit(device, "block_elements");
    const size_t many = radix_limit(device, many_limit(facts->key_size, facts->value_size));
    const radix_sort_variant few = facts->bins ? RADIX_FEW : RADIX_IN_BLOCK;
    cr_expect_eq(radix_on(device, facts, 1).variant, few);
    cr_expect_eq(radix_on(device, facts, block - 1).variant, few);
    cr_expect_eq(radix_on(device, facts, block).variant, few);
    cr_expect_eq(radix_on(device, facts, block + 1).variant, RADIX_FEW);
    cr_expect_eq(radix_on(device, facts, many - 1).variant, RADIX_FEW);
    cr_expect_not(radix_on(device, facts, many - 1).large_tiles);
    for (size_t more = 0; more < 2; more++) {
        const radix_sort_plan plan = radix_on(device, facts, many + more);
        cr_expect_eq(plan.variant, variant_of_many(device, facts), "%zu + %zu bytes",
                     facts->key_size, facts->value_size);
        cr_expect_eq(plan.large_tiles, device != PLAN_SMALL);
    }
}

Test(radix_sort_plans, follow_key_value_and_number)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++)
        for (unsigned key_log2 = 0; key_log2 < 4; key_log2++)
            for (size_t value_size = 0; value_size <= 8; value_size += 4)
                for (unsigned flags = 0; flags < 8; flags++) {
                    const radix_sort_facts facts = {
                        .key_size = (size_t)1 << key_log2,
                        .value_size = value_size,
                        .floats = (flags & 1) != 0 && key_log2 >= 2,
                        .whole_keys = (flags & 2) != 0,
                        .bins = (flags & 4) != 0 && value_size > 0,
                    };
                    check_around_limits(device, &facts);
                }
}

/* The numbers on the card that they were measured on, which are those of the launches before there were
   plans: per multiprocessor. */
Test(radix_sort_plans, have_limits_by_multiprocessors)
{
    static const struct {
        const char *name;
        size_t each;
    } rows[] = {{"many_short_keys", 8896},
                {"many_short_pairs", 39680},
                {"many_long_pairs", 3968},
                {"many_others", 5952},
                {"many_counted", 31744}};
    for (unsigned device = 0; device < PLAN_DEVICES; device++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            cr_expect_eq(radix_limit(device, rows[k].name),
                         rows[k].each * plan_devices[device].multiprocessors, "%s", rows[k].name);
}

Test(radix_sort_plans, do_not_sort_wide_pairs_in_a_block_of_64_kib)
{
    const parscan_plan_device least = {40, 64 << 10, 75};
    radix_sort_facts facts = {.n = 100, .key_size = 8, .value_size = 4};
    cr_expect_eq(parscan_radix_sort_plan(&least, &facts).variant, RADIX_FEW);
    facts.value_size = 0;
    cr_expect_eq(parscan_radix_sort_plan(&least, &facts).variant, RADIX_IN_BLOCK);
    facts.key_size = 4;
    facts.value_size = 8;
    cr_expect_eq(parscan_radix_sort_plan(&least, &facts).variant, RADIX_IN_BLOCK);
}

Test(radix_sort_plans, sort_what_the_device_counts_in_small_tiles)
{
    const radix_sort_facts facts = {.key_size = 4, .value_size = 4, .counted = true};
    cr_expect_eq(radix_on(PLAN_H100, &facts, 10).variant, RADIX_COUNTED);
    cr_expect_eq(radix_on(PLAN_H100, &facts, (size_t)1 << 28).variant, RADIX_COUNTED);
}

Test(radix_sort_plans, rank_nans_of_counted_keys_by_votes)
{
    radix_sort_facts facts = {.key_size = 2, .floats = true, .whole_keys = true, .only_nans = true};
    const size_t many = radix_limit(PLAN_H100, "many_short_keys");
    cr_expect_eq(radix_on(PLAN_H100, &facts, many - 1).variant, RADIX_FEW);
    cr_expect_eq(radix_on(PLAN_H100, &facts, many).variant, RADIX_BY_VOTES);
    facts.only_nans = false;
    cr_expect_eq(radix_on(PLAN_H100, &facts, many).variant, RADIX_NUMBERS_BY_COUNTS);
}

Test(radix_sort_plans, count_digits_of_many_keys_with_more_counters)
{
    const radix_sort_facts keys = {.key_size = 4}, ranges = {.key_size = 4, .by_ranges = true};
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const size_t many = radix_limit(device, "many_counted");
        cr_expect_not(radix_on(device, &keys, many - 1).many_counters);
        cr_expect_eq(radix_on(device, &keys, many - 1).counting_blocks,
                     plan_devices[device].multiprocessors);
        cr_expect_eq(radix_on(device, &keys, many).many_counters, device != PLAN_SMALL);
        cr_expect_eq(radix_on(device, &keys, many).counting_blocks, SIZE_MAX);
        cr_expect_not(radix_on(device, &ranges, many).many_counters);
    }
}

TestSuite(sort_segments_plans, .timeout = 60);

/* By offsets; u32 keys, compared by all bits. */
static sort_segments_facts segments_of(size_t n, size_t mean)
{
    return (sort_segments_facts){
        .n = n, .count = n / mean, .key_size = 4, .whole_keys = true, .offsets = true};
}

static sort_segments_plan plan_segments(unsigned device, sort_segments_facts facts)
{
    return parscan_sort_segments_plan(&plan_devices[device], &facts);
}

static sort_segments_variant segments_on(unsigned device, size_t n, size_t mean)
{
    return plan_segments(device, segments_of(n, mean)).variant;
}

static size_t segments_limit(unsigned device, const char *name)
{
    return plan_limit(&parscan_sort_segments_plans, name, &plan_devices[device]);
}

Test(sort_segments_plans, sort_3000_segments_of_a_mean_of_40_in_one_launch)
{
    cr_expect_eq(segments_on(PLAN_H100, 120000, 40), SEGMENTS_ALONE);
    cr_expect(plan_segments(PLAN_H100, segments_of(120000, 40)).one_launch);
    cr_expect_eq(segments_on(PLAN_SMALL, 120000, 40), SEGMENTS_SMALL_TOGETHER);
}

/* The devices whose blocks have room for large tiles. */
Test(sort_segments_plans, follow_the_number_of_elements)
{
    for (unsigned device = 0; device < PLAN_SMALL; device++) {
        const size_t few = segments_limit(device, "few_elements");
        const size_t alone = segments_limit(device, "alone_elements");
        const size_t together = segments_limit(device, "together_elements");
        const size_t in_two = segments_limit(device, "in_two_elements");
        for (size_t mean = 40; mean <= 200; mean += 160) {
            cr_expect_eq(segments_on(device, few - 1, mean), SEGMENTS_ALONE_FEW);
            cr_expect_eq(segments_on(device, few, mean), SEGMENTS_ALONE_FEW);
            cr_expect_eq(segments_on(device, few + 1, mean), SEGMENTS_ALONE);
            cr_expect_eq(segments_on(device, alone - 1, mean), SEGMENTS_ALONE);
            cr_expect_eq(segments_on(device, alone, mean), SEGMENTS_ALONE);
            cr_expect_eq(segments_on(device, alone + 1, mean), SEGMENTS_TOGETHER);
            cr_expect_eq(segments_on(device, together, mean), SEGMENTS_TOGETHER);
            cr_expect_eq(segments_on(device, together + 1, mean), SEGMENTS_IN_TWO);
            cr_expect_eq(segments_on(device, in_two, mean), SEGMENTS_IN_TWO);
            cr_expect_eq(segments_on(device, in_two + 1, mean), SEGMENTS_LISTED);
        }
    }
    cr_expect_eq(segments_limit(PLAN_H100, "alone_elements"), 1 << 17);
    cr_expect_eq(segments_limit(PLAN_H100, "together_elements"), 1 << 22);
    cr_expect_eq(segments_limit(PLAN_H100, "in_two_elements"), 1 << 24);
}

Test(sort_segments_plans, follow_the_mean_length)
{
    for (unsigned device = 0; device < PLAN_SMALL; device++) {
        const size_t alone = segments_limit(device, "alone_elements") / 65536 * 65536;
        const size_t more = segments_limit(device, "one_by_one_elements") / 4096 * 4096;
        const size_t least = segments_limit(device, "one_by_one_least_mean");
        const size_t most = segments_limit(device, "one_by_one_most_mean");
        cr_expect_eq(segments_limit(device, "together_mean"), least);
        cr_expect_eq(segments_on(device, alone, least - 1), SEGMENTS_ALONE);
        cr_expect_eq(segments_on(device, alone, least), SEGMENTS_ONE_BY_ONE);
        cr_expect_eq(segments_on(device, alone, most), SEGMENTS_ONE_BY_ONE);
        cr_expect_eq(segments_on(device, 16 * (most + 1), most + 1), SEGMENTS_ALONE);
        cr_expect_eq(segments_on(device, more, least - 1), SEGMENTS_TOGETHER);
        cr_expect_eq(segments_on(device, more, least), SEGMENTS_ONE_BY_ONE_TOGETHER);
        cr_expect_eq(segments_on(device, more, most), SEGMENTS_ONE_BY_ONE_TOGETHER);
        cr_expect_eq(segments_on(device, 241 * (most + 1), most + 1), SEGMENTS_LISTED);
        cr_expect_eq(segments_on(device, 2 * more, least), SEGMENTS_LISTED);
    }
    cr_expect_eq(segments_on(PLAN_H100, 1 << 20, 1000), SEGMENTS_ONE_BY_ONE_TOGETHER);
    cr_expect_eq(segments_on(PLAN_H100, (1 << 20) + 1, 1000), SEGMENTS_LISTED);
}

Test(sort_segments_plans, sort_one_long_segment_by_later_launches)
{
    const size_t mean = segments_limit(PLAN_H100, "alone_mean");
    cr_expect_eq(segments_on(PLAN_H100, mean, mean), SEGMENTS_ALONE);
    cr_expect_eq(segments_on(PLAN_H100, mean + 1, mean + 1), SEGMENTS_LISTED);
}

Test(sort_segments_plans, try_short_segments_first_where_most_are)
{
    const size_t n = (size_t)1 << 25, brief = segments_limit(PLAN_H100, "brief_elements");
    sort_segments_facts facts = segments_of(n, 16);
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_LISTED_BRIEF);
    facts.count--;
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_LISTED);
    facts.count = 2 * n / 15;
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_LISTED_BRIEF);
    facts.count++;
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_LISTED);
    cr_expect_eq(segments_on(PLAN_H100, brief, 8), SEGMENTS_ALONE_BRIEF);
    cr_expect_eq(segments_on(PLAN_H100, brief + 1, 8), SEGMENTS_ALONE);
    cr_expect_eq(segments_on(PLAN_H100, 1 << 22, 8), SEGMENTS_TOGETHER);
    cr_expect_eq(segments_on(PLAN_H100, (1 << 22) + 8, 8), SEGMENTS_IN_TWO_BRIEF);
}

Test(sort_segments_plans, try_short_segments_first_for_keys_alone)
{
    sort_segments_facts facts = segments_of((size_t)1 << 25, 8);
    facts.value_size = 4;
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_LISTED);
    facts.value_size = 0;
    facts.floats = true;
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_LISTED);
    facts.floats = facts.whole_keys = false;
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_LISTED);
    facts.whole_keys = true;
    facts.offsets = false;
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_LISTED);
}

Test(sort_segments_plans, do_not_know_lengths_from_flags)
{
    sort_segments_facts facts = {.n = 1 << 17, .count = 1 << 17, .key_size = 4};
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_ALONE);
    cr_expect_not(plan_segments(PLAN_H100, facts).short_windows);
    facts.n = facts.count = (1 << 17) + 1;
    cr_expect_eq(plan_segments(PLAN_H100, facts).variant, SEGMENTS_LISTED);
}

Test(sort_segments_plans, leave_room_for_long_segments)
{
    const size_t mean = segments_limit(PLAN_H100, "short_mean");
    cr_expect(plan_segments(PLAN_H100, segments_of(1000 * (mean - 1), mean - 1)).short_windows);
    cr_expect_not(plan_segments(PLAN_H100, segments_of(1000 * mean, mean)).short_windows);
}

Test(sort_segments_plans, have_small_tiles_where_blocks_have_little_memory)
{
    cr_expect_eq(segments_on(PLAN_SMALL, 1000, 40), SEGMENTS_SMALL_ALONE);
    cr_expect_eq(segments_on(PLAN_SMALL, 1000, 500), SEGMENTS_SMALL_ALONE);
    cr_expect_eq(segments_on(PLAN_SMALL, segments_limit(PLAN_SMALL, "alone_elements") + 1, 40),
                 SEGMENTS_SMALL_TOGETHER);
    cr_expect_eq(segments_on(PLAN_SMALL, segments_limit(PLAN_SMALL, "in_two_elements") + 1, 40),
                 SEGMENTS_SMALL_LISTED);
}

TestSuite(sort_plans, .timeout = 60);
TestSuite(sort_parts_plans, .timeout = 60);

Test(sort_plans, move_values_that_are_words)
{
    const parscan_plan_device *const device = &plan_devices[PLAN_H100];
    const sort_facts moves = {.n = 1000, .key_size = 4, .moves = true};
    const sort_facts stays = {.n = 1000, .key_size = 4};
    const sort_facts chunks = {.n = 1000, .key_size = 4, .moves = true, .in_chunks = true};
    cr_expect_eq(parscan_sort_plan(device, &moves), SORT_WITH_VALUES);
    cr_expect_eq(parscan_sort_plan(device, &stays), SORT_BY_INDICES);
    cr_expect_eq(parscan_sort_plan(device, &chunks), SORT_IN_BUCKETS);
}

static sort_variant keys_on(unsigned device, size_t key_size, size_t n)
{
    const sort_facts facts = {
        .n = n, .key_size = key_size, .keys_alone = true, .whole_keys = true, .moves = true};
    return parscan_sort_plan(&plan_devices[device], &facts);
}

Test(sort_plans, count_many_short_keys)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const parscan_plan_device *const of = &plan_devices[device];
        const size_t bytes = plan_limit(&parscan_sort_plans, "counted_bytes", of);
        const size_t halves = plan_limit(&parscan_sort_plans, "counted_halves", of);
        const bool fits = device != PLAN_SMALL;
        cr_expect_eq(keys_on(device, 1, bytes - 1), SORT_WITH_VALUES);
        cr_expect_eq(keys_on(device, 1, bytes), SORT_BY_COUNTING);
        cr_expect_eq(keys_on(device, 1, bytes + 1), SORT_BY_COUNTING);
        cr_expect_eq(keys_on(device, 2, halves - 1), SORT_WITH_VALUES);
        cr_expect_eq(keys_on(device, 2, halves), fits ? SORT_BY_COUNTING : SORT_WITH_VALUES);
        cr_expect_eq(keys_on(device, 2, halves + 1), fits ? SORT_BY_COUNTING : SORT_WITH_VALUES);
        cr_expect_eq(keys_on(device, 4, (size_t)1 << 30), SORT_WITH_VALUES);
        cr_expect_eq(keys_on(device, 8, (size_t)1 << 30), SORT_WITH_VALUES);
    }
}

Test(sort_plans, sort_what_is_appended_apart)
{
    const parscan_plan_device *const of = &plan_devices[PLAN_H100];
    const size_t from = plan_limit(&parscan_sort_plans, "appended_from", of);
    const sort_facts apart = {
        .n = from, .key_size = 4, .whole_keys = true, .moves = true, .apart = true};
    cr_expect_eq(parscan_sort_plan(of, &apart), SORT_APPENDED);
    enum { OTHERS = 6 };
    sort_facts other[OTHERS];
    for (size_t k = 0; k < OTHERS; k++)
        other[k] = apart;
    other[0].n = from - 1;
    other[1].key_size = 2;
    other[2].whole_keys = false;
    other[3].apart = false;
    other[4].length_on_device = true;
    other[5].moves = false;
    for (size_t k = 0; k < OTHERS; k++)
        cr_expect_eq(parscan_sort_plan(of, &other[k]), k == 5 ? SORT_BY_INDICES : SORT_WITH_VALUES,
                     "%zu", k);
}

/* A length on the device may be a 16th of the most: halves are counted where that many are. */
Test(sort_plans, count_halves_where_a_length_on_the_device_is_long_enough)
{
    const parscan_plan_device *const of = &plan_devices[PLAN_H100];
    const size_t most = plan_limit(&parscan_sort_plans, "counted_most_halves", of);
    cr_expect_eq(most, 16 * plan_limit(&parscan_sort_plans, "counted_halves", of));
    sort_facts facts = {.key_size = 2,
                        .length_on_device = true,
                        .keys_alone = true,
                        .whole_keys = true,
                        .moves = true};
    facts.n = most - 1;
    cr_expect_eq(parscan_sort_plan(of, &facts), SORT_WITH_VALUES);
    facts.n = most;
    cr_expect_eq(parscan_sort_plan(of, &facts), SORT_BY_COUNTING);
    facts.key_size = 1;
    facts.n = plan_limit(&parscan_sort_plans, "counted_bytes", of);
    cr_expect_eq(parscan_sort_plan(of, &facts), SORT_BY_COUNTING);
}

/* Where a block lacks the memory for 16-bit counters of all keys of 2 bytes, the histogram counts in memory. */
Test(sort_plans, count_halves_where_the_histogram_counts_them_in_a_block)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const parscan_plan_device *const of = &plan_devices[device];
        const size_t from = plan_limit(&parscan_sort_plans, "counted_halves", of);
        const histogram_facts counted = {.n = from, .bins = 65536, .element_size = 2};
        if (keys_on(device, 2, from) == SORT_BY_COUNTING)
            cr_expect_eq(parscan_histogram_plan(of, &counted).variant, HISTOGRAM_IN_HALVES);
        const histogram_facts most = {
            .n = plan_limit(&parscan_sort_plans, "counted_most_halves", of),
            .bins = 65536,
            .element_size = 2,
            .length_on_device = true};
        const histogram_variant of_most = parscan_histogram_plan(of, &most).variant;
        if (keys_on(device, 2, from) == SORT_BY_COUNTING)
            cr_expect(of_most == HISTOGRAM_IN_HALVES || of_most == HISTOGRAM_IN_CODES);
    }
}

Test(sort_plans, do_not_count_parts_of_keys_or_keys_with_values)
{
    const sort_facts whole = {.n = 1 << 28, .key_size = 2, .keys_alone = true, .whole_keys = true};
    sort_facts other = whole;
    other.moves = true;
    other.whole_keys = false;
    cr_expect_eq(parscan_sort_plan(&plan_devices[PLAN_H100], &whole), SORT_BY_COUNTING);
    cr_expect_eq(parscan_sort_plan(&plan_devices[PLAN_H100], &other), SORT_WITH_VALUES);
    other.whole_keys = true;
    other.keys_alone = false;
    cr_expect_eq(parscan_sort_plan(&plan_devices[PLAN_H100], &other), SORT_WITH_VALUES);
}

static size_t chunk_of(size_t n, size_t room)
{
    const sort_chunk_facts facts = {
        .n = n, .bytes = 8, .room = room, .fixed_bytes = 1 << 20, .each_bytes = 32};
    return parscan_sort_plan_chunk(&plan_devices[PLAN_H100], &facts);
}

Test(sort_plans, have_chunks_that_fit_and_are_short)
{
    const size_t much = (size_t)64 << 30, taken = (1 << 20) + (64 << 10);
    const size_t copy = ((size_t)64 << 20) / 8;
    cr_expect_eq(chunk_of(copy, much), copy);
    cr_expect_eq(chunk_of(32 * copy, much), copy);
    cr_expect_eq(chunk_of(64 * copy, much), 2 * copy);
    cr_expect_eq(chunk_of((size_t)1 << 30, taken), 0);
    /* room / 64 is left free, and a chunk has 256 or a multiple of it. */
    const size_t least = (taken + 1024 * 32) * 64 / 63;
    cr_expect_eq(chunk_of((size_t)1 << 30, least - 64), 0);
    cr_expect_eq(chunk_of((size_t)1 << 30, least + 64), 1024);
    cr_expect_eq(chunk_of((size_t)1 << 30, least + 256 * 33), 1280);
}

Test(sort_plans, have_buckets_that_fit_a_chunk)
{
    const parscan_plan_device *const device = &plan_devices[PLAN_H100];
    cr_expect_eq(parscan_sort_plan_buckets(device, 2000, 1024).buckets, 3);
    cr_expect_eq(parscan_sort_plan_buckets(device, 1025, 1024).buckets, 2);
    cr_expect_eq(parscan_sort_plan_buckets(device, 700, 1024).buckets, 2);
    cr_expect_eq(parscan_sort_plan_buckets(device, 512 * 768, 1024).buckets, 512);
    cr_expect_eq(parscan_sort_plan_buckets(device, 512 * 768 + 1, 1024).buckets, 512);
    cr_expect_eq(parscan_sort_plan_buckets(device, 16383, 1024).sample, 16320);
    cr_expect_eq(parscan_sort_plan_buckets(device, 16384, 1024).sample, 16384);
    cr_expect_eq(parscan_sort_plan_buckets(device, 1 << 20, 1024).sample, 16384);
}

Test(sort_parts_plans, take_pieces_where_blocks_have_room)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++)
        for (unsigned moves = 0; moves < 2; moves++) {
            const sort_parts_facts facts = {1 << 24, moves};
            const bool pieces = moves && device != PLAN_SMALL;
            cr_expect_eq(parscan_sort_parts_plan(&plan_devices[device], &facts).variant,
                         pieces ? PARTS_IN_PIECES : PARTS_JOINED);
        }
}

Test(sort_parts_plans, have_eight_rounds_of_enough_elements)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const parscan_plan_device *const of = &plan_devices[device];
        const size_t least = plan_limit(&parscan_sort_parts_plans, "least_round", of);
        const sort_parts_facts few = {1000, true}, many = {(size_t)1 << 30, true};
        cr_expect_eq(parscan_sort_parts_plan(of, &few).round, least);
        cr_expect_eq(parscan_sort_parts_plan(of, &many).round, (1 << 27) + (1 << 24));
    }
}

static sort_axis_variant axis_plan_of(const parscan_plan_device *of, size_t rows, size_t n)
{
    return parscan_sort_axis_plan(of, &(sort_axis_facts){.rows = rows, .n = n});
}

Test(sort_axis_plans, take_short_rows_in_registers)
{
    const parscan_plan_table *const table = &parscan_sort_axis_plans;
    for (unsigned device = 0; device < PLAN_DEVICES; device++)
        for (size_t size = 4; size <= 8; size *= 2) {
            const parscan_plan_device *const of = &plan_devices[device];
            const size_t least = plan_limit(table, "network_least", of);
            const size_t most = plan_limit(table, "network_most", of);
            const size_t rows = plan_limit(table, "network_rows", of);
            for (size_t n = least / 2; n <= 2 * most; n *= 2) {
                const bool fits = n / 32 * 33 * size <= of->shared_bytes;
                const sort_axis_facts facts = {.rows = rows, .n = n, .code_size = size};
                sort_axis_facts other = facts;
                const bool taken = n >= least && n <= most && fits;
                cr_expect_eq(parscan_sort_axis_plan(of, &facts) == SORT_AXIS_NETWORKS, taken);
                other.rows = rows - 1;
                cr_expect_neq(parscan_sort_axis_plan(of, &other), SORT_AXIS_NETWORKS);
                other = facts;
                other.code_size = 0;
                cr_expect_neq(parscan_sort_axis_plan(of, &other), SORT_AXIS_NETWORKS);
                other = facts;
                other.has_values = true;
                cr_expect_neq(parscan_sort_axis_plan(of, &other), SORT_AXIS_NETWORKS);
            }
            const sort_axis_facts odd = {.rows = rows, .n = least, .code_size = size};
            cr_expect_eq(parscan_sort_axis_plan(of, &odd), SORT_AXIS_NETWORKS);
        }
}

Test(sort_axis_plans, take_long_rows_by_row_or_one_by_one)
{
    for (unsigned device = 0; device < PLAN_DEVICES; device++) {
        const parscan_plan_device *const of = &plan_devices[device];
        const parscan_plan_table *const table = &parscan_sort_axis_plans;
        const size_t alone = plan_limit(table, "alone_length", of);
        const size_t by_row = plan_limit(table, "by_row_length", of);
        const size_t rows = plan_limit(table, "by_row_elements", of) / by_row + 1;
        cr_expect_eq(axis_plan_of(of, 100, alone), SORT_AXIS_ALONE);
        cr_expect_eq(axis_plan_of(of, 100, alone - 1), SORT_AXIS_BY_ROW);
        cr_expect_eq(axis_plan_of(of, 1, 10), SORT_AXIS_ALONE);
        cr_expect_eq(axis_plan_of(of, rows, by_row), SORT_AXIS_BY_ROW);
        cr_expect_eq(axis_plan_of(of, rows, by_row - 1), SORT_AXIS_SEGMENTS);
        cr_expect_eq(axis_plan_of(of, rows - 1, by_row), SORT_AXIS_SEGMENTS);
        cr_expect_eq(axis_plan_of(of, 1 << 18, 1 << 14), SORT_AXIS_SEGMENTS);
        cr_expect_eq(axis_plan_of(of, (1 << 18) - 1, 1 << 14), SORT_AXIS_BY_ROW);
        const sort_axis_facts pairs = {.rows = 100, .n = by_row, .has_values = true};
        cr_expect_eq(parscan_sort_axis_plan(of, &pairs), SORT_AXIS_SEGMENTS);
    }
}
