/*
 * The kernels of an allocation for one tile of sizes. Compiled once for each offset type and
 * instruction set.
 *
 * The kernels sum units of 1 << shift bytes. Where the rounded sizes of a tile might wrap around,
 * the unit is the alignment: the number of units of a size never overflows the size's own type, and
 * the sum of units shifted left is the sum of the rounded sizes. Otherwise the unit is a byte.
 */
#ifndef PARSCAN_APPS_ALLOCATE_KERNELS_H
#define PARSCAN_APPS_ALLOCATE_KERNELS_H

#include <stdbool.h>

#include "apps/allocate/size_types.h"
#include "scan/cpu/isa.h"

/* A sum modulo 2^64, and whether the exact sum is larger. */
typedef struct size_sum {
    uint64_t sum;
    bool beyond;
} size_sum;

static inline size_sum size_sum_add(size_sum a, size_sum b)
{
    const uint64_t sum = a.sum + b.sum;
    return (size_sum){sum, a.beyond || b.beyond || sum < a.sum};
}

typedef struct allocate_tile {
    parscan_type size_type;
    const void *sizes;
    void *offsets; /* of the kernels' type; may be the same array as sizes */
    size_t n;
    uint64_t before;  /* the units of all tiles before */
    unsigned shift;   /* a unit is 1 << shift; shift is less than the bits of the kernels' type */
    uint64_t mask;    /* alignment - 1 */
    bool stream;      /* stores bypass the caches */
    const void *next; /* the next n sizes, to be prefetched, or NULL */
} allocate_tile;

typedef struct allocate_kernels {
    /* Returns the sum of the tile's units. Sizes are no wider than the kernels' type. */
    size_sum (*reduce)(const allocate_tile *tile);
    /* Writes the tile's offsets, wrapped, and returns the sum of its units. */
    size_sum (*scan)(const allocate_tile *tile);
    /* Converts n offsets from u64 to u32. */
    void (*narrow)(const uint64_t *from, void *to, size_t n);
    /* A core calls this last, so that other cores see what it has streamed. */
    void (*fence)(void);
} allocate_kernels;

/* Returns the kernels for offsets of 32 or 64 bits and for an instruction set, which this
   machine must have. */
const allocate_kernels *parscan_allocate_kernels(parscan_type offset_type, parscan_isa isa);

extern const allocate_kernels parscan_allocate_u32_portable, parscan_allocate_u32_avx2,
    parscan_allocate_u32_avx512;
extern const allocate_kernels parscan_allocate_u64_portable, parscan_allocate_u64_avx2,
    parscan_allocate_u64_avx512;

#endif
