/* The host side of set operations on CUDA. Any number of an array's elements may come first, so host arrays are
   copied whole. */
#include "apps/join/pair_cuda.h"
#include "apps/join/set_cuda.h"

enum { A, B, OUT, COUNT, ARRAYS };

typedef struct set_run {
    set_call call;
    uint64_t *count;
    uint64_t found; /* the count, if the host had to know it for what it copied back */
} set_run;

static unsigned describe_set(const void *given, parscan_cuda_array *arrays)
{
    const set_run *const run = given;
    const set_call *const call = &run->call;
    const uint64_t most = parscan_most_of_set(call);
    arrays[A] = parscan_cuda_input("a", call->a.keys, call->a.n, call->size);
    arrays[B] = parscan_cuda_input("b", call->b.keys, call->b.n, call->size);
    arrays[OUT] = parscan_cuda_output("out", call->out, (size_t)most, call->size);
    arrays[COUNT] = parscan_cuda_count("count", run->count, most);
    return ARRAYS;
}

static unsigned lengths_of_set(void *given, parscan_cuda_length *lengths)
{
    set_call *const call = &((set_run *)given)->call;
    return parscan_pair_lengths_cuda(&call->a, &call->b, lengths);
}

static parscan_status launch_set(void *given, parscan_cuda_array *arrays)
{
    static parscan_set_launch *const launches[KEY_CLASSES] = {
#define X(ctx, NAME, bits, name, ...) [KEY_##NAME] = parscan_set_launch_##name,
        PARSCAN_KEY_CLASSES(X, )
#undef X
    };
    const set_call *const call = &((const set_run *)given)->call;
    parscan_context *const context = call->context;
    if (call->a.n + call->b.n == 0)
        return PARSCAN_CUDA_QUEUE(
            context,
            cudaMemsetAsync(arrays[COUNT].device, 0, arrays[COUNT].bytes, context->cuda->stream));
    const bool host_learns = arrays[COUNT].staged || arrays[OUT].staged;
    /* Of arrays that are not in order there may be more elements than the copy has room for. */
    const uint64_t room = arrays[OUT].staged ? arrays[OUT].bytes / call->size : call->capacity;
    set_params params = {
        .keys =
            parscan_pair_on_device(call->type, &call->a, &call->b, &arrays[A], arrays[OUT].device),
        .rule = set_rule_of(call->operation),
        .capacity = room,
        .count = arrays[COUNT].device,
        .exceeded = host_learns ? (parscan_deferred){0} : parscan_cuda_deferred(context),
    };
    params.exceeded.of_lengths = call->of_lengths;
    return launches[parscan_type_traits_of(call->type).key](context, &params);
}

/* Only what was written is copied to the host, so the count must be known here. */
static parscan_status learn_count(void *given, parscan_cuda_array *arrays)
{
    set_run *const run = given;
    const set_call *const call = &run->call;
    if (!arrays[OUT].staged)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_cuda_unstage(call->context, &run->found, arrays[COUNT].device, sizeof run->found);
    if (status == PARSCAN_OK && run->found < arrays[OUT].bytes / call->size)
        arrays[OUT].bytes = (size_t)run->found * call->size;
    return status;
}

static parscan_status report_set(void *given, const parscan_cuda_array *arrays)
{
    const set_run *const run = given;
    return parscan_check_set_capacity(&run->call, arrays[COUNT].staged ? *run->count : run->found);
}

parscan_status parscan_set_cuda(const set_call *call, uint64_t *count)
{
    static const parscan_cuda_operation operation = {.describe = describe_set,
                                                     .lengths = lengths_of_set,
                                                     .launch = launch_set,
                                                     .finish = learn_count,
                                                     .report = report_set};
    set_run run = {.call = *call, .count = count};
    return parscan_cuda_run(call->context, call->name, &operation, &run);
}
