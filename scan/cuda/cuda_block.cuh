/*
 * The block algorithms (scan/block/) in kernels: the names that block.h expects from its includer.
 */
#ifndef PARSCAN_SCAN_CUDA_CUDA_BLOCK_CUH
#define PARSCAN_SCAN_CUDA_CUDA_BLOCK_CUH

#include "scan/block/block.h"
#include "scan/cuda/half.cuh"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/warp_shuffle.cuh"

/* An array in the order of combination: element i is data[i], or data[n-1-i] in reverse. The
   elements have type In and are widened to T, or of type Out, to which a T is rounded. */
template <typename T, typename In = T>
struct parscan_device_view {
    void *data;
    size_t n;
    bool reverse;
};
#define VIEW parscan_device_view<T>
#define INPUT_VIEW parscan_device_view<T, In>
#define OUTPUT_VIEW parscan_device_view<T, Out>

template <typename T, typename In>
static __device__ __forceinline__ T load(const INPUT_VIEW *view, size_t i)
{
    return widened<T>(((const In *)view->data)[view->reverse ? view->n - 1 - i : i]);
}

template <typename T, typename Out>
static __device__ __forceinline__ void store(const OUTPUT_VIEW *view, size_t i, T value)
{
    ((Out *)view->data)[view->reverse ? view->n - 1 - i : i] = rounded<Out>(value);
}

#endif
