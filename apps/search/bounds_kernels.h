/*
 * The kernels of a search for bounds, compiled once for each class of keys.
 */
#ifndef PARSCAN_APPS_BOUNDS_KERNELS_H
#define PARSCAN_APPS_BOUNDS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/merge/key_order.h"
#include "apps/merge/places.h"

enum {
    BOUNDS_TILE = 1024, /* needles that are read at once */
    BOUNDS_GROUP = 16   /* needles whose searches proceed in lockstep */
};

typedef struct bounds_search {
    key_order order;
    const place_kernels *places;
    const char *sorted;
    size_t count;
    const char *values; /* the needles; NULL: needle i has the rank i */
    size_t n;
    char *out;
    bool upper, wide; /* wide: out has 64 bits */
    /* The ranks of the last keys of blocks of `stride` keys, but of the last block: 2^k - 1 of them. NULL:
       none. */
    const char *sample;
    size_t samples, stride;
    const uint64_t *table; /* the bound of every rank; NULL: none */
} bounds_search;

typedef struct bounds_kernels {
    void (*take_sample)(const bounds_search *s, char *sample);
    /* Whether the needles of a tile, as they are now, are in order. */
    bool (*in_order)(const bounds_search *s, size_t tile);
    /* Writes the bounds of the needles of tiles. */
    void (*tiles)(const bounds_search *s, size_t first, size_t end);
} bounds_kernels;

#define BOUNDS_KERNELS_OF(name) parscan_bounds_kernels_##name
#define X(ctx, NAME, bits, name, ...) extern const bounds_kernels BOUNDS_KERNELS_OF(name);
PARSCAN_KEY_CLASSES(X, )
#undef X

#endif
