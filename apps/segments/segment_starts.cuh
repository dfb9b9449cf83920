/* What segments start with in the kernels that read offsets themselves. */
#ifndef PARSCAN_APPS_SEGMENT_STARTS_CUH
#define PARSCAN_APPS_SEGMENT_STARTS_CUH

#include "scan/cuda/half.cuh"

template <typename T, typename Out>
struct segment_starts {
    T start, empty; /* what segments start with, unless `keeps`; the result of empty segments */
    const Out *init_at = nullptr; /* init in device memory, in place of both */
    bool keeps;

    /* Read where it is needed, which is once a segment. The kernel that has made it has ended. */
    __device__ __forceinline__ T start_of_segment() const
    {
        return init_at == nullptr ? start : widened<T>(*init_at);
    }
    __device__ __forceinline__ T of_empty_segment() const
    {
        return init_at == nullptr ? empty : widened<T>(*init_at);
    }
};

#endif
