/* The bins of floats of 16 bits. Compiled once for each SIMD set. */
#ifndef PARSCAN_APPS_HISTOGRAM_HALF_BINS_KERNELS_H
#define PARSCAN_APPS_HISTOGRAM_HALF_BINS_KERNELS_H

#include "apps/histogram/bin_map.h"

#define X(ctx, NAME, number, name, ...)                                                  \
    bin_map_kernel parscan_half_bins_##name##_portable, parscan_half_bins_##name##_avx2, \
        parscan_half_bins_##name##_avx512;
PARSCAN_STORED_TYPES(X, )
#undef X

#endif
