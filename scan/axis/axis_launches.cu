/* The launches of scans and reductions along an axis on CUDA for one output type. Compiled once for each type. */
#include "scan/axis/axis_launch_params.cuh"
#include "scan/axis/axis_reduce.cuh"
#include "scan/axis/axis_serial.cuh"
#include "scan/axis/axis_tiles.cuh"
#include "scan/cuda/launch_chain.cuh"

static_assert(sizeof(axis_window) <= PARSCAN_AXIS_WINDOW_BYTES, "the window of a look-back");

template <typename S, typename OPERATOR>
static cudaError_t launch_tiles(parscan_cuda *cuda, axis_params<S> &params)
{
    const axis_plan &plan = params.plan;
    const size_t stage =
        plan.variant == AXIS_STAGED ? plan.tile_rows * plan.width * S::SIZE + 32 : 0;
    const size_t window = plan.chained ? PARSCAN_AXIS_WINDOW_BYTES : 0;
    return launch_chain(axis_tiles<S, OPERATOR>, cuda, params, plan.sets * plan.tiles, plan.threads,
                        stage > window ? stage : window);
}

template <typename S, typename OPERATOR>
static cudaError_t launch_reduction(parscan_cuda *cuda, axis_params<S> &params)
{
    const axis_plan &plan = params.plan;
    const size_t groups =
        ((params.inner + plan.near - 1) / plan.near) * ((params.outer + plan.far - 1) / plan.far);
    const size_t at_once = plan.many ? AXIS_REDUCE_LINES : 1;
    return launch_chain(axis_reduce<S, OPERATOR>, cuda, params,
                        (groups * plan.splits + at_once - 1) / at_once, plan.threads, 0);
}

template <typename In, typename OPERATOR>
static cudaError_t launch(const parscan_axis_launch_call *call)
{
    typedef axis_types<In, T, Stored> S;
    parscan_cuda *const cuda = call->base.call->context->cuda;
    axis_params<S> params = params_of<S, OPERATOR>(call);
    switch (call->plan.variant) {
    case AXIS_SERIAL:
        return launch_dependent_persistent(axis_serial<S, OPERATOR>, cuda,
                                           (params.outer * params.inner + call->plan.threads - 1) /
                                               call->plan.threads,
                                           call->plan.threads, 0, params);
    case AXIS_COLUMNS:
    case AXIS_STAGED:
        return launch_tiles<S, OPERATOR>(cuda, params);
    case AXIS_REDUCE:
        return launch_reduction<S, OPERATOR>(cuda, params);
    case AXIS_TREE: /* axis_tree_launches.cu */
    case AXIS_VARIANTS:
        break;
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
