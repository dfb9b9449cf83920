/*
 * What the single pass does to one tile, compiled once an element type and instruction set.
 *
 * reduce and scan take a tile that is contiguous, in the order of combination, of the type that is
 * accumulated, at any alignment. Reversed and widened input goes through a buffer: gather before
 * them, scatter after.
 */
#ifndef PARSCAN_SCAN_TILE_KERNELS_H
#define PARSCAN_SCAN_TILE_KERNELS_H

#include "scan/cpu/element.h"
#include "scan/cpu/isa.h"

typedef struct tile_scan {
    const T *in;
    T *out; /* may be in */
    size_t n;
    T before; /* the sum of all that comes before the tile: the identity if nothing does */
    bool exclusive;
    bool stream;      /* past the caches */
    const void *next; /* the tile that this core takes next, to be prefetched, or in */
} tile_scan;

typedef struct tile_kernels {
    /* The sum of in[0..n), the identity if n = 0; begins to prefetch next. */
    T (*reduce)(OPERATOR op, const T *in, size_t n, const void *next);
    /* Scans a tile; returns the sum of all up to its end. */
    T (*scan)(OPERATOR op, const tile_scan *tile);
    /* Elements begin to begin + n of a view, in the order of combination, to and from a buffer;
       stream: past the caches, at multiples of the element's size. */
    void (*gather)(const VIEW *from, size_t begin, size_t n, T *buffer);
    void (*scatter)(const VIEW *to, size_t begin, size_t n, const T *buffer, bool stream);
    /* What a core does last, so that others see what it streamed. */
    void (*fence)(void);
} tile_kernels;

/* The kernels for an instruction set that this machine has. */
const tile_kernels *NAMED(parscan_tile_kernels)(parscan_isa isa);

extern const tile_kernels NAMED(parscan_tile_kernels_portable);
extern const tile_kernels NAMED(parscan_tile_kernels_avx2);
extern const tile_kernels NAMED(parscan_tile_kernels_avx512);

#endif
