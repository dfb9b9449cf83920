/* Collects the elements of segments that are too long for a tile, one segment after another, and
   writes them back, on CUDA. */
#include "apps/radix/launch_radix.cuh"
#include "apps/sort/segments_cuda.h"
#include "scan/cuda/of_size.cuh"

/* Elements that a warp handles at a time. A listed segment has more, so they belong to at most
   two. */
enum { PIECE = SORT_LEAST_LISTED / 2 };

template <typename KEY>
struct long_segments_params {
    segment_list list;
    const KEY *keys_in;
    const void *values_in;
    KEY *keys;
    void *values;
    uint32_t *segments;
    KEY *keys_out;
    void *values_out;
    const void *order;
    size_t n, value_size;
    bool wide;

    __device__ size_t listed() const
    {
        const size_t taken = (size_t)(*list.taken >> SORT_COUNT_BITS);
        return taken < list.room ? taken : list.room;
    }
    __device__ uint64_t order_at(size_t k) const
    {
        return wide ? ((const uint64_t *)order)[k] : ((const uint32_t *)order)[k];
    }
};

/* Returns the last listed segment that starts at k or before it. */
template <typename KEY>
static __device__ __forceinline__ size_t segment_of(const long_segments_params<KEY> &params,
                                                    size_t listed, uint64_t k)
{
    size_t low = 0, high = listed;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (params.list.starts[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Calls f(k, segment, at) for every element k of the listed segments, where `at` is its index in
   the array. Wrong offsets lead nowhere beyond the array. */
template <typename KEY, typename Function>
static __device__ __forceinline__ void for_each_listed(const long_segments_params<KEY> &params,
                                                       Function f)
{
    wait_for_previous_kernel();
    const size_t n = elements_there(params.n, params.list.taken), listed = params.listed();
    const size_t warps = (size_t)gridDim.x * FLAT_THREADS / 32;
    size_t warp = ((size_t)blockIdx.x * FLAT_THREADS + threadIdx.x) / 32;
    for (; warp * PIECE < n; warp += warps) {
        const size_t first = warp * PIECE, end = n - first < PIECE ? n : first + PIECE;
        const size_t here = segment_of(params, listed, first);
        const uint64_t next = here + 1 < listed ? params.list.starts[here + 1] : n;
#pragma unroll 8
        for (size_t k = first + threadIdx.x % 32; k < end; k += 32) {
            const size_t segment = here + (k >= next);
            const size_t at = k - params.list.starts[segment] + params.list.begins[segment];
            if (at < params.n)
                f(k, segment, at);
        }
    }
}

template <typename KEY>
static __global__ void __launch_bounds__(FLAT_THREADS)
    collect_listed(const __grid_constant__ long_segments_params<KEY> params)
{
    for_each_listed(params, [&](size_t k, size_t segment, size_t at) {
        params.keys[k] = params.keys_in[at];
        params.segments[k] = (uint32_t)segment;
        if (params.values == NULL)
            return;
        if (params.value_size == 4)
            ((uint32_t *)params.values)[k] = ((const uint32_t *)params.values_in)[at];
        else
            ((uint64_t *)params.values)[k] = ((const uint64_t *)params.values_in)[at];
    });
}

/* If `values` is NULL, the values are the elements' indices. */
template <typename KEY>
static __global__ void __launch_bounds__(FLAT_THREADS)
    return_listed(const __grid_constant__ long_segments_params<KEY> params)
{
    for_each_listed(params, [&](size_t k, size_t, size_t at) {
        const size_t from = (size_t)params.order_at(k);
        const size_t index = from + at - k;
        params.keys_out[at] = params.keys[from];
        if (params.value_size == 4)
            ((uint32_t *)params.values_out)[at] =
                params.values == NULL ? (uint32_t)index : ((const uint32_t *)params.values)[from];
        else if (params.value_size == 8)
            ((uint64_t *)params.values_out)[at] =
                params.values == NULL ? index : ((const uint64_t *)params.values)[from];
    });
}

template <typename KEY>
static cudaError_t launch_listed(parscan_context *context, const parscan_listed_call *call,
                                 bool collects)
{
    long_segments_params<KEY> params = {call->list,
                                        (const KEY *)call->keys_in,
                                        call->values_in,
                                        (KEY *)call->keys,
                                        call->values,
                                        call->segments,
                                        (KEY *)call->keys_out,
                                        call->values_out,
                                        call->order,
                                        call->n,
                                        call->value_size,
                                        call->wide};
    return launch_flat(context, collects ? collect_listed<KEY> : return_listed<KEY>, params,
                       call->n / 8);
}

static cudaError_t launch_of(parscan_context *context, const parscan_listed_call *call,
                             bool collects)
{
    return launch_of_size(call->key_size, [&](auto key) {
        return launch_listed<decltype(key)>(context, call, collects);
    });
}

parscan_status parscan_listed_collect_cuda(parscan_context *context,
                                           const parscan_listed_call *call)
{
    return PARSCAN_CUDA_QUEUE(context, launch_of(context, call, true));
}

parscan_status parscan_listed_return_cuda(parscan_context *context, const parscan_listed_call *call)
{
    return PARSCAN_CUDA_QUEUE(context, launch_of(context, call, false));
}
