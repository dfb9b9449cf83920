/*
 * The reduction of elements of a caller in one launch: each block reduces its part, and the last one
 * joins them, as in single_pass/reduce_kernels.cuh. Elements are loaded one by one, so that they may have
 * any size, alignment and map; the lanes of a warp load neighbours.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_REDUCE_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_REDUCE_CUH

#include "scan/runtime/custom_call.cuh"

/* Element k in the order of combination, or the identity from `end` on. */
template <typename CALLER, typename T, typename OPERATOR>
static __device__ __forceinline__ T fetch_in_order(OPERATOR op, const custom_call &call, size_t n,
                                                   size_t k, size_t end)
{
    if (k >= end)
        return identity(op);
    return fetch_element<CALLER>(call.in, call.reverse != 0 ? n - 1 - k : k);
}

/* How many elements a lane loads at once. */
template <typename T>
struct loads_at_once {
    static const unsigned count = sizeof(T) >= 64 ? 1 : sizeof(T) >= 8 ? 64 / sizeof(T) : 8;
};

/* Reduces the share of one thread: all blocks go through memory side by side. */
template <typename CALLER, typename T, typename OPERATOR>
static __device__ __forceinline__ T reduce_side_by_side(OPERATOR op, const custom_call &call,
                                                        size_t n)
{
    const unsigned AT_ONCE = loads_at_once<T>::count;
    const size_t chunk = (size_t)AT_ONCE * CUSTOM_REDUCE_THREADS;
    T sum = identity(op);
#pragma unroll 1
    for (size_t k = blockIdx.x * chunk + threadIdx.x; k < n; k += gridDim.x * chunk) {
        T x[AT_ONCE];
#pragma unroll
        for (unsigned u = 0; u < AT_ONCE; u++)
            x[u] = fetch_in_order<CALLER, T>(op, call, n, k + u * CUSTOM_REDUCE_THREADS, n);
#pragma unroll
        for (unsigned u = 0; u < AT_ONCE; u++)
            sum = combine(op, sum, x[u]);
    }
    return sum;
}

/* The same in the order of combination: a warp has neighbours. Only lane 0's result counts; the others'
   are identities. */
template <typename CALLER, typename T, typename OPERATOR>
static __device__ __forceinline__ T reduce_one_by_one(OPERATOR op, const custom_call &call,
                                                      size_t n)
{
    const unsigned AT_ONCE = loads_at_once<T>::count < 4 ? loads_at_once<T>::count : 4;
    const unsigned lane = threadIdx.x % 32, warps = CUSTOM_REDUCE_THREADS / 32;
    const size_t all = (size_t)gridDim.x * warps, each = (n + all - 1) / all;
    const size_t warp = (size_t)blockIdx.x * warps + threadIdx.x / 32;
    const size_t begin = warp * each < n ? warp * each : n;
    const size_t end = n - begin < each ? n : begin + each;
    T sum = identity(op);
#pragma unroll 1
    for (size_t k = begin; k < end; k += 32 * AT_ONCE) {
        T x[AT_ONCE];
#pragma unroll
        for (unsigned u = 0; u < AT_ONCE; u++)
            x[u] = fetch_in_order<CALLER, T>(op, call, n, k + u * 32 + lane, end);
#pragma unroll
        for (unsigned delta = 1; delta < 32; delta *= 2)
#pragma unroll
            for (unsigned u = 0; u < AT_ONCE; u++)
                x[u] = combine(op, x[u], warp_shuffle_down(x[u], delta));
#pragma unroll
        for (unsigned u = 0; u < AT_ONCE; u++)
            sum = combine(op, sum, x[u]);
    }
    if (lane != 0)
        sum = identity(op);
    return sum;
}

/* One element alone, init and the identity keep their bits. */
template <typename CALLER, typename T, typename OPERATOR>
static __device__ __forceinline__ void store_result(OPERATOR op, const custom_call &call, size_t n,
                                                    const T &sum)
{
    if (n == 0 && call.has_init == 0 && !CALLER::HAS_IDENTITY)
        return; /* the host has refused n = 0; a length in device memory is told by custom_reduce() */
    T result = sum;
    if (n == 1 && call.has_init == 0)
        result = fetch_element<CALLER>(call.in, 0);
    else if (n == 0)
        result = start_of<CALLER, T>(call);
    else if (call.has_init != 0)
        result = combine(op, start_of<CALLER, T>(call), sum);
    put_element<CALLER>(call.out, 0, (typename CALLER::E)result);
}

template <typename CALLER>
static __device__ __forceinline__ void custom_reduce(const custom_pass &given)
{
    typedef typename combined_type<CALLER>::T T;
    const custom_operator<CALLER> op = custom_operator<CALLER>();
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool chained = gridDim.x > 1, is_last = blockIdx.x + 1 == gridDim.x;
    const tile_chain chain = chain_of(given.chain);
    __shared__ T sums[CUSTOM_REDUCE_THREADS / 32];
    __shared__ uint32_t epoch;
    wait_for_previous_kernel();
    if (chained && threadIdx.x == 0)
        epoch = tile_chain_begin(chain);
    const size_t n = elements_of(given.call);
    T sum;
    if constexpr (CALLER::COMMUTES)
        sum = warp_reduce(op, reduce_side_by_side<CALLER, T>(op, given.call, n));
    else
        sum = reduce_one_by_one<CALLER, T>(op, given.call, n);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = identity(op);
        if (lane < CUSTOM_REDUCE_THREADS / 32)
            sum = sums[lane];
        sum = warp_reduce(op, sum);
        if (chained && lane == 0)
            tile_publish(chain, epoch, blockIdx.x, sum);
        if (chained && is_last)
            sum = tile_look_back<custom_operator<CALLER>, T>(op, chain, epoch, 0, gridDim.x, lane);
        if (is_last && lane == 0)
            store_result<CALLER, T>(op, given.call, n, sum);
    }
    if (chained)
        tile_chain_end(chain, epoch);
}

#endif
