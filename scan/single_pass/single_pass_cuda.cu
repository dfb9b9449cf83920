/*
 * The launches of the single pass and the reduction on CUDA for one output type. Compiled once
 * for each type, with PARSCAN_ELEMENT, like the CPU engine's files.
 */
#include "scan/cuda/launch_chain.cuh"
#include "scan/launch_element.cuh"
#include "scan/single_pass/few_kernel.cuh"
#include "scan/single_pass/reduce_kernels.cuh"
#include "scan/single_pass/tuning_cuda.cuh"

template <typename S, typename OPERATOR>
static single_pass_params<S> params_of(const parscan_cuda_call *call)
{
    typedef typename S::In In;
    single_pass_params<S> params;
    params.in = (const In *)call->in;
    params.out = (Stored *)call->out;
    params.head_padding = (unsigned)((uintptr_t)call->out % 128 / sizeof(Stored));
    params.misalignment =
        (unsigned)(((uintptr_t)call->in - params.head_padding * sizeof(In)) % 128);
    params.length = length_at(call->call->context, call->call->n_at);
    params.set_length(call->call->n);
    params.exclusive = call->call->kind == PARSCAN_KIND_EXCLUSIVE;
    params.keeps = !parscan_has_init(call->call);
    params.init_at = (const Stored *)call->call->init_at;
    params.start = start_of<OPERATOR>(call);
    round_to(first_of(call, params.start), &params.first);
    params.chain = chain_of(call->chain);
    return params;
}

template <typename S, typename OPERATOR, bool REVERSE>
static cudaError_t launch_pass(const parscan_cuda_call *call)
{
    static_assert(S::TILE * sizeof(Stored) >= PARSCAN_LEAST_TILE_BYTES, "room for status words");
    single_pass_params<S> params = params_of<S, OPERATOR>(call);
    return launch_chain(single_pass_scan<S, REVERSE, OPERATOR>, call->call->context->cuda, params,
                        params.tiles, S::THREADS, S::SHARED_BYTES);
}

/* The plan has asked whether the device holds a block for each tile. */
template <typename S, typename OPERATOR, bool REVERSE>
static cudaError_t launch_few(const parscan_cuda_call *call)
{
    static_assert(S::TILE * sizeof(Stored) == PARSCAN_FEW_TILE_BYTES, "room for status words");
    const single_pass_params<S> params = params_of<S, OPERATOR>(call);
    return launch_dependent(scan_few<S, REVERSE, OPERATOR>, call->call->context->cuda, params.tiles,
                            S::THREADS, 0, params);
}

template <typename In, typename OPERATOR, bool REVERSE>
static cudaError_t scan_directed(const parscan_cuda_call *call)
{
    typedef typename tuned_shape<In, T, sizeof(Stored), Stored>::warp_specialised warp_specialised;
    typedef typename unspecialised_shape<In, T, Stored>::shape unspecialised;
    switch (call->plan.variant) {
    case SCAN_FEW:
        return launch_few<few_shape<In, T, Stored>, OPERATOR, REVERSE>(call);
    case SCAN_UNSPECIALISED:
        return launch_pass<unspecialised, OPERATOR, REVERSE>(call);
    default:
        return launch_pass<warp_specialised, OPERATOR, REVERSE>(call);
    }
}

template <typename SHAPE, typename OPERATOR, typename In>
static cudaError_t launch_reduction(const parscan_cuda_call *call,
                                    const reduce_params<In, T, Stored> &params)
{
    const size_t bytes = params.n * sizeof(In),
                 useful = bytes == 0 ? 1 : (bytes - 1) / (SHAPE::VECTORS * 16) + 1;
    return launch_dependent_persistent(
        reduce_blocks<In, T, OPERATOR, Stored, SHAPE>, call->call->context->cuda,
        useful < SHAPE::MOST ? useful : SHAPE::MOST, SHAPE::THREADS, 0, params);
}

template <typename In, typename OPERATOR>
static cudaError_t reduce_array(const parscan_cuda_call *call)
{
    reduce_params<In, T, Stored> params;
    params.in = (const In *)call->in;
    params.out = (Stored *)call->out;
    if constexpr (is_stored<Stored>::value)
        params.unrounded = (T *)call->unrounded;
    params.length = length_at(call->call->context, call->call->n_at);
    params.set_length(call->call->n);
    params.reverse = call->call->reverse;
    params.starts = parscan_has_init(call->call);
    params.init = init_on_device(call->call);
    params.start = start_of<OPERATOR>(call);
    params.of_nothing = first_of(call, params.start);
    params.chain = chain_of(call->chain);
    return call->plan.variant == REDUCE_FEW ? launch_reduction<reduce_few, OPERATOR>(call, params)
                                            : launch_reduction<reduce_many, OPERATOR>(call, params);
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
    return dispatch<true>(call->call->in_type, call->call->op, [=](auto in, auto op) {
        return reduce_array<decltype(in), decltype(op)>(call);
    });
}
