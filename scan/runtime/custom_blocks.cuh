/*
 * The hierarchical scan of elements of a caller by a block algorithm, and the sequential scan. As
 * hierarchical_kernels.cuh, which has the order of the kernels, for blocks of any shape; a block has one
 * tile at a time, and the algorithm is a constant of the program.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_BLOCKS_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_BLOCKS_CUH

#include "scan/cuda/cuda_block.cuh"

#include "scan/block/block_scan.h"
#include "scan/runtime/custom_call.cuh"

/* The arrays of a level: of the caller's elements, by its maps, at the lowest one. */
template <typename CALLER>
struct callers_elements {
};
template <typename T, typename CALLER>
static __device__ __forceinline__ T
load(const parscan_device_view<T, callers_elements<CALLER>> *view, size_t i)
{
    return fetch_element<CALLER>(view->data, view->reverse ? view->n - 1 - i : i);
}
template <typename T, typename CALLER>
static __device__ __forceinline__ void
store(const parscan_device_view<T, callers_elements<CALLER>> *view, size_t i, T value)
{
    put_element<CALLER>(view->data, view->reverse ? view->n - 1 - i : i, (typename CALLER::E)value);
}

/* The elements of a level. */
static __device__ __forceinline__ size_t elements_of(const custom_level &level)
{
    const size_t n = elements_of(level.call);
    return n / level.span + (n % level.span != 0);
}

/* Reduces a tile, by all threads of a block. Only thread 0's result counts. */
template <typename OPERATOR, typename T, typename Elements>
static __device__ __forceinline__ T reduce_tile(OPERATOR op,
                                                const parscan_device_view<T, Elements> &in,
                                                size_t begin, unsigned size)
{
    __shared__ T sums[CUSTOM_TILES_THREADS / WARP_SIZE];
    const unsigned each = (size + CUSTOM_TILES_THREADS - 1) / CUSTOM_TILES_THREADS;
    const size_t end = in.n - begin < size ? in.n : begin + size;
    size_t i = begin + (size_t)threadIdx.x * each;
    T sum = identity(op);
    for (const size_t stop = i + each; i < stop && i < end; i++)
        sum = combine(op, sum, load(&in, i));
    sum = warp_reduce(op, sum);
    if (threadIdx.x % WARP_SIZE == 0)
        sums[threadIdx.x / WARP_SIZE] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned warp = 1; warp < CUSTOM_TILES_THREADS / WARP_SIZE; warp++)
            sum = combine(op, sum, sums[warp]);
    __syncthreads();
    return sum;
}

/* Reduces the tiles of a level, each block some. */
template <typename CALLER, typename Elements>
static __device__ __forceinline__ void custom_reduce_tiles(const custom_level &level)
{
    typedef typename combined_type<CALLER>::T T;
    const custom_operator<CALLER, true> op = custom_operator<CALLER, true>();
    const parscan_device_view<T, Elements> in = {(void *)level.call.in, elements_of(level),
                                                 level.call.reverse != 0};
    const unsigned size = level.threads * level.items;
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile * size < in.n; tile += gridDim.x) {
        const T sum = reduce_tile(op, in, tile * size, size);
        if (threadIdx.x == 0)
            ((T *)level.sums)[tile] = sum;
    }
}

/* The elements of a thread: a constant where the algorithm has no choice. */
static __device__ __forceinline__ unsigned items_of(parscan_algorithm algorithm, unsigned items)
{
    return algorithm == PARSCAN_THREE_PHASE ? items : algorithm == PARSCAN_BRENT_KUNG ? 2 : 1;
}

/* Scans tiles, each block some. */
template <typename CALLER, parscan_algorithm ALGORITHM, typename Elements>
static __device__ __forceinline__ void custom_scan_tiles(const custom_level &level)
{
    typedef typename combined_type<CALLER>::T T;
    extern __shared__ __align__(16) unsigned char memory[];
    T *const shared = (T *)memory;
    const custom_operator<CALLER, true> op = custom_operator<CALLER, true>();
    const size_t elements = elements_of(level);
    const bool reverse = level.call.reverse != 0, exclusive = level.call.exclusive != 0;
    const parscan_device_view<T, Elements> in = {(void *)level.call.in, elements, reverse};
    const parscan_device_view<T, Elements> out = {level.call.out, elements, reverse};
    const unsigned threads = level.threads, items = items_of(ALGORITHM, level.items);
    const unsigned tile = threads * items;
    const T start = start_of<CALLER, T>(level.call);
#pragma unroll 1
    for (size_t k = blockIdx.x; k * tile < elements; k += gridDim.x) {
        const size_t begin = k * tile, rest = elements - begin;
        const unsigned n = rest < tile ? (unsigned)rest : tile;
        const bool alone = begin == 0 && level.starts == 0;
        const T before = level.sums != nullptr ? ((const T *)level.sums)[k] : start;
        block_load(threads, &in, begin, n, exclusive, before, shared);
        if (threadIdx.x == 0 && !exclusive && !alone)
            shared[0] = combine(op, before, shared[0]);
        __syncthreads();
        T *const result = block_scan_tile(op, parscan_block_shape{ALGORITHM, threads, items},
                                          shared, shared + PADDED_SIZE(tile), n);
        block_store(threads, &out, begin, n, result);
    }
}

/* One element after another, by one thread. */
template <typename CALLER>
static __device__ __forceinline__ void custom_sequential(const custom_call &call)
{
    typedef typename CALLER::E E;
    const size_t n = elements_of(call);
    const bool starts = call.has_init != 0 || (call.exclusive != 0 && CALLER::HAS_IDENTITY);
    E before;
    if (starts)
        before = (E)start_of<CALLER, typename combined_type<CALLER>::T>(call);
#pragma unroll 1
    for (size_t k = 0; k < n; k++) {
        const size_t i = call.reverse != 0 ? n - 1 - k : k;
        const E x = fetch_element<CALLER>(call.in, i);
        const E through = k == 0 && !starts ? x : CALLER::combine(before, x);
        put_element<CALLER>(call.out, i, call.exclusive != 0 ? before : through);
        before = through;
    }
}

#endif
