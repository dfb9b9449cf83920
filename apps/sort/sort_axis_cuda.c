/* What sorts along an axis do on CUDA beside a sort of segments. */
#include "apps/sort/number_rows.h"
#include "apps/sort/sort_axis.h"
#include "apps/sort/sort_axis_plan.h"

parscan_status parscan_number_rows_cuda(const sort_call *call, void *indices, size_t rows, size_t n)
{
    parscan_context *const context = call->context;
    return PARSCAN_CUDA_QUEUE(
        context, parscan_number_rows_launch(context->cuda, indices, call->value_size, rows, n));
}

bool parscan_sort_rows_alone_cuda(const sort_call *call, size_t rows, size_t n)
{
    const parscan_cuda *const cuda = call->context->cuda;
    const sort_axis_variant variant = parscan_sort_axis_plan(&cuda->plan_device, rows, n);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_sort_axis_plans, variant, "%zu rows of %zu elements", rows, n);
    return variant == SORT_AXIS_ALONE;
}
