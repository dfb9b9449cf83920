/*
 * The bin of a float x of [lower, upper): the greatest b below `bins` with edge(b) <= x, where
 *
 *     edge(b) = lower + b * step,   step = (upper - lower) / bins
 *
 * in double, every operation rounded. Edges never descend, since rounding keeps the order, and the
 * last one, edge(bins - 1), is not above upper. So b is also the only bin with
 * edge(b) <= x < edge(b + 1), where edge(bins) is upper itself.
 *
 * NEAREST  Let k be (x - lower) * scale rounded to a whole number, where scale = bins / width and
 *          width = upper - lower. The bin is k - 1 or k, and edge(k) tells which. Proof, with
 *          u = 2^-53, M the greater magnitude of lower and upper, and distances in bins, as
 *          multiples of step:
 *          - step and scale have a relative error of at most 2^-51, though they may be subnormal:
 *            prepare() (bin_map.c) refuses a scale that is infinite, so step is above 2^-1025, and
 *            scale is because width is finite. So (x - lower) * scale, which is at most 2^24, is
 *            less than 2^-24 from x's place (x - lower) / step.
 *          - edge(b) is at most u * M / step + 2^-28 from its place, b: the sum has a rounding
 *            error of u * M, and the product one of u * b * step.
 *          - If step >= 2^-51 * M, that is less than 1/4 + 2^-27. x's place is between k - 1/2 and
 *            k + 1/2, up to 2^-24. So edge(k - 1) <= x < edge(k + 1).
 *          - For k = bins the bin is the last one, since edge(bins - 1) <= x < upper.
 * SEARCH   Where step < 2^-51 * M, a few doubles of M's size or less, edges are searched: several
 *          may be the same double, and k is then far from the bin. Bounds of f32, which are at
 *          least 2^-24 * M apart, never need that.
 */
#ifndef PARSCAN_APPS_HISTOGRAM_FLOAT_BINS_H
#define PARSCAN_APPS_HISTOGRAM_FLOAT_BINS_H

#include <string.h>

#include "apps/histogram/bin_map.h"

#ifdef __CUDACC__
#define FLOAT_BIN_FUNCTION static __host__ __device__ __forceinline__
#else
#define FLOAT_BIN_FUNCTION static inline
#endif

/* A double of [0, 2^24] that is added to this is rounded to a whole number, which is then in the
   low bits of the sum. */
#define FLOAT_BIN_WHOLE 4503599627370496.0 /* 2^52 */

FLOAT_BIN_FUNCTION uint32_t float_bin_searched(const bin_map *map, double x)
{
    uint32_t bin = 0, above = map->bins;
    while (above - bin > 1) {
        const uint32_t middle = bin + (above - bin) / 2;
        if (map->float_lower + middle * map->step <= x)
            bin = middle;
        else
            above = middle;
    }
    return bin;
}

FLOAT_BIN_FUNCTION uint32_t float_bin_nearest(const bin_map *map, double x)
{
    const double sum = (x - map->float_lower) * map->scale + FLOAT_BIN_WHOLE;
    const double edge = map->float_lower + (sum - FLOAT_BIN_WHOLE) * map->step;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    const uint32_t bin = (uint32_t)bits - (x < edge);
    return bin < map->bins ? bin : map->bins - 1;
}

/* The bin of x, which is of [lower, upper). */
FLOAT_BIN_FUNCTION uint32_t float_bin(const bin_map *map, double x)
{
    return map->searched ? float_bin_searched(map, x) : float_bin_nearest(map, x);
}

#endif
