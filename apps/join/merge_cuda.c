/* The host side of merges on CUDA. Any number of an array's elements may come first, so host arrays are copied
   whole. */
#include "apps/join/merge_cuda.h"

#include "apps/join/pair_cuda.h"

enum { A_KEYS, B_KEYS, A_VALUES, B_VALUES, KEYS_OUT, VALUES_OUT, ARRAYS };

static unsigned describe_merge(const void *given, parscan_cuda_array *arrays)
{
    const merge_arrays *const call = given;
    const size_t key = call->key_size, value = call->value_size;
    const size_t n = call->a.n, n2 = call->b.n;
    arrays[A_KEYS] = parscan_cuda_input("a_keys", call->a.keys, n, key);
    arrays[B_KEYS] = parscan_cuda_input("b_keys", call->b.keys, n2, key);
    arrays[A_VALUES] = parscan_cuda_input("a_values", call->a.values, n, value);
    arrays[B_VALUES] = parscan_cuda_input("b_values", call->b.values, n2, value);
    arrays[KEYS_OUT] = parscan_cuda_output("keys_out", call->keys_out, n + n2, key);
    arrays[VALUES_OUT] = parscan_cuda_output("values_out", call->values_out, n + n2, value);
    for (unsigned k = A_KEYS; k <= B_VALUES; k++)
        arrays[k].lent = call->lent;
    arrays[A_VALUES].alignment = arrays[B_VALUES].alignment = arrays[VALUES_OUT].alignment = 1;
    return ARRAYS;
}

static unsigned lengths_of_merge(void *given, parscan_cuda_length *lengths)
{
    merge_arrays *const call = given;
    return parscan_pair_lengths_cuda(&call->a, &call->b, lengths);
}

/* The largest power of two, up to 16, that divides all places of values and their size. */
static size_t alignment_of(const parscan_cuda_array *arrays, size_t value_size)
{
    const uintptr_t all = (uintptr_t)arrays[A_VALUES].device | (uintptr_t)arrays[B_VALUES].device |
                          (uintptr_t)arrays[VALUES_OUT].device | value_size | 16;
    return (size_t)(all & -all);
}

static merge_plan plan_of(const merge_arrays *call, const parscan_cuda_array *arrays)
{
    const parscan_cuda *const cuda = call->context->cuda;
    const merge_facts facts = {.count = call->a.n + call->b.n,
                               .key_size = call->key_size,
                               .value_size = call->value_size,
                               .alignment = alignment_of(arrays, call->value_size)};
    const merge_plan plan = parscan_merge_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_merge_plans, plan.variant,
                           "%zu and %zu elements, values of %zu", call->a.n, call->b.n,
                           call->value_size);
    return plan;
}

parscan_status parscan_merge_launches(parscan_context *context, key_class key,
                                      const merge_params *params)
{
    static parscan_merge_launch *const launches[KEY_CLASSES] = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = parscan_merge_launch_##name,
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    return PARSCAN_CUDA_QUEUE(context, launches[key](context, params));
}

static parscan_status launch_merge(void *given, parscan_cuda_array *arrays)
{
    const merge_arrays *const call = given;
    parscan_context *const context = call->context;
    const merge_plan plan = plan_of(call, arrays);
    if (call->a.n + call->b.n == 0)
        return PARSCAN_OK;
    merge_params params = {
        .keys = parscan_pair_on_device(call->type, &call->a, &call->b, &arrays[A_KEYS],
                                       arrays[KEYS_OUT].device),
        .variant = plan.variant,
        .least_span = plan.least_span,
    };
    if (plan.variant == MERGE_PAIRS)
        params.values = (merge_values){.a = arrays[A_VALUES].device,
                                       .b = arrays[B_VALUES].device,
                                       .out = arrays[VALUES_OUT].device,
                                       .unit = plan.unit,
                                       .units = (unsigned)(call->value_size / plan.unit)};
    return parscan_merge_launches(context, parscan_type_traits_of(call->type).key, &params);
}

parscan_status parscan_merge_cuda(const merge_arrays *call)
{
    static const parscan_cuda_operation operation = {
        .describe = describe_merge, .lengths = lengths_of_merge, .launch = launch_merge};
    merge_arrays run = *call;
    return parscan_cuda_run(call->context, "parscan_merge", &operation, &run);
}
