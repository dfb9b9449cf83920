/*
 * The kernels of differences. A thread has several vectors of 16 bytes of out, and reads the elements
 * of in at these places, in vectors too if both arrays are aligned alike. The neighbour of a vector is
 * in the lane beside, or in memory.
 *
 * In place, a block reads all of its tile before it writes any of it, and other blocks may have
 * overwritten the element beside the tile. So a kernel before copies these elements of all tiles.
 */
#ifndef PARSCAN_APPS_DIFFERENCE_KERNELS_CUH
#define PARSCAN_APPS_DIFFERENCE_KERNELS_CUH

#include <string.h>

#include "apps/difference/difference_cuda.h"
#include "scan/cuda/half.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/warp_shuffle.cuh"

enum : unsigned { DIFFERENCE_THREADS = 256 };

/* T: the elements as they are stored. EACH: the vectors of a thread. Positions are counted from the start of the vector in which out
   starts: element i is at position pad + i. */
template <typename T, unsigned EACH>
struct difference_arrays {
    static const unsigned LANE = 16 / sizeof(T), TILE = EACH * DIFFERENCE_THREADS * LANE;
    const T *in;
    T *out;
    size_t n, pad, vectors, tiles;
    bool aligned; /* in as out */

    __device__ __forceinline__ difference_arrays(const difference_params &params, size_t length)
        : in((const T *)params.in), out((T *)params.out), n(length),
          pad((uintptr_t)params.out % 16 / sizeof(T)), vectors((pad + n + LANE - 1) / LANE),
          tiles((vectors + TILE / LANE - 1) / (TILE / LANE)),
          aligned(((uintptr_t)params.in - (uintptr_t)params.out) % 16 == 0)
    {
    }

    /* Whether all elements of a vector are the array's. */
    __device__ __forceinline__ bool is_whole(size_t vector) const
    {
        return vector * LANE >= pad && (vector + 1) * LANE - pad <= n;
    }

    /* The elements at a vector's places; those outside of the array are 0. */
    __device__ __forceinline__ void load(size_t vector, T (&x)[LANE]) const
    {
        const size_t first = vector * LANE - pad;
        const bool whole = is_whole(vector);
        if (aligned && whole) {
            const uint4 raw = *(const uint4 *)(in + first);
            memcpy(x, &raw, sizeof x);
            return;
        }
#pragma unroll
        for (unsigned e = 0; e < LANE; e++)
            x[e] = whole || first + e < n ? in[first + e] : T{};
    }

    __device__ __forceinline__ void store(size_t vector, const T (&x)[LANE]) const
    {
        const size_t first = vector * LANE - pad;
        if (is_whole(vector)) {
            uint4 raw;
            memcpy(&raw, x, sizeof raw);
            *(uint4 *)(out + first) = raw;
            return;
        }
#pragma unroll
        for (unsigned e = 0; e < LANE; e++)
            if (first + e < n)
                out[first + e] = x[e];
    }

    /* The element beside a tile; one outside of the array is 0. */
    __device__ __forceinline__ T beside_tile(size_t tile, bool reverse) const
    {
        const size_t i = (reverse ? (tile + 1) * TILE : tile * TILE - 1) - pad;
        return i < n ? in[i] : T{};
    }
};

template <typename T>
static __device__ __forceinline__ T difference_of(T x, T y, bool xor_bits)
{
    if constexpr (is_stored<T>::value)
        return rounded<T>(widened<float>(x) - widened<float>(y));
    else if constexpr (std::is_floating_point<T>::value)
        return x - y;
    else
        return xor_bits ? (T)(x ^ y) : (T)(x - y);
}

struct difference_at_length : difference_params {
    device_length length;
};

template <typename T>
static __global__ void __launch_bounds__(DIFFERENCE_THREADS)
    save_borders(const __grid_constant__ difference_at_length params)
{
    wait_for_previous_kernel();
    const difference_arrays<T, DIFFERENCE_EACH> arrays(params, length_of(params.length, params.n));
    size_t tile = (size_t)blockIdx.x * DIFFERENCE_THREADS + threadIdx.x;
    for (; tile < arrays.tiles; tile += (size_t)gridDim.x * DIFFERENCE_THREADS)
        ((T *)params.borders)[tile] = arrays.beside_tile(tile, params.reverse);
}

/* The differences of one tile. By all threads of a block. */
template <typename T, unsigned EACH>
struct difference_tile {
    static const unsigned LANE = difference_arrays<T, EACH>::LANE;
    const difference_params &params;
    const difference_arrays<T, EACH> &arrays;
    size_t tile;

    __device__ __forceinline__ size_t vector_of(unsigned k) const
    {
        return (tile * EACH + k) * DIFFERENCE_THREADS + threadIdx.x;
    }

    /* The neighbour of a vector whose lane has none beside it: the next element in memory. */
    __device__ __forceinline__ T neighbour(unsigned k) const
    {
        const bool reverse = params.reverse;
        const bool ends = reverse ? k + 1 == EACH && threadIdx.x + 1 == DIFFERENCE_THREADS
                                  : k == 0 && threadIdx.x == 0;
        if (ends)
            return params.borders != NULL ? ((const T *)params.borders)[tile]
                                          : arrays.beside_tile(tile, reverse);
        const size_t vector = vector_of(k);
        const size_t i = (reverse ? (vector + 1) * LANE : vector * LANE - 1) - arrays.pad;
        return i < arrays.n ? arrays.in[i] : T{};
    }

    /* Subtracts from each element its neighbour; of the first element, in reverse the last, init. */
    __device__ __forceinline__ void subtract(unsigned k, T init, T beside, T (&x)[LANE]) const
    {
        const size_t start = (params.reverse ? arrays.n - 1 : 0) + arrays.pad;
        const size_t at = start - vector_of(k) * LANE;
        const unsigned start_at = at < LANE ? (unsigned)at : LANE;
        T before = beside;
#pragma unroll
        for (unsigned e = 0; e < LANE; e++) {
            const T own = x[e], after = e + 1 < LANE ? x[e + 1 < LANE ? e + 1 : 0] : beside;
            const T other = params.reverse ? after : before;
            if (e != start_at || params.has_init)
                x[e] = difference_of(own, e == start_at ? init : other, params.xor_bits);
            before = own;
        }
    }

    __device__ __forceinline__ void run(T init) const
    {
        const unsigned lane = threadIdx.x % 32;
        T x[EACH][LANE], beside[EACH];
#pragma unroll
        for (unsigned k = 0; k < EACH; k++)
            arrays.load(vector_of(k), x[k]);
#pragma unroll
        for (unsigned k = 0; k < EACH; k++) {
            const T near =
                params.reverse ? warp_shuffle_down(x[k][0], 1) : warp_shuffle_up(x[k][LANE - 1], 1);
            const bool alone = lane == (params.reverse ? 31 : 0);
            beside[k] = alone ? neighbour(k) : near;
        }
        if (params.borders != NULL)
            __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < EACH; k++) {
            subtract(k, init, beside[k], x[k]);
            arrays.store(vector_of(k), x[k]);
        }
    }
};

template <typename T, unsigned EACH>
static __global__ void __launch_bounds__(DIFFERENCE_THREADS)
    subtract_neighbours(const __grid_constant__ difference_at_length params)
{
    wait_for_previous_kernel();
    const difference_arrays<T, EACH> arrays(params, length_of(params.length, params.n));
    T init;
    memcpy(&init, &params.init, sizeof init);
    if (params.init_at != NULL)
        init = *(const T *)params.init_at;
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < arrays.tiles; tile += gridDim.x)
        difference_tile<T, EACH>{params, arrays, tile}.run(init);
}

#endif
