/*
 * Brent-Kung scan: 2 log2 N - 1 steps, 2N - 2 - log2 N operations, two elements a thread.
 *
 * The upsweep is a reduction tree: with stride s, element 2s-1 of each group of 2s elements is
 * combined with the element s before it. The downsweep is its mirror: each group's sum is combined
 * into the middle element of the group that follows. In every step the threads are numbered anew,
 * so that the threads that work are neighbours and the other warps are idle as a whole.
 *
 * Source: R. Brent, H. Kung, A Regular Layout for Parallel Adders, IEEE Trans. Computers C-31,
 * 1982. On blocks of GPU threads: W. Hwu, D. Kirk, I. El Hajj, Programming Massively Parallel
 * Processors, chapter 11.
 */
#ifndef PARSCAN_SCAN_BLOCK_BRENT_KUNG_H
#define PARSCAN_SCAN_BLOCK_BRENT_KUNG_H

#include "scan/block/block.h"

/* Inclusive scan of tile[PADDED_INDEX(0..n)) in place, n <= 2 * threads. */
BLOCK_TEMPLATE
BLOCK_FUNCTION T *brent_kung(OPERATOR op, unsigned threads, T *tile, unsigned n)
{
    (void)threads;
    unsigned stride = 1;
    for (; 2 * stride <= n; stride *= 2) {
        EACH_THREAD(t, threads) {
            const unsigned i = (t + 1) * 2 * stride - 1;
            if (i < n)
                tile[PADDED_INDEX(i)] =
                    combine(op, tile[PADDED_INDEX(i - stride)], tile[PADDED_INDEX(i)]);
        }
        SHOW(op, tile, n, "upsweep, stride", stride);
    }
    /* At the stride that the upsweep ended with, no group's middle lies inside n: go on below. */
    for (stride /= 2; stride >= 1; stride /= 2) {
        if (3 * stride > n)
            continue;
        EACH_THREAD(t, threads) {
            const unsigned i = (t + 1) * 2 * stride - 1;
            if (i + stride < n)
                tile[PADDED_INDEX(i + stride)] =
                    combine(op, tile[PADDED_INDEX(i)], tile[PADDED_INDEX(i + stride)]);
        }
        SHOW(op, tile, n, "downsweep, stride", stride);
    }
    return tile;
}

#endif
