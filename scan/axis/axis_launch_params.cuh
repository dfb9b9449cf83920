/* What the launches of scans and reductions along an axis share for one output type. */
#ifndef PARSCAN_SCAN_AXIS_AXIS_LAUNCH_PARAMS_CUH
#define PARSCAN_SCAN_AXIS_AXIS_LAUNCH_PARAMS_CUH

#include "scan/axis/axis_cuda.h"
#include "scan/axis/axis_params.cuh"
#include "scan/cuda/launch_chain.cuh"
#include "scan/launch_element.cuh"

template <typename Pointer>
static axis_array<Pointer> array_of(Pointer first, const int64_t strides[AXES])
{
    return axis_array<Pointer>{first, strides[AXIS_OUTER], strides[AXIS_N], strides[AXIS_INNER]};
}

template <typename S>
static void place_lines(axis_params<S> &params, const parscan_axis *axis, size_t n, const void *in,
                        void *out)
{
    params.in = array_of((const char *)in, axis->in);
    params.out = array_of((char *)out, axis->out);
    params.outer = axis->outer;
    params.n = n;
    params.inner = axis->inner;
    params.by_inner = axis_divisor::of(axis->inner);
}

template <typename X>
static X with_inverted(X x, uint64_t bits)
{
    if constexpr (std::is_integral<X>::value)
        return inverted(x, bits);
    else
        return x;
}

template <typename S, typename OPERATOR>
static axis_params<S> params_of(const parscan_axis_launch_call *call)
{
    const parscan_cuda_call *const base = &call->base;
    axis_params<S> params = {};
    place_lines(params, &call->axis, base->call->n / call->run, base->in, base->out);
    /* `start` is combined, so an init is inverted as elements are; `result` is stored: an init as it was given, the
       identity inverted back. */
    const T given = start_of<OPERATOR>(base), other = with_inverted(given, call->inverts);
    const T start = base->call->init != NULL ? other : given;
    const T result = base->call->init != NULL ? given : other;
    params.scalars.inverts = call->inverts;
    params.scalars.ends = call->ends;
    Stored first;
    round_to(first_of(base, result), &first);
    params.start = spread<typename S::X>(start);
    params.first = spread<typename S::Out>(first);
    params.exclusive = base->call->kind == PARSCAN_KIND_EXCLUSIVE;
    params.keeps = base->call->init == NULL;
    if (call->plan.chained)
        params.chain = chain_of(base->chain);
    params.plan = call->plan;
    params.backwards = call->backwards;
    return params;
}

#endif
