/*
 * The launches of the CUDA engine's reproducible scan and reduction for one accumulated type: compiled
 * once a type, like the CPU engine's file. What does not depend on how it is grouped goes to the single
 * pass: integers, minima and maxima.
 */
#include "scan/launch_element.cuh"

#if ELEMENT_IS_FLOAT
#include "scan/reproducible/reproducible_kernels.cuh"
#include "scan/single_pass/launch_chain.cuh"

#ifndef SHAPE4
#define SHAPE4 8, 2
#define SHAPE8 4, 3
#endif

/* WARPS, BLOCKS by the width of T. Measured: bench/NOTES.md has the figures. */
template <typename In, unsigned WIDTH>
struct tuned_tree_shape;
template <typename In>
struct tuned_tree_shape<In, 4> {
    typedef tree_shape<In, T, SHAPE4> shape;
};
template <typename In>
struct tuned_tree_shape<In, 8> {
    typedef tree_shape<In, T, SHAPE8> shape;
};

template <typename In, int STEP, typename OPERATOR>
static cudaError_t tree_launch(const parscan_cuda_call *call)
{
    typedef typename tuned_tree_shape<In, sizeof(T)>::shape S;
    const size_t n = call->call->n, at = STEP > 0 || n == 0 ? 0 : n - 1;
    tree_call<S> on_device;
    on_device.n = n;
    on_device.exclusive = call->call->kind == PARSCAN_KIND_EXCLUSIVE;
    on_device.reduces = call->call->kind == PARSCAN_KIND_REDUCE;
    on_device.in = (const In *)call->in + at;
    on_device.out = (T *)call->out + (on_device.reduces ? 0 : at);
    on_device.keeps = call->call->init == NULL;
    on_device.start = start_of<OPERATOR>(call, &on_device.first);
    on_device.chain = chain_of(call);
    const size_t tiles = n == 0 ? 1 : (n - 1) / S::TILE + 1;
    return launch_chain(tree_scan<S, STEP, OPERATOR>, call, on_device, tiles, S::THREADS, 0);
}

template <typename In, typename OPERATOR>
static cudaError_t tree_directed(const parscan_cuda_call *call)
{
    return call->call->reverse ? tree_launch<In, -1, OPERATOR>(call)
                               : tree_launch<In, 1, OPERATOR>(call);
}
#endif

cudaError_t NAMED(parscan_reproducible_cuda)(const parscan_cuda_call *call)
{
#if ELEMENT_IS_FLOAT
    if (call->call->in_type != ELEMENT_TYPE)
        return tree_directed<float, parscan_operator_SUM>(call);
    if (call->call->op == PARSCAN_SUM)
        return tree_directed<T, parscan_operator_SUM>(call);
    if (call->call->op == PARSCAN_PRODUCT)
        return tree_directed<T, parscan_operator_PRODUCT>(call);
#endif
    return call->call->kind == PARSCAN_KIND_REDUCE ? NAMED(parscan_reduce_cuda)(call)
                                                   : NAMED(parscan_single_pass_cuda)(call);
}
