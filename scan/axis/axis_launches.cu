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

/* Elements of N neighbours along inner. */
template <unsigned N, typename OPERATOR>
static cudaError_t launch_packs(const parscan_axis_launch_call *call)
{
    typedef axis_pack<T, N> pack;
    typedef axis_types<pack, pack, pack> S;
    parscan_cuda *const cuda = call->base.call->context->cuda;
    if constexpr (sizeof(pack) < 16)
        return launch_elements<S, OPERATOR>(call);
    else if (call->plan.variant == AXIS_WARPS)
        return launch_axis_warps<false, OPERATOR>(cuda, params_of<S, OPERATOR>(call));
    else if (call->plan.variant == AXIS_ROW_VECTORS)
        return launch_axis_row_vectors<OPERATOR>(cuda, params_of<S, OPERATOR>(call));
    else
        return cudaErrorInvalidValue;
}

/* Several rows of P neighbours in a word. */
template <unsigned P, typename OPERATOR>
static cudaError_t launch_rows(const parscan_axis_launch_call *call)
{
    if constexpr (P * sizeof(T) < 4) {
        const unsigned R = 4 / (P * sizeof(T));
        typedef axis_parts_of<T, P> row;
        typedef axis_pack<T, P * R> pack;
        typedef axis_types<pack, pack, row> reduced;
        typedef axis_types<axis_run<T, P, R>, row, axis_run<T, P, R>> scanned;
        parscan_cuda *const cuda = call->base.call->context->cuda;
        if (call->base.call->kind == PARSCAN_KIND_REDUCE) {
            axis_params<reduced> params = params_of<reduced, OPERATOR>(call);
            return launch_axis_reduction<OPERATOR>(cuda, params);
        }
        axis_params<scanned> params = params_of<scanned, OPERATOR>(call);
        return call->plan.variant == AXIS_WARPS ? launch_axis_warps<false, OPERATOR>(cuda, params)
                                                : launch_axis_piped<OPERATOR>(cuda, params);
    } else {
        return cudaErrorInvalidValue;
    }
}

template <unsigned BYTES, typename OPERATOR>
static cudaError_t launch_packs_of_bytes(const parscan_axis_launch_call *call)
{
    if constexpr (BYTES > sizeof(T) && BYTES % sizeof(T) == 0)
        return launch_packs<BYTES / sizeof(T), OPERATOR>(call);
    else
        return cudaErrorInvalidValue;
}

template <typename In, typename OPERATOR>
static cudaError_t launch(const parscan_axis_launch_call *call)
{
    if (call->pack == 1 && call->run == 1)
        return launch_elements<axis_types<In, T, Stored>, OPERATOR>(call);
    if constexpr (std::is_same<In, T>::value && std::is_same<T, Stored>::value) {
        if (call->run > 1)
            return call->pack == 1 ? launch_rows<1, OPERATOR>(call)
                                   : launch_rows<2, OPERATOR>(call);
        switch (call->pack * sizeof(T)) {
        case 2:
            return launch_packs_of_bytes<2, OPERATOR>(call);
        case 4:
            return launch_packs_of_bytes<4, OPERATOR>(call);
        case 8:
            return launch_packs_of_bytes<8, OPERATOR>(call);
        case 16:
            return launch_packs_of_bytes<16, OPERATOR>(call);
        }
    }
    return cudaErrorInvalidValue;
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
