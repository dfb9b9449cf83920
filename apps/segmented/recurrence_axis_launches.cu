/* The launches of recurrences along an axis. Compiled once for each float type. */
#include "apps/segmented/recurrence_axis.cuh"
#include "apps/segmented/recurrence_axis_cuda.h"
#include "scan/axis/axis_launch.cuh"
#include "scan/axis/axis_launch_params.cuh"

static_assert(sizeof(recurrence_map<T>) == RECURRENCE_MAP_BYTES(sizeof(T)),
              "what the plan is told");

template <bool CONSTANT>
static cudaError_t launch_recurrence_lines(const recurrence_axis_launch_call *call)
{
    typedef recurrence_types<Stored, T, CONSTANT> S;
    const recurrence_call *const given = call->call;
    axis_params<S> params = {};
    params.keeps = true;
    place_lines(params, &call->axis, given->n, call->b, call->out);
    params.plan = call->plan;
    params.backwards = call->backwards;
    if (call->plan.chained)
        params.chain = chain_of(call->chain);
    params.scalars.to_a = CONSTANT ? 0 : (const char *)call->a - (const char *)call->b;
    params.scalars.x0_at = (const Stored *)given->x0_at;
    params.scalars.a_at = (const Stored *)given->a_at;
    if (given->x0 != NULL)
        params.scalars.x0 = host_element(given->x0);
    if (CONSTANT && given->a != NULL)
        params.scalars.a = host_element(given->a);
    return launch_axis_scan<recurrence_along<T>>(given->context->cuda, params);
}

cudaError_t NAMED(parscan_recurrence_axis_cuda)(const recurrence_axis_launch_call *call)
{
    return call->call->constant_a ? launch_recurrence_lines<true>(call)
                                  : launch_recurrence_lines<false>(call);
}
