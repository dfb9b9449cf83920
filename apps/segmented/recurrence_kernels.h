/* The kernel of a linear recurrence for one tile. Compiled once for each float type and
   instruction set. */
#ifndef PARSCAN_APPS_SEGMENTED_RECURRENCE_KERNELS_H
#define PARSCAN_APPS_SEGMENTED_RECURRENCE_KERNELS_H

#include "scan/cpu/element.h"
#include "scan/cpu/isa.h"

typedef struct recurrence_tile {
    const T *a, *b;
    T *out; /* may be a or b; NULL: nothing is stored */
    size_t n;
    T before;                    /* x before the tile */
    bool stream;                 /* stores bypass the caches; needs `out` aligned to vectors */
    const void *next_a, *next_b; /* the next n elements of each, to be prefetched, or NULL */
} recurrence_tile;

/* Runs the recurrence over the tile. Returns x at its end. */
typedef T NAMED(parscan_recurrence_kernel)(const recurrence_tile *tile);

NAMED(parscan_recurrence_kernel)
NAMED(parscan_recurrence_portable), NAMED(parscan_recurrence_avx2),
    NAMED(parscan_recurrence_avx512);

#endif
