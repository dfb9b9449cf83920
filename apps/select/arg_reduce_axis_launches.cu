/* The launches of extremes with their index along an axis. Compiled once for each size of an element, with
   PARSCAN_ELEMENT. */
#include "apps/select/arg_reduce_axis.cuh"
#include "apps/select/arg_reduce_axis_cuda.h"
#include "scan/axis/axis_launch.cuh"
#include "scan/axis/axis_launch_params.cuh"

static_assert(sizeof(arg_axis_types<Stored>::T) == ARG_AXIS_SUM_BYTES, "room for status words");

static arg_axis_output output_at(void *data, const int64_t *strides)
{
    return arg_axis_output{(char *)data, strides[AXIS_OUTER], strides[AXIS_INNER]};
}

cudaError_t NAMED(parscan_arg_reduce_axis_launch)(const arg_reduce_axis_call *call)
{
    axis_params<arg_axis_types<Stored>> params = {};
    place_lines(params, &call->axis, call->n, call->in, NULL);
    params.keeps = true;
    params.plan = call->plan;
    if (call->plan.chained)
        params.chain = chain_of(call->chain);
    params.scalars.ranks.set(call->order);
    params.scalars.empty = (Stored)call->empty;
    params.scalars.values = output_at(call->values, call->value_to);
    params.scalars.indices = output_at(call->indices, call->index_to);
    params.scalars.inner = call->inner;
    params.scalars.wide = call->wide;
    return launch_axis_reduction<parscan_operator_FIRST>(call->context->cuda, params);
}
