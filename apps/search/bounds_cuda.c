/* The host side of a search for bounds on CUDA. Host arrays are copied whole. */
#include "apps/search/bounds_cuda.h"

#include "apps/search/bounds_call.h"
#include "scan/cuda/driver.h"

enum { SORTED, VALUES, OUT, ARRAYS };

cudaError_t parscan_bounds_launch(parscan_context *context, key_class key,
                                  const bounds_params *params)
{
    switch (key) {
#define X(ctx, NAME, bits, name, ...) \
    case KEY_##NAME:                  \
        return BOUNDS_LAUNCH_OF(name)(context, params);
        PARSCAN_KEY_CLASSES(X, )
#undef X
    default:
        return cudaErrorInvalidValue;
    }
}

static unsigned describe_bounds(const void *given, parscan_cuda_array *arrays)
{
    const bounds_call *const call = given;
    const size_t size = parscan_type_size(call->type);
    arrays[SORTED] = parscan_cuda_input("sorted", call->sorted, call->count, size);
    arrays[VALUES] = parscan_cuda_input("values", call->values, call->n, size);
    arrays[OUT] =
        parscan_cuda_output("out", call->out, call->n, parscan_type_size(call->index_type));
    return ARRAYS;
}

static unsigned lengths_of_bounds(void *given, parscan_cuda_length *lengths)
{
    bounds_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->count, &call->count_at};
    lengths[1] = (parscan_cuda_length){LENGTH_N2, &call->n, &call->n_at};
    return 2;
}

static parscan_status launch_bounds(void *given, parscan_cuda_array *arrays)
{
    const bounds_call *const call = given;
    parscan_context *const context = call->context;
    const parscan_cuda *const cuda = context->cuda;
    const size_t size = parscan_type_size(call->type);
    const bounds_facts facts = {.count = call->count,
                                .n = call->n,
                                .key_size = size,
                                .sorted = (uintptr_t)arrays[SORTED].device};
    if (call->n == 0)
        return PARSCAN_OK;
    bounds_params params = {
        .sorted = arrays[SORTED].device,
        .values = arrays[VALUES].device,
        .out = arrays[OUT].device,
        .count = call->count,
        .n = call->n,
        .count_at = call->count_at,
        .n_at = call->n_at,
        .order = parscan_key_order(call->type, false, 0, 8 * (unsigned)size),
        .upper = call->upper,
        .wide = parscan_type_size(call->index_type) == 8,
        .plan = parscan_bounds_plan(&cuda->plan_device, &facts),
    };
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_bounds_plans, params.plan.variant,
                           "%zu needles in %zu keys, %u levels", call->n, call->count,
                           params.plan.levels);
    const parscan_status status =
        params.plan.scratch_bytes > 0
            ? parscan_cuda_scratch(context, params.plan.scratch_bytes, &params.tree)
            : PARSCAN_OK;
    return status == PARSCAN_OK
               ? PARSCAN_CUDA_QUEUE(
                     context, parscan_bounds_launch(context, parscan_type_traits_of(call->type).key,
                                                    &params))
               : status;
}

parscan_status parscan_bounds_cuda(const bounds_call *given)
{
    static const parscan_cuda_operation operation = {
        .describe = describe_bounds, .lengths = lengths_of_bounds, .launch = launch_bounds};
    bounds_call call = *given;
    return parscan_cuda_run(call.context,
                            call.upper ? "parscan_upper_bound" : "parscan_lower_bound", &operation,
                            &call);
}
