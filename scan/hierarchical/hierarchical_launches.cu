/*
 * The launches of the hierarchical and the sequential scan on CUDA for one output type.
 * Compiled once for each type.
 */
#include "scan/launch_element.cuh"

#include "scan/hierarchical/hierarchical_kernels.cuh"

#define MOST_BLOCKS ((size_t)1 << 30) /* the largest grid */

/* Whether a block scans a batch of tiles, of a shape that the kernel has as a constant. */
static bool takes_batches(const parscan_cuda_call *call)
{
    return call->plan.variant == SCAN_BATCHES;
}

template <typename In, typename OPERATOR>
static level_params<In, T, Stored> params_of(const parscan_cuda_call *call,
                                             const parscan_cuda_level *level)
{
    const parscan_block_shape shape = call->plan.shape;
    level_params<In, T, Stored> params;
    params.in = parscan_device_view<T, In>{level->in, 0, level->reverse};
    params.out = parscan_device_view<T, Stored>{level->out, 0, level->reverse};
    params.shape = shape;
    params.exclusive = level->exclusive;
    params.tiles_a_batch = takes_batches(call) ? BATCH / (shape.threads * shape.items) : 1;
    params.sharing = parscan_scan_sharing(&call->call->context->cuda->plan_device,
                                          (size_t)shape.threads * shape.items * sizeof(In));
    params.sums = (T *)level->sums;
    params.start = start_of<OPERATOR>(call);
    params.first = first_of(call, params.start);
    params.init = init_on_device(call->call);
    params.starts = level->starts;
    params.span = level->span;
    params.tile_span = level->tile_span;
    params.length = length_at(call->call->context, call->call->n_at);
    params.set_length(call->call->n);
    return params;
}

/* Returns the error of this launch only; cudaGetLastError() could also return an error of the
   caller's earlier calls. */
template <typename Kernel, typename Params>
static cudaError_t launch_level(Kernel *function, unsigned blocks, unsigned threads,
                                size_t shared_bytes, cudaStream_t stream, const Params &params)
{
    void *arguments[] = {(void *)&params};
    return cudaLaunchKernel((const void *)function, dim3(blocks), dim3(threads), arguments,
                            shared_bytes, stream);
}

template <typename In, typename OPERATOR>
static cudaError_t reduce_level(const parscan_cuda_call *call, const parscan_cuda_level *level)
{
    const level_params<In, T, Stored> params = params_of<In, OPERATOR>(call, level);
    const size_t at_once = REDUCE_TILES_THREADS >> params.sharing;
    const size_t blocks = (params.tiles + at_once - 1) / at_once;
    return launch_level(params.length.at != NULL ? reduce_tiles_of<In, T, OPERATOR, Stored, true>
                                                 : reduce_tiles_of<In, T, OPERATOR, Stored, false>,
                        (unsigned)blocks, REDUCE_TILES_THREADS, 0, call->stream, params);
}

template <typename In, typename OPERATOR>
static cudaError_t scan_level(const parscan_cuda_call *call, const parscan_cuda_level *level)
{
    const parscan_block_shape shape = call->plan.shape;
    const level_params<In, T, Stored> params = params_of<In, OPERATOR>(call, level);
    const unsigned blocks = (unsigned)(params.batches < MOST_BLOCKS ? params.batches : MOST_BLOCKS);
    const size_t own = block_shared_size(shape);
    if (!takes_batches(call))
        return launch_level(scan_tiles_of<In, T, OPERATOR, false, Stored, true>, blocks,
                            shape.threads, own * sizeof(T), call->stream, params);
    const size_t beyond = own - PADDED_SIZE(shape.threads * shape.items);
    const size_t room = PADDED_SIZE(BATCH) + BATCH_THREADS / shape.threads * beyond;
    return launch_level(params.length.at != NULL || params.init.at != NULL
                            ? scan_tiles_of<In, T, OPERATOR, true, Stored, true>
                            : scan_tiles_of<In, T, OPERATOR, true, Stored, false>,
                        blocks, BATCH_THREADS, room * sizeof(T), call->stream, params);
}

template <typename In, typename OPERATOR>
static cudaError_t sequential_scan(const parscan_cuda_call *call, const parscan_cuda_level *level)
{
    return launch_level(scan_sequentially<In, T, OPERATOR, Stored>, 1, 1, 0, call->stream,
                        params_of<In, OPERATOR>(call, level));
}

cudaError_t NAMED(parscan_reduce_tiles_cuda)(const parscan_cuda_call *call,
                                             const parscan_cuda_level *level)
{
    return dispatch(level->in_type, call->call->op, [=](auto in, auto op) {
        return reduce_level<decltype(in), decltype(op)>(call, level);
    });
}

cudaError_t NAMED(parscan_scan_tiles_cuda)(const parscan_cuda_call *call,
                                           const parscan_cuda_level *level)
{
    return dispatch(level->in_type, call->call->op, [=](auto in, auto op) {
        return scan_level<decltype(in), decltype(op)>(call, level);
    });
}

cudaError_t NAMED(parscan_sequential_cuda)(const parscan_cuda_call *call)
{
    const parscan_scan_call *const scan = call->call;
    parscan_cuda_level all = {};
    all.in = (void *)call->in;
    all.out = call->out;
    all.in_type = scan->in_type;
    all.span = all.tile_span = 1;
    all.exclusive = scan->kind == PARSCAN_KIND_EXCLUSIVE;
    all.reverse = scan->reverse;
    all.starts = parscan_has_init(scan);
    return dispatch(all.in_type, call->call->op, [&](auto in, auto op) {
        return sequential_scan<decltype(in), decltype(op)>(call, &all);
    });
}
