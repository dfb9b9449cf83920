/*
 * The hierarchical scan over every block algorithm: many levels, an operator that does not
 * commute, operations and scratch counted. Built a second time with BLOCK_REVERSED.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/affine.h"

/* The hook of the template counts the levels. */
static unsigned levels_seen;
static void see_level(const char *what)
{
    levels_seen += strcmp(what, "each block scanned") == 0;
}
#define SHOW_LEVEL(op, what, array, n) see_level(what)

/* Tiles must not depend on each other: here the last one comes first. */
#define EACH_TILE(count, function, level) \
    for (size_t k = (count); k-- > 0;) {  \
        function(level, k, 0);            \
    }
#include "scan/hierarchical/hierarchical_cpu_template.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED ((affine_map){0xdead, 0xbeef})
#define GUARDS 8u

/* What one scan is asked for. */
typedef struct question {
    parscan_block_shape shape;
    size_t n;
    bool exclusive, reverse, in_place, reduce;
    const affine_map *init;
} question;

/* Whether exactly sums[GUARDS .. GUARDS + used) were written. */
static bool only_was_written(const affine_map *sums, size_t used)
{
    for (size_t i = 0; i < used + 2 * GUARDS; i++) {
        const bool inside = i >= GUARDS && i < GUARDS + used;
        if (same_map(sums[i], UNTOUCHED) == inside)
            return false;
    }
    return true;
}

/* Whether out, or the sum of all where nothing else is kept, is what the oracle says. */
static bool answer_is_right(const question *q, const affine_map *in, const affine_map *out,
                            affine_map all)
{
    affine_map expected = q->init != NULL ? *q->init : (affine_map){1, 0};
    for (size_t k = 0; k < q->n; k++)
        expected = composed(expected, in[q->reverse ? q->n - 1 - k : k]);
    if (!same_map(all, expected))
        return false;
    return q->reduce || first_wrong_map(in, out, q->n, q->exclusive, q->reverse, q->init) == q->n;
}

/* Asks, and fails unless the answer is right and the scratch is what was announced. The operations
   that it took. */
static unsigned long expect_answer(question q)
{
    atomic_ulong operations = 0;
    const size_t scratch = scan_levels_scratch(q.n, q.shape);
    affine_map *const in = malloc(q.n * sizeof *in), *const work = malloc(q.n * sizeof *work);
    affine_map *const out = q.in_place ? work : malloc(q.n * sizeof *out);
    affine_map *const sums = malloc((scratch + 2 * GUARDS) * sizeof *sums);
    cr_assert(in != NULL && work != NULL && out != NULL && sums != NULL);
    random_maps(in, q.n);
    memcpy(work, in, q.n * sizeof *in);
    for (size_t i = 0; i < scratch + 2 * GUARDS; i++)
        sums[i] = UNTOUCHED;
    static T block[BLOCK_MAX_BYTES];
    level bottom = {
        .op = &operations,
        .shape = q.shape,
        .in = {work, PARSCAN_U64, q.n, q.reverse},
        .out = {q.reduce ? NULL : out, PARSCAN_U64, q.n, q.reverse},
        .n = q.n,
        .exclusive = q.exclusive,
        .init = q.init,
        .sums = sums + GUARDS,
        .blocks = block,
    };
    scan_level(&bottom);
    const affine_map all = sums[GUARDS + tiles_of(q.n, q.shape) - 1];
    const bool right = answer_is_right(&q, in, out, all);
    const bool within = only_was_written(sums, scratch);
    if (!right || !within)
        cr_assert_fail(
            "%s: %s, %u threads, %u items, n = %zu, exclusive %d, reverse %d, in place %d, "
            "reduce %d, init %d",
            right ? "scratch" : "answer", parscan_algorithm_name(q.shape.algorithm),
            q.shape.threads, q.shape.items, q.n, q.exclusive, q.reverse, q.in_place, q.reduce,
            q.init != NULL);
    free(in);
    free(work);
    if (!q.in_place)
        free(out);
    free(sums);
    return atomic_load(&operations);
}

/* All modes of one shape and length. */
static void expect_answers(parscan_block_shape shape, size_t n)
{
    static const affine_map init = {3, 7};
    for (unsigned mode = 0; mode < 32; mode++) {
        const question q = {
            .shape = shape,
            .n = n,
            .exclusive = mode & 1,
            .reverse = mode & 2,
            .in_place = mode & 4,
            .reduce = mode & 8,
            .init = mode & 16 ? &init : NULL,
        };
        if (!q.reduce || !q.exclusive)
            expect_answer(q);
    }
}

static const parscan_block_shape shapes[] = {
    {PARSCAN_KOGGE_STONE, 2, 1},  {PARSCAN_KOGGE_STONE, 3, 1}, {PARSCAN_KOGGE_STONE, 64, 1},
    {PARSCAN_BRENT_KUNG, 1, 2},   {PARSCAN_BRENT_KUNG, 3, 2},  {PARSCAN_BRENT_KUNG, 32, 2},
    {PARSCAN_THREE_PHASE, 1, 2},  {PARSCAN_THREE_PHASE, 2, 1}, {PARSCAN_THREE_PHASE, 3, 5},
    {PARSCAN_THREE_PHASE, 16, 4}, {PARSCAN_WARP, 32, 1},       {PARSCAN_WARP_PADDED, 32, 1},
};

Test(hierarchical, is_right_over_every_block_algorithm_at_every_small_length)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t n = 1; n <= 140; n++)
            expect_answers(shapes[s], n);
}

Test(hierarchical, is_right_around_the_lengths_at_which_a_level_is_added)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        const size_t tile = (size_t)shapes[s].threads * shapes[s].items;
        for (size_t power = tile; power <= 40000; power *= tile)
            for (size_t n = power - 1; n <= power + 1; n++)
                expect_answers(shapes[s], n);
    }
}

Test(hierarchical, is_right_at_the_largest_blocks_and_a_prime_length)
{
    static const parscan_block_shape largest[] = {{PARSCAN_KOGGE_STONE, 1024, 1},
                                                  {PARSCAN_BRENT_KUNG, 1024, 2},
                                                  {PARSCAN_THREE_PHASE, 256, 8}};
    for (size_t s = 0; s < COUNT_OF(largest); s++)
        expect_answers(largest[s], 20011);
}

Test(hierarchical, has_five_levels_for_32_elements_in_blocks_of_two)
{
    static const parscan_block_shape twos[] = {{PARSCAN_KOGGE_STONE, 2, 1},
                                               {PARSCAN_BRENT_KUNG, 1, 2},
                                               {PARSCAN_THREE_PHASE, 2, 1},
                                               {PARSCAN_THREE_PHASE, 1, 2}};
    for (size_t s = 0; s < COUNT_OF(twos); s++)
        for (unsigned log = 1; log <= 12; log++) {
            levels_seen = 0;
            expect_answer((question){.shape = twos[s], .n = (size_t)1 << log});
            cr_assert_eq(levels_seen, log, "%u levels for 2^%u elements", levels_seen, log);
            levels_seen = 0;
            expect_answer((question){.shape = twos[s], .n = ((size_t)1 << log) + 1});
            cr_assert_eq(levels_seen, log + 1);
        }
}

Test(hierarchical, over_brent_kung_takes_at_most_4_n_minus_3_operations)
{
    static const unsigned threads[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 100, 256, 1024};
    for (size_t t = 0; t < COUNT_OF(threads); t++)
        for (size_t n = 1; n <= 70000; n = n < 300 ? n + 1 : n * 5 / 3) {
            const parscan_block_shape shape = {PARSCAN_BRENT_KUNG, threads[t], 2};
            for (int exclusive = 0; exclusive < 2; exclusive++) {
                const unsigned long operations =
                    expect_answer((question){.shape = shape, .n = n, .exclusive = exclusive});
                cr_assert_leq(operations, 4 * n - 3, "n = %zu, %u threads, exclusive %d", n,
                              threads[t], exclusive);
            }
        }
}

Test(scan_levels_scratch, is_the_sums_of_all_levels)
{
    const parscan_block_shape two = {PARSCAN_BRENT_KUNG, 1, 2};
    const parscan_block_shape tile_2048 = {PARSCAN_THREE_PHASE, 256, 8};
    cr_assert_eq(scan_levels_scratch(1, two), 1);
    cr_assert_eq(scan_levels_scratch(2, two), 1);
    cr_assert_eq(scan_levels_scratch(3, two), 2 + 1);
    cr_assert_eq(scan_levels_scratch(32, two), 16 + 8 + 4 + 2 + 1);
    cr_assert_eq(scan_levels_scratch(33, two), 17 + 9 + 5 + 3 + 2 + 1);
    cr_assert_eq(scan_levels_scratch(2048, tile_2048), 1);
    cr_assert_eq(scan_levels_scratch(2049, tile_2048), 2 + 1);
    cr_assert_eq(scan_levels_scratch((size_t)1 << 33, tile_2048), (1 << 22) + 2048 + 1);
}
