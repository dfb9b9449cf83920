/*
 * The map of checked bounds: made by the host (bin_map.c), or by a kernel if a bound is in device memory
 * (histogram_bounds.cuh). Both do the same operations of double, each rounded to nearest.
 */
#ifndef PARSCAN_APPS_HISTOGRAM_MAKE_BIN_MAP_H
#define PARSCAN_APPS_HISTOGRAM_MAKE_BIN_MAP_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "apps/histogram/bin_map.h"

#ifdef __CUDACC__
#define BIN_MAP_FUNCTION static __host__ __device__ inline
#else
#define BIN_MAP_FUNCTION static inline
#endif

BIN_MAP_FUNCTION bool bin_map_is_finite(double x)
{
    return fabs(x) <= DBL_MAX;
}

/* Whether x is a multiple of 2^-24 and so small that 2^28 + x is one. */
BIN_MAP_FUNCTION bool bin_map_is_on_grid(double x)
{
    return fabs(x) < 0x1p27 && x * 0x1p24 == floor(x * 0x1p24);
}

/* Whether the whole part of every place is the bin: scale is a power of two, and the places of both
   bounds, `first` and `last`, are multiples of 2^-24. Then all edges are exact, and so is a place
   but for its rounding down to a multiple of 2^-24, which no edge lies within. */
BIN_MAP_FUNCTION bool bin_map_places_are_exact(double scale, double first, double last, double bins)
{
    int exponent;
    return frexp(scale, &exponent) == 0.5 && bin_map_is_on_grid(first) &&
           bin_map_is_on_grid(last) && last - first == bins;
}

/* How far places may be off in x * scale + start, as histogram_bins.cuh computes it: roundings of
   three numbers up to M * scale, among them that of edges, here in any rounding mode, and of some
   near 2^28. */
BIN_MAP_FUNCTION void bin_map_make_places(bin_map *map)
{
    const double most = fmax(fabs(map->float_lower), fabs(map->float_upper));
    const double doubt = 6 * 0x1p-53 * most * map->scale + 0x1p-22;
    map->searched = map->step < 0x1p-51 * most;
    map->start = 0x1p28 - map->float_lower * map->scale;
    map->doubt = doubt < 0.5 ? (uint32_t)(doubt * 0x1p32) + 1 : 0;
    map->doubt_span = doubt < 0.5 ? 2 * map->doubt : UINT32_MAX;
    if (bin_map_places_are_exact(map->scale, map->float_lower * map->scale,
                                 map->float_upper * map->scale, (double)map->bins)) {
        map->doubt = 1; /* no fraction plus 1 is 0: the last 8 bits are 0 */
        map->doubt_span = 0;
    }
}

/* Whether bounds of floats are finite, and in order. */
BIN_MAP_FUNCTION bool bin_map_are_bounds(double low, double high)
{
    return bin_map_is_finite(low) && bin_map_is_finite(high) && low < high;
}

/* The map of such bounds. Returns whether they are near enough to each other, and far enough apart. */
BIN_MAP_FUNCTION bool bin_map_of_floats(double low, double high, size_t bins, bin_map *map)
{
    const double width = high - low;
    memset(map, 0, sizeof *map);
    map->bins = (uint32_t)bins;
    map->scale = (double)bins / width;
    map->float_lower = low;
    map->float_upper = high;
    map->step = width / (double)bins;
    if (!bin_map_is_finite(width) || !bin_map_is_finite(map->scale))
        return false;
    bin_map_make_places(map);
    return true;
}

/* The next double above x, which is above 0. */
BIN_MAP_FUNCTION double bin_map_next(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits++;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* width: above 0. */
BIN_MAP_FUNCTION void bin_map_of_integers(uint64_t lower, uint64_t width, size_t bins, bin_map *map)
{
    const uint64_t ratio = width / bins;
    memset(map, 0, sizeof *map);
    map->bins = (uint32_t)bins;
    map->lower = lower;
    map->width = width;
    map->scale = (double)bins / (double)width;
    if (width % bins == 0 && (ratio & (ratio - 1)) == 0) {
        map->kind = BIN_MAP_SHIFT;
        while (ratio >> map->shift > 1)
            map->shift++;
    } else if (width <= ((uint64_t)1 << 51) / bins) {
        map->kind = BIN_MAP_SCALE;
        map->scale = bin_map_next(map->scale);
    } else {
        map->kind = BIN_MAP_EXACT;
    }
}

#endif
