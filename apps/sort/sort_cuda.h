/* The launches of a radix sort on CUDA, one for each class of keys (sort_launches.cu). */
#ifndef PARSCAN_APPS_SORT_SORT_CUDA_H
#define PARSCAN_APPS_SORT_SORT_CUDA_H

#include "apps/radix/radix_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif
parscan_sort_launch parscan_sort_cuda_u8, parscan_sort_cuda_u16, parscan_sort_cuda_u32,
    parscan_sort_cuda_u64, parscan_sort_cuda_f32, parscan_sort_cuda_f64;

/* Launches a sort of buckets. Blocks need SORT_LARGE_BYTES of shared memory. Errors: DEVICE. */
typedef parscan_status parscan_sort_pieces_launch(const sort_pieces_call *call);
parscan_sort_pieces_launch parscan_sort_pieces_u8, parscan_sort_pieces_u16, parscan_sort_pieces_u32,
    parscan_sort_pieces_u64, parscan_sort_pieces_f32, parscan_sort_pieces_f64;
#ifdef __cplusplus
}
#endif
#endif
