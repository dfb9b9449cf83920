/*
 * The launches of the CUDA engine's single pass and reduction for one accumulated type: compiled once
 * a type, with PARSCAN_ELEMENT, like the CPU engine's files.
 */
#include "scan/cuda/launch_chain.cuh"
#include "scan/launch_element.cuh"
#include "scan/single_pass/reduce_kernels.cuh"
#include "scan/single_pass/tuning_cuda.cuh"

template <typename S, typename OPERATOR, bool REVERSE>
static cudaError_t scan_shaped(const parscan_cuda_call *call)
{
    typedef typename S::In In;
    static_assert(S::TILE * sizeof(T) >= PARSCAN_LEAST_TILE_BYTES, "room for status words");
    single_pass_call<S> on_device;
    on_device.in = (const In *)call->in;
    on_device.out = (T *)call->out;
    on_device.n = call->call->n;
    on_device.lead = (unsigned)((uintptr_t)call->out % 128 / sizeof(T));
    on_device.skew = (unsigned)(((uintptr_t)call->in - on_device.lead * sizeof(In)) % 128);
    on_device.tiles = (on_device.lead + on_device.n + S::TILE - 1) / S::TILE;
    on_device.exclusive = call->call->kind == PARSCAN_KIND_EXCLUSIVE;
    on_device.keeps = call->call->init == NULL;
    on_device.start = start_of<OPERATOR>(call, &on_device.first);
    on_device.chain = chain_of(call->chain);
    return launch_chain(single_pass_scan<S, REVERSE, OPERATOR>, call->call->context->cuda,
                        on_device, on_device.tiles, S::THREADS, S::SHARED_BYTES);
}

template <typename In, typename OPERATOR, bool REVERSE>
static cudaError_t scan_directed(const parscan_cuda_call *call)
{
    typedef typename tuned_shape<In, T, sizeof(T)>::pipelined pipelined;
    typedef typename in_turns_shape<In, T>::shape in_turns;
    bool is_so;
    const cudaError_t error =
        is_pipelined(single_pass_scan<in_turns, REVERSE, OPERATOR>, call->call->context->cuda,
                     in_turns::THREADS, in_turns::SHARED_BYTES, &is_so);
    if (error != cudaSuccess)
        return error;
    return is_so ? scan_shaped<pipelined, OPERATOR, REVERSE>(call)
                 : scan_shaped<in_turns, OPERATOR, REVERSE>(call);
}

template <typename In, typename OPERATOR>
static cudaError_t reduce_array(const parscan_cuda_call *call)
{
    reduce_call<In, T> on_device;
    on_device.in = (const In *)call->in;
    on_device.out = (T *)call->out;
    on_device.n = call->call->n;
    on_device.reverse = call->call->reverse;
    on_device.starts = call->call->init != NULL;
    T first;
    on_device.start = start_of<OPERATOR>(call, &first);
    if (on_device.n == 0)
        on_device.start = first;
    on_device.chain = chain_of(call->chain);
    const size_t bytes = on_device.n * sizeof(In);
    const size_t useful = bytes <= REDUCE_ALONE_BYTES ? 1 : bytes / (REDUCE_THREADS * 16) + 1;
    return launch_chain(reduce_blocks<In, T, OPERATOR>, call->call->context->cuda, on_device,
                        useful, REDUCE_THREADS, 0);
}

cudaError_t NAMED(parscan_single_pass_cuda)(const parscan_cuda_call *call)
{
    return dispatch(call->call->in_type, call->call->op, [=](auto in, auto op) {
        return call->call->reverse ? scan_directed<decltype(in), decltype(op), true>(call)
                                   : scan_directed<decltype(in), decltype(op), false>(call);
    });
}

cudaError_t NAMED(parscan_reduce_cuda)(const parscan_cuda_call *call)
{
    return dispatch(call->call->in_type, call->call->op, [=](auto in, auto op) {
        return reduce_array<decltype(in), decltype(op)>(call);
    });
}
