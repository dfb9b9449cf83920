#include "scan/cuda/cuda_memory.h"

#include <string.h>

#include "scan/context/check.h"

PARSCAN_STRUCT_CAN_GROW(parscan_device_allocator, user, PARSCAN_OLDEST_DEVICE_ALLOCATOR);

/* That device_allocator must keep: vectors of kernels, and lines of the L2 cache. */
#define ALIGNMENT 256u

parscan_status parscan_cuda_choose_memory(parscan_context *context,
                                          const parscan_device_allocator *given)
{
    parscan_cuda *const cuda = context->cuda;
    const parscan_status status =
        parscan_read_struct(context, "device_allocator", given, PARSCAN_OLDEST_DEVICE_ALLOCATOR,
                            &cuda->allocator, sizeof cuda->allocator);
    if (status != PARSCAN_OK)
        return status;
    if (given != NULL && (cuda->allocator.allocate == NULL || cuda->allocator.release == NULL))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "device_allocator: %s is NULL",
                            cuda->allocator.allocate == NULL ? "allocate" : "release");
    int pools = 0;
    const cudaError_t error =
        cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, cuda->device);
    cuda->has_pools = pools != 0 && given == NULL;
    return parscan_cuda_check(context, error, "the device's pools");
}

void parscan_cuda_settle(const parscan_cuda *cuda)
{
    if (cuda->has_pools && cudaStreamSynchronize(cuda->stream) != cudaSuccess)
        cudaGetLastError(); /* the next call finds what is wrong */
}

/* Gives what the pool keeps, and what is still being released to it, back to the device. */
static void trim_pool(const parscan_cuda *cuda)
{
    cudaMemPool_t pool;
    parscan_cuda_settle(cuda);
    if (cudaDeviceGetMemPool(&pool, cuda->device) != cudaSuccess ||
        cudaMemPoolTrimTo(pool, 0) != cudaSuccess)
        cudaGetLastError();
}

static cudaError_t allocate_by_caller(const parscan_cuda *cuda, void **pointer, size_t size)
{
    const parscan_device_allocator *const by = &cuda->allocator;
    void *const memory = by->allocate(size, cuda->stream, by->user);
    if (memory == NULL)
        return cudaErrorMemoryAllocation;
    if ((uintptr_t)memory % ALIGNMENT != 0) {
        by->release(memory, size, cuda->stream, by->user);
        return cudaErrorMisalignedAddress;
    }
    *pointer = memory;
    return cudaSuccess;
}

static cudaError_t allocate_once(const parscan_cuda *cuda, void **pointer, size_t size,
                                 bool from_pool)
{
    const cudaError_t error =
        from_pool ? cudaMallocAsync(pointer, size, cuda->stream) : cudaMalloc(pointer, size);
    if (error != cudaSuccess)
        *pointer = NULL;
    return error;
}

/* What the pool keeps is in the way of a larger piece: it is given back before the second try. */
static cudaError_t allocate_twice(const parscan_cuda *cuda, void **pointer, size_t size,
                                  bool from_pool)
{
    const cudaError_t error = allocate_once(cuda, pointer, size, from_pool);
    if (error != cudaErrorMemoryAllocation || !cuda->has_pools)
        return error;
    cudaGetLastError(); /* so that no later call finds this error */
    trim_pool(cuda);
    return allocate_once(cuda, pointer, size, from_pool);
}

cudaError_t parscan_cuda_allocate(parscan_cuda *cuda, void **pointer, size_t size)
{
    *pointer = NULL;
    if (cuda->measures) {
        *pointer = parscan_next_address(&cuda->next_address, size);
        return cudaSuccess;
    }
    if (cuda->allocator.allocate != NULL)
        return allocate_by_caller(cuda, pointer, size);
    return allocate_twice(cuda, pointer, size, cuda->has_pools);
}

void parscan_cuda_release(parscan_cuda *cuda, void *pointer, size_t size)
{
    if (pointer == NULL || cuda->measures)
        return;
    /* An allocator may know memory by the stream that it gave it for. */
    if (cuda->allocator.allocate != NULL && cuda->has_moved &&
        cudaStreamSynchronize(cuda->stream) != cudaSuccess)
        cudaGetLastError(); /* the next call finds what is wrong */
    if (cuda->allocator.allocate != NULL)
        cuda->allocator.release(pointer, size, cuda->stream, cuda->allocator.user);
    else if (cuda->has_pools)
        cudaFreeAsync(pointer, cuda->stream);
    else
        cudaFree(pointer); /* waits for what uses it */
}

/* What the pool has from the device and does not use. */
static size_t unused_of_pool(const parscan_cuda *cuda)
{
    cudaMemPool_t pool;
    uint64_t reserved = 0, used = 0;
    if (!cuda->has_pools)
        return 0;
    cudaError_t error = cudaDeviceGetMemPool(&pool, cuda->device);
    if (error == cudaSuccess)
        error = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    if (error == cudaSuccess)
        error = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaSuccess && used < reserved ? (size_t)(reserved - used) : 0;
}

size_t parscan_cuda_available(const parscan_cuda *cuda)
{
    size_t available, all;
    if (cuda->measures || cuda->allocator.allocate != NULL)
        return SIZE_MAX;
    if (cudaMemGetInfo(&available, &all) == cudaSuccess)
        return available + unused_of_pool(cuda);
    cudaGetLastError();
    return SIZE_MAX; /* the allocation will tell */
}

/* ---- parscan_malloc() ---- */

/* Makes room in the list of what has been given out. */
static parscan_status make_room_to_remember(parscan_context *context)
{
    parscan_cuda *const cuda = context->cuda;
    if (cuda->given_count < cuda->given_room)
        return PARSCAN_OK;
    const size_t room = cuda->given_room > 0 ? 2 * cuda->given_room : 16;
    parscan_memory *const list =
        parscan_host_allocate(&context->allocator, room * sizeof *cuda->given);
    if (list == NULL)
        return parscan_fail(context, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes",
                            room * sizeof *cuda->given);
    if (cuda->given_count > 0)
        memcpy(list, cuda->given, cuda->given_count * sizeof *list);
    parscan_host_release(&context->allocator, cuda->given);
    cuda->given = list;
    cuda->given_room = room;
    return PARSCAN_OK;
}

void parscan_cuda_forget(parscan_context *context)
{
    parscan_host_release(&context->allocator, context->cuda->given);
    context->cuda->given = NULL;
    context->cuda->given_count = context->cuda->given_room = 0;
}

static parscan_status malloc_of_caller(parscan_context *context, void **pointer, size_t size)
{
    parscan_cuda *const cuda = context->cuda;
    const parscan_status status = context->measures ? PARSCAN_OK : make_room_to_remember(context);
    if (status != PARSCAN_OK)
        return status;
    const cudaError_t error = parscan_cuda_allocate(cuda, pointer, size);
    if (error == cudaSuccess && !context->measures)
        cuda->given[cuda->given_count++] = (parscan_memory){*pointer, size};
    return parscan_cuda_check_size(context, error, size);
}

static parscan_status malloc_shared(parscan_context *context, void **pointer, size_t size)
{
    return parscan_cuda_check_size(context, allocate_twice(context->cuda, pointer, size, false),
                                   size);
}

/* The caller's memory may be used on any stream, and be known to other libraries: it is of no pool,
   unless the caller has given one. */
static parscan_status malloc_begun(parscan_context *context, void **pointer, size_t size,
                                   bool shared)
{
    parscan_status status = parscan_cuda_begin(context, "parscan_malloc");
    if (status == PARSCAN_OK)
        status = parscan_cuda_refuse_in_capture(context, "parscan_malloc()");
    if (status == PARSCAN_OK)
        status = shared || (context->cuda->allocator.allocate == NULL && !context->measures)
                     ? malloc_shared(context, pointer, size)
                     : malloc_of_caller(context, pointer, size);
    return parscan_cuda_end(context, status);
}

parscan_status parscan_cuda_malloc(parscan_context *context, void **pointer, size_t size)
{
    return malloc_begun(context, pointer, size, false);
}

parscan_status parscan_cuda_malloc_shared(parscan_context *context, void **pointer, size_t size)
{
    return malloc_begun(context, pointer, size, true);
}

/* Memory that the allocator has not given is cudaMalloc()'s. */
static cudaError_t free_given(parscan_cuda *cuda, void *pointer)
{
    for (size_t k = cuda->given_count; k-- > 0;) {
        if (cuda->given[k].data != pointer)
            continue;
        parscan_cuda_release(cuda, pointer, cuda->given[k].size);
        cuda->given[k] = cuda->given[--cuda->given_count];
        return cudaSuccess;
    }
    return cudaFree(pointer);
}

parscan_status parscan_cuda_free(parscan_context *context, void *pointer)
{
    parscan_status status = parscan_cuda_begin(context, "parscan_free");
    if (status == PARSCAN_OK)
        status = parscan_cuda_refuse_in_capture(context, "parscan_free()");
    if (status == PARSCAN_OK && pointer != NULL && !context->measures)
        status = parscan_cuda_check(context, free_given(context->cuda, pointer), "freeing");
    return parscan_cuda_end(context, status);
}
