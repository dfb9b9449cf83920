/* Launches of kernels that move elements between arrays with strides. */
#include "scan/axis/move_lines.h"
#include "scan/axis/move_lines_kernels.cuh"
#include "scan/cuda/launch.cuh"

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

static cudaError_t launch_straight(parscan_cuda *cuda, const move_params &params)
{
    switch (params.plan.unit) {
    case 16:
        return launch(cuda, move_straight<uint4>, params);
    case 8:
        return launch(cuda, move_straight<uint64_t>, params);
    case 4:
        return launch(cuda, move_straight<uint32_t>, params);
    case 2:
        return launch(cuda, move_straight<uint16_t>, params);
    default:
        return launch(cuda, move_straight<uint8_t>, params);
    }
}

cudaError_t parscan_move_lines_launch(parscan_cuda *cuda, const parscan_move *move,
                                      const move_plan *plan)
{
    const move_params params = move_params_of(move->from, move->to, *plan);
    if (plan->variant == MOVE_STRAIGHT)
        return launch_straight(cuda, params);
    switch (plan->unit) {
    case 8:
        return launch_turned<uint64_t>(cuda, params);
    case 4:
        return launch_turned<uint32_t>(cuda, params);
    case 2:
        return launch_turned<uint16_t>(cuda, params);
    default:
        return launch_turned<uint8_t>(cuda, params);
    }
}
