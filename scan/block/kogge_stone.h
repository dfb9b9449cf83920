/*
 * Kogge-Stone scan: log2 N steps, N log2 N - (N-1) operations, one element a thread.
 *
 * In the step with stride s, element i is combined with element i-s. Afterwards it holds the sum of
 * the last 2s elements up to i. The scan is double-buffered: a step reads one buffer and writes the
 * other, so one barrier for each step is enough.
 *
 * Source: P. Kogge, H. Stone, A Parallel Algorithm for the Efficient Solution of a General Class of
 * Recurrence Equations, IEEE Trans. Computers C-22, 1973. On blocks of GPU threads: W. Hwu,
 * D. Kirk, I. El Hajj, Programming Massively Parallel Processors, chapter 11.
 */
#ifndef PARSCAN_SCAN_BLOCK_KOGGE_STONE_H
#define PARSCAN_SCAN_BLOCK_KOGGE_STONE_H

#include "scan/block/block.h"

/* Inclusive scan of from[PADDED_INDEX(0..n)), n <= threads. `to` is a second buffer of the same
   size. Returns the buffer that holds the result. */
BLOCK_TEMPLATE
BLOCK_FUNCTION T *kogge_stone(OPERATOR op, unsigned threads, T *from, T *to, unsigned n)
{
    (void)threads;
    KEPT(T, own);
    for (unsigned stride = 1; stride < n; stride *= 2) {
        EACH_THREAD(t, threads) {
            if (t < n) {
                if (stride == 1)
                    KEEP(own, from[PADDED_INDEX(t)]);
                to[PADDED_INDEX(t)] = t < stride ? OWN(own, from[PADDED_INDEX(t)])
                                                 : combine(op, from[PADDED_INDEX(t - stride)],
                                                           OWN(own, from[PADDED_INDEX(t)]));
                KEEP(own, to[PADDED_INDEX(t)]);
            }
        }
        SHOW(op, to, n, "stride", stride);
        T *const written = to;
        to = from;
        from = written;
    }
    return from;
}

#endif
