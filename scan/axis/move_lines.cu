/* Launches of kernels that move elements between arrays with strides. */
#include "scan/axis/move_lines.h"
#include "scan/axis/move_lines_kernels.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/of_size.cuh"

static cudaError_t launch(parscan_cuda *cuda, void (*kernel)(move_params),
                          const move_params &params)
{
    return launch_dependent_persistent(kernel, cuda, params.plan.boxes, MOVE_THREADS,
                                       params.plan.shared_bytes, params);
}

template <typename UNIT>
static cudaError_t launch_turned(parscan_cuda *cuda, const move_params &params)
{
    return params.plan.variant == MOVE_TURNED ? launch(cuda, move_turned<UNIT, true>, params)
                                              : launch(cuda, move_turned<UNIT, false>, params);
}

cudaError_t parscan_move_lines_launch(parscan_cuda *cuda, const parscan_move *move,
                                      const move_plan *plan)
{
    const move_params params = move_params_of(move->from, move->to, *plan);
    if (plan->variant == MOVE_STRAIGHT)
        return launch_of_unit(plan->unit, [&](auto unit) {
            return launch(cuda, move_straight<decltype(unit)>, params);
        });
    return launch_of_size(plan->unit,
                          [&](auto unit) { return launch_turned<decltype(unit)>(cuda, params); });
}
