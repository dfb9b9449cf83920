/*
 * Where a reproducible scan of floats stands in its tree (tree.h) after a chunk of the array: all
 * that the next chunk needs. The chunks may be cut anywhere; the bits are those of the whole array.
 */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_TREE_CARRY_H
#define PARSCAN_SCAN_REPRODUCIBLE_TREE_CARRY_H

#include <stdint.h>

#define ROW 16u
#define TILE_ROWS 128u
#define TREE_TILE (ROW * TILE_ROWS)

/* The most elements of all chunks: as many tiles as every engine counts. */
#define TREE_MOST_ELEMENTS ((uint64_t)TREE_TILE << 40)

/* The bytes of the widest float that a build may have. */
#define TREE_FLOAT_BYTES 16u

/* Aligned to 16 bytes. All zero: nothing has been combined yet. Elements and sums are of the
   accumulated type, one after the other. */
typedef struct parscan_tree_carry {
    uint64_t tiles;   /* whole tiles so far */
    uint64_t pending; /* elements of the tile that is not whole yet, less than TREE_TILE */
    /* Block k is the sum of 2^k tiles, where bit k of `tiles` is set. */
    unsigned char blocks[64 * TREE_FLOAT_BYTES];
    unsigned char elements[TREE_TILE * TREE_FLOAT_BYTES];
} parscan_tree_carry;

#endif
