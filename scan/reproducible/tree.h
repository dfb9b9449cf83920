/*
 * The expression tree of a reproducible scan. Only this file fixes how sums are grouped. Every
 * engine, with any number of threads and any instruction set, evaluates this tree, and so gives the
 * same bits.
 *
 * The array, in the order of combination, is cut into rows of ROW elements and tiles of TILE_ROWS
 * rows.
 *
 *   local: a row is scanned by Sklansky's network. In step s = 1, 2, 4, 8 each element whose index
 *   has bit s is combined with the last of the s elements before its group of s. So the last
 *   element of a full row holds the sum of a balanced binary tree.
 *
 *   rows: the sums of a tile's rows are scanned by Kogge-Stone (scan/block/kogge_stone.h).
 *
 *   tiles: the sums of the tiles go into a binary counter. Whenever two blocks of 2^k tiles are
 *   adjacent, they become one block of 2^(k+1) tiles. The prefix of a tile is the sum of the blocks
 *   that are in the counter then, taken from the last to the first: b0 + (b1 + (b2 + ...)).
 *
 *   inclusive   out[i] = ((init + tiles before) + rows before in the tile) + local inclusive sum
 *   exclusive   the same with the local exclusive sum
 *   reduction   init + all tiles
 *
 * A term that does not exist is left out: init, the tiles before the first, the rows before the
 * first, the local exclusive sum of a row's first element. Combining with the exact identity
 * instead gives the same bits. A short last row is scanned as far as it goes; in every network
 * here, element i does not depend on elements after it.
 */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_TREE_H
#define PARSCAN_SCAN_REPRODUCIBLE_TREE_H

#include "scan/block/block.h"
#include "scan/reproducible/tree_carry.h"

/* The number of elements of memory that the Kogge-Stone scan of row sums needs. */
#define ROW_WORK (2 * PADDED_SIZE(TILE_ROWS))

/* The binary counter over tile sums: if bit k of `tiles` is set, blocks[k] is the sum of 2^k
   tiles. */
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

/* Combines init, all tiles so far, and `after`, which is less than a tile, or the identity. */
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
