#include "scan/axis/move_lines.h"

parscan_status parscan_move_lines(parscan_context *context, const parscan_move *move)
{
    parscan_cuda *const cuda = context->cuda;
    const move_plan plan = parscan_move_lines_plan(&cuda->plan_device, &move->facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_move_lines_plans, plan.variant,
                           "%zu boxes of %u x %u x %u units of %u bytes", plan.boxes, plan.box[0],
                           plan.box[1], plan.box[2], plan.unit);
    return PARSCAN_CUDA_QUEUE(context, parscan_move_lines_launch(cuda, move, &plan));
}
