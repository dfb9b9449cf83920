/*
 * What a segmented scan and reduction do to one tile, compiled once an element type and instruction
 * set. A tile is contiguous, in the order of combination, of the type that is accumulated, at any
 * alignment; its segment heads are bits (heads.h).
 */
#ifndef PARSCAN_APPS_SEGMENTED_KERNELS_H
#define PARSCAN_APPS_SEGMENTED_KERNELS_H

#include "scan/cpu/tile_kernels.h"

typedef struct segmented_tile {
    const tile_kernels *plain; /* for what has no head */
    const uint64_t *heads;
    const T *in;
    T *out; /* of a scan: n elements, may be in; of a reduction: one a segment that ends */
    size_t n;
    T before;      /* the sum of the open segment before the tile */
    const T *init; /* combined before the first element of each segment; NULL: none */
    T start;       /* what an exclusive scan has for the first of a segment */
    bool exclusive;
    bool first;       /* the tile begins the array: no segment ends before its first head */
    bool singly;      /* no SIMD */
    bool stream;      /* past the caches: out is aligned to whole vectors then */
    const void *next; /* n elements that this core takes next, to be prefetched, or NULL */
    const void *next_segments; /* and what says where their segments are, if it has */
    size_t segment_bytes;      /* so many bytes an element */
} segmented_tile;

typedef struct segmented_kernels {
    /* Scans a tile; returns the sum of the open segment at its end. */
    T (*scan)(OPERATOR op, const segmented_tile *tile);
    /* The same return; each head writes the sum of the segment that ends before it to the next
       place of out. */
    T (*reduce)(OPERATOR op, const segmented_tile *tile);
} segmented_kernels;

const segmented_kernels *NAMED(parscan_segmented_kernels)(parscan_isa isa);

extern const segmented_kernels NAMED(parscan_segmented_kernels_portable);
extern const segmented_kernels NAMED(parscan_segmented_kernels_avx2);
extern const segmented_kernels NAMED(parscan_segmented_kernels_avx512);

#endif
