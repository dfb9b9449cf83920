/*
 * The kernels of a sort by counting on CUDA (counting_cuda.h). A warp writes one tile of the output
 * after another, in vectors of 16 bytes. It searches the starts of all codes for those of the tile's first and last
 * place, 16 lanes for each, and each lane then searches only between these two for the codes of its vectors. With many
 * equal keys they are the same, and nothing is left to search.
 *
 * Starts are positions of scratch, which no input changes, and places are below n whatever starts are.
 */
#ifndef PARSCAN_APPS_SORT_COUNTING_KERNELS_CUH
#define PARSCAN_APPS_SORT_COUNTING_KERNELS_CUH

#include <string.h>

#include "apps/radix/digit_keys.cuh"
#include "apps/sort/counting_cuda.h"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

/* Threads of a block, and the vectors of a lane in a tile. */
enum : unsigned { COUNTING_THREADS = 256, COUNTING_VECTORS = 8 };

/* Codes of NaNs are above those of numbers, and each has a code of its own. */
template <typename KEY, bool IS_FLOAT = KEY::IS_FLOAT>
struct counting_coder {
    typedef KEY type;
};
template <typename KEY>
struct counting_coder<KEY, true> {
    typedef number_key<KEY> type;
};

template <typename KEY>
struct counting_shape {
    typedef typename counting_coder<KEY>::type Coder;
    typedef typename KEY::Bits Bits;
    static const unsigned CODES = 1u << 8 * sizeof(Bits);
    static const unsigned EACH = 16 / sizeof(Bits); /* keys of a vector */
    static const unsigned VECTORS = 32 * COUNTING_VECTORS, TILE = VECTORS * EACH;
};

/* Sets whether NaNs have several bit patterns. By one block. */
template <typename KEY, typename COUNT>
static __device__ void look_for_nans(const counting_on_device &params)
{
    typedef typename KEY::Bits Bits;
    unsigned patterns = 0;
    for (unsigned code = KEY::HIGHEST + 1u + threadIdx.x; code < counting_shape<KEY>::CODES;
         code += COUNTING_THREADS)
        patterns += ((const COUNT *)params.counts)[KEY::decode((Bits)code, 0)] != 0;
    const int threads = __syncthreads_count(patterns > 0);
    const bool several = __syncthreads_or(patterns > 1) || threads > 1;
    if (threadIdx.x == 0)
        *params.nans = several;
}

template <typename KEY, typename COUNT>
static __global__ void __launch_bounds__(COUNTING_THREADS)
    order_counts(const __grid_constant__ counting_on_device params)
{
    typedef typename KEY::Bits Bits;
    typedef typename counting_shape<KEY>::Coder coder;
    wait_for_previous_kernel();
    if constexpr (KEY::IS_FLOAT)
        if (blockIdx.x == 0)
            look_for_nans<KEY, COUNT>(params);
    for (unsigned code = blockIdx.x * COUNTING_THREADS + threadIdx.x;
         code < counting_shape<KEY>::CODES; code += gridDim.x * COUNTING_THREADS)
        ((COUNT *)params.starts)[code] =
            ((const COUNT *)params.counts)[coder::decode((Bits)code, (Bits)params.flip)];
}

/* The code of the key at a place, which lanes 0 to 15 pass, and the others: each half finds its own. */
template <unsigned CODES, typename COUNT>
static __device__ __forceinline__ unsigned code_in_half(const COUNT *starts, int64_t place,
                                                        unsigned lane)
{
    unsigned code = 0;
#pragma unroll
    for (unsigned step = CODES / 16; step > 0; step /= 16) {
        const bool before = (int64_t)starts[code + lane % 16 * step] <= place;
        const unsigned half = __ballot_sync(0xffffffffu, before) >> (lane & 16) & 0xffffu;
        code += ((unsigned)__popc(half) - 1) * step; /* the first of a half starts before */
    }
    return code;
}

/* The last code from `low` to `high` that starts at a place or before it; low, if none does. */
template <typename COUNT>
static __device__ __forceinline__ unsigned code_between(const COUNT *starts, unsigned low,
                                                        unsigned high, int64_t place)
{
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;
        if ((int64_t)starts[middle] <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Where a code up to `last` ends, if that is before the end of last. */
template <typename COUNT>
static __device__ __forceinline__ int64_t end_of_run(const COUNT *starts, unsigned code,
                                                     unsigned last)
{
    return code < last ? (int64_t)starts[code + 1] : INT64_MAX;
}

/* The keys of the vector whose first place is `place`, of codes from first to last. */
template <typename KEY, typename COUNT>
static __device__ __forceinline__ void
keys_of_vector(const COUNT *starts, typename KEY::Bits flip, unsigned first, unsigned last,
               int64_t place, typename KEY::Bits (&keys)[counting_shape<KEY>::EACH])
{
    typedef typename counting_shape<KEY>::Coder coder;
    const unsigned EACH = counting_shape<KEY>::EACH;
    unsigned code = code_between(starts, first, last, place);
    typename KEY::Bits key = coder::decode((typename KEY::Bits)code, flip);
    int64_t end = end_of_run(starts, code, last);
    if (end >= place + EACH) {
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            keys[e] = key;
        return;
    }
#pragma unroll
    for (unsigned e = 0; e < EACH; e++) {
        if (end <= place + e) {
            code = code_between(starts, code + 1, last, place + e);
            key = coder::decode((typename KEY::Bits)code, flip);
            end = end_of_run(starts, code, last);
        }
        keys[e] = key;
    }
}

/* A tile has vectors from `from` on. Vectors are aligned; the first key of the output, which has n, is
   `shift` keys after the start of vector 0. */
template <typename KEY, typename COUNT>
static __device__ __forceinline__ void write_tile_of_runs(const counting_on_device &params,
                                                          int64_t n, size_t from, unsigned shift,
                                                          unsigned lane)
{
    typedef counting_shape<KEY> shape;
    typedef typename KEY::Bits Bits;
    const COUNT *const starts = (const COUNT *)params.starts;
    Bits *const out = (Bits *)params.out;
    const int64_t begin = (int64_t)(from * shape::EACH) - shift;
    const int64_t end = begin + shape::TILE < n ? begin + shape::TILE : n;
    const unsigned code =
        code_in_half<shape::CODES>(starts, lane < 16 ? (begin < 0 ? 0 : begin) : end - 1, lane);
    const unsigned first = __shfl_sync(0xffffffffu, code, 0);
    const unsigned last = __shfl_sync(0xffffffffu, code, 16);
#pragma unroll 1
    for (unsigned v = lane; v < shape::VECTORS; v += 32) {
        const int64_t place = begin + v * shape::EACH;
        Bits keys[shape::EACH];
        if (place >= end)
            break;
        keys_of_vector<KEY>(starts, (Bits)params.flip, first, last, place, keys);
        if (place >= 0 && place + shape::EACH <= end) {
            uint4 vector;
            memcpy(&vector, keys, sizeof vector);
            *(uint4 *)(out + place) = vector;
            continue;
        }
#pragma unroll
        for (unsigned e = 0; e < shape::EACH; e++)
            if (place + e >= 0 && place + e < end)
                out[place + e] = keys[e];
    }
}

template <typename KEY, typename COUNT>
static __global__ void __launch_bounds__(COUNTING_THREADS)
    write_runs(const __grid_constant__ counting_on_device params)
{
    typedef counting_shape<KEY> shape;
    const unsigned shift = (unsigned)((uintptr_t)params.out % 16 / sizeof(typename KEY::Bits));
    const size_t warps = (size_t)gridDim.x * (COUNTING_THREADS / 32);
    wait_for_previous_kernel();
    if (params.nans != NULL && *params.nans != 0)
        return;
    const size_t n = length_of(device_length{params.n_at, params.deferred}, params.n);
    const size_t vectors = n == 0 ? 0 : (shift + n + shape::EACH - 1) / shape::EACH;
#pragma unroll 1
    for (size_t warp = (size_t)blockIdx.x * (COUNTING_THREADS / 32) + threadIdx.x / 32;
         warp * shape::VECTORS < vectors; warp += warps)
        write_tile_of_runs<KEY, COUNT>(params, (int64_t)n, warp * shape::VECTORS, shift,
                                       threadIdx.x % 32);
}

#endif
