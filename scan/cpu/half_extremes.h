/*
 * Scans and reductions of floats of 16 bits to their minimum or maximum: what comes out is one of the elements,
 * so nothing is widened or rounded. An element's bits are mapped to a key of 16 bits, which are ordered as
 * those of simd_keys.h. Compiled once for each instruction set.
 */
#ifndef PARSCAN_SCAN_CPU_HALF_EXTREMES_H
#define PARSCAN_SCAN_CPU_HALF_EXTREMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parscan/types.h"

/* The fields of tile_scan (tile_kernels.h). */
typedef struct half_tile {
    const char *in;
    char *out;
    size_t n;
    uint16_t before; /* the bits of an element */
    bool exclusive, stream, reverse;
    const char *next;
} half_tile;

/* The bits of the extreme of everything up to the tile's end. */
typedef uint16_t half_scan(parscan_op op, parscan_type type, const half_tile *tile);
/* The bits of the extreme of in[0..n), the identity if n = 0. Prefetches a quarter of next, unless it is NULL. */
typedef uint16_t half_reduce(parscan_op op, parscan_type type, const char *in, size_t n,
                             const char *next);

half_scan parscan_half_scan_portable, parscan_half_scan_avx2, parscan_half_scan_avx512;
half_reduce parscan_half_reduce_portable, parscan_half_reduce_avx2, parscan_half_reduce_avx512;

#endif
