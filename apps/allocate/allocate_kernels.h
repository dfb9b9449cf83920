/*
 * What an allocation does to one tile of sizes, compiled once an offset type and instruction set.
 *
 * The kernels sum units of 1 << shift bytes. Where a tile of rounded sizes may wrap around, a unit is
 * the alignment: the units of a size, rounded up, never overflow the size's own type, and the sum of
 * units shifted left is the sum of rounded sizes. Elsewhere the unit is a byte.
 */
#ifndef PARSCAN_APPS_ALLOCATE_KERNELS_H
#define PARSCAN_APPS_ALLOCATE_KERNELS_H

#include <stdbool.h>

#include "apps/allocate/size_types.h"
#include "scan/cpu/isa.h"

/* An exact sum, as far as it matters: modulo 2^64, and whether it is beyond. */
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
    void *offsets;    /* of the kernels' type; may be sizes */
    size_t n;         /* up to ALLOCATE_TILE_MAX */
    uint64_t before;  /* the units of all tiles before */
    unsigned shift;   /* a unit is 1 << shift: less than the bits of the kernels' type */
    uint64_t mask;    /* the alignment - 1 */
    bool stream;      /* past the caches */
    const void *next; /* n more sizes, to be prefetched, or NULL */
} allocate_tile;

/* So that the halves of u32 sizes can be summed in 32 bits. */
#define ALLOCATE_TILE_MAX 65536u

typedef struct allocate_kernels {
    /* The tile's units. Sizes are no wider than the kernels' type. */
    size_sum (*reduce)(const allocate_tile *tile);
    /* Writes the tile's offsets, wrapped; returns the tile's units. */
    size_sum (*scan)(const allocate_tile *tile);
    /* u64 to u32. */
    void (*narrow)(const uint64_t *from, void *to, size_t n);
    /* What a core does last, so that others see what it streamed. */
    void (*fence)(void);
} allocate_kernels;

/* The kernels for offsets of 32 and of 64 bits and an instruction set that this machine has. */
const allocate_kernels *parscan_allocate_kernels(parscan_type offset_type, parscan_isa isa);

extern const allocate_kernels parscan_allocate_u32_portable, parscan_allocate_u32_avx2,
    parscan_allocate_u32_avx512;
extern const allocate_kernels parscan_allocate_u64_portable, parscan_allocate_u64_avx2,
    parscan_allocate_u64_avx512;

#endif
