/*
 * Flags by a predicate on CUDA (predicate_launches.cu). A thread makes four flags at a time, which it stores
 * at once, and has several such groups. So elements are read in vectors where they are aligned to them.
 */
#ifndef PARSCAN_APPS_PREDICATE_KERNELS_CUH
#define PARSCAN_APPS_PREDICATE_KERNELS_CUH

#include <string.h>

#include "apps/compact/compact_cuda.h"
#include "scan/cuda/half.cuh"
#include "scan/cuda/length.cuh"

enum : unsigned {
    PREDICATE_THREADS = 256,
    PREDICATE_GROUP = 4, /* elements */
    PREDICATE_EACH = 4   /* groups of a thread, whose reads wait together */
};

struct predicate_at_length : predicate_params {
    device_length length;
};

template <typename T>
struct alignas(sizeof(T) >= 4 ? 16 : 4 * sizeof(T)) predicate_group {
    T x[PREDICATE_GROUP];
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

/* Whether it holds for elements that are less than the value, equal, greater, or none of these: a NaN.
   -0 equals 0. */
template <typename V>
struct predicate_test {
    V value, upper;
    bool less, equal, greater, unordered, bounded;

    __device__ __forceinline__ predicate_test(parscan_comparison comparison, V value, V upper)
        : value(comparison == PARSCAN_NONZERO ? (V)0 : value), upper(upper)
    {
        const bool differs = comparison == PARSCAN_NONZERO || comparison == PARSCAN_NOT_EQUAL;
        bounded = comparison == PARSCAN_BETWEEN;
        unordered = differs;
        less = differs || comparison == PARSCAN_LESS || comparison == PARSCAN_LESS_EQUAL;
        greater = differs || bounded || comparison == PARSCAN_GREATER ||
                  comparison == PARSCAN_GREATER_EQUAL;
        equal = bounded || comparison == PARSCAN_EQUAL || comparison == PARSCAN_LESS_EQUAL ||
                comparison == PARSCAN_GREATER_EQUAL;
    }

    __device__ __forceinline__ bool holds(V x) const
    {
        const bool of_value = x < value    ? less
                              : x > value  ? greater
                              : x == value ? equal
                                           : unordered;
        return of_value && (!bounded || x <= upper);
    }
};

/* The value of a predicate: in device memory, or its bits. */
template <typename T>
static __device__ __forceinline__ T value_at(const void *at, uint64_t bits)
{
    T value;
    if (at != NULL)
        return *(const T *)at;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The predicate, of the elements as they are stored. */
template <typename T>
struct flag_maker {
    typedef typename compared<T>::V V;
    const T *in;
    uint8_t *flags;
    predicate_test<V> test;

    __device__ __forceinline__ flag_maker(const predicate_params &params)
        : in((const T *)params.in), flags(params.flags),
          test(params.comparison, widened<V>(value_at<T>(params.value, params.bits[0])),
               widened<V>(value_at<T>(params.upper, params.bits[1])))
    {
    }

    __device__ __forceinline__ bool flag_of(T x) const { return test.holds(widened<V>(x)); }

    __device__ __forceinline__ predicate_group<T> load(size_t i, bool aligned) const
    {
        if (aligned)
            return *(const predicate_group<T> *)(in + i);
        predicate_group<T> group;
#pragma unroll
        for (unsigned k = 0; k < PREDICATE_GROUP; k++)
            group.x[k] = in[i + k];
        return group;
    }

    __device__ __forceinline__ void store(size_t i, const predicate_group<T> &group) const
    {
        uint32_t word = 0;
#pragma unroll
        for (unsigned k = 0; k < PREDICATE_GROUP; k++)
            word |= (uint32_t)flag_of(group.x[k]) << 8 * k;
        *(uint32_t *)(flags + i) = word;
    }
};

/* Flags may be the elements, of one byte: a thread reads them before it stores theirs. */
template <typename T>
static __global__ void __launch_bounds__(PREDICATE_THREADS)
    set_flags(const __grid_constant__ predicate_at_length params)
{
    wait_for_previous_kernel();
    const size_t n = length_of(params.length, params.n);
    const flag_maker<T> maker(params);
    const size_t before = (0 - (uintptr_t)params.flags) % PREDICATE_GROUP;
    const size_t first = before < n ? before : n, groups = (n - first) / PREDICATE_GROUP;
    const size_t step = (size_t)gridDim.x * PREDICATE_THREADS * PREDICATE_EACH;
    const bool aligned = (uintptr_t)(maker.in + first) % alignof(predicate_group<T>) == 0;
    size_t at = (size_t)blockIdx.x * PREDICATE_THREADS * PREDICATE_EACH + threadIdx.x;
#pragma unroll 1
    for (; at < groups; at += step) {
        predicate_group<T> group[PREDICATE_EACH];
#pragma unroll
        for (unsigned k = 0; k < PREDICATE_EACH; k++)
            if (at + k * PREDICATE_THREADS < groups)
                group[k] =
                    maker.load(first + (at + k * PREDICATE_THREADS) * PREDICATE_GROUP, aligned);
#pragma unroll
        for (unsigned k = 0; k < PREDICATE_EACH; k++)
            if (at + k * PREDICATE_THREADS < groups)
                maker.store(first + (at + k * PREDICATE_THREADS) * PREDICATE_GROUP, group[k]);
    }
    /* The elements before the first group and after the last one. */
    const size_t behind = first + groups * PREDICATE_GROUP, t = threadIdx.x;
    const size_t i = t < PREDICATE_GROUP ? t : behind + t - PREDICATE_GROUP;
    if (blockIdx.x == 0 && t < 2 * PREDICATE_GROUP && i < (t < PREDICATE_GROUP ? first : n))
        params.flags[i] = maker.flag_of(maker.in[i]);
}

#endif
