/* The launches of scans and reductions along an axis on CUDA for one output type. Compiled once for each type. */
#include "scan/axis/axis_launch.cuh"
#include "scan/axis/axis_launch_params.cuh"

template <typename S, typename OPERATOR>
static cudaError_t launch_elements(const parscan_axis_launch_call *call)
{
    parscan_cuda *const cuda = call->base.call->context->cuda;
    axis_params<S> params = params_of<S, OPERATOR>(call);
    const bool reduces = call->base.call->kind == PARSCAN_KIND_REDUCE;
    switch (call->plan.variant) {
    case AXIS_NEIGHBOURS:
        return reduces ? launch_axis_neighbours<true, OPERATOR>(cuda, params)
                       : launch_axis_neighbours<false, OPERATOR>(cuda, params);
    case AXIS_ROW_VECTORS:
        return launch_axis_row_vectors<OPERATOR>(cuda, params);
    case AXIS_SERIAL:
    case AXIS_COLUMNS:
    case AXIS_STAGED:
        return launch_axis_scan<OPERATOR>(cuda, params);
    case AXIS_PIPED_COLUMNS:
    case AXIS_PIPED_STAGED:
        return launch_axis_piped<OPERATOR>(cuda, params);
    case AXIS_WARPS:
        return reduces ? launch_axis_warps<true, OPERATOR>(cuda, params)
                       : launch_axis_warps<false, OPERATOR>(cuda, params);
    case AXIS_REDUCE:
        return launch_axis_reduction<OPERATOR>(cuda, params);
    case AXIS_TREE:      /* axis_tree_launches.cu */
    case AXIS_ROW_CALLS: /* axis_cuda.c */
    case AXIS_VARIANTS:
        break;
    }
    return cudaErrorInvalidValue;
}

template <unsigned N, typename OPERATOR>
static cudaError_t launch_packs(const parscan_axis_launch_call *call)
{
    typedef axis_pack<T, N> pack;
    return launch_elements<axis_types<pack, pack, pack>, OPERATOR>(call);
}

template <typename In, typename OPERATOR>
static cudaError_t launch(const parscan_axis_launch_call *call)
{
    if constexpr (std::is_same<In, T>::value && std::is_same<T, Stored>::value && sizeof(T) <= 4) {
        if (call->pack == 2)
            return launch_packs<2, OPERATOR>(call);
        if constexpr (sizeof(T) == 1)
            if (call->pack == 4)
                return launch_packs<4, OPERATOR>(call);
    }
    return call->pack == 1 ? launch_elements<axis_types<In, T, Stored>, OPERATOR>(call)
                           : cudaErrorInvalidValue;
}

cudaError_t NAMED(parscan_axis_cuda)(const parscan_axis_launch_call *call)
{
    return dispatch(call->base.call->in_type, call->base.call->op, [=](auto in, auto op) {
        if constexpr (decltype(op)::commutes)
            return launch<decltype(in), decltype(op)>(call);
        else
            return cudaErrorInvalidValue;
    });
}
