/* A histogram as the CUDA engine's host code (histogram_cuda.c) hands it to the launches
   (histogram_launches.cu). */
#ifndef PARSCAN_APPS_HISTOGRAM_HISTOGRAM_CUDA_H
#define PARSCAN_APPS_HISTOGRAM_HISTOGRAM_CUDA_H

#include "apps/histogram/bin_map.h"
#include "scan/cuda/cuda_context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which kernel reads the elements: the sign of 16 bits is in the map, that of more does not matter. */
typedef enum histogram_elements {
    HISTOGRAM_BYTES,
    HISTOGRAM_16,
    HISTOGRAM_32,
    HISTOGRAM_64,
    HISTOGRAM_F32,
    HISTOGRAM_F64
} histogram_elements;

typedef struct histogram_on_device {
    bin_map map;
    histogram_elements elements;
    bool is_signed; /* bytes and 16 bits */
    const void *in;
    size_t n;
    void *counts; /* zero, or overwritten by a block that is alone */
    bool wide;    /* counts are u64, else u32 */
} histogram_on_device;

/* Counts what is in `in`, and clears the counts before. */
cudaError_t parscan_histogram_launch(parscan_cuda *cuda, const histogram_on_device *call);

/* counts[b] as u32; where one does not fit, OVERFLOW is left in *error. */
typedef struct narrow_counts_params {
    const uint64_t *from;
    uint32_t *to;
    size_t bins;
    uint64_t *error;
} narrow_counts_params;
cudaError_t parscan_histogram_narrow(parscan_cuda *cuda, const narrow_counts_params *params);

#ifdef __cplusplus
}
#endif
#endif
