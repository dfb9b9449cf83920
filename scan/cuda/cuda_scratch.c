/*
 * The device memory that a context keeps for its calls: scratch and the words of the tile chain. It
 * grows when a call needs more. While a graph may use it, it is not moved or freed.
 */
#include <string.h>

#include "scan/cuda/cuda_memory.h"

static void release_buffer(parscan_context *context, parscan_device_buffer *buffer)
{
    parscan_cuda_release(context->cuda, buffer->data, buffer->size);
    while (buffer->retired != NULL) {
        parscan_device_buffer *const old = buffer->retired;
        buffer->retired = old->retired;
        parscan_cuda_release(context->cuda, old->data, old->size);
        parscan_host_release(&context->allocator, old);
    }
    *buffer = (parscan_device_buffer){0};
}

void parscan_cuda_release_scratch(parscan_context *context)
{
    release_buffer(context, &context->cuda->chain);
    release_buffer(context, &context->cuda->scratch);
    release_buffer(context, &context->cuda->beside);
}

static void release_slots(parscan_cuda *cuda)
{
    parscan_cuda_release(cuda, cuda->slots, cuda->slots_size);
    cuda->slots = NULL;
    cuda->slots_size = 0;
}

void parscan_cuda_release_copies(parscan_cuda *cuda)
{
    for (unsigned which = 0; which < PARSCAN_CUDA_ARRAYS; which++) {
        if (cuda->staged_in_use[which])
            continue;
        parscan_cuda_release(cuda, cuda->staged[which], cuda->staged_size[which]);
        cuda->staged[which] = NULL;
        cuda->staged_size[which] = 0;
    }
    if (!cuda->slots_in_use)
        release_slots(cuda);
    parscan_cuda_settle(cuda);
}

void parscan_cuda_release_all_copies(parscan_cuda *cuda)
{
    memset(cuda->staged_in_use, 0, sizeof cuda->staged_in_use);
    cuda->slots_in_use = false;
    parscan_cuda_release_copies(cuda);
}

static size_t size_with_retired(const parscan_device_buffer *buffer)
{
    size_t size = 0;
    for (; buffer != NULL; buffer = buffer->retired)
        size += buffer->size;
    return size;
}

static size_t size_of_buffers(const parscan_cuda *cuda)
{
    return size_with_retired(&cuda->chain) + size_with_retired(&cuda->scratch) +
           size_with_retired(&cuda->beside);
}

size_t parscan_cuda_held(const parscan_cuda *cuda)
{
    return cuda->captured ? size_of_buffers(cuda) : 0;
}

parscan_status parscan_cuda_take_slots(parscan_context *context, size_t size)
{
    parscan_cuda *const cuda = context->cuda;
    if (cuda->slots != NULL && cuda->slots_size == size) {
        cuda->slots_in_use = true;
        return PARSCAN_OK;
    }
    cuda->slots_in_use = false; /* nor those of an earlier pass of this call */
    if (!cuda->captured)
        parscan_cuda_release_scratch(context);
    parscan_cuda_release_copies(cuda);
    const cudaError_t error = parscan_cuda_allocate(cuda, &cuda->slots, size);
    cuda->slots_size = error == cudaSuccess ? size : 0;
    cuda->slots_in_use = error == cudaSuccess;
    return parscan_cuda_check_size(context, error, size);
}

size_t parscan_cuda_held_scratch(const parscan_context *context)
{
    const parscan_cuda *const cuda = context->cuda;
    size_t held = size_of_buffers(cuda) + cuda->slots_size;
    for (unsigned which = 0; which < PARSCAN_CUDA_ARRAYS; which++)
        held += cuda->staged_size[which];
    return held;
}

/* How large the buffer may become beside the other memory of the context. If the limit would be
   exceeded, other buffers are freed, provided that the call does not use them. */
static parscan_status find_limit(parscan_context *context, parscan_device_buffer *buffer,
                                 size_t size, size_t *limit)
{
    parscan_cuda *const cuda = context->cuda;
    parscan_device_buffer *const others[] = {&cuda->beside, &cuda->chain, &cuda->scratch};
    *limit = SIZE_MAX;
    if (context->scratch_limit == 0)
        return PARSCAN_OK;
    const size_t mine = cuda->captured ? 0 : size_with_retired(buffer);
    size_t kept = size_of_buffers(cuda) - mine + cuda->slots_size;
    if (kept + size > context->scratch_limit && !cuda->slots_in_use) {
        kept -= cuda->slots_size;
        release_slots(cuda);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (kept + size > context->scratch_limit && !cuda->captured && others[k] != buffer &&
            !others[k]->in_use) {
            kept -= size_with_retired(others[k]);
            release_buffer(context, others[k]);
        }
    if (kept > context->scratch_limit || size > context->scratch_limit - kept)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY,
                            "scratch_limit = %zu: this call needs %zu bytes of scratch beside %zu "
                            "that are in use",
                            context->scratch_limit, size, kept);
    *limit = context->scratch_limit - kept;
    return PARSCAN_OK;
}

/* Doubles the size, so that calls on slowly growing arrays seldom wait for an allocation, and
   retired memory stays smaller than the memory in use. Large sizes, and sizes over the limit, are
   not doubled. */
static size_t grown_size(size_t before, size_t size, size_t limit)
{
    const size_t much = (size_t)1 << 30;
    const size_t twice = before < much ? 2 * before : 0;
    return twice > size && twice <= limit ? twice : size;
}

/* Allocates `wanted` bytes, or `size` if there is not enough memory. Before it fails, it frees the
   copies that no call uses. */
static cudaError_t allocate_buffer(parscan_cuda *cuda, parscan_device_buffer *buffer, size_t wanted,
                                   size_t size)
{
    cudaError_t error = parscan_cuda_allocate(cuda, &buffer->data, buffer->size = wanted);
    if (error == cudaErrorMemoryAllocation && wanted > size) {
        cudaGetLastError(); /* so that no later call finds this error */
        error = parscan_cuda_allocate(cuda, &buffer->data, buffer->size = size);
    }
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        parscan_cuda_release_copies(cuda);
        error = parscan_cuda_allocate(cuda, &buffer->data, buffer->size = size);
    }
    buffer->fresh = error == cudaSuccess;
    return error;
}

/* For a buffer that no graph uses. It is released behind the calls that use it. If there is not
   enough memory, the buffer gets its old size again, so that calls that have run can still be
   captured. */
static parscan_status replace(parscan_context *context, parscan_device_buffer *buffer,
                              size_t wanted, size_t size)
{
    const size_t before = buffer->size;
    release_buffer(context, buffer);
    const cudaError_t error = allocate_buffer(context->cuda, buffer, wanted, size);
    if (error != cudaSuccess &&
        (before == 0 || allocate_buffer(context->cuda, buffer, before, before) != cudaSuccess))
        *buffer = (parscan_device_buffer){0};
    return parscan_cuda_check_size(context, error, size);
}

/* For a buffer that a graph may use until the context is destroyed. */
static parscan_status retire(parscan_context *context, parscan_device_buffer *buffer, size_t wanted,
                             size_t size)
{
    parscan_device_buffer grown = {0};
    parscan_device_buffer *const old = parscan_host_allocate(&context->allocator, sizeof *old);
    if (old == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes",
                            sizeof *old);
    const cudaError_t error = allocate_buffer(context->cuda, &grown, wanted, size);
    if (error != cudaSuccess) {
        parscan_host_release(&context->allocator, old);
        return parscan_cuda_check_size(context, error, size);
    }
    *old = *buffer;
    *buffer = grown;
    buffer->retired = old;
    return PARSCAN_OK;
}

static parscan_status grow_buffer(parscan_context *context, parscan_device_buffer *buffer,
                                  size_t size)
{
    size_t limit;
    if (size <= buffer->size)
        return PARSCAN_OK;
    parscan_status status = parscan_cuda_refuse_in_capture(
        context, "a call that needs more scratch than the context has");
    if (status == PARSCAN_OK)
        status = find_limit(context, buffer, size, &limit);
    if (status != PARSCAN_OK)
        return status;
    const size_t wanted = grown_size(buffer->size, size, limit);
    return context->cuda->captured ? retire(context, buffer, wanted, size)
                                   : replace(context, buffer, wanted, size);
}

parscan_status parscan_cuda_scratch(parscan_context *context, size_t size, void **pointer)
{
    parscan_cuda *const cuda = context->cuda;
    const bool fits = cuda->held == 0 || size <= cuda->scratch.size - cuda->held;
    parscan_device_buffer *const buffer = fits ? &cuda->scratch : &cuda->beside;
    const parscan_status status = grow_buffer(context, buffer, size);
    buffer->in_use = true;
    *pointer = fits && cuda->held > 0 ? (char *)buffer->data + cuda->held : buffer->data;
    return status;
}

parscan_status parscan_cuda_hold(parscan_context *context, size_t size, void **pointer)
{
    const size_t aligned = (size + 255) / 256 * 256;
    const parscan_status status = parscan_cuda_scratch(context, aligned, pointer);
    if (status == PARSCAN_OK)
        context->cuda->held = aligned;
    return status;
}

void parscan_cuda_let(parscan_context *context)
{
    context->cuda->held = 0;
}

/* The control words come first: those of the chain (chain_of() in launch_chain.cuh), and as the
   last one, in another sector, what blocks share at a grid barrier. All words are 0, except the epoch
   of the first launch, which is 1: so new status words have no epoch. */
#define CONTROL_WORDS ((size_t)8)

static cudaError_t clear_buffer(const parscan_cuda *cuda, parscan_device_buffer *buffer)
{
    const cudaStream_t stream = cuda->stream;
    if (!buffer->fresh || cuda->measures)
        return cudaSuccess;
    cudaError_t error = cudaMemsetAsync(buffer->data, 0, buffer->size, stream);
    if (error == cudaSuccess)
        error = cudaMemsetAsync((char *)buffer->data + 4, 1, 1, stream);
    buffer->fresh = error != cudaSuccess;
    return error;
}

parscan_status parscan_cuda_chain_memory(parscan_context *context, size_t words,
                                         parscan_chain_memory *chain)
{
    parscan_device_buffer *const buffer = &context->cuda->chain;
    const parscan_status status =
        grow_buffer(context, buffer, (CONTROL_WORDS + words) * sizeof *chain->status);
    const cudaError_t error = clear_buffer(context->cuda, buffer);
    if (status != PARSCAN_OK)
        return status;
    buffer->in_use = true;
    chain->control = buffer->data;
    chain->meeting = (parscan_meeting *)((uint64_t *)buffer->data + CONTROL_WORDS - 1);
    chain->status = (uint64_t *)buffer->data + CONTROL_WORDS;
    chain->words = buffer->size / sizeof *chain->status - CONTROL_WORDS;
    return parscan_cuda_check(context, error, "clearing status words");
}

/* The words of arrays of at most 1 GiB, with room: a tile has at least 4 KiB, and at most six words
   (of a recurrence in f64). */
#define RESERVED_CHAIN_BYTES ((size_t)16 << 20)

static parscan_status reserve(parscan_context *context, size_t bytes)
{
    parscan_chain_memory chain;
    void *scratch;
    const size_t control = CONTROL_WORDS * sizeof *chain.status;
    parscan_status status = parscan_cuda_refuse_in_capture(context, "parscan_context_reserve()");
    if (status == PARSCAN_OK)
        status = parscan_cuda_scratch(context, bytes, &scratch);
    if (status != PARSCAN_OK)
        return status;
    size_t of_chain = bytes < RESERVED_CHAIN_BYTES ? bytes : RESERVED_CHAIN_BYTES;
    if (context->scratch_limit != 0) {
        const size_t held = parscan_cuda_held_scratch(context);
        const size_t left = held < context->scratch_limit ? context->scratch_limit - held : 0;
        of_chain = of_chain < left ? of_chain : left;
    }
    return of_chain > control
               ? parscan_cuda_chain_memory(context, of_chain / sizeof *chain.status - CONTROL_WORDS,
                                           &chain)
               : PARSCAN_OK;
}

parscan_status parscan_cuda_reserve(parscan_context *context, size_t bytes)
{
    parscan_status status = parscan_cuda_begin(context, "parscan_context_reserve");
    if (status == PARSCAN_OK)
        status = reserve(context, bytes);
    return parscan_cuda_end(context, status);
}
