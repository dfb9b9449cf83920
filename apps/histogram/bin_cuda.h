/* A counting sort by bins as the CUDA engine's host code (bin_cuda.c) hands it to the launches
   (bin_launches_*.cu): those of a radix sort whose keys are the bins. */
#ifndef PARSCAN_APPS_HISTOGRAM_BIN_CUDA_H
#define PARSCAN_APPS_HISTOGRAM_BIN_CUDA_H

#include "apps/radix/radix_cuda.h"

/* Elements that one block has, in one launch: then there is no plan, nor scratch, and all offsets are
   written whether there are values or not. */
#define BIN_IN_BLOCK ((size_t)4096)

#ifdef __cplusplus
extern "C" {
#endif

/* Bins as passes have them, of 32 or 64 bits: 64 bits where there are 2^32 bins, or bins are of 64 bits. */
parscan_sort_launch parscan_bin_cuda_u32, parscan_bin_cuda_u64;

/* offsets[b]++ for each element's bin: for 2^32 bins. The offsets are zero before. */
typedef struct count_bins_params {
    const void *bin_of;
    size_t n;
    sort_bins bins;
} count_bins_params;
cudaError_t parscan_bin_count_launch(parscan_cuda *cuda, const count_bins_params *params);

#ifdef __cplusplus
}
#endif
#endif
