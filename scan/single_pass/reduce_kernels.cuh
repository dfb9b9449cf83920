/*
 * Reduction on CUDA in one launch. Each block reduces its part of the array and publishes its
 * aggregate. The last block looks back over all aggregates (tile_prefix.cuh) and stores the
 * result. So it waits for blocks before it in the grid only (launch_chain.cuh).
 */
#ifndef PARSCAN_SCAN_REDUCE_KERNELS_CUH
#define PARSCAN_SCAN_REDUCE_KERNELS_CUH

#include "scan/cuda/half.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_prefix.cuh"

/* The threads of a block, and the number of 16-byte vectors that each loads at once. A launch has blocks for so many
   vectors each, but no more than MOST: the last block then looks back over all in one or two steps. */
struct reduce_many {
    static constexpr unsigned THREADS = 512, AT_ONCE = 8, VECTORS = 512, MOST = ~0u;
};
struct reduce_few {
    static constexpr unsigned THREADS = 256, AT_ONCE = 4, VECTORS = THREADS * AT_ONCE, MOST = 256;
};

/* Where the result goes before it is rounded, if it is rounded. */
template <typename T, typename Out>
struct reduce_unrounded {
    T *unrounded; /* NULL: not wanted */
};
template <typename T>
struct reduce_unrounded<T, T> {
};

/* in and out are device memory; out has room for one element. */
template <typename In, typename T, typename Out = T>
struct reduce_params : reduce_unrounded<T, Out> {
    const In *in;
    Out *out;
    size_t n;
    bool reverse;
    bool starts;         /* `start` comes before the first element */
    T start, of_nothing; /* of_nothing: the result if n = 0 */
    device_scalar init;  /* in place of both */
    tile_chain chain;
    device_length length;

    __host__ __device__ void set_length(size_t elements) { n = elements; }
};

/* Which threads share a reduction: some threads of one block, or all THREADS threads of several
   blocks. The second type makes the stride a constant for the compiler. */
struct reduce_sharers {
    unsigned thread, threads;
    static constexpr size_t block = 0, blocks = 1;
};
template <unsigned THREADS>
struct reduce_sharing_blocks {
    static constexpr unsigned threads = THREADS;
    unsigned thread;
    size_t block, blocks;
};

/* Reduces one thread's share of the elements begin to end - 1, in the order of memory, in 16-byte
   pieces where they are aligned. For operators that commute: a thread's elements are strided, and
   all blocks go through memory side by side. What fits the L2 cache stays there for the next reader;
   after __ldcs() it would be replaced first. */
template <unsigned AT_ONCE, typename OPERATOR, typename In, typename T, typename SHARERS>
static __device__ __forceinline__ T reduce_strided(OPERATOR op, const In *in, size_t begin,
                                                   size_t end, const SHARERS &self)
{
    const unsigned LANE = 16 / sizeof(In), threads = self.threads;
    size_t aligned = begin + (16 - (uintptr_t)(in + begin) % 16) % 16 / sizeof(In);
    aligned = aligned < end ? aligned : end;
    const size_t vectors = (end - aligned) / LANE, chunk = (size_t)AT_ONCE * threads;
    const uint4 *const from = (const uint4 *)(in + aligned);
    size_t v = self.block * chunk + self.thread;
    T sum = identity(op);
    const auto add = [&](const uint4 &raw) {
        In x[LANE];
        memcpy(x, &raw, sizeof x);
        if constexpr (is_stored<In>::value) {
            T wide[LANE];
            widen_all(x, wide);
#pragma unroll
            for (unsigned e = 0; e < LANE; e++)
                sum = combine(op, sum, wide[e]);
        } else {
#pragma unroll
            for (unsigned e = 0; e < LANE; e++)
                sum = combine(op, sum, (T)x[e]);
        }
    };
#pragma unroll 1
    for (; v + (AT_ONCE - 1) * threads < vectors; v += self.blocks * chunk) {
        uint4 raw[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            raw[k] = from[v + k * threads];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            add(raw[k]);
    }
    uint4 last[AT_ONCE];
#pragma unroll
    for (unsigned k = 0; k < AT_ONCE; k++)
        if (v + k * threads < vectors)
            last[k] = from[v + k * threads];
#pragma unroll
    for (unsigned k = 0; k < AT_ONCE; k++)
        if (v + k * threads < vectors)
            add(last[k]);
    if (self.block != 0)
        return sum;
#pragma unroll 1
    for (size_t i = begin + self.thread; i < aligned; i += threads)
        sum = combine(op, sum, widened<T>(in[i]));
#pragma unroll 1
    for (size_t i = aligned + vectors * LANE + self.thread; i < end; i += threads)
        sum = combine(op, sum, widened<T>(in[i]));
    return sum;
}

/* Reduces one thread's share for operators that do not commute: the elements of a block are
   contiguous, and so are those of a thread. */
template <typename OPERATOR, typename In, typename T, typename Out>
static __device__ __forceinline__ T reduce_together(OPERATOR op,
                                                    const reduce_params<In, T, Out> &params)
{
    const size_t range = (params.n + gridDim.x - 1) / gridDim.x;
    const size_t begin = blockIdx.x * range < params.n ? blockIdx.x * range : params.n,
                 end = begin + range < params.n ? begin + range : params.n;
    const size_t each = (end - begin + blockDim.x - 1) / blockDim.x;
    size_t i = begin + threadIdx.x * each;
    const size_t stop = i + each < end ? i + each : end;
    T sum = identity(op);
    for (; i < stop; i++)
        sum = combine(op, sum, widened<T>(params.in[params.reverse ? params.n - 1 - i : i]));
    return sum;
}

/* Stores the result, to the bit if it is one element alone. sum: of all elements. */
template <typename OPERATOR, typename In, typename T, typename Out>
static __device__ __forceinline__ void
store_reduction(OPERATOR op, const reduce_params<In, T, Out> &params, T sum)
{
    const bool given = params.init.at != nullptr;
    const T start = given ? read_scalar<T>(params.init) : params.start;
    const T all = params.n == 0   ? given ? start : params.of_nothing
                  : params.starts ? combine(op, start, sum)
                                  : sum;
    if (params.n == 1 && !params.starts)
        *params.out = copied<Out, T>(params.in[0]);
    else
        *params.out = rounded<Out>(all);
    if constexpr (is_stored<Out>::value)
        if (params.unrounded != NULL)
            *params.unrounded = all;
}

/* A single block has no chain. */
template <typename In, typename T, typename OPERATOR, typename Out, typename SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS, 1024 / SHAPE::THREADS)
    reduce_blocks(const __grid_constant__ reduce_params<In, T, Out> given)
{
    const reduce_params<In, T, Out> params = at_its_length(given);
    const OPERATOR op = OPERATOR();
    __shared__ T sums[SHAPE::THREADS / 32];
    __shared__ uint32_t epoch;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool chained = gridDim.x > 1, is_last = blockIdx.x + 1 == gridDim.x;
    wait_for_previous_kernel();
    const unsigned long long entered =
        chained && threadIdx.x == 0 ? tile_chain_enter(params.chain) : 0;
    const reduce_sharing_blocks<SHAPE::THREADS> self = {threadIdx.x, blockIdx.x, gridDim.x};
    T sum = OPERATOR::commutes
                ? reduce_strided<SHAPE::AT_ONCE, OPERATOR, In, T>(op, params.in, 0, params.n, self)
                : reduce_together(op, params);
    sum = warp_reduce(op, sum);
    if (lane == 0)
        sums[warp] = sum;
    if (chained && threadIdx.x == 0) /* it has come meanwhile */
        epoch = tile_chain_epoch(params.chain, entered);
    __syncthreads();
    if (warp == 0) {
        sum = identity(op);
        if (lane < SHAPE::THREADS / 32)
            sum = sums[lane];
        sum = warp_reduce(op, sum);
        if (chained && lane == 0)
            tile_publish(params.chain, epoch, blockIdx.x, sum);
        if (chained && is_last)
            sum = tile_look_back<OPERATOR, T>(op, params.chain, epoch, 0, gridDim.x, lane);
        if (is_last && lane == 0)
            store_reduction(op, params, sum);
    }
    if (chained)
        tile_chain_end(params.chain, epoch);
}

#endif
