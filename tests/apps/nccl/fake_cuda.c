#define _GNU_SOURCE
#include "tests/apps/nccl/fake_cuda.h"

#include <cuda.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_STREAMS = 256, MOST_OPERATIONS = 512 };

static const size_t device_bytes = (size_t)1 << 30, page = 4096;

fake_world *fake;
static char *own_memory, *opened_memory;

void fake_stop(const char *words)
{
    fprintf(stderr, "the fake of CUDA: %s\n", words);
    abort();
}

static void lock(void)
{
    pthread_mutex_lock(&fake->lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&fake->lock);
}

static void *map(int file, size_t size)
{
    void *const memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE,
             file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED)
        fake_stop("no memory");
    return memory;
}

void fake_start(void)
{
    pthread_mutexattr_t shared;
    pthread_condattr_t shared_too;
    const int file = memfd_create("device", 0);
    if (file < 0 || ftruncate(file, (off_t)device_bytes) != 0)
        fake_stop("no file");
    fake = map(-1, sizeof *fake);
    own_memory = map(file, device_bytes);
    opened_memory = map(file, device_bytes);
    close(file);
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&fake->lock, &shared);
    pthread_condattr_init(&shared_too);
    pthread_condattr_setpshared(&shared_too, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&fake->changed, &shared_too);
}

/* ---- refusals ---- */

static struct {
    const char *function;
    int left, done;
    bool always;
} refusal;

void fake_refuse(const char *function, int nth, bool always)
{
    refusal.function = function;
    refusal.left = nth;
    refusal.always = always;
    refusal.done = 0;
}

bool fake_refused(const char *function)
{
    if (refusal.function == NULL || strcmp(function, refusal.function) != 0)
        return false;
    refusal.left--;
    if (refusal.left > 0 || (refusal.left < 0 && !refusal.always))
        return false;
    refusal.done++;
    return true;
}

int fake_refusals(void)
{
    return refusal.done;
}

static _Thread_local cudaError_t last_error;

static cudaError_t refuse(cudaError_t error)
{
    return last_error = error;
}

#define REFUSE_OR_GO_ON(function)            \
    do {                                     \
        if (fake_refused(function))          \
            return refuse(cudaErrorUnknown); \
    } while (0)

/* ---- devices ---- */

static _Thread_local int current_device;
int fake_peers;

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

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

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other)
{
    (void)device, (void)other;
    *can = fake_peers;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags)
{
    (void)other, (void)flags;
    REFUSE_OR_GO_ON("cudaDeviceEnablePeerAccess");
    return last_error = cudaErrorPeerAccessAlreadyEnabled;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "an error of the fake";
}

/* ---- streams ---- */

/* What a stream is to do. */
typedef struct operation {
    enum { COPY, RECORD, WAIT } what;
    char *to;
    const char *from;
    size_t size, event, value;
} operation;

struct CUstream_st {
    operation queue[MOST_OPERATIONS];
    size_t begun, ended;
};

struct CUevent_st {
    size_t event; /* of fake->events */
    unsigned serial;
    bool opened;
};

static cudaStream_t streams[MOST_STREAMS];
static unsigned chance = 1;
static bool stopped;

void fake_stop_streams(void)
{
    stopped = true;
}

/* Whether the next operation of a stream could be done. */
static bool run_one(cudaStream_t stream)
{
    if (stream->ended == stream->begun || stopped)
        return false;
    const operation *const next = &stream->queue[stream->ended % MOST_OPERATIONS];
    fake_event *const event = &fake->events[next->event];
    if (next->what == WAIT && event->completed < next->value)
        return false;
    if (next->what == COPY)
        memcpy(next->to, next->from, next->size);
    if (next->what == RECORD && event->completed < next->value)
        event->completed = next->value;
    stream->ended++;
    return true;
}

/* Goes on a little with all streams of this process. */
static void go_on(void)
{
    for (int k = 0; k < MOST_STREAMS; k++) {
        chance = chance * 1103515245U + 12345U;
        for (unsigned i = 0; streams[k] != NULL && i < (chance >> 16) % 4; i++)
            run_one(streams[k]);
    }
}

static void add(cudaStream_t stream, operation next)
{
    if (stream->begun - stream->ended == MOST_OPERATIONS)
        fake_stop("too much on a stream");
    stream->queue[stream->begun++ % MOST_OPERATIONS] = next;
}

/* What is on no stream is done at once. */
static void put(cudaStream_t stream, operation next)
{
    struct CUstream_st alone = {.begun = 0};
    add(stream != NULL ? stream : &alone, next);
    if (stream == NULL && !stopped && !run_one(&alone))
        fake_stop("the stream of none waits");
    go_on();
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)flags, (void)priority;
    *stream = calloc(1, sizeof **stream);
    lock();
    int k = 0;
    while (k < MOST_STREAMS && streams[k] != NULL)
        k++;
    if (k == MOST_STREAMS || *stream == NULL)
        fake_stop("too many streams");
    streams[k] = *stream;
    unlock();
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    lock();
    for (int k = 0; k < MOST_STREAMS; k++)
        if (streams[k] == stream)
            streams[k] = NULL;
    unlock();
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    if (stream == NULL)
        return cudaSuccess;
    lock();
    go_on();
    const bool done = stream->begun == stream->ended;
    unlock();
    return done ? cudaSuccess : refuse(cudaErrorNotReady);
}

void fake_drain(cudaStream_t stream)
{
    while (cudaStreamQuery(stream) != cudaSuccess)
        sched_yield();
    last_error = cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    REFUSE_OR_GO_ON("cudaStreamSynchronize");
    fake_drain(stream);
    return cudaSuccess;
}

/* ---- events ---- */

static fake_event *event_of(cudaEvent_t event)
{
    fake_event *const of = &fake->events[event->event];
    if (!of->there || of->serial != event->serial)
        fake_stop("an event that is not there any more");
    return of;
}

static cudaEvent_t event_new(size_t k, bool opened)
{
    const cudaEvent_t event = malloc(sizeof *event);
    if (event == NULL)
        fake_stop("no memory");
    *event = (struct CUevent_st){k, fake->events[k].serial, opened};
    return event;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    size_t k = 0;
    REFUSE_OR_GO_ON("cudaEventCreateWithFlags");
    lock();
    while (k < FAKE_EVENTS && fake->events[k].there)
        k++;
    if (k == FAKE_EVENTS)
        fake_stop("too many events");
    fake->events[k] = (fake_event){.there = true,
                                   .shared = (flags & cudaEventInterprocess) != 0,
                                   .serial = ++fake->serials,
                                   .owner = (int)getpid()};
    *event = event_new(k, false);
    unlock();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    lock();
    fake_event *const of = event_of(event);
    if (event->opened)
        of->opens--;
    else if (of->opens > 0)
        fake_stop("an event is destroyed that another process has open");
    else
        of->there = false;
    unlock();
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    REFUSE_OR_GO_ON("cudaEventRecord");
    lock();
    fake_event *const of = event_of(event);
    of->recorded++;
    put(stream, (operation){.what = RECORD, .event = event->event, .value = of->recorded});
    unlock();
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    lock();
    put(stream,
        (operation){.what = WAIT, .event = event->event, .value = event_of(event)->recorded});
    unlock();
    return cudaSuccess;
}

/* CUDA keeps the answer that it is not ready as the last error. No event: ready at every second question. */
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    static _Thread_local int queries;
    bool done = ++queries % 2 == 0;
    if (event != NULL) {
        lock();
        go_on();
        const fake_event *const of = event_of(event);
        done = of->completed >= of->recorded;
        unlock();
    }
    return done ? cudaSuccess : refuse(cudaErrorNotReady);
}

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
           (uintptr_t)memory < (uintptr_t)region + device_bytes;
}

static size_t offset_in(const void *memory, const char *region)
{
    return (size_t)((uintptr_t)memory - (uintptr_t)region);
}

/* What this process has opened. */
static int opened_here[FAKE_ALLOCATIONS];

static void check(const void *memory, size_t size)
{
    const bool own = lies_in(memory, own_memory), opened = lies_in(memory, opened_memory);
    if (size == 0 || (!own && !opened))
        return;
    const size_t at = offset_in(memory, own ? own_memory : opened_memory);
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
    REFUSE_OR_GO_ON("cudaMemcpyAsync");
    lock();
    check(to, size);
    check(from, size);
    put(stream, (operation){.what = COPY, .to = to, .from = from, .size = size});
    unlock();
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
        at = (a->at + a->size + page - 1) / page * page;
        k = -1;
    }
    return at;
}

cudaError_t cudaMalloc(void **memory, size_t size)
{
    REFUSE_OR_GO_ON("cudaMalloc");
    lock();
    const size_t at = find_place(size);
    int k = 0;
    while (k < FAKE_ALLOCATIONS && fake->allocations[k].size > 0)
        k++;
    if (k == FAKE_ALLOCATIONS || at + size > device_bytes)
        fake_stop("the device is full");
    fake->allocations[k] = (fake_allocation){
        .at = at, .size = size, .serial = ++fake->serials, .owner = (int)getpid()};
    unlock();
    *memory = own_memory + at;
    return cudaSuccess;
}

/* Whether a stream of this process is yet to use it. */
static bool is_awaited(const char *memory, size_t size)
{
    for (int k = 0; k < MOST_STREAMS; k++)
        for (size_t i = streams[k] != NULL ? streams[k]->ended : 0;
             streams[k] != NULL && i < streams[k]->begun; i++) {
            const operation *const next = &streams[k]->queue[i % MOST_OPERATIONS];
            if (next->what == COPY && ((next->to >= memory && next->to < memory + size) ||
                                       (next->from >= memory && next->from < memory + size)))
                return true;
        }
    return false;
}

cudaError_t cudaFree(void *memory)
{
    if (memory == NULL)
        return cudaSuccess;
    lock();
    fake_allocation *const a = allocation_at(offset_in(memory, own_memory));
    if (a == NULL || a->at != offset_in(memory, own_memory) || a->owner != (int)getpid())
        fake_stop("memory is freed that is not there");
    if (a->opens > 0)
        fake_stop("memory is freed that another process has open");
    if (is_awaited(memory, a->size))
        fake_stop("memory is freed that a stream will use");
    memset(memory, 0xdd, a->size < page ? a->size : page);
    a->size = 0;
    unlock();
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
    const int shared = memory / page % 2 == 0;
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

typedef struct handle {
    size_t number;
    unsigned serial;
} handle;

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *to, cudaEvent_t event)
{
    REFUSE_OR_GO_ON("cudaIpcGetEventHandle");
    if (!event_of(event)->shared)
        return refuse(cudaErrorInvalidResourceHandle);
    const handle made = {event->event, event->serial};
    memcpy(to, &made, sizeof made);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t from)
{
    handle made;
    REFUSE_OR_GO_ON("cudaIpcOpenEventHandle");
    memcpy(&made, &from, sizeof made);
    lock();
    fake_event *const of = &fake->events[made.number];
    if (!of->there || of->serial != made.serial || of->owner == (int)getpid())
        fake_stop("the handle of an event that cannot be opened");
    of->opens++;
    *event = event_new(made.number, true);
    unlock();
    return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *to, void *memory)
{
    REFUSE_OR_GO_ON("cudaIpcGetMemHandle");
    lock();
    const fake_allocation *const a = allocation_at(offset_in(memory, own_memory));
    if (a == NULL || a->owner != (int)getpid())
        fake_stop("a handle of other memory");
    const handle made = {(size_t)(a - fake->allocations), a->serial};
    memcpy(to, &made, sizeof made);
    unlock();
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t from, unsigned flags)
{
    handle made;
    REFUSE_OR_GO_ON("cudaIpcOpenMemHandle");
    memcpy(&made, &from, sizeof made);
    if (flags != cudaIpcMemLazyEnablePeerAccess)
        return refuse(cudaErrorInvalidValue);
    lock();
    fake_allocation *const a = &fake->allocations[made.number];
    if (a->size == 0 || a->serial != made.serial || a->owner == (int)getpid())
        fake_stop("the handle of memory that cannot be opened");
    a->opens++;
    opened_here[made.number]++;
    *memory = opened_memory + a->at;
    unlock();
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *memory)
{
    lock();
    fake_allocation *const a = allocation_at(offset_in(memory, opened_memory));
    if (a == NULL || opened_here[a - fake->allocations] == 0)
        fake_stop("memory is closed that is not open");
    if (is_awaited(memory, a->size))
        fake_stop("memory is closed that a stream will use");
    a->opens--;
    opened_here[a - fake->allocations]--;
    unlock();
    return cudaSuccess;
}

int fake_remaining(void)
{
    int there = 0;
    lock();
    for (int k = 0; k < FAKE_ALLOCATIONS; k++)
        there += fake->allocations[k].size > 0;
    for (int k = 0; k < FAKE_EVENTS; k++)
        there += fake->events[k].there;
    unlock();
    return there;
}

void fake_forget(void)
{
    lock();
    memset(fake->allocations, 0, sizeof fake->allocations);
    memset(fake->events, 0, sizeof fake->events);
    unlock();
}
