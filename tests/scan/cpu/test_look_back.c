/*
 * The look-back alone, with a thread that is late: it claims a tile and does not publish it before
 * the others are done, or, where they must wait, before they wait.
 *
 * An element is the map x -> 3 x + element. These maps do not commute, so a wrong order is seen.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef struct affine_map {
    uint64_t factor, addend;
    bool opaque;
} affine_map;

#define SUMMARY affine_map
#define PREFIX uint64_t
#include "scan/cpu/look_back.h"

enum { TILE = 64, TILES = 40, MOST_TILES = 4000, THREADS = 4, LATE = 5 };

typedef struct pass {
    look_back look_back;
    tile_slot *slots;
    uint64_t *in, *out;
    const tile_functions *functions;
    size_t opaque_from;                      /* tiles from here on are opaque */
    atomic_size_t done, waiting, taken_over; /* threads; tiles */
    atomic_bool late_begun;
    bool late_publishes_first, passed_too_early, naps;
} pass;

static affine_map map_of(const pass *p, size_t tile)
{
    affine_map map = {.factor = 1, .opaque = tile >= p->opaque_from};
    for (size_t i = tile * TILE; i < (tile + 1) * TILE; i++) {
        map.factor *= 3;
        map.addend = map.addend * 3 + p->in[i];
    }
    return map;
}

static uint64_t write_tile(const pass *p, size_t tile, uint64_t x)
{
    for (size_t i = tile * TILE; i < (tile + 1) * TILE; i++)
        p->out[i] = x = x * 3 + p->in[i];
    return x;
}

static uint64_t add(const void *state, const uint64_t *x, const affine_map *map)
{
    (void)state;
    return map->factor * *x + map->addend;
}

static affine_map summarise(const void *state, void *work, size_t tile)
{
    atomic_fetch_add(&((pass *)work)->taken_over, 1);
    return map_of(state, tile);
}

static bool is_opaque(const void *state, const uint64_t *x, const affine_map *map)
{
    (void)state;
    (void)x;
    return map->opaque;
}

static const tile_functions taking_over = {.add = add, .summarise = summarise};
static const tile_functions waiting = {.add = add};
static const tile_functions opaque = {.add = add, .summarise = summarise, .is_opaque = is_opaque};

static void finish_tile(pass *p, size_t tile, const affine_map *map)
{
    look_back *const l = &p->look_back;
    const uint64_t x = look_back_prefix(l, tile, p->functions, p, p);
    const uint64_t through = map->opaque ? write_tile(p, tile, x) : add(p, &x, map);
    look_back_pass(l, tile, &through);
    if (!map->opaque)
        write_tile(p, tile, x);
}

static void nap(unsigned microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)microseconds * 1000}, NULL);
}

static void take_tile(pass *p, size_t tile)
{
    const affine_map map = map_of(p, tile);
    if (p->naps && tile % 7 == 0)
        nap((unsigned)(tile % 11) * 5);
    look_back_publish(&p->look_back, tile, &map);
    if (tile > LATE)
        atomic_fetch_add(&p->waiting, 1);
    finish_tile(p, tile, &map);
}

/* Claims the tile LATE, after which the others start. They end before this thread goes on; or, if
   they cannot, they have each published a later tile. */
static void *be_late(void *state)
{
    pass *const p = state;
    size_t tile;
    while ((tile = look_back_claim(&p->look_back)) < LATE)
        take_tile(p, tile);
    affine_map map;
    if (p->late_publishes_first) {
        map = map_of(p, tile);
        look_back_publish(&p->look_back, tile, &map);
    }
    atomic_store(&p->late_begun, true);
    const bool they_end = p->functions == &taking_over;
    while (they_end ? atomic_load(&p->done) < THREADS - 1 : atomic_load(&p->waiting) < THREADS - 1)
        nap(50);
    if (!they_end)
        for (size_t later = LATE; later < p->look_back.tiles; later++)
            p->passed_too_early |= atomic_load(&p->slots[later].state) == TILE_PASSED;
    map = map_of(p, tile);
    if (!p->late_publishes_first)
        look_back_publish(&p->look_back, tile, &map);
    finish_tile(p, tile, &map);
    return NULL;
}

static void *be_on_time(void *state)
{
    pass *const p = state;
    while (!p->naps && !atomic_load(&p->late_begun))
        nap(20);
    for (size_t tile; (tile = look_back_claim(&p->look_back)) < p->look_back.tiles;)
        take_tile(p, tile);
    atomic_fetch_add(&p->done, 1);
    return NULL;
}

static void begin(pass *p, const tile_functions *functions, size_t tiles, bool in_place)
{
    *p = (pass){.functions = functions, .opaque_from = tiles};
    p->slots = aligned_alloc(64, (tiles) * sizeof(tile_slot));
    p->in = malloc(tiles * TILE * sizeof *p->in);
    p->out = in_place ? p->in : malloc(tiles * TILE * sizeof *p->in);
    cr_assert(p->slots != NULL && p->in != NULL && p->out != NULL);
    for (size_t i = 0; i < tiles * TILE; i++)
        p->in[i] = i * 0x9e3779b97f4a7c15u >> 7;
    look_back_begin(&p->look_back, &(tile_plan){.slots = p->slots, .slots_bytes = SIZE_MAX}, tiles,
                    TILE * sizeof *p->in, 17, in_place);
}

static void expect_right(pass *p, const char *what)
{
    uint64_t x = 17;
    for (size_t i = 0; i < p->look_back.tiles * TILE; i++) {
        x = x * 3 + (i * 0x9e3779b97f4a7c15u >> 7);
        cr_assert_eq(p->out[i], x, "%s: element %zu", what, i);
    }
    cr_assert_eq(look_back_end(&p->look_back), x, "%s: the prefix behind the last tile", what);
    if (p->out != p->in)
        free(p->out);
    free(p->in);
    free(p->slots);
}

static void run(pass *p, void *(*first)(void *))
{
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++)
        cr_assert_eq(pthread_create(&threads[k], NULL, k == 0 ? first : be_on_time, p), 0);
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
}

/* ---- tests ---- */

Test(look_back, finishes_the_tiles_behind_a_late_one)
{
    pass p;
    for (int again = 0; again < 20; again++) {
        begin(&p, &taking_over, TILES, false);
        p.look_back.patience = again % 2 == 0 ? 0 : p.look_back.patience;
        run(&p, be_late);
        cr_assert_geq(atomic_load(&p.taken_over), 1);
        expect_right(&p, "out of place");
    }
}

/* ThreadSanitizer calls the reads of a tile that its thread overwrites a race, so with it nobody
   takes over a tile in place. */
Test(look_back, finishes_the_tiles_behind_a_late_one_in_place)
{
    pass p;
    begin(&p, &taking_over, TILES, true);
    if (!look_back_takes_over(&p.look_back, &taking_over))
        cr_skip("nobody takes over a tile in place");
    expect_right((run(&p, be_late), &p), "in place");
    cr_assert_geq(atomic_load(&p.taken_over), 1);
}

Test(look_back, waits_for_a_late_tile_that_must_not_be_read)
{
    pass p;
    for (int in_place = 0; in_place < 2; in_place++) {
        begin(&p, &waiting, TILES, in_place);
        run(&p, be_late);
        cr_assert_not(p.passed_too_early);
        expect_right(&p, in_place ? "in place" : "out of place");
    }
}

/* What has been published of the late tile: nothing, or that it is opaque. */
Test(look_back, waits_for_a_late_tile_that_is_opaque)
{
    pass p;
    for (int mode = 0; mode < 4; mode++) {
        begin(&p, &opaque, TILES, mode % 2);
        p.opaque_from = LATE;
        p.late_publishes_first = mode / 2;
        run(&p, be_late);
        cr_assert_not(p.passed_too_early);
        expect_right(&p, mode % 2 ? "in place" : "out of place");
    }
}

/* Threads take over tiles at the time at which their own threads publish and overwrite them. */
Test(look_back, is_right_with_many_short_delays)
{
    pass p;
    for (int mode = 0; mode < 60; mode++) {
        begin(&p, mode % 3 == 0 ? &opaque : &taking_over, MOST_TILES, mode % 2);
        p.opaque_from = mode % 3 == 0 ? MOST_TILES / 2 : MOST_TILES;
        p.naps = true;
        p.look_back.patience = (unsigned)mode * 3;
        run(&p, be_on_time);
        expect_right(&p, mode % 2 ? "in place" : "out of place");
    }
}

Test(look_back, of_no_tile_and_of_one)
{
    pass p;
    begin(&p, &taking_over, 1, false);
    p.look_back.tiles = 0;
    cr_assert_eq(look_back_claim(&p.look_back), 0);
    cr_assert_eq(look_back_end(&p.look_back), 17);
    look_back_begin(&p.look_back, &(tile_plan){.slots = p.slots, .slots_bytes = SIZE_MAX}, 1, 1, 17,
                    false);
    p.naps = true;
    run(&p, be_on_time);
    expect_right(&p, "one tile");
}
