/*
 * Every block algorithm at every size, with an operator that does not commute, and how many
 * operations it takes. Built a second time with BLOCK_REVERSED: the threads of a step run
 * backwards, and a race gives another answer.
 */
#include <criterion/criterion.h>

#include "tests/support/affine.h"

#include "scan/block/block_scan.h"

#define MOST 2048u
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED ((affine_map){0xdead, 0xbeef})

/* Scans in[0..n) by a block of a shape, loaded and stored as a tile is. The operations that it
   took. Fails when the block leaves the shared memory that block_shared_size() tells. */
static unsigned long scan_block(parscan_block_shape shape, const affine_map *in, affine_map *out,
                                unsigned n, bool exclusive, bool reverse)
{
    static affine_map shared[BLOCK_MAX_BYTES];
    atomic_ulong operations = 0;
    const size_t size = block_shared_size(shape);
    cr_assert_lt(size, COUNT_OF(shared));
    for (size_t i = 0; i <= size; i++)
        shared[i] = UNTOUCHED;
    const affine_view from = {(affine_map *)in, PARSCAN_U64, n, reverse};
    const affine_view to = {out, PARSCAN_U64, n, reverse};
    block_load(shape.threads, &from, 0, n, exclusive, identity(&operations), shared);
    const affine_map *const result = block_scan(&operations, shape, shared, n);
    block_store(shape.threads, &to, 0, n, result);
    if (!same_map(shared[size], UNTOUCHED))
        cr_assert_fail("%s wrote past its shared memory", parscan_algorithm_name(shape.algorithm));
    return atomic_load(&operations);
}

/* A shape at n elements, in every mode. */
static void expect_block(parscan_block_shape shape, unsigned n)
{
    static affine_map in[MOST], out[MOST + 1];
    random_maps(in, n);
    for (int mode = 0; mode < 4; mode++) {
        const bool exclusive = mode & 1, reverse = mode & 2;
        out[n] = UNTOUCHED;
        scan_block(shape, in, out, n, exclusive, reverse);
        const size_t wrong = first_wrong_map(in, out, n, exclusive, reverse, NULL);
        if (wrong != n || !same_map(out[n], UNTOUCHED))
            cr_assert_fail(
                "%s, %u threads, %u items, n = %u, exclusive %d, reverse %d: element %zu",
                parscan_algorithm_name(shape.algorithm), shape.threads, shape.items, n, exclusive,
                reverse, wrong);
    }
}

/* The shortest lengths, then around the half and the end of the tile. */
static void expect_block_at_its_lengths(parscan_block_shape shape)
{
    const unsigned tile = shape.threads * shape.items;
    const unsigned lengths[] = {tile / 2 - 1, tile / 2, tile / 2 + 1, tile - 1, tile};
    for (unsigned n = 1; n <= tile && n <= 4; n++)
        expect_block(shape, n);
    for (size_t k = 0; k < COUNT_OF(lengths); k++)
        if (lengths[k] > 4 && lengths[k] <= tile)
            expect_block(shape, lengths[k]);
}

Test(sequential, is_right_at_every_length)
{
    for (unsigned n = 1; n <= 300; n++)
        expect_block((parscan_block_shape){PARSCAN_SEQUENTIAL, 1 + n % 40, n}, n);
}

Test(kogge_stone, is_right_at_every_length)
{
    for (unsigned n = 1; n <= 1024; n++)
        expect_block((parscan_block_shape){PARSCAN_KOGGE_STONE, 1024, 1}, n);
}

Test(kogge_stone, is_right_for_every_number_of_threads)
{
    for (unsigned threads = 2; threads <= 1024; threads++)
        expect_block_at_its_lengths((parscan_block_shape){PARSCAN_KOGGE_STONE, threads, 1});
}

Test(brent_kung, is_right_at_every_length)
{
    for (unsigned n = 1; n <= 2048; n++)
        expect_block((parscan_block_shape){PARSCAN_BRENT_KUNG, 1024, 2}, n);
}

Test(brent_kung, is_right_for_every_number_of_threads)
{
    for (unsigned threads = 1; threads <= 1024; threads++)
        expect_block_at_its_lengths((parscan_block_shape){PARSCAN_BRENT_KUNG, threads, 2});
}

Test(three_phase, is_right_for_every_small_shape_at_every_length)
{
    for (unsigned threads = 1; threads <= 20; threads++)
        for (unsigned items = 1; items <= 12; items++)
            for (unsigned n = 1; n <= threads * items; n++)
                expect_block((parscan_block_shape){PARSCAN_THREE_PHASE, threads, items}, n);
}

Test(three_phase, is_right_for_every_number_of_threads)
{
    for (unsigned threads = 1; threads <= 1024; threads++)
        for (unsigned items = 1; items <= 16 && threads * items <= MOST; items = items * 3 / 2 + 1)
            expect_block_at_its_lengths((parscan_block_shape){PARSCAN_THREE_PHASE, threads, items});
}

Test(warp_scans, are_right_at_every_length)
{
    for (unsigned n = 1; n <= 32; n++) {
        expect_block((parscan_block_shape){PARSCAN_WARP, 32, 1}, n);
        expect_block((parscan_block_shape){PARSCAN_WARP_PADDED, 32, 1}, n);
    }
}

/* The operations on n elements, inclusive and exclusive alike. */
static unsigned long operations_of(parscan_algorithm algorithm, unsigned threads, unsigned items,
                                   unsigned n)
{
    static affine_map in[MOST], out[MOST];
    const parscan_block_shape shape = {algorithm, threads, items};
    random_maps(in, n);
    const unsigned long operations = scan_block(shape, in, out, n, false, false);
    cr_assert_eq(scan_block(shape, in, out, n, true, false), operations);
    return operations;
}

static unsigned floor_log(unsigned n)
{
    unsigned log = 0;
    while (n >>= 1)
        log++;
    return log;
}

/* One operation for each element and stride below it: n log n - (n-1) for a power of two. */
static unsigned long kogge_stone_operations(unsigned n)
{
    unsigned long operations = 0;
    for (unsigned stride = 1; stride < n; stride *= 2)
        operations += n - stride;
    return operations;
}

Test(sequential, takes_n_minus_1_operations)
{
    for (unsigned n = 1; n <= 1024; n++)
        cr_assert_eq(operations_of(PARSCAN_SEQUENTIAL, 1, 1024, n), n - 1);
}

Test(kogge_stone, takes_n_log_n_minus_n_plus_1_operations)
{
    for (unsigned log = 1; log <= 10; log++) {
        const unsigned n = 1u << log;
        cr_assert_eq(operations_of(PARSCAN_KOGGE_STONE, n, 1, n), n * log - (n - 1));
    }
    for (unsigned n = 1; n <= 1024; n++)
        cr_assert_eq(operations_of(PARSCAN_KOGGE_STONE, 1024, 1, n), kogge_stone_operations(n));
}

Test(brent_kung, takes_2_n_minus_2_minus_log_n_operations_and_never_more)
{
    for (unsigned log = 1; log <= 11; log++) {
        const unsigned n = 1u << log;
        cr_assert_eq(operations_of(PARSCAN_BRENT_KUNG, n / 2, 2, n), 2 * n - 2 - log);
    }
    for (unsigned n = 1; n <= 2048; n++)
        cr_assert_leq(operations_of(PARSCAN_BRENT_KUNG, 1024, 2, n), 2 * n - 2 - floor_log(n));
}

Test(three_phase, takes_no_more_operations_than_the_textbook_says)
{
    for (unsigned log = 0; log <= 10; log++)
        for (unsigned items = 2; items << log <= MOST; items++) {
            const unsigned threads = 1u << log, n = threads * items;
            cr_assert_leq(operations_of(PARSCAN_THREE_PHASE, threads, items, n),
                          n - 1 + threads * log + n - threads);
        }
}

Test(warp_scans, take_kogge_stones_operations_and_the_padded_form_those_of_all_lanes)
{
    for (unsigned n = 1; n <= 32; n++) {
        const unsigned steps = n == 1 ? 0 : floor_log(n - 1) + 1;
        cr_assert_eq(operations_of(PARSCAN_WARP, 32, 1, n), kogge_stone_operations(n));
        cr_assert_eq(operations_of(PARSCAN_WARP_PADDED, 32, 1, n), 32 * steps);
    }
}

/* As on CUDA, where each thread has a body of its own. */
Test(block, continue_in_a_step_ends_it_for_one_thread_alone)
{
    unsigned lanes = 0, threads = 0, items = 0;
    EACH_THREAD(t, 64u) {
        if (t % 2 == 0)
            continue;
        threads++;
    }
    EACH_LANE(t)
    {
        if (t % 4 == 0)
            continue;
        lanes++;
    }
    EACH_ITEM(i, 100u, 64u) {
        if (i % 2 == 0)
            continue;
        items++;
    }
    cr_assert_eq(threads, 32);
    cr_assert_eq(lanes, 24);
    cr_assert_eq(items, 50);
}

/*
 * The detector itself: scans with a race planted. In each, what a thread of a step reads another
 * thread of the step writes; in which order of threads that shows depends on the race. The answers
 * of this build and of the other one differ: each test is right in exactly one of them.
 */
#ifdef BLOCK_REVERSED
#define THREADS_RUN_BACKWARDS true
#else
#define THREADS_RUN_BACKWARDS false
#endif
#define RACERS 64u

/* Kogge-Stone in place, in one step what takes two: lower neighbours may be new already. */
static void racy_kogge_stone(OPERATOR op, affine_map *tile, unsigned n)
{
    for (unsigned stride = 1; stride < n; stride *= 2)
        EACH_THREAD(t, RACERS) {
            if (t >= stride && t < n)
                tile[PADDED_INDEX(t)] =
                    combine(op, tile[PADDED_INDEX(t - stride)], tile[PADDED_INDEX(t)]);
        }
}

/* Kogge-Stone of the mirrored array in place: upper neighbours may be new already. */
static void racy_mirrored_kogge_stone(OPERATOR op, affine_map *tile, unsigned n)
{
    for (unsigned stride = 1; stride < n; stride *= 2)
        EACH_THREAD(t, RACERS) {
            if (t + stride < n)
                tile[PADDED_INDEX(t)] =
                    combine(op, tile[PADDED_INDEX(t + stride)], tile[PADDED_INDEX(t)]);
        }
}

static bool race_goes_well(void (*scan)(OPERATOR, affine_map *, unsigned), bool mirrored)
{
    affine_map in[RACERS], tile[PADDED_SIZE(RACERS)], out[RACERS];
    atomic_ulong operations = 0;
    random_maps(in, RACERS);
    for (unsigned i = 0; i < RACERS; i++)
        tile[PADDED_INDEX(i)] = in[i];
    scan(&operations, tile, RACERS);
    for (unsigned i = 0; i < RACERS; i++)
        out[i] = tile[PADDED_INDEX(i)];
    return first_wrong_map(in, out, RACERS, false, mirrored, NULL) == RACERS;
}

Test(race, between_upward_neighbours_shows_in_one_of_the_two_builds)
{
    cr_assert_eq(race_goes_well(racy_kogge_stone, false), THREADS_RUN_BACKWARDS);
}

Test(race, between_downward_neighbours_shows_in_the_other_build)
{
    cr_assert_eq(race_goes_well(racy_mirrored_kogge_stone, true), !THREADS_RUN_BACKWARDS);
}

/* Where element i lies, as a function, since PADDED_INDEX(i) != i is a warning where it never holds. */
static unsigned place_of(unsigned i)
{
    return PADDED_INDEX(i);
}

Test(padding, that_is_forgotten_shows_in_the_reversed_build)
{
    unsigned misplaced = 0;
    for (unsigned i = 0; i < 100; i++)
        misplaced += place_of(i) != i;
    cr_assert_eq(misplaced > 0, THREADS_RUN_BACKWARDS);
}
