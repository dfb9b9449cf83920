/* One flag a thread (predicate_launches.cu). */
#ifndef PARSCAN_APPS_PREDICATE_KERNELS_CUH
#define PARSCAN_APPS_PREDICATE_KERNELS_CUH

#include "apps/compact/compact_cuda.h"
#include "scan/cuda/half.cuh"
#include "scan/cuda/length.cuh"

enum : unsigned { PREDICATE_THREADS = 256 };

struct predicate_at_length : predicate_params {
    device_length length;
};

/* What values are compared as: floats of 16 bits as floats, all others as themselves. */
template <typename T, bool STORED = is_stored<T>::value>
struct compared {
    typedef T V;
};
template <typename T>
struct compared<T, true> {
    typedef float V;
};

/* A NaN differs from all, and no other comparison with it holds. -0 equals 0. */
template <typename V>
static __device__ __forceinline__ bool holds(parscan_comparison comparison, V x, V value, V upper)
{
    switch (comparison) {
    case PARSCAN_EQUAL:
        return x == value;
    case PARSCAN_NOT_EQUAL:
        return x != value;
    case PARSCAN_LESS:
        return x < value;
    case PARSCAN_LESS_EQUAL:
        return x <= value;
    case PARSCAN_GREATER:
        return x > value;
    case PARSCAN_GREATER_EQUAL:
        return x >= value;
    default: /* between */
        return value <= x && x <= upper;
    }
}

template <typename T>
static __global__ void __launch_bounds__(PREDICATE_THREADS)
    set_flags(const __grid_constant__ predicate_at_length params)
{
    typedef typename compared<T>::V V;
    const size_t step = (size_t)gridDim.x * PREDICATE_THREADS;
    size_t i = (size_t)blockIdx.x * PREDICATE_THREADS + threadIdx.x;
    wait_for_previous_kernel();
    const size_t n = length_of(params.length, params.n);
    const V value = widened<V>(*(const T *)params.value);
    const V upper =
        params.comparison == PARSCAN_BETWEEN ? widened<V>(*(const T *)params.upper) : value;
    for (; i < n; i += step)
        params.flags[i] =
            holds(params.comparison, widened<V>(((const T *)params.in)[i]), value, upper);
}

#endif
