/* Marks the heads of segments by flags or keys on CUDA. */
#include "apps/radix/launch_radix.cuh"
#include "apps/segments/found_offsets_cuda.h"
#include "apps/segments/half_heads_cuda.h"
#include "scan/cuda/length.cuh"
#include "scan/type_traits.h"

template <typename DATA>
struct heads_params {
    const DATA *data;
    uint8_t *heads;
    size_t n;
    bool flags;
    device_length length;
};

/* An element is a head where its flag is not 0, or where its key differs from the one before it. */
template <typename DATA>
static __global__ void __launch_bounds__(FLAT_THREADS)
    mark_heads(const __grid_constant__ heads_params<DATA> params)
{
    wait_for_previous_kernel();
    const size_t n = length_of(params.length, params.n);
    const size_t threads = (size_t)gridDim.x * FLAT_THREADS;
    for (size_t i = (size_t)blockIdx.x * FLAT_THREADS + threadIdx.x; i < n; i += threads) {
        const DATA key = params.data[i], before = i > 0 ? params.data[i - 1] : key;
        const bool nans = before != before && key != key;
        const bool starts = params.flags ? key != 0 : key != before && !nans;
        params.heads[i] = i == 0 || starts;
    }
}

template <typename DATA>
static cudaError_t heads_of(parscan_context *context, const parscan_segments *segments,
                            uint8_t *heads, size_t n, const uint64_t *n_at)
{
    heads_params<DATA> params = {(const DATA *)segments->data, heads, n,
                                 segments->kind == PARSCAN_SEGMENTS_FLAGS,
                                 length_at(context, n_at)};
    return launch_flat(context, mark_heads<DATA>, params, n);
}

static cudaError_t heads_to(parscan_context *context, const parscan_segments *segments,
                            uint8_t *heads, size_t n, const uint64_t *n_at)
{
    if (segments->kind == PARSCAN_SEGMENTS_FLAGS)
        return heads_of<uint8_t>(context, segments, heads, n, n_at);
    if (parscan_by_half_keys(segments))
        return parscan_half_heads_cuda(context, segments->type, segments->data, heads, n, n_at);
    switch (parscan_type_traits_of(segments->type).key) {
    case KEY_U8:
        return heads_of<uint8_t>(context, segments, heads, n, n_at);
    case KEY_U16:
        return heads_of<uint16_t>(context, segments, heads, n, n_at);
    case KEY_U32:
        return heads_of<uint32_t>(context, segments, heads, n, n_at);
    case KEY_U64:
        return heads_of<uint64_t>(context, segments, heads, n, n_at);
    case KEY_F32:
        return heads_of<float>(context, segments, heads, n, n_at);
    default:
        return heads_of<double>(context, segments, heads, n, n_at);
    }
}

parscan_status parscan_segment_heads_cuda(parscan_context *context,
                                          const parscan_segments *segments, uint8_t *heads,
                                          size_t n, const uint64_t *n_at)
{
    return PARSCAN_CUDA_QUEUE(context, heads_to(context, segments, heads, n, n_at));
}

template <typename OFFSET>
struct close_params {
    OFFSET *offsets;
    const uint64_t *count;
    size_t n;
    device_length length;
};

template <typename OFFSET>
static __global__ void __launch_bounds__(32)
    close_offsets(const __grid_constant__ close_params<OFFSET> params)
{
    wait_for_previous_kernel();
    if (threadIdx.x == 0)
        params.offsets[*params.count] = (OFFSET)length_of(params.length, params.n);
}

template <typename OFFSET>
static cudaError_t close_to(parscan_context *context, void *offsets, size_t n, const uint64_t *n_at,
                            const uint64_t *count)
{
    const close_params<OFFSET> params = {(OFFSET *)offsets, count, n, length_at(context, n_at)};
    return launch_dependent(close_offsets<OFFSET>, context->cuda, 1, 32, 0, params);
}

parscan_status parscan_close_offsets_cuda(parscan_context *context, void *offsets, bool wide,
                                          size_t n, const uint64_t *n_at, const uint64_t *count)
{
    return PARSCAN_CUDA_QUEUE(context, wide ? close_to<uint64_t>(context, offsets, n, n_at, count)
                                            : close_to<uint32_t>(context, offsets, n, n_at, count));
}
