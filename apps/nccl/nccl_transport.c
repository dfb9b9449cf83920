#include "apps/nccl/nccl_peers.h"

#include <stdlib.h>
#include <string.h>

parscan_status parscan_nccl_enter(nccl_transport *transport, int *before)
{
    *before = transport->device;
    parscan_status status =
        parscan_nccl_check_cuda(transport, cudaGetDevice(before), "the current device");
    if (status == PARSCAN_OK && *before != transport->device)
        status = parscan_nccl_check_cuda(transport, cudaSetDevice(transport->device),
                                         "the communicator's device");
    return status;
}

void parscan_nccl_leave(const nccl_transport *transport, int before)
{
    if (before != transport->device)
        cudaSetDevice(before);
}

/* NCCL's kernels get multiprocessors before the context's do. */
static cudaError_t create_stream(cudaStream_t *stream)
{
    int lowest = 0, highest = 0;
    const cudaError_t error = cudaDeviceGetStreamPriorityRange(&lowest, &highest);
    if (error != cudaSuccess)
        return error;
    return cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, highest);
}

parscan_status parscan_nccl_open(nccl_transport *transport)
{
    int before;
    parscan_status status = parscan_nccl_enter(transport, &before);
    if (status != PARSCAN_OK)
        return status;
    cudaError_t error = create_stream(&transport->stream);
    if (error == cudaSuccess)
        error = create_stream(&transport->copy_stream);
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&transport->ready, cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = cudaMallocHost((void **)&transport->pinned, NCCL_PINNED);
    status = parscan_nccl_check_cuda(transport, error, "the stream of a comm");
    parscan_nccl_leave(transport, before);
    return status;
}

static void exchange_free(nccl_exchange *exchange, bool idle)
{
    if (exchange->done != NULL)
        cudaEventDestroy(exchange->done);
    if (idle)
        cudaFree(exchange->buffer);
    free(exchange->copies);
    free(exchange);
}

static void free_list(nccl_exchange *list, bool idle)
{
    while (list != NULL) {
        nccl_exchange *const next = list->next;
        exchange_free(list, idle);
        list = next;
    }
}

void parscan_nccl_release(void *user)
{
    nccl_transport *const transport = user;
    int before;
    const bool entered = parscan_nccl_enter(transport, &before) == PARSCAN_OK;
    parscan_peers_leave(transport);
    /* cudaFree() waits for kernels, and that of a failed exchange may never end. */
    const bool idle =
        transport->stream == NULL || cudaStreamQuery(transport->stream) == cudaSuccess;
    if (!idle)
        cudaGetLastError();
    free_list(transport->begun, idle);
    free_list(transport->spare, idle);
    for (int i = 0; i < transport->outgrown_count && idle; i++)
        cudaFree(transport->outgrown[i]);
    free(transport->outgrown);
    if (idle)
        cudaFreeHost(transport->pinned);
    if (transport->ready != NULL)
        cudaEventDestroy(transport->ready);
    if (transport->copy_stream != NULL)
        cudaStreamDestroy(transport->copy_stream);
    if (transport->stream != NULL)
        cudaStreamDestroy(transport->stream);
    if (entered)
        parscan_nccl_leave(transport, before);
    free(transport);
}

/* A buffer of at least so many bytes. The smaller one before is freed in the end. */
static parscan_status grow_nccl_buffer(nccl_transport *transport, nccl_exchange *exchange,
                                       size_t bytes)
{
    enum { LEAST = 64 * 1024 };
    if (bytes <= exchange->room)
        return PARSCAN_OK;
    const size_t doubled = 2 * exchange->room > LEAST ? 2 * exchange->room : LEAST;
    const size_t size = bytes > doubled ? bytes : doubled;
    void **const outgrown =
        realloc(transport->outgrown, ((size_t)transport->outgrown_count + 1) * sizeof *outgrown);
    if (outgrown == NULL)
        return parscan_nccl_fail(transport, "no memory for an exchange");
    transport->outgrown = outgrown;
    void *buffer;
    const parscan_status status =
        parscan_nccl_check_cuda(transport, cudaMalloc(&buffer, size), "a buffer for host memory");
    if (status != PARSCAN_OK)
        return status;
    if (exchange->buffer != NULL)
        outgrown[transport->outgrown_count++] = exchange->buffer;
    exchange->buffer = buffer;
    exchange->room = size;
    return PARSCAN_OK;
}

static nccl_exchange *exchange_new(const nccl_transport *transport)
{
    nccl_exchange *const exchange = calloc(1, sizeof *exchange);
    if (exchange == NULL)
        return NULL;
    exchange->copies = malloc((size_t)transport->size * sizeof *exchange->copies);
    if (exchange->copies == NULL ||
        cudaEventCreateWithFlags(&exchange->done, cudaEventDisableTiming) != cudaSuccess) {
        exchange_free(exchange, false);
        return NULL;
    }
    return exchange;
}

/* An exchange with so many bytes for what host memory goes through. The comm is broken if it fails, as
   with every error of a transport: other ranks wait in vain. */
static parscan_status exchange_take(nccl_transport *transport, size_t bytes,
                                    nccl_exchange **exchange)
{
    *exchange = transport->spare != NULL ? transport->spare : exchange_new(transport);
    if (*exchange == NULL)
        return parscan_nccl_fail(transport, "no memory for an exchange");
    if (*exchange == transport->spare)
        transport->spare = (*exchange)->next;
    (*exchange)->count = 0;
    (*exchange)->next = transport->begun;
    transport->begun = *exchange;
    if (bytes > 0 && bytes <= NCCL_PINNED && !transport->pinned_in_use) {
        (*exchange)->staged = transport->pinned;
        transport->pinned_in_use = true;
        return PARSCAN_OK;
    }
    const parscan_status status = grow_nccl_buffer(transport, *exchange, bytes);
    (*exchange)->staged = (*exchange)->buffer;
    return status;
}

/* The exchanges that start now come after what the context's stream has. */
static parscan_status follow(nccl_transport *transport, void *stream)
{
    const cudaError_t error = cudaEventRecord(transport->ready, (cudaStream_t)stream);
    return parscan_nccl_check_cuda(
        transport,
        error != cudaSuccess ? error : cudaStreamWaitEvent(transport->stream, transport->ready, 0),
        "the order of streams");
}

/* Copies host memory to where it is staged. The stream of copies waits for no exchange, so this
   ends. */
static parscan_status upload(nccl_transport *transport, const nccl_exchange *exchange, size_t at,
                             const void *from, size_t bytes)
{
    char *const to = exchange->staged + at;
    if (bytes == 0)
        return PARSCAN_OK;
    if (exchange->staged == transport->pinned) {
        memcpy(to, from, bytes);
        return PARSCAN_OK;
    }
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, transport->copy_stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(transport->copy_stream);
    return parscan_nccl_check_cuda(transport, error, "a copy to the device");
}

static void take_back(nccl_exchange *exchange, void *to, size_t from, size_t bytes)
{
    if (bytes > 0)
        exchange->copies[exchange->count++] = (nccl_copy){.to = to, .from = from, .bytes = bytes};
}

/* Notes the end of what was put on the stream. */
static parscan_status mark(nccl_transport *transport, nccl_exchange *exchange)
{
    return parscan_nccl_check_cuda(transport, cudaEventRecord(exchange->done, transport->stream),
                                   "the end of an exchange");
}

/* All messages with other ranks in one group, so that none waits for another. */
static parscan_status group(nccl_transport *transport, const char *send, const size_t *send_counts,
                            const size_t *send_displacements, char *receive,
                            const size_t *receive_counts, const size_t *receive_displacements)
{
    const int size = transport->size, rank = transport->rank;
    ncclResult_t result = ncclGroupStart();
    if (result != ncclSuccess)
        return parscan_nccl_check(transport, result, "ncclGroupStart");
    for (int i = 1; i < size; i++) {
        const int to = (rank + i) % size, from = (rank + size - i) % size;
        if (send_counts[to] > 0 && (result == ncclSuccess || result == ncclInProgress))
            result = ncclSend(send + send_displacements[to], send_counts[to], ncclUint8, to,
                              transport->nccl, transport->stream);
        if (receive_counts[from] > 0 && (result == ncclSuccess || result == ncclInProgress))
            result = ncclRecv(receive + receive_displacements[from], receive_counts[from],
                              ncclUint8, from, transport->nccl, transport->stream);
    }
    const ncclResult_t ended = ncclGroupEnd();
    const parscan_status status = parscan_nccl_check(transport, result, "ncclSend or ncclRecv");
    return status == PARSCAN_OK ? parscan_nccl_settle(transport, ended, "ncclGroupEnd") : status;
}

/* An exchange of device memory. */
static parscan_status exchange_device(nccl_transport *transport, nccl_exchange *exchange,
                                      const char *send, const size_t *send_counts,
                                      const size_t *send_displacements, char *receive,
                                      const size_t *receive_counts,
                                      const size_t *receive_displacements)
{
    const int own = transport->rank;
    parscan_status status = group(transport, send, send_counts, send_displacements, receive,
                                  receive_counts, receive_displacements);
    if (status == PARSCAN_OK && send_counts[own] > 0)
        status = parscan_nccl_check_cuda(
            transport,
            cudaMemcpyAsync(receive + receive_displacements[own], send + send_displacements[own],
                            send_counts[own], cudaMemcpyDeviceToDevice, transport->stream),
            "a copy within a rank");
    return status == PARSCAN_OK ? mark(transport, exchange) : status;
}

/* The same with host memory: lists has room for two displacements a rank, of the buffer's parts. */
static parscan_status exchange_host(nccl_transport *transport, const char *send,
                                    const size_t *send_counts, const size_t *send_displacements,
                                    char *receive, const size_t *receive_counts,
                                    const size_t *receive_displacements, size_t *lists,
                                    nccl_exchange **exchange)
{
    const int size = transport->size;
    size_t *const sent_at = lists, *const received_at = lists + size;
    size_t used = 0;
    for (int r = 0; r < size; used += send_counts[r++])
        sent_at[r] = used;
    for (int r = 0; r < size; used += receive_counts[r++])
        received_at[r] = used;
    parscan_status status = exchange_take(transport, used, exchange);
    if (status != PARSCAN_OK)
        return status;
    char *const buffer = (*exchange)->staged;
    for (int r = 0; r < size && status == PARSCAN_OK; r++) {
        status =
            upload(transport, *exchange, sent_at[r], send + send_displacements[r], send_counts[r]);
        take_back(*exchange, receive + receive_displacements[r], received_at[r], receive_counts[r]);
    }
    if (status != PARSCAN_OK)
        return status;
    return exchange_device(transport, *exchange, buffer, send_counts, sent_at, buffer,
                           receive_counts, received_at);
}

parscan_status parscan_nccl_all_to_all(nccl_transport *transport, const void *send,
                                       const size_t *send_counts, const size_t *send_displacements,
                                       void *receive, const size_t *receive_counts,
                                       const size_t *receive_displacements,
                                       parscan_comm_memory memory, void *stream,
                                       nccl_exchange **exchange)
{
    if (memory == PARSCAN_COMM_DEVICE) {
        parscan_status status = exchange_take(transport, 0, exchange);
        if (status == PARSCAN_OK)
            status = follow(transport, stream);
        if (status != PARSCAN_OK)
            return status;
        return exchange_device(transport, *exchange, send, send_counts, send_displacements, receive,
                               receive_counts, receive_displacements);
    }
    size_t *const lists = malloc(2 * (size_t)transport->size * sizeof *lists);
    if (lists == NULL)
        return parscan_nccl_fail(transport, "no memory for an exchange");
    const parscan_status status =
        exchange_host(transport, send, send_counts, send_displacements, receive, receive_counts,
                      receive_displacements, lists, exchange);
    free(lists);
    return status;
}

parscan_status parscan_nccl_all_gather(nccl_transport *transport, const void *send, size_t bytes,
                                       void *receive, parscan_comm_memory memory, void *stream,
                                       nccl_exchange **exchange)
{
    const bool device = memory == PARSCAN_COMM_DEVICE;
    const size_t all = (size_t)transport->size * bytes;
    parscan_status status = exchange_take(transport, device ? 0 : all + bytes, exchange);
    if (status != PARSCAN_OK)
        return status;
    if (device) {
        status = follow(transport, stream);
    } else {
        char *const buffer = (*exchange)->staged;
        status = upload(transport, *exchange, all, send, bytes);
        take_back(*exchange, receive, 0, all);
        send = buffer + all;
        receive = buffer;
    }
    if (status == PARSCAN_OK)
        status = parscan_nccl_settle(
            transport,
            ncclAllGather(send, receive, bytes, ncclUint8, transport->nccl, transport->stream),
            "ncclAllGather");
    return status == PARSCAN_OK ? mark(transport, *exchange) : status;
}

/* What was received for host memory. */
static parscan_status download(nccl_transport *transport, const nccl_exchange *exchange)
{
    const bool pinned = exchange->staged == transport->pinned;
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < exchange->count && error == cudaSuccess; i++) {
        const nccl_copy *const copy = &exchange->copies[i];
        if (pinned)
            memcpy(copy->to, exchange->staged + copy->from, copy->bytes);
        else
            error = cudaMemcpyAsync(copy->to, exchange->staged + copy->from, copy->bytes,
                                    cudaMemcpyDefault, transport->copy_stream);
    }
    if (error == cudaSuccess && exchange->count > 0 && !pinned)
        error = cudaStreamSynchronize(transport->copy_stream);
    return parscan_nccl_check_cuda(transport, error, "a copy from the device");
}

static void end_exchange(nccl_transport *transport, nccl_exchange *exchange)
{
    nccl_exchange **link = &transport->begun;
    while (*link != exchange)
        link = &(*link)->next;
    *link = exchange->next;
    if (exchange->staged == transport->pinned)
        transport->pinned_in_use = false;
    exchange->staged = NULL;
    exchange->next = transport->spare;
    transport->spare = exchange;
}

parscan_status parscan_nccl_wait(nccl_transport *transport, nccl_exchange *exchange, double seconds)
{
    parscan_status status = parscan_nccl_wait_event(transport, exchange->done, seconds);
    if (status == PARSCAN_OK)
        status = download(transport, exchange);
    if (status == PARSCAN_OK)
        end_exchange(transport, exchange);
    return status;
}
