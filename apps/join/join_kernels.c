/*
 * Finds the equal elements of a tile. First, without a branch that depends on elements, where each
 * element of left stands in right: a merge that writes down the place instead of the element, in several
 * parts side by side, since each step waits for the one before it. Then equal elements are counted from
 * there on.
 */
#include "apps/join/join_kernels.h"

#include <string.h>

#include "apps/merge/class_rank.h"

KERNEL KEY rank_at(const key_order *order, const char *keys, size_t i)
{
    return rank_of_value(order, key(keys, i));
}

static size_t cross(const key_order *order, const char *left, size_t n, const char *right,
                    size_t n2, size_t size)
{
    return merge_cross(order, rank_of_value, left, n, right, n2, size);
}

/* A part of a tile's merge: where it is, and where it ends. */
typedef struct place_chain {
    size_t i, j, i_end, j_end;
} place_chain;

enum {
    PLACE_CHAINS = 4,
    WINDOW = 4 /* so many equal elements are counted without a branch */
};

/* What is written is right when the element of left is passed. */
KERNEL void place_step(const key_order *order, const join_tile *t, place_chain *c)
{
    const size_t i = c->i, j = c->j;
    const bool below = rank_at(order, t->right, j) < rank_at(order, t->left, i);
    t->first[i] = (uint16_t)j;
    c->j = j + below;
    c->i = i + !below;
}

/* So many steps stay inside of both. */
KERNEL size_t place_steps(const place_chain *c)
{
    const size_t of_left = c->i_end - c->i, of_right = c->j_end - c->j;
    return of_left < of_right ? of_left : of_right;
}

KERNEL void place_rest(const key_order *order, const join_tile *t, place_chain c)
{
    for (size_t steps = place_steps(&c); steps > 0; steps = place_steps(&c))
        for (; steps > 0; steps--)
            place_step(order, t, &c);
    for (; c.i < c.i_end; c.i++)
        t->first[c.i] = (uint16_t)c.j_end;
}

KERNEL void place_all(const key_order *order, const join_tile *t)
{
    place_chain chains[PLACE_CHAINS];
    size_t i = 0, j = 0, steps = SIZE_MAX;
    for (size_t k = 0; k < PLACE_CHAINS; k++) {
        const size_t size = (t->n + t->n2) * (k + 1) / PLACE_CHAINS - (i + j);
        const size_t of_left = cross(order, t->left + i * sizeof(KEY), t->n - i,
                                     t->right + j * sizeof(KEY), t->n2 - j, size);
        chains[k] = (place_chain){i, j, i + of_left, j + (size - of_left)};
        i = chains[k].i_end;
        j = chains[k].j_end;
        steps = place_steps(&chains[k]) < steps ? place_steps(&chains[k]) : steps;
    }
    while (steps > 0) {
        place_chain c0 = chains[0], c1 = chains[1], c2 = chains[2], c3 = chains[3];
        for (; steps > 0; steps--) {
            place_step(order, t, &c0);
            place_step(order, t, &c1);
            place_step(order, t, &c2);
            place_step(order, t, &c3);
        }
        chains[0] = c0, chains[1] = c1, chains[2] = c2, chains[3] = c3;
        steps = SIZE_MAX;
        for (size_t k = 0; k < PLACE_CHAINS; k++)
            steps = place_steps(&chains[k]) < steps ? place_steps(&chains[k]) : steps;
    }
    for (size_t k = 0; k < PLACE_CHAINS; k++)
        place_rest(order, t, chains[k]);
}

/* How many elements from `at` on have the rank, of which the first WINDOW have it. The strides double as
   long as they lead to one that has it. */
static uint64_t count_equal(const key_order *order, const join_tile *t, size_t at, KEY rank)
{
    size_t begin = at + WINDOW, end = t->beyond;
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
   stands at the same place. */
typedef struct equal_run {
    size_t at;
    uint64_t count;
    size_t many; /* how many numbers are in tile->many */
} equal_run;

static uint8_t note_equal(const key_order *order, const join_tile *t, size_t at, KEY rank,
                          equal_run *run)
{
    if (at != run->at) {
        run->at = at;
        run->count = count_equal(order, t, at, rank);
        if (run->count >= JOIN_MANY && run->many == JOIN_MANY_ROOM)
            run->count = JOIN_MANY - 1; /* the arrays are not in order */
        else if (run->count >= JOIN_MANY)
            t->many[run->many++] = run->count;
    }
    return run->count < JOIN_MANY ? (uint8_t)run->count : JOIN_MANY;
}

/* How many of the WINDOW elements from `at` on are equal to the one of that rank, one after another. */
KERNEL size_t window_equal(const key_order *order, const char *right, size_t at, KEY rank)
{
    bool all = true;
    size_t equal = 0;
    for (size_t k = 0; k < WINDOW; k++) {
        all &= rank_at(order, right, at + k) == rank;
        equal += all;
    }
    return equal;
}

/* The same where right ends. */
KERNEL size_t last_equal(const key_order *order, const join_tile *t, size_t at, KEY rank)
{
    size_t equal = 0;
    while (equal < WINDOW && at + equal < t->beyond && rank_at(order, t->right, at + equal) == rank)
        equal++;
    return equal;
}

/* Branches are on what is rare: many equal elements, and the end of right. */
KERNEL join_counts match_all(const key_order *order, const join_tile *tile, const bool once)
{
    join_counts counts = {0, 0};
    equal_run run = {.at = SIZE_MAX};
    const key_order by = *order;
    const join_tile t = *tile;
    place_all(&by, &t);
    for (size_t i = 0; i < t.n; i++) {
        const size_t at = t.first[i];
        const KEY rank = rank_at(&by, t.left, i);
        const bool whole = at + WINDOW <= t.beyond;
        if (once) {
            t.equal[i] = at < t.beyond && rank_at(&by, t.right, at) == rank;
            counts.matched += t.equal[i];
            continue;
        }
        uint64_t equal =
            whole ? window_equal(&by, t.right, at, rank) : last_equal(&by, &t, at, rank);
        t.equal[i] = (uint8_t)equal;
        counts.matched += equal > 0;
        if (equal == WINDOW) {
            t.equal[i] = note_equal(&by, &t, at, rank, &run);
            equal = run.count;
        }
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
