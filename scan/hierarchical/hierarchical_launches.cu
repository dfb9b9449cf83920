/* The launches of the hierarchical and the sequential scan on CUDA for one accumulated type: compiled
   once a type. */
#include "scan/launch_element.cuh"

#include "scan/hierarchical/hierarchical_kernels.cuh"

template <typename OPERATOR>
static level_call<T> on_device(const parscan_cuda_call *call, const parscan_cuda_level *level)
{
    level_call<T> made;
    made.in = VIEW{level->in, level->n, level->reverse, level->in_type};
    made.out = VIEW{level->out, level->n, level->reverse, ELEMENT_TYPE};
    made.shape = call->call->shape;
    made.exclusive = level->exclusive;
    made.sums = (T *)level->sums;
    made.start = start_of<OPERATOR>(call, &made.first);
    made.starts = level->starts;
    return made;
}

template <typename OPERATOR>
struct reduce_level {
    static cudaError_t run(const parscan_cuda_call *call, const parscan_cuda_level *level)
    {
        reduce_tiles_of<T, OPERATOR><<<(unsigned)level->tiles, call->call->shape.threads, 0,
                                       call->stream>>>(on_device<OPERATOR>(call, level));
        return cudaGetLastError();
    }
};

template <typename OPERATOR>
struct scan_level {
    static cudaError_t run(const parscan_cuda_call *call, const parscan_cuda_level *level)
    {
        const size_t bytes = block_shared_size(call->call->shape) * sizeof(T);
        scan_tiles_of<T, OPERATOR><<<(unsigned)level->tiles, call->call->shape.threads, bytes,
                                     call->stream>>>(on_device<OPERATOR>(call, level));
        return cudaGetLastError();
    }
};

template <typename OPERATOR>
struct sequential_scan {
    static cudaError_t run(const parscan_cuda_call *call, const parscan_cuda_level *level)
    {
        scan_sequentially<T, OPERATOR><<<1, 1, 0, call->stream>>>(on_device<OPERATOR>(call, level));
        return cudaGetLastError();
    }
};

template <template <typename OPERATOR> class Launch>
static cudaError_t dispatch(const parscan_cuda_call *call, const parscan_cuda_level *level)
{
    switch (call->call->op) {
#define X(ctx, NAME, ...) \
    case PARSCAN_##NAME:  \
        return Launch<parscan_operator_##NAME>::run(call, level);
        ELEMENT_OPS(X, )
#undef X
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t NAMED(parscan_reduce_tiles_cuda)(const parscan_cuda_call *call,
                                             const parscan_cuda_level *level)
{
    return dispatch<reduce_level>(call, level);
}

cudaError_t NAMED(parscan_scan_tiles_cuda)(const parscan_cuda_call *call,
                                           const parscan_cuda_level *level)
{
    return dispatch<scan_level>(call, level);
}

cudaError_t NAMED(parscan_sequential_cuda)(const parscan_cuda_call *call)
{
    const parscan_scan_call *const scan = call->call;
    const parscan_cuda_level all = {(void *)call->in, call->out, scan->in_type, scan->n, 1,
                                    scan->kind == PARSCAN_KIND_EXCLUSIVE, scan->reverse,
                                    scan->init != NULL, NULL};
    return dispatch<sequential_scan>(call, &all);
}
