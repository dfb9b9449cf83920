/*
 * The two kernels of the hierarchical scan on CUDA, for any block algorithm: reduce, then scan.
 *
 *     reduce_tiles_of   every block reduces a tile: the array is read once
 *     scan_tiles_of     every block scans a tile by the block algorithm, after the sum of the tiles
 *                       before it: the array is read once more, and written once
 *
 * Between them the sums are scanned, in the same way (hierarchical_cuda.c). Scanning first and adding
 * back would read and write the array once more.
 */
#ifndef PARSCAN_SCAN_HIERARCHICAL_KERNELS_CUH
#define PARSCAN_SCAN_HIERARCHICAL_KERNELS_CUH

#include "scan/block/block_cuda.h"

#include "scan/block/block_scan.h"
#include "scan/single_pass/tile_prefix.cuh"

template <typename T>
struct level_call {
    VIEW in, out;
    parscan_block_shape shape;
    bool exclusive;
    T *sums;         /* of the tiles: reduce writes them, scan finds what comes before each there; NULL:
                        there is one tile */
    bool starts;     /* with `start` before the first element */
    T start, first;  /* first: what an exclusive scan begins with */
};

template <typename T, typename OPERATOR>
static __global__ void __launch_bounds__(BLOCK_MAX_THREADS)
    reduce_tiles_of(const __grid_constant__ level_call<T> call)
{
    const OPERATOR op = OPERATOR();
    __shared__ T sums[BLOCK_MAX_THREADS / WARP_SIZE];
    const unsigned tile = call.shape.threads * call.shape.items;
    const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
    const size_t begin = (size_t)blockIdx.x * tile;
    const unsigned n = call.in.n - begin < tile ? (unsigned)(call.in.n - begin) : tile;
    T sum = identity(op);
    if (OPERATOR::commutes) {
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
            sum = combine(op, sum, load(&call.in, begin + i));
    } else {
        const unsigned items = (n + blockDim.x - 1) / blockDim.x, from = threadIdx.x * items;
        for (unsigned i = from; i < n && i < from + items; i++)
            sum = combine(op, sum, load(&call.in, begin + i));
    }
    sum = warp_reduce(op, sum);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp > 0)
        return;
    sum = identity(op);
    if (lane * WARP_SIZE < blockDim.x)
        sum = sums[lane];
    sum = warp_reduce(op, sum);
    if (lane == 0)
        call.sums[blockIdx.x] = sum;
}

template <typename T, typename OPERATOR>
static __global__ void __launch_bounds__(BLOCK_MAX_THREADS)
    scan_tiles_of(const __grid_constant__ level_call<T> call)
{
    extern __shared__ __align__(16) unsigned char shared[];
    const OPERATOR op = OPERATOR();
    const unsigned threads = call.shape.threads;
    T *const tile = (T *)shared;
    const size_t begin = (size_t)blockIdx.x * threads * call.shape.items;
    const size_t rest = call.in.n - begin;
    const unsigned n =
        rest < threads * call.shape.items ? (unsigned)rest : threads * call.shape.items;
    T before = call.start;
    if (call.sums != NULL)
        before = call.sums[blockIdx.x];
    const bool alone = blockIdx.x == 0 && !call.starts; /* nothing comes before */
    block_load(threads, &call.in, begin, n, call.exclusive, before, tile);
    T *const result = block_scan(op, call.shape, tile, n);
    if (!call.exclusive && !alone)
        EACH_ITEM(i, n, threads) {
            result[AT(i)] = combine(op, before, result[AT(i)]);
        }
    if (call.exclusive && alone && threadIdx.x == 0)
        result[AT(0)] = call.first;
    __syncthreads();
    block_store(threads, &call.out, begin, n, result);
}

/* One element after another: the measure of the others, and slow. */
template <typename T, typename OPERATOR>
static __global__ void scan_sequentially(const __grid_constant__ level_call<T> call)
{
    const OPERATOR op = OPERATOR();
    T before = call.start;
    for (size_t i = 0; i < call.in.n; i++) {
        const T value = load(&call.in, i);
        const T through = i == 0 && !call.starts ? value : combine(op, before, value);
        T result = call.exclusive ? before : through;
        if (call.exclusive && i == 0)
            result = call.first;
        store(&call.out, i, result);
        before = through;
    }
}

#endif
