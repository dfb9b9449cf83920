/*
 * Finds the equal elements of a tile. The elements of right that are less than one of left, and those that are
 * not greater, are counted by vectors (apps/merge/places.h). Only where right goes on with equal elements behind
 * the tile, or where there are very many, they are counted in right itself.
 */
#include "apps/join/join_kernels.h"

#include <string.h>

#include "apps/merge/place_ranks.h"

KERNEL KEY rank_at(const key_order *order, const char *keys, size_t i)
{
    return rank_of_value(order, key(keys, i));
}

static size_t cross(const key_order *order, const char *left, size_t n, const char *right,
                    size_t n2, size_t size)
{
    return merge_cross(order, rank_of_value, left, n, right, n2, size);
}

/* Of each element of left, how many of right in the tile are less, and how many are not greater. */
typedef struct tile_places {
    uint16_t lower[JOIN_TILE + PLACES_NEEDLES], upper[JOIN_TILE + PLACES_NEEDLES];
} tile_places;

static void find_places(const key_order *order, const join_tile *t, tile_places *found)
{
    place_rank ranks[JOIN_TILE + PLACES_KEYS + PLACES_NEEDLES];
    place_rank *const right = ranks + (t->n + PLACES_NEEDLES - 1) / PLACES_NEEDLES * PLACES_NEEDLES;
    read_ranks(t->places, order, true, t->left, t->n, ranks);
    for (place_rank *r = ranks + t->n; t->n > 0 && r < right; r++)
        *r = ranks[t->n - 1];
    read_ranks(t->places, order, true, t->right, t->n2, right);
    for (size_t k = 0; k < PLACES_KEYS; k++)
        right[t->n2 + k] = LAST_RANK;
    t->places->places(ranks, t->n, right, t->n2, false, found->lower);
    t->places->places(ranks, t->n, right, t->n2, true, found->upper);
}

/* How many elements from `at` on have the rank. The strides double as long as they lead to one that has it. */
static uint64_t count_equal(const key_order *order, const join_tile *t, size_t at, KEY rank)
{
    size_t begin = at, end = t->beyond;
    for (size_t stride = 1; begin < end && stride < end - begin; stride *= 2) {
        if (rank_at(order, t->right, begin + stride - 1) > rank) {
            end = begin + stride - 1;
            break;
        }
        begin += stride;
    }
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (rank_at(order, t->right, middle) <= rank)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin - at;
}

/* The elements of right that were counted last, which are equal to the next element of left too, if that
   is equal to the one at the same place. */
typedef struct equal_run {
    size_t at;
    uint64_t count;
    size_t many; /* how many numbers are in tile->many */
} equal_run;

/* Notes how many elements from `at` on have the rank. */
static uint64_t note_equal(const key_order *order, const join_tile *t, size_t i, size_t at,
                           bool once, equal_run *run)
{
    const KEY rank = rank_at(order, t->left, i);
    const bool equal = at < t->beyond && rank_at(order, t->right, at) == rank;
    if (!equal || once)
        return t->equal[i] = equal;
    if (at != run->at) {
        run->at = at;
        run->count = count_equal(order, t, at, rank);
        if (run->count >= JOIN_MANY && run->many == JOIN_MANY_ROOM)
            run->count = JOIN_MANY - 1; /* the arrays are not in order */
        else if (run->count >= JOIN_MANY)
            t->many[run->many++] = run->count;
    }
    t->equal[i] = run->count < JOIN_MANY ? (uint8_t)run->count : JOIN_MANY;
    return run->count;
}

/* Notes the elements of left before `end`, whose equal ones are all in the tile. Returns the most of one of
   them, which must not be JOIN_MANY or more. Loops of a kind that compilers make vectors of: a branch here
   would be mispredicted at every other element. */
static unsigned note_inside(const join_tile *t, tile_places *found, size_t end, bool once,
                            join_counts *counts)
{
    const uint16_t *const restrict lower = found->lower;
    uint16_t *const restrict equal = found->upper;
    uint16_t most = 0;
    uint8_t *const restrict noted = t->equal;
    uint32_t pairs = 0, matched = 0;
    for (size_t i = 0; i < end; i++) {
        const uint16_t upper = equal[i] > lower[i] ? equal[i] : lower[i];
        equal[i] = (uint16_t)(upper - lower[i]);
    }
    for (size_t i = 0; i < end && once; i++)
        equal[i] = equal[i] > 0;
    for (size_t i = 0; i < end; i++) {
        noted[i] = (uint8_t)equal[i];
        most = equal[i] > most ? equal[i] : most;
    }
    for (size_t i = 0; i < end; i++) {
        pairs += equal[i];
        matched += equal[i] > 0;
    }
    counts->pairs = pairs;
    counts->matched = matched;
    return most;
}

/* The elements of left before the first one whose equal elements may go on behind the tile. */
static size_t inside_of(const join_tile *t, const tile_places *found)
{
    size_t end = t->n;
    while (t->n2 < t->beyond && end > 0 && found->upper[end - 1] == t->n2)
        end--;
    return end;
}

KERNEL join_counts match_all(const key_order *order, const join_tile *t, const bool once)
{
    join_counts counts = {0, 0};
    equal_run run = {.at = SIZE_MAX};
    tile_places found;
    find_places(order, t, &found);
    size_t inside = inside_of(t, &found);
    if (note_inside(t, &found, inside, once, &counts) >= JOIN_MANY) {
        inside = 0;
        counts = (join_counts){0, 0};
    }
    memcpy(t->first, found.lower, t->n * sizeof *t->first);
    for (size_t i = inside; i < t->n; i++) {
        const uint64_t equal = note_equal(order, t, i, found.lower[i], once, &run);
        counts.matched += equal > 0;
        if (__builtin_add_overflow(counts.pairs, equal, &counts.pairs))
            counts.pairs = UINT64_MAX;
    }
    return counts;
}

static join_counts match(const key_order *order, const join_tile *tile, bool once)
{
    return once ? match_all(order, tile, true) : match_all(order, tile, false);
}

const join_kernels NAMED(parscan_join_kernels) = {.cross = cross, .match = match};
