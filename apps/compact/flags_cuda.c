/* Flags of a predicate on CUDA: what the driver (scan/cuda/driver.h) needs to know of them. */
#include <string.h>

#include "apps/compact/compact_cuda.h"
#include "scan/cuda/driver.h"
#include "scan/runtime/custom_test_cuda.h"

enum { IN, FLAGS, ARRAYS };

static unsigned describe_flags(const void *given, parscan_cuda_array *arrays)
{
    const flags_call *const call = given;
    const parscan_operator *const custom = call->custom;
    arrays[IN] = parscan_cuda_input("in", call->in, call->n,
                                    custom != NULL ? custom->size : parscan_type_size(call->type));
    if (custom != NULL)
        arrays[IN].alignment = custom->alignment;
    arrays[FLAGS] = parscan_cuda_output("flags_out", call->flags, call->n, 1);
    arrays[FLAGS].shares = IN + 1; /* if elements have one byte */
    return ARRAYS;
}

static unsigned lengths_of_flags(void *given, parscan_cuda_length *lengths)
{
    flags_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

/* Hands the values of the predicate to the kernel. */
static void set_values(const flags_call *call, predicate_params *params)
{
    const parscan_predicate *const keep = &call->keep;
    const size_t size = parscan_type_size(call->type);
    params->comparison = keep->comparison;
    if (call->on_device) {
        params->value = keep->value;
        params->upper = keep->comparison == PARSCAN_BETWEEN ? keep->upper : keep->value;
        return;
    }
    if (keep->comparison != PARSCAN_NONZERO)
        memcpy(&params->bits[0], keep->value, size);
    if (keep->comparison == PARSCAN_BETWEEN)
        memcpy(&params->bits[1], keep->upper, size);
}

parscan_status parscan_flags_launch(const flags_call *call)
{
    predicate_params params = {.in = call->in, .flags = call->flags, .n = call->n};
    if (call->custom != NULL)
        return parscan_custom_test_cuda(call->context, call->custom, call->in, call->flags, call->n,
                                        call->n_at);
    set_values(call, &params);
    return PARSCAN_CUDA_QUEUE(
        call->context, parscan_predicate_launch(call->context, call->type, &params, call->n_at));
}

static parscan_status launch_flags(void *given, parscan_cuda_array *arrays)
{
    flags_call call = *(const flags_call *)given;
    call.in = arrays[IN].device;
    call.flags = arrays[FLAGS].device;
    return call.n > 0 ? parscan_flags_launch(&call) : PARSCAN_OK;
}

static parscan_status flag_chunk(void *work, parscan_cuda_chunk *chunk)
{
    flags_call call = *(const flags_call *)work;
    call.in = chunk->device[IN];
    call.flags = chunk->device[FLAGS];
    call.n = chunk->n;
    return parscan_flags_if_cuda(&call);
}

static parscan_status flags_in_chunks(const void *given, const parscan_cuda_passage *passage)
{
    flags_call call = *(const flags_call *)given;
    const parscan_cuda_chunks how = {.n = call.n, .run = flag_chunk, .work = &call};
    return parscan_cuda_pass_in_chunks(passage, how);
}

parscan_status parscan_flags_if_cuda(const flags_call *given)
{
    static const parscan_cuda_operation operation = {.describe = describe_flags,
                                                     .lengths = lengths_of_flags,
                                                     .in_chunks = flags_in_chunks,
                                                     .launch = launch_flags};
    flags_call call = *given;
    return parscan_cuda_run(call.context, "parscan_flags_if", &operation, &call);
}
