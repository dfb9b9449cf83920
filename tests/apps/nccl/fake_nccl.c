/* NCCL (fake_nccl.h): messages go through boxes, part by part, when the stream before them is done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/apps/nccl/fake_cuda.h"

/* A call within a group. */
typedef struct operation {
    const struct ncclComm *comm;
    cudaStream_t stream;
    const char *from; /* NULL: it receives */
    char *to;
    size_t size, done;
    int peer;
} operation;

enum { MOST_OPERATIONS = 2 * FAKE_RANKS };

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
    (void)type;
    group[group_size++] =
        (operation){.comm = comm, .stream = stream, .from = from, .size = size, .peer = peer};
    return ncclInProgress;
}

ncclResult_t ncclRecv(void *to, size_t size, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    (void)type;
    group[group_size++] =
        (operation){.comm = comm, .stream = stream, .to = to, .size = size, .peer = peer};
    return ncclSuccess;
}

/* Puts the next part of a message in its box, if the one before has been taken out. */
static bool show(operation *call)
{
    fake_box *const box = &fake->boxes[call->comm->number][call->comm->rank][call->peer];
    const size_t left = call->size - call->done, part = left < FAKE_BOX ? left : FAKE_BOX;
    if (box->left > 0)
        return false;
    memcpy(box->data, call->from + call->done, part);
    box->size = call->size;
    box->left = left;
    call->done += part;
    return true;
}

static bool take(operation *call)
{
    fake_box *const box = &fake->boxes[call->comm->number][call->peer][call->comm->rank];
    const size_t left = call->size - call->done, part = left < FAKE_BOX ? left : FAKE_BOX;
    if (box->left == 0)
        return false;
    if (box->size != call->size || box->left != left) {
        fprintf(stderr, "rank %d sends %zu bytes to rank %d, which expects %zu\n", call->peer,
                box->size, call->comm->rank, call->size);
        abort();
    }
    memcpy(call->to + call->done, box->data, part);
    box->left = 0;
    call->done += part;
    return true;
}

ncclResult_t ncclGroupEnd(void)
{
    for (int i = 0; i < group_size; i++)
        fake_drain(group[i].stream);
    pthread_mutex_lock(&fake->lock);
    for (;;) {
        bool moved = false, done = true;
        for (int i = 0; i < group_size; i++) {
            if (group[i].done < group[i].size)
                moved |= group[i].from != NULL ? show(&group[i]) : take(&group[i]);
            done &= group[i].done == group[i].size;
        }
        if (moved)
            pthread_cond_broadcast(&fake->changed);
        if (done)
            break;
        if (!moved)
            pthread_cond_wait(&fake->changed, &fake->lock);
    }
    pthread_mutex_unlock(&fake->lock);
    return ncclInProgress;
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t size, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    ncclGroupStart();
    fake_drain(stream);
    memcpy((char *)to + (size_t)comm->rank * size, from, size);
    for (int r = 0; r < comm->size; r++) {
        if (r == comm->rank)
            continue;
        ncclSend(from, size, type, r, comm, stream);
        ncclRecv((char *)to + (size_t)r * size, size, type, r, comm, stream);
    }
    return ncclGroupEnd();
}
