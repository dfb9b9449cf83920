/*
 * How many elements of an array a predicate holds for, on CUDA: what a partition must know before it can write.
 * A read of the array by whole vectors; the blocks' counts are published as tiles' aggregates are, and
 * the first block adds them up.
 */
#ifndef PARSCAN_APPS_COMPACT_COUNT_CUH
#define PARSCAN_APPS_COMPACT_COUNT_CUH

#include "apps/compact/compact_tile.cuh"

#define COUNT_THREADS 512u
#define COUNT_AT_ONCE 4u     /* vectors of a thread on their way */
#define COUNT_MOST_BLOCKS 4u /* of a multiprocessor */

template <typename U, bool FLOATS>
static __device__ __forceinline__ uint32_t count_vector(const compact_device_call &call,
                                                        const uint4 &vector)
{
    U x[16 / sizeof(U)];
    uint32_t count = 0;
    memcpy(x, &vector, sizeof x);
#pragma unroll
    for (const U key : x)
        count += in_range<FLOATS>(call, key);
    return count;
}

/* Elements in the range that this thread looks at. */
template <typename U, bool FLOATS>
static __device__ __forceinline__ uint32_t count_elements(const compact_device_call &call)
{
    const U *const in = (const U *)call.in;
    const size_t to_vector = (0 - (uintptr_t)in) % 16 / sizeof(U);
    const size_t head = to_vector < call.n ? to_vector : call.n;
    const uint4 *const vectors = (const uint4 *)(in + head);
    const size_t count = (call.n - head) / (16 / sizeof(U));
    const size_t tail = head + count * (16 / sizeof(U));
    const size_t threads = (size_t)gridDim.x * COUNT_THREADS;
    const size_t thread = (size_t)blockIdx.x * COUNT_THREADS + threadIdx.x;
    uint32_t found = 0;
#pragma unroll 1
    for (size_t v = thread; v < count; v += threads * COUNT_AT_ONCE) {
        uint4 raw[COUNT_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < COUNT_AT_ONCE; k++)
            if (v + k * threads < count)
                raw[k] = __ldg(vectors + v + k * threads);
#pragma unroll
        for (unsigned k = 0; k < COUNT_AT_ONCE; k++)
            if (v + k * threads < count)
                found += count_vector<U, FLOATS>(call, raw[k]);
    }
    if (thread < head)
        found += in_range<FLOATS>(call, in[thread]);
    if (thread < call.n - tail)
        found += in_range<FLOATS>(call, in[tail + thread]);
    return found;
}

template <unsigned WIDTH>
static __global__ void __launch_bounds__(COUNT_THREADS)
    count_kept(const __grid_constant__ compact_device_call call)
{
    typedef typename compact_word<WIDTH>::U U;
    const kept_operator op;
    __shared__ uint32_t found[COUNT_THREADS / 32], tag;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        tag = tile_chain_begin(call.chain);
    const uint32_t mine = WIDTH >= 4 && call.floats ? count_elements<U, WIDTH >= 4>(call)
                                                    : count_elements<U, false>(call);
    const uint32_t all = warp_reduce(op, mine);
    if (lane == 0)
        found[warp] = all;
    __syncthreads();
    if (warp == 0) {
        const uint32_t part = lane < COUNT_THREADS / 32 ? found[lane] : 0;
        const uint64_t sum = warp_reduce(op, (uint64_t)part);
        if (lane == 0)
            tile_publish(call.chain, tag, blockIdx.x, sum);
        if (blockIdx.x == 0) {
            const uint64_t total =
                tile_look_back<kept_operator, uint64_t>(op, call.chain, tag, 0, gridDim.x, lane);
            if (lane == 0)
                *call.count = call.outside ? call.n - total : total;
        }
    }
    tile_chain_end(call.chain, tag);
}

#endif
