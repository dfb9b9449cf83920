#include "tests/apps/nccl/fake_nccl.h"

#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- CUDA ---- */

static _Thread_local cudaError_t last_error;
static _Thread_local int queries;

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

static _Thread_local int current_device;

cudaError_t cudaGetDevice(int *device)
{
    *device = current_device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (device < 0 || device >= FAKE_RANKS)
        return cudaErrorInvalidDevice;
    current_device = device;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = *greatest = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)flags, (void)priority;
    *stream = malloc(1);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return cudaStreamQuery(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)event, (void)flags;
    return cudaStreamQuery(stream);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = malloc(1);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event;
    return cudaStreamQuery(stream);
}

/* Not ready now and then. CUDA keeps this answer as the last error. */
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    (void)event;
    if (++queries % 2 == 0)
        return cudaSuccess;
    return last_error = cudaErrorNotReady;
}

/* How the ranks exchange: fake_peers. */
int fake_peers;

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other)
{
    (void)device, (void)other;
    *can = fake_peers;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
    (void)other, (void)flags;
    return last_error = cudaErrorPeerAccessAlreadyEnabled;
}

/* Memory at every second page is that of a pool. */
static CUresult get_attribute(void *answer, CUpointer_attribute what, CUdeviceptr memory)
{
    const int shared = memory / 4096 % 2 == 0;
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

cudaError_t cudaMalloc(void **memory, size_t size)
{
    *memory = malloc(size);
    return *memory != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *memory)
{
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **memory, size_t size)
{
    return cudaMalloc(memory, size);
}

cudaError_t cudaFreeHost(void *memory)
{
    return cudaFree(memory);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind;
    memcpy(to, from, size);
    return cudaStreamQuery(stream);
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "an error of the fake";
}

/* ---- NCCL ---- */

/* A message that its sender shows to a receiver. */
typedef struct message {
    const void *from;
    size_t size;
    int taken;
    struct message *next;
} message;

/* A call within a group. */
typedef struct operation {
    const struct ncclComm *comm;
    const void *from; /* NULL: it receives */
    void *to;
    size_t size;
    int peer;
} operation;

enum { MOST_OPERATIONS = 2 * FAKE_RANKS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static message *shown[FAKE_RANKS][FAKE_RANKS]; /* from, to */
static _Thread_local operation group[MOST_OPERATIONS];
static _Thread_local int group_size, questions;

const char *ncclGetErrorString(ncclResult_t result)
{
    return result == ncclSuccess ? "no error" : "an error of the fake";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return "";
}

/* In progress now and then, as with a communicator that does not block. */
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *result)
{
    (void)comm;
    *result = ++questions % 3 != 0 ? ncclInProgress : ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void)
{
    group_size = 0;
    return ncclSuccess;
}

ncclResult_t ncclSend(const void *from, size_t size, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    (void)type, (void)stream;
    group[group_size++] = (operation){.comm = comm, .from = from, .size = size, .peer = peer};
    return ncclInProgress;
}

ncclResult_t ncclRecv(void *to, size_t size, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    (void)type, (void)stream;
    group[group_size++] = (operation){.comm = comm, .to = to, .size = size, .peer = peer};
    return ncclSuccess;
}

static void show(message *sent, const operation *call)
{
    message **link = &shown[call->comm->rank][call->peer];
    *sent = (message){.from = call->from, .size = call->size};
    while (*link != NULL)
        link = &(*link)->next;
    *link = sent;
}

static void take(const operation *call)
{
    message **const link = &shown[call->peer][call->comm->rank];
    while (*link == NULL)
        pthread_cond_wait(&changed, &lock);
    message *const received = *link;
    if (received->size != call->size || call->size == 0) {
        fprintf(stderr, "rank %d sends %zu bytes to rank %d, which expects %zu\n", call->peer,
                received->size, call->comm->rank, call->size);
        abort();
    }
    memcpy(call->to, received->from, call->size);
    *link = received->next;
    received->taken = 1;
}

ncclResult_t ncclGroupEnd(void)
{
    message sent[MOST_OPERATIONS];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < group_size; i++)
        if (group[i].from != NULL)
            show(&sent[i], &group[i]);
    pthread_cond_broadcast(&changed);
    for (int i = 0; i < group_size; i++)
        if (group[i].from == NULL)
            take(&group[i]);
    pthread_cond_broadcast(&changed);
    for (int i = 0; i < group_size; i++)
        while (group[i].from != NULL && !sent[i].taken)
            pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return ncclInProgress;
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t size, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    ncclGroupStart();
    memcpy((char *)to + (size_t)comm->rank * size, from, size);
    for (int r = 0; r < comm->size; r++) {
        if (r == comm->rank)
            continue;
        ncclSend(from, size, type, r, comm, stream);
        ncclRecv((char *)to + (size_t)r * size, size, type, r, comm, stream);
    }
    return ncclGroupEnd();
}
