/*
 * Three-phase (coarsened) scan: T threads, each with a segment of N/T elements; at most
 * N-1 + T log2 T + N-T operations.
 *
 *   1. each thread scans its own segment, one element after another
 *   2. Kogge-Stone scans the sums of the segments, which are their last elements
 *   3. each thread adds the sum of all segments before its own to its elements
 *
 * The work is close to that of a sequential scan, with parallelism T. This pays when a block can
 * hold more elements than it has threads. Each thread walks its own segment: therefore PADDED_INDEX
 * has padding.
 *
 * Source: W. Hwu, D. Kirk, I. El Hajj, Programming Massively Parallel Processors, chapter 11.
 */
#ifndef PARSCAN_SCAN_BLOCK_THREE_PHASE_H
#define PARSCAN_SCAN_BLOCK_THREE_PHASE_H

#include "scan/block/kogge_stone.h"

/* The length of the segment that starts at `begin`. In a whole tile all segments have the same
   length, which the compiler may know. */
BLOCK_FUNCTION unsigned segment_length(unsigned begin, unsigned threads, unsigned items, unsigned n)
{
    return n == threads * items || begin + items < n ? items : n - begin;
}

/* Inclusive scan of tile[PADDED_INDEX(0..n)) in place, n <= threads * items; sums has room for
   2 * PADDED_SIZE(threads) elements. */
BLOCK_TEMPLATE
BLOCK_FUNCTION T *three_phase(OPERATOR op, unsigned threads, unsigned items, T *tile, T *sums,
                              unsigned n)
{
    const unsigned segments = (n + items - 1) / items;
    EACH_THREAD(t, threads) {
        if (t < segments) {
            const unsigned length = segment_length(t * items, threads, items, n);
            for (unsigned i = 1; i < length; i++)
                tile[PADDED_INDEX(t * items + i)] = combine(
                    op, tile[PADDED_INDEX(t * items + i - 1)], tile[PADDED_INDEX(t * items + i)]);
            sums[PADDED_INDEX(t)] = tile[PADDED_INDEX(t * items + length - 1)];
        }
    }
    SHOW(op, tile, n, "each thread scans its segment of", items);
    T *const before = kogge_stone(op, threads, sums, sums + PADDED_SIZE(threads), segments);
    EACH_THREAD(t, threads) {
        if (t > 0 && t < segments) {
            const unsigned length = segment_length(t * items, threads, items, n);
            const T sum = before[PADDED_INDEX(t - 1)];
            for (unsigned i = 0; i < length; i++)
                tile[PADDED_INDEX(t * items + i)] =
                    combine(op, sum, tile[PADDED_INDEX(t * items + i)]);
        }
    }
    SHOW(op, tile, n, "the sums before are added to segments of", items);
    return tile;
}

#endif
