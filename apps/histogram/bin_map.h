/*
 * The bin of an element: equal widths of [lower, upper).
 *
 * With d = x - lower and width = upper - lower, the bin of an integer is floor(d * bins / width),
 * computed exactly. The cheapest of these variants is chosen:
 *
 *     SHIFT  width = bins * 2^shift: d >> shift.
 *     SCALE  width * bins <= 2^51: d * scale in double, where scale is bins / width rounded up.
 *            The error is upward only and less than d * bins / width * 2^-51 < 1 / width. The next
 *            bin is at least 1 / width away, so the result is exact.
 *     EXACT  The same product, which is off by at most one bin; its remainder in 128 bits
 *            corrects it.
 *
 * Floats: float_bins.h. Floats of 16 bits are binned as F32 (half_bins.c).
 */
#ifndef PARSCAN_APPS_HISTOGRAM_BIN_MAP_H
#define PARSCAN_APPS_HISTOGRAM_BIN_MAP_H

#include <stdbool.h>

#include "parscan/histogram.h"
#include "scan/context/context_state.h"
#include "scan/tables.h"

/* The way, for integers. */
typedef enum bin_map_kind { BIN_MAP_SHIFT, BIN_MAP_SCALE, BIN_MAP_EXACT } bin_map_kind;

typedef struct bin_map {
    bin_map_kind kind;
    unsigned shift;
    uint32_t bins;
    uint64_t lower, width; /* for integers; lower modulo 2^64 */
    double scale;
    /* For floats (float_bins.h). The last three are for histogram_bins.cuh. */
    double float_lower, float_upper, step;
    bool searched;
    double start;
    uint32_t doubt, doubt_span;
} bin_map;

/* Sets to[i] to the bin of from[i], or to map->bins if it is outside. */
typedef void bin_map_kernel(const bin_map *map, const void *from, size_t n, uint32_t *to);

/* The functions for one element type; compiled once for each type. */
typedef struct bin_map_type {
    /* Reads and checks the bounds of a call. Errors: INVALID_ARGUMENT. */
    parscan_status (*prepare)(parscan_context *context, size_t bins,
                              const parscan_histogram_options *options, bin_map *map);
    bin_map_kernel *(*kernel)(parscan_isa isa);
} bin_map_type;

#define X(ctx, NAME, number, name, ...) extern const bin_map_type parscan_bin_map_##name;
PARSCAN_TYPES(X, )
#undef X

/* Returns the functions of an element type. The struct is static. */
const bin_map_type *parscan_bin_map_of(parscan_type type);

#endif
