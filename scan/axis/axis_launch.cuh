/* The launches of kernels along an axis, whatever they do with elements (axis_params.cuh). */
#ifndef PARSCAN_SCAN_AXIS_AXIS_LAUNCH_CUH
#define PARSCAN_SCAN_AXIS_AXIS_LAUNCH_CUH

#include "scan/axis/axis_piped.cuh"
#include "scan/axis/axis_reduce.cuh"
#include "scan/axis/axis_serial.cuh"
#include "scan/axis/axis_tiles.cuh"
#include "scan/axis/axis_vectors.cuh"
#include "scan/axis/axis_warps.cuh"
#include "scan/cuda/launch_chain.cuh"

/* Whether two blocks with two stages each fit a multiprocessor, which has 1 KB more than one block may have, and takes
   1 KB for each. */
template <typename S>
static bool has_two_stages(const parscan_cuda *cuda, size_t stage)
{
    return 2 * (2 * stage + sizeof(axis_shared<S>)) + 1024 <= cuda->plan_device.shared_bytes;
}

template <typename OPERATOR, typename S>
static cudaError_t launch_axis_scan(parscan_cuda *cuda, axis_params<S> &params)
{
    const axis_plan &plan = params.plan;
    if (plan.variant == AXIS_SERIAL)
        return launch_dependent_persistent(axis_serial<S, OPERATOR>, cuda,
                                           (params.outer * params.inner + plan.threads - 1) /
                                               plan.threads,
                                           plan.threads, 0, params);
    const bool staged = plan.variant == AXIS_STAGED;
    const size_t stage = staged ? S::ARRAYS * stage_bytes<S>(plan) : 0;
    const size_t window = plan.chained ? sizeof(axis_window) : 0;
    params.stage_bytes = (unsigned)(stage > window ? stage : window);
    params.stages = staged && has_two_stages<S>(cuda, params.stage_bytes) ? 2 : 1;
    return launch_chain(axis_tiles<S, OPERATOR>, cuda, params, plan.sets * plan.tiles, plan.threads,
                        params.stages * (size_t)params.stage_bytes, false, plan.sets);
}

/* With few sets of columns the blocks that are left over would cost less than waits for the tile before. */
template <typename OPERATOR, typename S>
static cudaError_t launch_axis_piped(parscan_cuda *cuda, axis_params<S> &params)
{
    if constexpr (!is_piped<S>())
        return cudaErrorInvalidValue;
    else {
        typedef piped_shape<sizeof(typename S::Out)> shape;
        const axis_plan &plan = params.plan;
        const size_t sets = plan.sets <= AXIS_RETURNING_SETS ? plan.sets : 1;
        params.unit = axis_unit(params, sizeof(typename S::In));
        auto kernel = axis_piped<S, false, OPERATOR, shape>;
        if (plan.variant == AXIS_PIPED_COLUMNS) {
            if constexpr (has_piped_columns<S>())
                kernel = axis_piped<S, true, OPERATOR, shape>;
            else
                return cudaErrorInvalidValue;
        }
        return launch_chain(kernel, cuda, params, plan.sets * plan.tiles, shape::THREADS,
                            shape::SHARED_BYTES, false, sets);
    }
}

template <bool REDUCES, typename OPERATOR, typename S>
static cudaError_t launch_axis_warps(parscan_cuda *cuda, const axis_params<S> &params)
{
    const size_t rows = (size_t)params.plan.rows * (AXIS_WARPS_THREADS / 32);
    return launch_dependent_persistent(axis_warps<S, REDUCES, OPERATOR>, cuda,
                                       (params.outer + rows - 1) / rows, AXIS_WARPS_THREADS, 0,
                                       params);
}

template <bool REDUCES, typename OPERATOR, typename S>
static cudaError_t launch_axis_neighbours(parscan_cuda *cuda, const axis_params<S> &params)
{
    const size_t vectors = params.outer * params.n * params.inner / AXIS_NEIGHBOURS(S::SIZE);
    const size_t share = (size_t)AXIS_VECTORS_THREADS * NEIGHBOURS_AT_ONCE;
    return launch_dependent_persistent(axis_neighbours<S, REDUCES, OPERATOR>, cuda,
                                       (vectors + share - 1) / share, AXIS_VECTORS_THREADS, 0,
                                       params);
}

template <typename OPERATOR, typename S>
static cudaError_t launch_axis_row_vectors(parscan_cuda *cuda, const axis_params<S> &params)
{
    const size_t vectors = params.outer * params.n * params.inner * sizeof(typename S::In) / 16 + 1;
    const size_t share = (size_t)AXIS_VECTORS_THREADS * ROW_VECTORS_AT_ONCE;
    return launch_dependent_persistent(axis_row_vectors<S, OPERATOR>, cuda,
                                       (vectors + share - 1) / share, AXIS_VECTORS_THREADS, 0,
                                       params);
}

template <typename OPERATOR, typename S>
static cudaError_t launch_axis_reduction(parscan_cuda *cuda, axis_params<S> &params)
{
    const axis_plan &plan = params.plan;
    const size_t groups =
        ((params.inner + plan.near - 1) / plan.near) * ((params.outer + plan.far - 1) / plan.far);
    const size_t at_once = plan.many ? AXIS_REDUCE_LINES(typename S::T) : 1;
    return launch_chain(axis_reduce<S, OPERATOR>, cuda, params,
                        (groups * plan.splits + at_once - 1) / at_once, plan.threads, 0);
}

#endif
