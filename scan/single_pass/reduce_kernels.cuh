/*
 * Reduction on CUDA in one launch: every block reduces a range of the array and publishes its
 * aggregate; the first block looks back over all of them (tile_prefix.cuh) and stores the result.
 */
#ifndef PARSCAN_SCAN_REDUCE_KERNELS_CUH
#define PARSCAN_SCAN_REDUCE_KERNELS_CUH

#include "scan/block/block_cuda.h"
#include "scan/single_pass/tile_prefix.cuh"

#define REDUCE_THREADS 512u
#define REDUCE_AT_ONCE 4u /* vectors that a thread has under way */

template <typename In, typename T>
struct reduce_call {
    const In *in;
    T *out;
    size_t n;
    bool reverse;
    bool starts; /* with init; without, and with n = 0, the result is `start` */
    T start;
    tile_chain chain;
};

/* What one of `threads` threads has to reduce of the elements begin to end - 1, in the order of memory,
   in pieces of 16 bytes where they are aligned. For operators that commute: its elements lie apart. */
template <typename OPERATOR, typename In, typename T>
static __device__ __forceinline__ T reduce_strided(OPERATOR op, const In *in, size_t begin,
                                                   size_t end, unsigned thread, unsigned threads)
{
    const unsigned LANE = 16 / sizeof(In);
    T sum = identity(op);
    size_t aligned = begin + (16 - (uintptr_t)(in + begin) % 16) % 16 / sizeof(In);
    aligned = aligned < end ? aligned : end;
#pragma unroll 1
    for (size_t i = begin + thread; i < aligned; i += threads)
        sum = combine(op, sum, (T)in[i]);
    const size_t vectors = (end - aligned) / LANE;
    const uint4 *const from = (const uint4 *)(in + aligned);
#pragma unroll 1
    for (size_t v = thread; v < vectors; v += REDUCE_AT_ONCE * threads) {
        uint4 raw[REDUCE_AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < REDUCE_AT_ONCE; k++)
            if (v + k * threads < vectors)
                raw[k] = __ldcs(from + v + k * threads);
#pragma unroll
        for (unsigned k = 0; k < REDUCE_AT_ONCE; k++) {
            if (v + k * threads >= vectors)
                continue;
            In x[LANE];
            memcpy(x, &raw[k], sizeof x);
#pragma unroll
            for (unsigned e = 0; e < LANE; e++)
                sum = combine(op, sum, (T)x[e]);
        }
    }
#pragma unroll 1
    for (size_t i = aligned + vectors * LANE + thread; i < end; i += threads)
        sum = combine(op, sum, (T)in[i]);
    return sum;
}

/* For operators that do not: each thread's elements lie together. */
template <typename OPERATOR, typename In, typename T>
static __device__ __forceinline__ T reduce_together(OPERATOR op, const reduce_call<In, T> &call,
                                                    size_t begin, size_t end)
{
    const size_t each = (end - begin + blockDim.x - 1) / blockDim.x;
    size_t i = begin + threadIdx.x * each;
    const size_t stop = i + each < end ? i + each : end;
    T sum = identity(op);
    for (; i < stop; i++)
        sum = combine(op, sum, (T)call.in[call.reverse ? call.n - 1 - i : i]);
    return sum;
}

template <typename In, typename T, typename OPERATOR>
static __global__ void __launch_bounds__(REDUCE_THREADS)
    reduce_ranges(const __grid_constant__ reduce_call<In, T> call)
{
    const OPERATOR op = OPERATOR();
    __shared__ T sums[REDUCE_THREADS / 32];
    __shared__ uint32_t shared_tag;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        shared_tag = tile_chain_begin(call.chain);
    const size_t range = (call.n + gridDim.x - 1) / gridDim.x;
    const size_t begin = blockIdx.x * range < call.n ? blockIdx.x * range : call.n,
                 end = begin + range < call.n ? begin + range : call.n;
    T sum = OPERATOR::commutes
                ? reduce_strided<OPERATOR, In, T>(op, call.in, begin, end, threadIdx.x, blockDim.x)
                : reduce_together(op, call, begin, end);
    sum = warp_reduce(op, sum);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    const uint32_t tag = shared_tag;
    if (warp == 0) {
        sum = identity(op);
        if (lane < REDUCE_THREADS / 32)
            sum = sums[lane];
        sum = warp_reduce(op, sum);
        if (lane == 0)
            tile_publish(call.chain, tag, blockIdx.x, sum);
        if (blockIdx.x == 0) {
            sum = tile_look_back<OPERATOR, T>(op, call.chain, tag, 0, gridDim.x, lane);
            if (lane == 0 && call.n == 0)
                *call.out = call.start;
            else if (lane == 0 && call.n == 1 && !call.starts)
                *call.out = (T)call.in[0]; /* to the bit */
            else if (lane == 0)
                *call.out = call.starts ? combine(op, call.start, sum) : sum;
        }
    }
    tile_chain_end(call.chain, tag);
}

#endif
