/* Streams and events (fake_nccl.h). */
#define _POSIX_C_SOURCE 200809L
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/apps/nccl/fake_cuda.h"

enum { MOST_STREAMS = 256, MOST_OPERATIONS = 512 };

/* ---- streams ---- */

struct CUstream_st {
    fake_operation queue[MOST_OPERATIONS];
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
    const fake_operation *const next = &stream->queue[stream->ended % MOST_OPERATIONS];
    fake_event *const event = &fake->events[next->event];
    if (next->what == FAKE_WAIT && event->completed < next->value)
        return false;
    if (next->what == FAKE_COPY)
        memcpy(next->to, next->from, next->size);
    if (next->what == FAKE_RECORD && event->completed < next->value)
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

static void add(cudaStream_t stream, fake_operation next)
{
    if (stream->begun - stream->ended == MOST_OPERATIONS)
        fake_stop("too much on a stream");
    stream->queue[stream->begun++ % MOST_OPERATIONS] = next;
}

/* What is on no stream is done at once. */
void fake_put(cudaStream_t stream, fake_operation next)
{
    struct CUstream_st alone = {.begun = 0};
    add(stream != NULL ? stream : &alone, next);
    if (stream == NULL && !stopped && !run_one(&alone))
        fake_stop("the stream of none waits");
    go_on();
}

bool fake_is_awaited(const char *memory, size_t size)
{
    for (int k = 0; k < MOST_STREAMS; k++)
        for (size_t i = streams[k] != NULL ? streams[k]->ended : 0;
             streams[k] != NULL && i < streams[k]->begun; i++) {
            const fake_operation *const next = &streams[k]->queue[i % MOST_OPERATIONS];
            if (next->what == FAKE_COPY && ((next->to >= memory && next->to < memory + size) ||
                                            (next->from >= memory && next->from < memory + size)))
                return true;
        }
    return false;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)flags, (void)priority;
    *stream = calloc(1, sizeof **stream);
    fake_lock();
    int k = 0;
    while (k < MOST_STREAMS && streams[k] != NULL)
        k++;
    if (k == MOST_STREAMS || *stream == NULL)
        fake_stop("too many streams");
    streams[k] = *stream;
    fake_unlock();
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    fake_lock();
    for (int k = 0; k < MOST_STREAMS; k++)
        if (streams[k] == stream)
            streams[k] = NULL;
    fake_unlock();
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    if (stream == NULL)
        return cudaSuccess;
    fake_lock();
    go_on();
    const bool done = stream->begun == stream->ended;
    fake_unlock();
    return done ? cudaSuccess : fake_error(cudaErrorNotReady);
}

void fake_drain(cudaStream_t stream)
{
    while (cudaStreamQuery(stream) != cudaSuccess)
        sched_yield();
    cudaGetLastError();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    FAKE_REFUSE_OR_GO_ON("cudaStreamSynchronize");
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
    FAKE_REFUSE_OR_GO_ON("cudaEventCreateWithFlags");
    fake_lock();
    while (k < FAKE_EVENTS && fake->events[k].there)
        k++;
    if (k == FAKE_EVENTS)
        fake_stop("too many events");
    fake->events[k] = (fake_event){.there = true,
                                   .shared = (flags & cudaEventInterprocess) != 0,
                                   .serial = ++fake->serials,
                                   .owner = (int)getpid()};
    *event = event_new(k, false);
    fake_unlock();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    fake_lock();
    fake_event *const of = event_of(event);
    if (event->opened)
        of->opens--;
    else if (of->opens > 0)
        fake_stop("an event is destroyed that another process has open");
    else
        of->there = false;
    fake_unlock();
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    FAKE_REFUSE_OR_GO_ON("cudaEventRecord");
    fake_lock();
    fake_event *const of = event_of(event);
    of->recorded++;
    fake_put(stream,
             (fake_operation){.what = FAKE_RECORD, .event = event->event, .value = of->recorded});
    fake_unlock();
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    fake_lock();
    fake_put(stream, (fake_operation){.what = FAKE_WAIT,
                                      .event = event->event,
                                      .value = event_of(event)->recorded});
    fake_unlock();
    return cudaSuccess;
}

/* CUDA keeps the answer that it is not ready as the last error. No event: ready at every second question. */
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    static _Thread_local int queries;
    bool done = ++queries % 2 == 0;
    if (event != NULL) {
        fake_lock();
        go_on();
        const fake_event *const of = event_of(event);
        done = of->completed >= of->recorded;
        fake_unlock();
    }
    return done ? cudaSuccess : fake_error(cudaErrorNotReady);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *to, cudaEvent_t event)
{
    FAKE_REFUSE_OR_GO_ON("cudaIpcGetEventHandle");
    if (!event_of(event)->shared)
        return fake_error(cudaErrorInvalidResourceHandle);
    const fake_handle made = {event->event, event->serial};
    memcpy(to, &made, sizeof made);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t from)
{
    fake_handle made;
    FAKE_REFUSE_OR_GO_ON("cudaIpcOpenEventHandle");
    memcpy(&made, &from, sizeof made);
    fake_lock();
    fake_event *const of = &fake->events[made.number];
    if (!of->there || of->serial != made.serial || of->owner == (int)getpid())
        fake_stop("the handle of an event that cannot be opened");
    of->opens++;
    *event = event_new(made.number, true);
    fake_unlock();
    return cudaSuccess;
}
