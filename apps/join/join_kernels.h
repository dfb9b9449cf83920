/*
 * The kernels of joins, compiled once for each class of keys. Elements are compared by
 * rank_of_value() of apps/merge/key_rank.h.
 */
#ifndef PARSCAN_APPS_JOIN_JOIN_KERNELS_H
#define PARSCAN_APPS_JOIN_JOIN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/merge/key_order.h"
#include "apps/merge/places.h"

enum {
    JOIN_TILE = 3072,   /* elements of left and right together */
    JOIN_MANY = 255,    /* of an element of left: its number of equal ones is in `many` */
    JOIN_MANY_ROOM = 16 /* there are no more such numbers in a tile, if the arrays are in order */
};

/* The elements of a tile of the merge path. */
typedef struct join_tile {
    const place_kernels *places;
    const char *left, *right;
    size_t n, n2;  /* their elements in the tile */
    size_t beyond; /* the elements of right from its first one here on, to its end */
    /* What is found of each element of left: the index in right, from its first one here on, of the first
       element that is not below it; and how many are equal to it, up to JOIN_MANY. */
    uint16_t *first;
    uint8_t *equal;
    uint64_t *many;
} join_tile;

typedef struct join_counts {
    uint64_t pairs; /* UINT64_MAX: that many or more */
    size_t matched; /* elements of left that have an equal one */
} join_counts;

typedef struct join_kernels {
    /* How many of the first `size` elements of the merge of left and right are left's, with left's
       first among equal ones. size is at most n + n2; the answer leaves the rest to right, in whatever
       order elements are. */
    size_t (*cross)(const key_order *order, const char *left, size_t n, const char *right,
                    size_t n2, size_t size);
    /* once: only whether there is an equal element is wanted, equal is 0 or 1. Reads nothing outside of
       the arrays, and finds no index beyond them, in whatever order elements are. */
    join_counts (*match)(const key_order *order, const join_tile *tile, bool once);
} join_kernels;

#define JOIN_KERNELS_OF(name) parscan_join_kernels_##name
#define X(ctx, NAME, bits, name, ...) extern const join_kernels JOIN_KERNELS_OF(name);
PARSCAN_KEY_CLASSES(X, )
#undef X

#endif
