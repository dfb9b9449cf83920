/* The host side of an allocation on CUDA. */
#include "apps/allocate/allocate_cuda.h"

#include "apps/allocate/allocate_call.h"
#include "scan/cuda/cuda_arrays.h"
#include "scan/cuda/cuda_chunks.h"

static unsigned log2_of(uint64_t power)
{
    unsigned log2 = 0;
    while (power >> log2 > 1)
        log2++;
    return log2;
}

static parscan_status launch(const allocate_call *call, uint64_t capacity,
                             const parscan_cuda_array *arrays, uint64_t *state)
{
    parscan_context *const context = call->context;
    const bool here = arrays[2].staged; /* the total is in host memory */
    parscan_chain_memory chain;
    const parscan_status status =
        parscan_cuda_chain_memory(context, parscan_units_chain_words(call->n), &chain);
    if (status != PARSCAN_OK)
        return status;
    const allocate_sum_params units = {
        .size_type = call->size_type,
        .offset_type = call->offset_type,
        .sizes = arrays[0].device,
        .offsets = arrays[1].device,
        .n = call->n,
        .shift = log2_of(call->alignment),
        .before = call->start >> log2_of(call->alignment),
        .most = call->offset_type == PARSCAN_U32 ? UINT32_MAX : UINT64_MAX,
        .capacity = capacity,
        .largest = UINT64_MAX,
        .state = here ? state : NULL,
        .total = here ? NULL : arrays[2].device,
        .deferred = here ? NULL : parscan_cuda_deferred(context),
    };
    const cudaError_t error = parscan_units_launch(context, &chain, &units);
    return error == cudaSuccess ? PARSCAN_OK : parscan_cuda_fail(context, error, "a launch");
}

static parscan_status allocate(const allocate_call *call, uint64_t capacity,
                               parscan_cuda_array *arrays, uint64_t *total)
{
    parscan_context *const context = call->context;
    void *state = NULL;
    uint64_t found[UNITS_STATE] = {PARSCAN_OK, 0, 0};
    if (call->n == 0) {
        const cudaError_t error =
            cudaMemsetAsync(arrays[2].device, 0, sizeof *total, context->cuda->stream);
        return error == cudaSuccess ? parscan_cuda_return(context, arrays, 3)
                                    : parscan_cuda_fail(context, error, "the total");
    }
    parscan_status status = parscan_cuda_scratch(context, sizeof found, &state);
    if (status == PARSCAN_OK)
        status = launch(call, capacity, arrays, state);
    if (status == PARSCAN_OK && arrays[2].staged) {
        status = parscan_cuda_unstage(context, found, state, UNITS_LARGE * sizeof *found);
        if (status == PARSCAN_OK)
            *total = found[UNITS_TOTAL];
        arrays[2].bytes = 0;
    }
    if (status == PARSCAN_OK && found[UNITS_STATUS] != PARSCAN_ERROR_OVERFLOW)
        status = parscan_cuda_return(context, arrays, 3);
    if (status == PARSCAN_OK && found[UNITS_STATUS] != PARSCAN_OK)
        status = parscan_fail_total(context, (parscan_status)found[UNITS_STATUS],
                                    found[UNITS_TOTAL], capacity);
    return status;
}

/* A call whose sizes and offsets go through the device in chunks. Behind a total that does not fit,
   only the total is wanted. */
typedef struct allocate_chunks {
    allocate_call next; /* the call of the next chunk, but for its arrays */
    unsigned out;       /* the flow of the offsets */
    uint64_t total;
    bool overflows;
} allocate_chunks;

static parscan_status allocate_chunk(void *work, parscan_cuda_chunk *chunk)
{
    allocate_chunks *const all = work;
    allocate_call call = all->next;
    call.sizes = chunk->device[0];
    call.offsets = call.offsets != NULL ? chunk->device[all->out] : NULL;
    call.n = chunk->n;
    call.start = all->total;
    const parscan_status status = parscan_allocate_cuda(&call, UINT64_MAX, &all->total);
    if (status == PARSCAN_ERROR_OVERFLOW) {
        all->overflows = true;
        all->next.offset_type = PARSCAN_U64;
        all->next.offsets = NULL;
    }
    if (all->overflows)
        chunk->count = 0;
    return status == PARSCAN_ERROR_OVERFLOW && all->total != UINT64_MAX ? PARSCAN_OK : status;
}

static parscan_status allocate_in_chunks(const allocate_call *call, uint64_t capacity,
                                         uint64_t *total, size_t room)
{
    parscan_context *const context = call->context;
    const size_t size_bytes = parscan_type_size(call->size_type);
    const size_t offset_bytes = parscan_type_size(call->offset_type);
    const bool shared = size_bytes == offset_bytes; /* offsets take the place of the sizes */
    const parscan_cuda_flow flows[] = {
        {"sizes", call->sizes, shared ? call->offsets : NULL, size_bytes, NULL},
        {"offsets", NULL, call->offsets, offset_bytes, NULL},
    };
    const unsigned count = shared || call->offsets == NULL ? 1 : 2;
    allocate_chunks work = {.next = *call, .out = count - 1, .total = call->start};
    const parscan_cuda_chunks chunks = {
        .context = context,
        .flows = flows,
        .count = count,
        .n = call->n,
        .most = parscan_cuda_chunk_length(flows, count, room, 0),
        .run = allocate_chunk,
        .work = &work,
    };
    parscan_status status = parscan_cuda_run_chunks(&chunks);
    if (status != PARSCAN_OK && status != PARSCAN_ERROR_OVERFLOW)
        return status;
    const parscan_status copied = parscan_cuda_copy(context, total, &work.total, sizeof *total);
    if (copied != PARSCAN_OK)
        return copied;
    status = work.overflows          ? PARSCAN_ERROR_OVERFLOW
             : work.total > capacity ? PARSCAN_ERROR_CAPACITY
                                     : PARSCAN_OK;
    return parscan_fail_total(context, status, work.total, capacity);
}

parscan_status parscan_allocate_cuda(const allocate_call *call, uint64_t capacity, uint64_t *total)
{
    parscan_context *const context = call->context;
    const size_t size_bytes = parscan_type_size(call->size_type);
    const size_t offset_bytes = parscan_type_size(call->offset_type);
    parscan_cuda_array arrays[] = {
        {.name = "sizes",
         .given = call->sizes,
         .bytes = call->n * size_bytes,
         .alignment = size_bytes,
         .access = PARSCAN_READ},
        {.name = "offsets",
         .given = call->offsets,
         .bytes = call->offsets != NULL ? call->n * offset_bytes : 0,
         .alignment = offset_bytes,
         .access = PARSCAN_WRITE},
        {.name = "total",
         .given = total,
         .bytes = sizeof *total,
         .alignment = sizeof *total,
         .access = PARSCAN_WRITE},
    };
    size_t room = 0;
    parscan_status status = parscan_cuda_begin(context, "parscan_allocate");
    if (status == PARSCAN_OK)
        status = parscan_cuda_find_room(context, arrays, 3, 0, &room);
    if (status == PARSCAN_OK && room > 0)
        return parscan_cuda_end(context, allocate_in_chunks(call, capacity, total, room));
    if (status == PARSCAN_OK)
        status = parscan_cuda_place_found(context, arrays, 3);
    if (status == PARSCAN_OK)
        status = allocate(call, capacity, arrays, total);
    return parscan_cuda_end(context, status);
}
