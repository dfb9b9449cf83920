/* The launches of a radix sort on CUDA, one for each class of keys (sort_launches.cu). */
#ifndef PARSCAN_APPS_SORT_SORT_CUDA_H
#define PARSCAN_APPS_SORT_SORT_CUDA_H

#include "apps/radix/radix_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif
parscan_sort_launch parscan_sort_cuda_u8, parscan_sort_cuda_u16, parscan_sort_cuda_u32,
    parscan_sort_cuda_u64, parscan_sort_cuda_f32, parscan_sort_cuda_f64;
#ifdef __cplusplus
}
#endif
#endif
