/* A counting sort by bins on CUDA: what the host code (bin_cuda.c) passes to the launches
   (bin_launches.cu), which are those of a radix sort whose keys are the bins. */
#ifndef PARSCAN_APPS_HISTOGRAM_BIN_CUDA_H
#define PARSCAN_APPS_HISTOGRAM_BIN_CUDA_H

#include "apps/histogram/bin_plan.h"
#include "apps/radix/radix_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sort by bins of 32 or of 64 bits. The second serves calls with 2^32 bins or with bins of 64
   bits. */
parscan_sort_launch parscan_bin_cuda_u32, parscan_bin_cuda_u64;

/* Adds 1 to offsets[b] for each element whose bin is b, for calls with 2^32 bins. The offsets
   must be zero before. All pointers are to device memory. */
typedef struct count_bins_params {
    const void *bin_of;
    size_t n; /* at most, if the length is in device memory */
    sort_bins bins;
    const uint64_t *n_at;      /* there; NULL: it is n */
    parscan_deferred deferred; /* with n_at: where a length above n is told */
} count_bins_params;
cudaError_t parscan_bin_count_launch(parscan_cuda *cuda, const count_bins_params *params);

#ifdef __cplusplus
}
#endif
#endif
