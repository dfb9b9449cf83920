/*
 * The launches of the reproducible scan and reduction on CUDA for one output type. Compiled
 * once for each type, like the CPU engine's file.
 */
#include "scan/launch_element.cuh"

#if ELEMENT_IS_FLOAT
#include "scan/cuda/launch_chain.cuh"
#include "scan/reproducible/reproducible_kernels.cuh"

/* WARPS and BLOCKS by the width of T, as measured; bench/notes/reproducible.md has the figures. */
template <typename In, unsigned LANE, unsigned WIDTH>
struct tuned_tree_shape;
template <typename In, unsigned LANE>
struct tuned_tree_shape<In, LANE, 4> {
    typedef tree_shape<In, T, LANE, 8, 2, Stored> shape;
};
template <typename In, unsigned LANE>
struct tuned_tree_shape<In, LANE, 8> {
    typedef tree_shape<In, T, LANE, 4, 2, Stored> shape;
};

template <typename In, unsigned LANE, typename OPERATOR>
static cudaError_t launch_tree(const parscan_cuda_call *call)
{
    typedef typename tuned_tree_shape<In, LANE, sizeof(T)>::shape S;
    static_assert(S::TILE * sizeof(Stored) >= PARSCAN_LEAST_TILE_BYTES, "room for status words");
    const size_t n = call->call->n;
    tree_params<S> params = {};
    params.exclusive = call->call->kind == PARSCAN_KIND_EXCLUSIVE;
    params.reduces = call->call->kind == PARSCAN_KIND_REDUCE;
    params.in = (const In *)call->in;
    params.out = (Stored *)call->out;
    params.step = call->call->reverse ? -1 : 1;
    params.keeps = !parscan_has_init(call->call);
    params.init = init_on_device(call->call);
    params.start = start_of<OPERATOR>(call);
    params.first = first_of(call, params.start);
    params.chain = chain_of(call->chain);
    params.length = length_at(call->call->context, call->call->n_at);
    params.set_length(n);
    const size_t tiles = n == 0 ? 1 : (n - 1) / S::TILE + 1;
    return launch_chain(params.length.at != NULL || params.init.at != NULL
                            ? tree_kernel<S, OPERATOR, true>
                            : tree_kernel<S, OPERATOR, false>,
                        call->call->context->cuda, params, tiles, S::THREADS, 0);
}

/* With vectors of 16 bytes of the output, or single elements. */
template <typename In, typename OPERATOR>
static cudaError_t scan_tree(const parscan_cuda_call *call)
{
    return call->plan.variant == SCAN_TREE_VECTORS
               ? launch_tree<In, 16 / sizeof(Stored), OPERATOR>(call)
               : launch_tree<In, 1, OPERATOR>(call);
}
#endif

cudaError_t NAMED(parscan_reproducible_cuda)(const parscan_cuda_call *call)
{
#if ELEMENT_IS_FLOAT
#define X(ctx, FROM, TO)                           \
    if constexpr (PARSCAN_##TO == ELEMENT_TYPE)    \
        if (call->call->in_type == PARSCAN_##FROM) \
            return scan_tree<parscan_type_numbered<PARSCAN_##FROM>::T, parscan_operator_SUM>(call);
    PARSCAN_WIDENINGS(X, )
#undef X
#define X(ctx, NAME)                      \
    if (call->call->op == PARSCAN_##NAME) \
        return scan_tree<Stored, parscan_operator_##NAME>(call);
    PARSCAN_ROUNDING_OPS(X, )
#undef X
#else
    (void)call;
#endif
    return cudaErrorInvalidValue;
}
