/*
 * Runs a tile through any block algorithm: load, scan, store. For both engines; see block.h.
 */
#ifndef PARSCAN_SCAN_BLOCK_SCAN_H
#define PARSCAN_SCAN_BLOCK_SCAN_H

#include "scan/block/block_shape.h"
#include "scan/block/brent_kung.h"
#include "scan/block/kogge_stone.h"
#include "scan/block/sequential.h"
#include "scan/block/three_phase.h"
#include "scan/block/warp.h"

/* Inclusive scan of tile[PADDED_INDEX(0..n)), n > 0. `beyond` is the algorithm's further memory:
   the elements that block_shared_size() counts beside the tile. Returns where the result lies, in
   the tile or in `beyond`: result[PADDED_INDEX(0..n)). */
BLOCK_TEMPLATE
BLOCK_FUNCTION T *block_scan_tile(OPERATOR op, parscan_block_shape shape, T *tile, T *beyond,
                                  unsigned n)
{
    switch (shape.algorithm) {
    case PARSCAN_KOGGE_STONE:
        return kogge_stone(op, shape.threads, tile, beyond, n);
    case PARSCAN_BRENT_KUNG:
        return brent_kung(op, shape.threads, tile, n);
    case PARSCAN_THREE_PHASE:
        return three_phase(op, shape.threads, shape.items, tile, beyond, n);
    case PARSCAN_WARP:
        return warp(op, tile, n);
    case PARSCAN_WARP_PADDED:
        return warp_padded(op, tile, beyond, n);
    default:
        return sequential(op, shape.threads, tile, n);
    }
}

/* The same if `beyond` follows the tile: `tile` has block_shared_size() elements. */
BLOCK_TEMPLATE
BLOCK_FUNCTION T *block_scan(OPERATOR op, parscan_block_shape shape, T *tile, unsigned n)
{
    return block_scan_tile(op, shape, tile, tile + PADDED_SIZE(shape.threads * shape.items), n);
}

/* Loads n elements of a view, from element `begin` on, into tile[PADDED_INDEX(0..n)). For an
   exclusive scan the elements are shifted by one, and `first` comes before them: then an inclusive
   scan of the tile gives the result. */
BLOCK_TEMPLATE_IN
BLOCK_FUNCTION void block_load(unsigned threads, const INPUT_VIEW *view, size_t begin, unsigned n,
                               bool exclusive, T first, T *tile)
{
    (void)threads;
    EACH_ITEM(i, n, threads) {
        if (!exclusive)
            tile[PADDED_INDEX(i)] = load(view, begin + i);
        else
            tile[PADDED_INDEX(i)] = i == 0 ? first : load(view, begin + i - 1);
    }
}

BLOCK_TEMPLATE_OUT
BLOCK_FUNCTION void block_store(unsigned threads, const OUTPUT_VIEW *view, size_t begin, unsigned n,
                                const T *tile)
{
    (void)threads;
    EACH_ITEM(i, n, threads) {
        store(view, begin + i, tile[PADDED_INDEX(i)]);
    }
}

#endif
