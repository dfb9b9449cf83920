/*
 * Sequential scan: one thread, N-1 steps, N-1 operations, any N. A baseline for the other
 * algorithms.
 */
#ifndef PARSCAN_SCAN_BLOCK_SEQUENTIAL_H
#define PARSCAN_SCAN_BLOCK_SEQUENTIAL_H

#include "scan/block/block.h"

/* Inclusive scan of tile[PADDED_INDEX(0..n)) in place; the other threads of the block wait. */
BLOCK_TEMPLATE
BLOCK_FUNCTION T *sequential(OPERATOR op, unsigned threads, T *tile, unsigned n)
{
    (void)threads;
    EACH_THREAD(t, threads) {
        if (t == 0) {
            for (unsigned i = 1; i < n; i++)
                tile[PADDED_INDEX(i)] =
                    combine(op, tile[PADDED_INDEX(i - 1)], tile[PADDED_INDEX(i)]);
        }
    }
    SHOW(op, tile, n, "one thread scans all", n);
    return tile;
}

#endif
