/* The memory of the device (fake_nccl.h). */
#define _POSIX_C_SOURCE 200809L
#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/apps/nccl/fake_cuda.h"

/* ---- memory ---- */

static fake_allocation *allocation_at(size_t at)
{
    for (int k = 0; k < FAKE_ALLOCATIONS; k++) {
        fake_allocation *const a = &fake->allocations[k];
        if (a->size > 0 && at >= a->at && at < a->at + a->size)
            return a;
    }
    return NULL;
}

static bool lies_in(const void *memory, const char *region)
{
    return (uintptr_t)memory >= (uintptr_t)region &&
           (uintptr_t)memory < (uintptr_t)region + FAKE_DEVICE;
}

static size_t offset_in(const void *memory, const char *region)
{
    return (size_t)((uintptr_t)memory - (uintptr_t)region);
}

/* What this process has opened. */
static int opened_here[FAKE_ALLOCATIONS];

static void check(const void *memory, size_t size)
{
    const bool own = lies_in(memory, fake_own), opened = lies_in(memory, fake_opened);
    if (size == 0 || (!own && !opened))
        return;
    const size_t at = offset_in(memory, own ? fake_own : fake_opened);
    const fake_allocation *const a = allocation_at(at);
    if (a == NULL || at + size > a->at + a->size)
        fake_stop("memory is used that is not there");
    if (own && a->owner != (int)getpid())
        fake_stop("memory of another process is used by its address there");
    if (opened && opened_here[a - fake->allocations] == 0)
        fake_stop("memory is used that is not open");
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind;
    FAKE_REFUSE_OR_GO_ON("cudaMemcpyAsync");
    fake_lock();
    check(to, size);
    check(from, size);
    fake_put(stream, (fake_operation){.what = FAKE_COPY, .to = to, .from = from, .size = size});
    fake_unlock();
    return cudaSuccess;
}

/* The lowest place for so many bytes. */
static size_t find_place(size_t size)
{
    size_t at = 0;
    for (int k = 0; k < FAKE_ALLOCATIONS; k++) {
        const fake_allocation *const a = &fake->allocations[k];
        if (a->size == 0 || at + size <= a->at || at >= a->at + a->size)
            continue;
        at = (a->at + a->size + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE;
        k = -1;
    }
    return at;
}

cudaError_t cudaMalloc(void **memory, size_t size)
{
    FAKE_REFUSE_OR_GO_ON("cudaMalloc");
    fake_lock();
    const size_t at = find_place(size);
    int k = 0;
    while (k < FAKE_ALLOCATIONS && fake->allocations[k].size > 0)
        k++;
    if (k == FAKE_ALLOCATIONS || at + size > FAKE_DEVICE)
        fake_stop("the device is full");
    fake->allocations[k] = (fake_allocation){
        .at = at, .size = size, .serial = ++fake->serials, .owner = (int)getpid()};
    fake_unlock();
    *memory = fake_own + at;
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    if (memory == NULL)
        return cudaSuccess;
    fake_lock();
    fake_allocation *const a = allocation_at(offset_in(memory, fake_own));
    if (a == NULL || a->at != offset_in(memory, fake_own) || a->owner != (int)getpid())
        fake_stop("memory is freed that is not there");
    if (a->opens > 0)
        fake_stop("memory is freed that another process has open");
    if (fake_is_awaited(memory, a->size))
        fake_stop("memory is freed that a stream will use");
    memset(memory, 0xdd, a->size < FAKE_PAGE ? a->size : FAKE_PAGE);
    a->size = 0;
    fake_unlock();
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **memory, size_t size)
{
    *memory = malloc(size);
    return *memory != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeHost(void *memory)
{
    free(memory);
    return cudaSuccess;
}

/* Memory at every second page is that of a pool. */
static CUresult get_attribute(void *answer, CUpointer_attribute what, CUdeviceptr memory)
{
    const int shared = memory / FAKE_PAGE % 2 == 0;
    if (what != CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(answer, &shared, sizeof shared);
    return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    CUresult (*const found)(void *, CUpointer_attribute, CUdeviceptr) = get_attribute;
    (void)name, (void)version, (void)flags;
    memcpy(function, &found, sizeof found);
    *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

/* ---- between processes ---- */

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *to, void *memory)
{
    FAKE_REFUSE_OR_GO_ON("cudaIpcGetMemHandle");
    fake_lock();
    const fake_allocation *const a = allocation_at(offset_in(memory, fake_own));
    if (a == NULL || a->owner != (int)getpid())
        fake_stop("a handle of other memory");
    const fake_handle made = {(size_t)(a - fake->allocations), a->serial};
    memcpy(to, &made, sizeof made);
    fake_unlock();
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t from, unsigned flags)
{
    fake_handle made;
    FAKE_REFUSE_OR_GO_ON("cudaIpcOpenMemHandle");
    memcpy(&made, &from, sizeof made);
    if (flags != cudaIpcMemLazyEnablePeerAccess)
        return fake_error(cudaErrorInvalidValue);
    fake_lock();
    fake_allocation *const a = &fake->allocations[made.number];
    if (a->size == 0 || a->serial != made.serial || a->owner == (int)getpid())
        fake_stop("the handle of memory that cannot be opened");
    a->opens++;
    opened_here[made.number]++;
    *memory = fake_opened + a->at;
    fake_unlock();
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *memory)
{
    fake_lock();
    fake_allocation *const a = allocation_at(offset_in(memory, fake_opened));
    if (a == NULL || opened_here[a - fake->allocations] == 0)
        fake_stop("memory is closed that is not open");
    if (fake_is_awaited(memory, a->size))
        fake_stop("memory is closed that a stream will use");
    a->opens--;
    opened_here[a - fake->allocations]--;
    fake_unlock();
    return cudaSuccess;
}

int fake_remaining(void)
{
    int there = 0;
    fake_lock();
    for (int k = 0; k < FAKE_ALLOCATIONS; k++)
        there += fake->allocations[k].size > 0;
    for (int k = 0; k < FAKE_EVENTS; k++)
        there += fake->events[k].there;
    fake_unlock();
    return there;
}

void fake_forget(void)
{
    fake_lock();
    memset(fake->allocations, 0, sizeof fake->allocations);
    memset(fake->events, 0, sizeof fake->events);
    fake_unlock();
}
