/* A histogram on CUDA: what the host code (histogram_cuda.c) passes to the launches
   (histogram_launches.cu). All pointers are to device memory. */
#ifndef PARSCAN_APPS_HISTOGRAM_HISTOGRAM_CUDA_H
#define PARSCAN_APPS_HISTOGRAM_HISTOGRAM_CUDA_H

#include "apps/histogram/bin_map.h"
#include "scan/cuda/cuda_context.h"
#include "scan/type_traits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bound, in device memory or not. */
typedef struct histogram_bound {
    const void *at; /* NULL: it is not there, but in `bits` */
    uint64_t bits;
    bool given;
} histogram_bound;

/* What a kernel makes of bounds in device memory (histogram_bounds.cuh). */
typedef struct histogram_made {
    bin_map map;
    double half_scale;
    int32_t half_lower;
    uint32_t half_width;
    bool right;
} histogram_made;

typedef struct histogram_on_device {
    bin_map map;          /* only its bins are known, if a bound is in device memory */
    histogram_made *made; /* then scratch for the map; else NULL */
    histogram_bound lower, upper;
    parscan_type type;
    key_class elements; /* what a kernel reads them as */
    bool is_signed;     /* for elements of 8 and 16 bits; for wider ones it does not matter */
    const void *in;
    size_t n;             /* at most, if the length is in device memory */
    const uint64_t *n_at; /* there; NULL: it is n */
    parscan_deferred
        deferred; /* with n_at or made: where a length above n, or wrong bounds, are told */
    void *counts; /* cleared before the count, or overwritten if one block counts alone */
    bool wide;    /* counts are u64, else u32 */
    bool adds;    /* to the counts that there are: they are not cleared */
} histogram_on_device;

/* Clears the counts, unless it adds to them, then counts the elements of `in`. */
cudaError_t parscan_histogram_launch(parscan_cuda *cuda, const histogram_on_device *call);

/* Stores the counts as u32. If a count does not fit, it leaves OVERFLOW and the count. */
typedef struct narrow_counts_params {
    const uint64_t *from;
    uint32_t *to;
    size_t bins;
    parscan_deferred error;
} narrow_counts_params;
cudaError_t parscan_histogram_narrow(parscan_cuda *cuda, const narrow_counts_params *params);

#ifdef __cplusplus
}
#endif
#endif
