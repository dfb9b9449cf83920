/*
 * The expression tree of a reproducible scan: the one place that fixes how sums are grouped. Every
 * engine, number of threads and instruction set evaluates this tree, and so gives the same bits.
 *
 * The array, in the order of combination, is cut into rows of ROW elements and tiles of TILE_ROWS
 * rows.
 *
 *   local: a row is scanned by Sklansky's network. In step s = 1, 2, 4, 8 the elements whose
 *   index has bit s take in the last of the s elements before their group. The last element of a
 *   full row thus holds a balanced binary tree.
 *
 *   rows: the sums of a tile's rows are scanned by Kogge-Stone (scan/block/kogge_stone.h).
 *
 *   tiles: the sums of the tiles go into a binary counter. As long as two blocks of 2^k tiles
 *   stand side by side, they become one of 2^(k+1). What comes before a tile is the sum of the
 *   blocks that stand then, taken from the last to the first: b0 + (b1 + (b2 + ...)).
 *
 *   inclusive   out[i] = ((init + tiles before) + rows before in the tile) + local inclusive sum
 *   exclusive   the same with the local exclusive sum
 *   reduction   init + all tiles
 *
 * What is not there is left out: no init, no tile before, no row before, the local exclusive sum of
 * a row's first element. Combining with the exact identity is the same to the bit. A short last row
 * is scanned as far as it goes; every network here gives element i without looking beyond i.
 */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_TREE_H
#define PARSCAN_SCAN_REPRODUCIBLE_TREE_H

#include "scan/block/block.h"

#define ROW 16u
#define TILE_ROWS 128u
#define TREE_TILE (ROW * TILE_ROWS)

/* The elements that Kogge-Stone works in. */
#define ROW_WORK (2 * PADDED_SIZE(TILE_ROWS))

/* The binary counter over tile sums: blocks[k] holds 2^k tiles where bit k of tiles is set. */
BLOCK_TEMPLATE_T
struct tile_tree {
    T blocks[64];
    size_t tiles;
};
#ifdef __CUDACC__
#define TILE_TREE tile_tree<T>
#else
#define TILE_TREE struct tile_tree
#endif

BLOCK_TEMPLATE
BLOCK_FUNCTION void tile_tree_add(OPERATOR op, TILE_TREE *tree, T sum)
{
    unsigned level = 0;
    for (; tree->tiles >> level & 1; level++)
        sum = combine(op, tree->blocks[level], sum);
    tree->blocks[level] = sum;
    tree->tiles++;
}

/* init, then all tiles so far, then `after`: less than a tile, or the identity. */
BLOCK_TEMPLATE
BLOCK_FUNCTION T tile_tree_sum(OPERATOR op, const TILE_TREE *tree, T init, T after)
{
    T sum = after;
    for (unsigned level = 0; level < 64 && tree->tiles >> level != 0; level++)
        if (tree->tiles >> level & 1)
            sum = combine(op, tree->blocks[level], sum);
    return combine(op, init, sum);
}

#endif
