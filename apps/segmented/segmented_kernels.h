/*
 * The kernels of a segmented scan and reduction for one tile. Compiled once for each element type
 * and instruction set. A tile is a contiguous array of the accumulated type, in the order of
 * combination, at any alignment. Its segment heads are bits (heads.h).
 */
#ifndef PARSCAN_APPS_SEGMENTED_KERNELS_H
#define PARSCAN_APPS_SEGMENTED_KERNELS_H

#include <stdbool.h>

#include "parscan/segments.h"
#include "scan/cpu/tile_kernels.h"

typedef struct segmented_tile {
    const tile_kernels *plain; /* for parts without a head */
    const uint64_t *heads;
    const T *in;
    T *out; /* scan: n elements; reduction: one for each segment that ends; may be `in` */
    size_t n;
    T before;      /* the sum of the open segment before the tile */
    const T *init; /* combined before the first element of each segment; may be NULL */
    T start;       /* what an exclusive scan writes for the first element of a segment */
    bool exclusive;
    bool first;       /* the tile starts the array: no segment ends before its first head */
    bool singly;      /* without SIMD */
    bool stream;      /* stores bypass the caches; `out` must then be aligned to whole vectors */
    const void *next; /* the next n elements of this core, to be prefetched, or NULL */
    const void *next_segments; /* the flags or keys of these, or NULL */
    size_t segment_bytes;      /* bytes of a flag or key */
} segmented_tile;

/* Segments given by offsets, to be reduced one by one: `count` of them, from segment `first` on. */
typedef struct segment_list {
    const tile_kernels *plain; /* for segments of many vectors */
    const parscan_segments *segments;
    size_t first, count;
    const void *in;                 /* the array from element `origin` on */
    parscan_type in_type, out_type; /* kernels_take() them */
    size_t origin;                  /* where the first segment of the list starts at the earliest */
    size_t limit;                   /* where the last one ends at the latest */
    void *out;                      /* one element for each segment of the list */
    const T *init;
    T start; /* the result of an empty segment */
} segment_list;

typedef struct segmented_kernels {
    /* Scans a tile. Returns the sum of the open segment at its end. */
    T (*scan)(OPERATOR op, const segmented_tile *tile);
    /* Reduces a tile. Each head writes the sum of the segment that ends before it to the next
       element of `out`. Returns the same as scan. */
    T (*reduce)(OPERATOR op, const segmented_tile *tile);
    /* Reduces each segment of a list. Returns false, with a part of the list reduced, if its offsets
       decrease or exceed the limit. */
    bool (*reduce_list)(OPERATOR op, const segment_list *list);
} segmented_kernels;

const segmented_kernels *NAMED(parscan_segmented_kernels)(parscan_isa isa);

extern const segmented_kernels NAMED(parscan_segmented_kernels_portable);
extern const segmented_kernels NAMED(parscan_segmented_kernels_avx2);
extern const segmented_kernels NAMED(parscan_segmented_kernels_avx512);

#endif
