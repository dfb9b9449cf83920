/* Recurrences on CUDA: what the driver (scan/cuda/driver.h) needs to know of them. */
#include <string.h>

#include "apps/segmented/segmented_cuda.h"
#include "scan/context/call_scalars.h"
#include "scan/cuda/driver.h"

enum { A, B, OUT, ARRAYS };

static parscan_recurrence_cuda_launch *launch_of(parscan_type type)
{
    switch (type) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return parscan_recurrence_cuda_##name;
        PARSCAN_STORED_TYPES(X, )
#undef X
    case PARSCAN_F32:
        return parscan_recurrence_cuda_f32;
    default:
        return parscan_recurrence_cuda_f64;
    }
}

/* The type of x inside of the array: results are rounded from it. */
static parscan_type type_of_x(const recurrence_call *call)
{
    return parscan_compute_type(call->type);
}

/* Launches the kernel. Stores the carry if the output has it only rounded. */
static parscan_status launch_kernel(const recurrence_call *call, const parscan_cuda_array *arrays)
{
    parscan_context *const context = call->context;
    const parscan_cuda *const cuda = context->cuda;
    const parscan_scan_call scan = {.context = context,
                                    .in_type = call->type,
                                    .out_type = call->type,
                                    .n = call->n,
                                    .n_at = call->n_at,
                                    .init = call->x0,
                                    .init_at = call->x0_at,
                                    .carried = call->carried};
    parscan_recurrence_cuda_call on_device = {
        .scan = {.call = &scan,
                 .in = arrays[B].device,
                 .out = arrays[OUT].device,
                 .stream = cuda->stream},
        .a = call->constant_a ? call->a_at : arrays[A].device,
        .is_constant = call->constant_a,
        .constant_a = call->constant_a ? call->a : NULL,
        .variant = parscan_recurrence_plan(&cuda->plan_device),
    };
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_recurrence_plans, on_device.variant, "%zu elements of %s",
                           call->n, parscan_type_name(call->type));
    const size_t size = parscan_type_size(call->type), x_size = parscan_type_size(type_of_x(call));
    const size_t tiles = call->n / (SEGMENTED_LEAST_TILE_BYTES / size) + 2;
    parscan_status status =
        parscan_cuda_chain_memory(context, RECURRENCE_WORDS(x_size) * tiles, &on_device.scan.chain);
    const bool is_carry_rounded = call->carry != NULL && type_of_x(call) != call->type;
    if (status == PARSCAN_OK && is_carry_rounded)
        status = parscan_cuda_scratch(context, x_size, &on_device.through);
    if (status != PARSCAN_OK)
        return status;
    status = PARSCAN_CUDA_QUEUE(context, launch_of(call->type)(&on_device));
    return status == PARSCAN_OK && is_carry_rounded
               ? parscan_cuda_unstage(context, call->carry, on_device.through, x_size)
               : status;
}

static unsigned describe_recurrence(const void *given, parscan_cuda_array *arrays)
{
    const recurrence_call *const call = given;
    const size_t size = parscan_type_size(call->type);
    arrays[A] = parscan_cuda_input("a", call->constant_a ? NULL : call->a, call->n, size);
    arrays[B] = parscan_cuda_input("b", call->b, call->n, size);
    arrays[OUT] = parscan_cuda_output("out", call->out, call->n, size);
    return ARRAYS;
}

static unsigned lengths_of_recurrence(void *given, parscan_cuda_length *lengths)
{
    recurrence_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

static parscan_status check_recurrence(const void *given, const parscan_cuda_array *arrays)
{
    const recurrence_call *const call = given;
    (void)arrays;
    return call->carry != NULL ? parscan_cuda_refuse_in_capture(call->context, "a carry")
                               : PARSCAN_OK;
}

static parscan_status launch_recurrence(void *given, parscan_cuda_array *arrays)
{
    const recurrence_call *const call = given;
    const size_t size = parscan_type_size(call->type);
    const parscan_status status = call->n > 0 ? launch_kernel(call, arrays) : PARSCAN_OK;
    if (status != PARSCAN_OK || call->carry == NULL || type_of_x(call) != call->type)
        return status;
    return parscan_cuda_unstage(call->context, call->carry,
                                (const char *)arrays[OUT].device + (call->n - 1) * size, size);
}

typedef struct recurrence_chunks {
    const parscan_cuda_operation *operation;
    recurrence_call next; /* the call of the next chunk, but for its arrays */
    unsigned char carry[sizeof(double)];
} recurrence_chunks;

static parscan_status run_recurrence_chunk(void *work, parscan_cuda_chunk *chunk)
{
    recurrence_chunks *const chunks = work;
    recurrence_call call = chunks->next;
    if (!call.constant_a)
        call.a = chunk->device[A];
    call.b = chunk->device[B];
    call.out = chunk->device[OUT];
    call.n = chunk->n;
    call.carry = chunks->carry;
    chunks->next.x0 = chunks->carry;
    chunks->next.carried = true;
    return parscan_cuda_run(call.context, "a chunk", chunks->operation, &call);
}

static parscan_status recurrence_in_chunks(const void *given, const parscan_cuda_passage *passage)
{
    const recurrence_call *const call = given;
    recurrence_chunks work = {.operation = passage->operation, .next = *call};
    const parscan_cuda_chunks how = {.n = call->n, .run = run_recurrence_chunk, .work = &work};
    parscan_status status = PARSCAN_OK;
    if (call->x0_at != NULL) {
        work.next.x0 = call->x0_at;
        work.next.x0_at = NULL;
        status = parscan_fetch_scalar(call->context, "x0", 0, &work.next.x0,
                                      parscan_type_size(call->type));
    }
    if (status == PARSCAN_OK)
        status = parscan_cuda_pass_in_chunks(passage, how);
    if (status == PARSCAN_OK && call->carry != NULL)
        memcpy(call->carry, work.carry, parscan_type_size(type_of_x(call)));
    return status;
}

parscan_status parscan_recurrence_cuda(const recurrence_call *given)
{
    recurrence_call call = *given;
    static const parscan_cuda_operation recurrence = {.describe = describe_recurrence,
                                                      .lengths = lengths_of_recurrence,
                                                      .check = check_recurrence,
                                                      .in_chunks = recurrence_in_chunks,
                                                      .launch = launch_recurrence};
    return parscan_cuda_run(call.context, "parscan_recurrence", &recurrence, &call);
}
