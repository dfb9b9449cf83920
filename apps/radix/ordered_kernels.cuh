/*
 * Keys that are sorted already, or reversed, on CUDA. The kernel that counts digits also compares each key with
 * another one before it, and so tells at no cost which of the two there may be. Then this kernel copies the
 * elements to the output, or turns them, while it compares each key with the next one. If all are in order, no
 * pass is left to do; if not, the passes write the output anew.
 *
 * Reversed elements are only turned where equal keys need not keep their order, or where there are none.
 */
#ifndef PARSCAN_APPS_RADIX_ORDERED_KERNELS_CUH
#define PARSCAN_APPS_RADIX_ORDERED_KERNELS_CUH

#include "apps/radix/digit_keys.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

#define ORDERED_THREADS 512u

template <typename KEY>
struct ordered_params {
    typedef typename KEY::Bits Bits;
    sort_state *plan;
    const Bits *keys_in;
    Bits *keys_out; /* NULL: they are not wanted. Equal to keys_in: they stay */
    const void *values_in;
    void *values_out;
    size_t n; /* at most */
    device_length length;
    Bits flip;
    bool indices; /* the values are the elements' indices */
    unsigned passes;
};

/* The elements that a thread has in flight. */
template <typename Bits, typename Value, bool HAS_VALUES>
struct ordered_batch {
    static const unsigned AT_ONCE = HAS_VALUES && sizeof(Bits) + sizeof(Value) > 8 ? 4 : 8;
    static const unsigned ELEMENTS = AT_ONCE * ORDERED_THREADS; /* of a block */
};

/* Whether key a may come directly before b. */
template <typename KEY, bool HAS_VALUES>
static __device__ __forceinline__ bool is_ordered(typename KEY::Bits a, typename KEY::Bits b,
                                                  typename KEY::Bits flip, bool reversed)
{
    const typename KEY::Bits first = KEY::rank(KEY::encode(a, flip), flip);
    const typename KEY::Bits second = KEY::rank(KEY::encode(b, flip), flip);
    return reversed ? first > second || (!HAS_VALUES && a == b) : first <= second;
}

/* Copies the block's elements from `begin` on; WHOLE: there are more than a batch of them. Returns whether
   each key of the thread may come before the next one. */
template <typename KEY, typename Value, bool HAS_VALUES, bool WHOLE>
static __device__ __forceinline__ bool copy_ordered(const ordered_params<KEY> &params, size_t n,
                                                    size_t begin, bool reversed)
{
    typedef typename KEY::Bits Bits;
    const unsigned AT_ONCE = ordered_batch<Bits, Value, HAS_VALUES>::AT_ONCE;
    const bool moves_keys = params.keys_out != NULL && params.keys_out != params.keys_in;
    const bool moves_values = HAS_VALUES && params.values_out != params.values_in;
    const size_t first = begin + threadIdx.x, to = reversed ? n - 1 - first : first;
    const ptrdiff_t step = reversed ? -(ptrdiff_t)ORDERED_THREADS : (ptrdiff_t)ORDERED_THREADS;
    const Bits *const from = params.keys_in + first;
    Bits keys[AT_ONCE], next[AT_ONCE];
    Value values[AT_ONCE];
    bool ordered = true;
#pragma unroll
    for (unsigned k = 0; k < AT_ONCE; k++) {
        const size_t i = first + k * ORDERED_THREADS;
        if (!WHOLE && i >= n)
            break;
        keys[k] = from[k * ORDERED_THREADS];
        next[k] = from[k * ORDERED_THREADS + (WHOLE || i + 1 < n)];
        if (moves_values)
            values[k] = params.indices ? (Value)i : __ldcs((const Value *)params.values_in + i);
    }
#pragma unroll
    for (unsigned k = 0; k < AT_ONCE; k++) {
        const size_t i = first + k * ORDERED_THREADS;
        if (!WHOLE && i >= n)
            break;
        if (WHOLE || i + 1 < n)
            ordered =
                ordered && is_ordered<KEY, HAS_VALUES>(keys[k], next[k], params.flip, reversed);
        if (moves_keys)
            params.keys_out[to + k * step] = keys[k];
        if (moves_values)
            ((Value *)params.values_out)[to + k * step] = values[k];
    }
    return ordered;
}

/* Copies elements until some block finds keys that are out of order. Returns whether the thread has found none. */
template <typename KEY, typename Value, bool HAS_VALUES>
static __device__ __forceinline__ bool copy_in_order(const ordered_params<KEY> &params, size_t n,
                                                     bool reversed, volatile uint32_t *stop)
{
    const size_t batch = ordered_batch<typename KEY::Bits, Value, HAS_VALUES>::ELEMENTS;
    bool ordered = true;
#pragma unroll 1
    for (size_t begin = blockIdx.x * batch; begin < n && ordered; begin += gridDim.x * batch) {
        if (threadIdx.x == 0 && *(volatile uint64_t *)&params.plan->disordered != 0)
            *stop = 1;
        if (*stop != 0)
            break;
        ordered = n - begin > batch
                      ? copy_ordered<KEY, Value, HAS_VALUES, true>(params, n, begin, reversed)
                      : copy_ordered<KEY, Value, HAS_VALUES, false>(params, n, begin, reversed);
    }
    return ordered;
}

template <typename KEY, typename Value, bool HAS_VALUES>
static __global__ void __launch_bounds__(ORDERED_THREADS, BLOCKS_HELD(ORDERED_THREADS, 2))
    copy_if_ordered(const __grid_constant__ ordered_params<KEY> params)
{
    __shared__ uint32_t stop;
    wait_for_previous_kernel();
    sort_state *const plan = params.plan;
    const bool stays = params.keys_out == params.keys_in ||
                       (HAS_VALUES && !params.indices && params.values_out == params.values_in);
    const bool reversed = plan->falls != 0;
    if (reversed && (plan->rises != 0 || stays))
        return;
    if (threadIdx.x == 0)
        stop = 0;
    __syncthreads();
    const size_t n = length_of(params.length, params.n);
    if (!copy_in_order<KEY, Value, HAS_VALUES>(params, n, reversed, &stop))
        store_alike(&plan->disordered, (uint64_t)1);
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd((unsigned long long *)&plan->looked, 1ull) + 1 < gridDim.x)
        return;
    __threadfence();
    if (*(volatile uint64_t *)&plan->disordered == 0)
        for (unsigned p = 0; p < params.passes; p++)
            plan->passes[p].active = 0;
}

#endif
