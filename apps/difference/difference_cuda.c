/* Differences on CUDA: what the driver (scan/cuda/driver.h) needs to know of them. */
#include "apps/difference/difference_cuda.h"

#include <string.h>

#include "apps/difference/difference_call.h"
#include "scan/context/call_scalars.h"
#include "scan/cuda/driver.h"

enum { IN, OUT, ARRAYS, ELEMENT_ROOM = 8 };

static unsigned describe_difference(const void *given, parscan_cuda_array *arrays)
{
    const difference_call *const call = given;
    const size_t size = parscan_type_size(call->type);
    arrays[IN] = parscan_cuda_input("in", call->in, call->n, size);
    arrays[OUT] = parscan_cuda_output("out", call->out, call->n, size);
    arrays[OUT].shares = IN + 1; /* a chunk is done in place */
    return ARRAYS;
}

static unsigned lengths_of_difference(void *given, parscan_cuda_length *lengths)
{
    difference_call *const call = given;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

static parscan_status launch_difference(void *given, parscan_cuda_array *arrays)
{
    const difference_call *const call = given;
    parscan_context *const context = call->context;
    const size_t size = parscan_type_size(call->type);
    difference_params params = {
        .in = arrays[IN].device,
        .out = arrays[OUT].device,
        .n = call->n,
        .n_at = call->n_at,
        .has_init = call->init != NULL || call->init_at != NULL,
        .init_at = call->init_at,
        .reverse = call->reverse,
        .xor_bits = call->op == PARSCAN_XOR,
    };
    if (call->n == 0)
        return PARSCAN_OK;
    if (call->init != NULL)
        memcpy(&params.init, call->init, size);
    parscan_status status = PARSCAN_OK;
    if (params.in ==
        params.out) /* a tile more than whole ones may start before out, and end after it */
        status = parscan_cuda_scratch(
            context, (call->n / (DIFFERENCE_TILE_BYTES / size) + 2) * size, &params.borders);
    return status == PARSCAN_OK
               ? PARSCAN_CUDA_QUEUE(context,
                                    parscan_difference_launch(context, call->type, &params))
               : status;
}

typedef struct difference_chunks {
    difference_call next; /* the call of the next chunk, but for its arrays */
    unsigned char neighbour[ELEMENT_ROOM];
} difference_chunks;

/* The element that the next chunk needs is read before it is overwritten. */
static parscan_status subtract_chunk(void *work, parscan_cuda_chunk *chunk)
{
    difference_chunks *const chunks = work;
    difference_call call = chunks->next;
    const size_t size = parscan_type_size(call.type);
    unsigned char last[ELEMENT_ROOM];
    call.in = chunk->device[IN];
    call.out = chunk->device[OUT];
    call.n = chunk->n;
    parscan_status status = parscan_cuda_unstage(
        call.context, last, (const char *)call.in + (call.reverse ? 0 : (call.n - 1) * size), size);
    if (status == PARSCAN_OK)
        status = parscan_difference_cuda(&call);
    memcpy(chunks->neighbour, last, size);
    chunks->next.init = chunks->neighbour;
    return status;
}

static parscan_status difference_in_chunks(const void *given, const parscan_cuda_passage *passage)
{
    difference_chunks work = {.next = *(const difference_call *)given};
    difference_call *const next = &work.next;
    const parscan_cuda_chunks how = {
        .n = next->n, .reverse = next->reverse, .run = subtract_chunk, .work = &work};
    parscan_status status = PARSCAN_OK;
    if (next->init_at != NULL) {
        next->init = next->init_at;
        next->init_at = NULL;
        status = parscan_fetch_scalar(next->context, "init", 0, &next->init,
                                      parscan_type_size(next->type));
    }
    return status == PARSCAN_OK ? parscan_cuda_pass_in_chunks(passage, how) : status;
}

parscan_status parscan_difference_cuda(const difference_call *given)
{
    static const parscan_cuda_operation operation = {.describe = describe_difference,
                                                     .lengths = lengths_of_difference,
                                                     .in_chunks = difference_in_chunks,
                                                     .launch = launch_difference};
    difference_call call = *given;
    return parscan_cuda_run(call.context, "parscan_difference", &operation, &call);
}
