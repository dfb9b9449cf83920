/*
 * Keys that are sorted already, or reversed, on CUDA. The kernel that counts digits also compares each key with
 * another one before it, and so tells at no cost which of the two there may be. Then this kernel copies the
 * elements to the output, or turns them, while it compares each key with the next one. If all are in order, no
 * pass is left to do; if not, the passes write the output anew.
 *
 * Reversed elements are only turned where equal keys need not keep their order, or where there are none. Of keys
 * that fall and rise, those of the head are compared alone. If they are in order, the digits of the tail are
 * counted, so that the passes sort that; a merge follows (apps/sort/sort_appended_cuda.h).
 */
#ifndef PARSCAN_APPS_RADIX_ORDERED_KERNELS_CUH
#define PARSCAN_APPS_RADIX_ORDERED_KERNELS_CUH

#include "apps/radix/digit_histogram_kernels.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

#define ORDERED_THREADS 512u

/* settled and aliased are the first kernel's. */
template <typename KEY>
struct ordered_params : digit_histogram_params<KEY> {
    typedef typename KEY::Bits Bits;
    Bits *keys_out; /* NULL: they are not wanted. Equal to keys: they stay */
    const void *values_in;
    void *values_out;
    bool indices; /* the values are the elements' indices */
    size_t head;  /* see parscan_sort_cuda_call */
};

/* A warp asks after so many batches whether another one has found keys out of order. */
#define ORDERED_ASKS 8u

/* How a block goes through elements. */
struct ordered_way {
    size_t n;
    bool reversed, copies; /* else they are only compared */
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
static __device__ __forceinline__ bool copy_ordered(const ordered_params<KEY> &params,
                                                    const ordered_way &way, size_t begin)
{
    typedef typename KEY::Bits Bits;
    const unsigned AT_ONCE = ordered_batch<Bits, Value, HAS_VALUES>::AT_ONCE;
    const bool moves_keys = way.copies && params.keys_out != NULL && params.keys_out != params.keys;
    const bool moves_values = HAS_VALUES && way.copies && params.values_out != params.values_in;
    const size_t n = way.n, first = begin + threadIdx.x;
    const size_t to = way.reversed ? n - 1 - first : first;
    const ptrdiff_t step = way.reversed ? -(ptrdiff_t)ORDERED_THREADS : (ptrdiff_t)ORDERED_THREADS;
    const Bits *const from = params.keys + first;
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
                ordered && is_ordered<KEY, HAS_VALUES>(keys[k], next[k], params.flip, way.reversed);
        if (moves_keys)
            params.keys_out[to + k * step] = keys[k];
        if (moves_values)
            ((Value *)params.values_out)[to + k * step] = values[k];
    }
    return ordered;
}

/* Copies elements until keys are found that are out of order. Returns whether the warp has found none. */
template <typename KEY, typename Value, bool HAS_VALUES>
static __device__ __forceinline__ bool copy_in_order(const ordered_params<KEY> &params,
                                                     const ordered_way &way)
{
    const size_t batch = ordered_batch<typename KEY::Bits, Value, HAS_VALUES>::ELEMENTS;
    bool ordered = true;
    unsigned batches = 0;
#pragma unroll 1
    for (size_t begin = blockIdx.x * batch; begin < way.n && ordered; begin += gridDim.x * batch) {
        if (++batches % ORDERED_ASKS == 0 && *(volatile uint64_t *)&params.plan->disordered != 0)
            break;
        ordered = way.n - begin > batch
                      ? copy_ordered<KEY, Value, HAS_VALUES, true>(params, way, begin)
                      : copy_ordered<KEY, Value, HAS_VALUES, false>(params, way, begin);
        ordered = !__any_sync(0xffffffffu, !ordered);
    }
    if (!ordered)
        store_alike(&params.plan->disordered, (uint64_t)1);
    return ordered;
}

/* Counts the digits of the block's share of the tail: a few of all keys, without replicas. */
template <typename KEY>
static __device__ __forceinline__ void
count_tail(const ordered_params<KEY> &params,
           uint32_t (&counters)[sizeof(typename KEY::Bits) * SORT_DIGITS])
{
    const unsigned DIGITS = sizeof(typename KEY::Bits), COUNTERS = DIGITS * SORT_DIGITS;
    const size_t step = (size_t)gridDim.x * ORDERED_THREADS;
    for (unsigned k = threadIdx.x; k < COUNTERS; k += ORDERED_THREADS)
        counters[k] = 0;
    __syncthreads();
#pragma unroll 4
    for (size_t i = params.head + (size_t)blockIdx.x * ORDERED_THREADS + threadIdx.x; i < params.n;
         i += step) {
        const uint64_t rank = KEY::rank(KEY::encode(params.keys[i], params.flip), params.flip);
#pragma unroll
        for (unsigned p = 0; p < DIGITS; p++)
            atomicAdd(&counters[p * SORT_DIGITS + (unsigned)(rank >> 8 * p & 255)], 1u);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < COUNTERS; k += ORDERED_THREADS)
        if (counters[k] != 0)
            atomicAdd((unsigned long long *)params.plan->counts + k,
                      (unsigned long long)counters[k]);
}

/* The passes sort the tail. By all threads of a block. */
template <typename KEY>
static __device__ __forceinline__ void sort_tail(const ordered_params<KEY> &params)
{
    digit_histogram_params<KEY> tail = params;
    tail.n = params.n - params.head;
    tail.aliased = tail.settled = false;
    if (threadIdx.x / 32 < tail.passes)
        begin_digits(tail, tail.n, threadIdx.x / 32, threadIdx.x % 32);
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    choose_passes(tail, tail.n, {SORT_TAIL, SORT_SPARE, SORT_OUT});
    params.plan->head = params.head;
    params.plan->tail = tail.n;
}

template <typename KEY>
struct ordered_shared {
    uint32_t counters[sizeof(typename KEY::Bits) * SORT_DIGITS];
};

template <typename KEY, typename Value, bool HAS_VALUES>
static __global__ void __launch_bounds__(ORDERED_THREADS, BLOCKS_HELD(ORDERED_THREADS, 2))
    copy_if_ordered(const __grid_constant__ ordered_params<KEY> params)
{
    typedef ordered_shared<KEY> shared_type;
    __shared__ shared_type shared;
    wait_for_previous_kernel();
    sort_state *const plan = params.plan;
    const bool stays = params.keys_out == params.keys ||
                       (HAS_VALUES && !params.indices && params.values_out == params.values_in);
    const bool reversed = plan->falls != 0, mixed = reversed && plan->rises != 0;
    if (mixed ? params.head == 0 : reversed && stays)
        return;
    const ordered_way way = {mixed ? params.head : length_of(params.length, params.n),
                             reversed && !mixed, !mixed};
    const bool ordered = copy_in_order<KEY, Value, HAS_VALUES>(params, way);
    if (__syncthreads_or(!ordered) == 0 && mixed)
        count_tail(params, shared.counters);
    __threadfence();
    __syncthreads(); /* all have added their counts */
    const bool is_last = __syncthreads_or(
        threadIdx.x == 0 && atomicAdd((unsigned long long *)&plan->looked, 1ull) + 1 == gridDim.x);
    if (!is_last)
        return;
    __threadfence();
    if (*(volatile uint64_t *)&plan->disordered != 0)
        return;
    if (mixed)
        sort_tail(params);
    else if (threadIdx.x < params.passes)
        plan->passes[threadIdx.x].active = 0;
}

#endif
