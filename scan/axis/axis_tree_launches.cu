/* The launches of reproducible scans and reductions along an axis on CUDA for one output type. Compiled once for
   each type. */
#include "scan/axis/axis_launch_params.cuh"

#if ELEMENT_IS_FLOAT
#include "scan/axis/axis_tree.cuh"

template <typename In, typename OPERATOR>
static cudaError_t launch_tree(const parscan_axis_launch_call *call)
{
    typedef axis_types<In, T, Stored> S;
    parscan_cuda *const cuda = call->base.call->context->cuda;
    const axis_plan &plan = call->plan;
    const size_t work = plan.sets * plan.tiles, lines = call->axis.outer * call->axis.inner;
    axis_tree_params<S> params = {};
    (axis_params<S> &)params = params_of<S, OPERATOR>(call);
    params.sums = (T *)call->base.scratch;
    params.reduces = call->base.call->kind == PARSCAN_KIND_REDUCE;
    params.only_sums = plan.tiles > 1;
    cudaError_t error = launch_dependent_persistent(axis_tree_tiles<S, OPERATOR>, cuda, work,
                                                    plan.threads, 0, params);
    if (error != cudaSuccess || plan.tiles == 1)
        return error;
    error = launch_dependent_persistent(axis_tree_counts<S, OPERATOR>, cuda,
                                        (lines + AXIS_COUNTERS - 1) / AXIS_COUNTERS,
                                        AXIS_COUNTERS * 32, 0, params);
    params.only_sums = false;
    if (error != cudaSuccess || params.reduces)
        return error;
    return launch_dependent_persistent(axis_tree_tiles<S, OPERATOR>, cuda, work, plan.threads, 0,
                                       params);
}
#endif

cudaError_t NAMED(parscan_axis_tree_cuda)(const parscan_axis_launch_call *call)
{
#if ELEMENT_IS_FLOAT
    const parscan_scan_call *const given = call->base.call;
#define X(ctx, FROM, TO)                                                                        \
    if constexpr (PARSCAN_##TO == ELEMENT_TYPE)                                                 \
        if (given->in_type == PARSCAN_##FROM)                                                   \
            return launch_tree<parscan_type_numbered<PARSCAN_##FROM>::T, parscan_operator_SUM>( \
                call);
    PARSCAN_WIDENINGS(X, )
#undef X
#define X(ctx, NAME)                 \
    if (given->op == PARSCAN_##NAME) \
        return launch_tree<Stored, parscan_operator_##NAME>(call);
    PARSCAN_ROUNDING_OPS(X, )
#undef X
#else
    (void)call;
#endif
    return cudaErrorInvalidValue;
}
