/*
 * The block algorithms (scan/block/) in kernels: the names that block.h expects from its includer.
 */
#ifndef PARSCAN_SCAN_CUDA_CUDA_BLOCK_CUH
#define PARSCAN_SCAN_CUDA_CUDA_BLOCK_CUH

#include "scan/block/block.h"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/warp_shuffle.cuh"

/* An array in the order of combination: element i is data[i], or data[n-1-i] in reverse. The
   elements have type In and are widened to T. */
template <typename T, typename In = T>
struct parscan_device_view {
    void *data;
    size_t n;
    bool reverse;
};
#define VIEW parscan_device_view<T>
#define INPUT_VIEW parscan_device_view<T, In>

template <typename T, typename In>
static __device__ __forceinline__ T load(const INPUT_VIEW *view, size_t i)
{
    return (T)((const In *)view->data)[view->reverse ? view->n - 1 - i : i];
}

template <typename T>
static __device__ __forceinline__ void store(const VIEW *view, size_t i, T value)
{
    ((T *)view->data)[view->reverse ? view->n - 1 - i : i] = value;
}

#endif
