/*
 * Warp scan: Kogge-Stone on the 32 lanes of one warp, log2 32 = 5 steps, no barrier of the block.
 *
 * warp() keeps the values in registers and moves them by shuffles. warp_padded() keeps them in
 * shared memory after 16 identities: a lane that reads below lane 0 reads an identity. So no step
 * has a conditional, and it takes N log2 N operations.
 *
 * Source: M. Harris, M. Garland, Optimizing Parallel Prefix Operations for the Fermi Architecture,
 * GPU Computing Gems Jade Edition, 2011 (shared memory, zero padding); the form with shuffles is in
 * the CUDA C++ Programming Guide.
 */
#ifndef PARSCAN_SCAN_BLOCK_WARP_H
#define PARSCAN_SCAN_BLOCK_WARP_H

#include "scan/block/block.h"

#define WARP_PADDING (WARP_SIZE / 2)

/* Inclusive scan of tile[PADDED_INDEX(0..n)) in place, n <= 32, by one warp. */
BLOCK_TEMPLATE
BLOCK_FUNCTION T *warp(OPERATOR op, T *tile, unsigned n)
{
    PER_THREAD(T, value);
    PER_THREAD(T, earlier);
    EACH_LANE(t)
    {
        MINE(earlier, t) = MINE(value, t) = tile[PADDED_INDEX(t < n ? t : n - 1)];
    }
    for (unsigned stride = 1; stride < n; stride *= 2) {
        SHUFFLE_UP(earlier, value, stride);
        EACH_LANE(t)
        {
            if (t >= stride && t < n)
                MINE(value, t) = combine(op, MINE(earlier, t), MINE(value, t));
        }
        SHOW(op, value, n, "stride", stride);
    }
    EACH_LANE(t)
    {
        if (t < n)
            tile[PADDED_INDEX(t)] = MINE(value, t);
    }
    return tile;
}

/* The same, in lanes[0 .. WARP_PADDING + 32): the elements lie from lanes[WARP_PADDING] on. */
BLOCK_TEMPLATE
BLOCK_FUNCTION T *warp_padded(OPERATOR op, T *tile, T *lanes, unsigned n)
{
    PER_THREAD(T, value);
    EACH_LANE(t)
    {
        if (t < WARP_PADDING)
            lanes[t] = identity(op);
        lanes[WARP_PADDING + t] = tile[PADDED_INDEX(t < n ? t : n - 1)];
    }
    for (unsigned stride = 1; stride < n; stride *= 2) {
        EACH_LANE(t)
        {
            const unsigned lane = WARP_PADDING + t;
            MINE(value, t) = combine(op, lanes[lane - stride], lanes[lane]);
        }
        EACH_LANE(t)
        {
            lanes[WARP_PADDING + t] = MINE(value, t);
        }
        SHOW(op, lanes + WARP_PADDING, n, "stride", stride);
    }
    /* Element 0 is combined with identities only, which may change the bits of a NaN: it is not
       stored. */
    EACH_LANE(t)
    {
        if (t > 0 && t < n)
            tile[PADDED_INDEX(t)] = lanes[WARP_PADDING + t];
    }
    return tile;
}

#endif
