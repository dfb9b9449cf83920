/*
 * The functions of the transport: the ranks meet before their first exchange, and then exchange over NCCL
 * (nccl_transport.c), or, if they are threads of one process, without it (nccl_peers.c).
 */
#include <stdlib.h>

#include "apps/nccl/nccl_peers.h"

/* What NCCL's kernels take of the device if the communicator's maxCTAs is 16, which is nearly as fast
   as more: a block takes a multiprocessor. */
enum { MULTIPROCESSORS = 16 };

/* Gathers host memory over NCCL. */
static parscan_status gather_now(nccl_transport *transport, const void *send, size_t bytes,
                                 void *receive)
{
    nccl_exchange *exchange = NULL;
    const parscan_status status = parscan_nccl_all_gather(transport, send, bytes, receive,
                                                          PARSCAN_COMM_HOST, NULL, &exchange);
    return status == PARSCAN_OK ? parscan_nccl_wait(transport, exchange, transport->seconds)
                                : status;
}

static bool all_of(const bool *which, size_t n)
{
    size_t k = 0;
    while (k < n && which[k])
        k++;
    return k == n;
}

/* The ranks tell each other who they are, and agree on whether they are peers. */
static parscan_status find_peers(nccl_transport *transport, nccl_record *records, bool *can)
{
    const nccl_record own = parscan_peers_record(transport);
    parscan_status status = gather_now(transport, &own, sizeof own, records);
    if (status != PARSCAN_OK) {
        parscan_peers_discard(own.slot);
        return status;
    }
    struct nccl_peers *const peers = parscan_peers_make(transport, records);
    const bool own_can = peers != NULL;
    status = gather_now(transport, &own_can, sizeof own_can, can);
    if (status == PARSCAN_OK && all_of(can, (size_t)transport->size)) {
        transport->peers = peers;
        return PARSCAN_OK;
    }
    free(peers);
    if (status == PARSCAN_OK) /* else other ranks may have agreed, and look at the slot */
        parscan_peers_discard(own.slot);
    return status;
}

/* Before the first exchange. */
static parscan_status meet(nccl_transport *transport)
{
    const size_t size = (size_t)transport->size;
    if (transport->met || size == 1)
        return PARSCAN_OK;
    nccl_record *const records = calloc(size, sizeof *records);
    bool *const can = calloc(size, sizeof *can);
    parscan_status status = records != NULL && can != NULL
                                ? find_peers(transport, records, can)
                                : parscan_nccl_fail(transport, "no memory for the ranks");
    transport->met = status == PARSCAN_OK;
    free(records);
    free(can);
    return status;
}

/* Makes the transport's device the current one, for an exchange of ranks that have met. */
static parscan_status enter_exchange(nccl_transport *transport, int *before)
{
    parscan_status status = parscan_nccl_enter(transport, before);
    if (status != PARSCAN_OK)
        return status;
    status = meet(transport);
    if (status != PARSCAN_OK)
        parscan_nccl_leave(transport, *before);
    return status;
}

static parscan_status all_to_all(void *user, const void *send, const size_t *send_counts,
                                 const size_t *send_displacements, void *receive,
                                 const size_t *receive_counts, const size_t *receive_displacements,
                                 parscan_comm_memory memory, void *stream, void **request)
{
    nccl_transport *const transport = user;
    nccl_exchange *exchange = NULL;
    int before;
    parscan_status status = enter_exchange(transport, &before);
    if (status != PARSCAN_OK)
        return status;
    if (transport->peers != NULL) {
        status =
            parscan_peers_begin(transport, send, send_counts, send_displacements, receive,
                                receive_counts, receive_displacements, memory, stream, request);
    } else {
        status = parscan_nccl_all_to_all(transport, send, send_counts, send_displacements, receive,
                                         receive_counts, receive_displacements, memory, stream,
                                         &exchange);
        *request = exchange;
    }
    parscan_nccl_leave(transport, before);
    return status;
}

/* Between threads of one process nothing runs on the device but copies. */
static int kept_multiprocessors(void *user)
{
    return ((const nccl_transport *)user)->peers != NULL ? 0 : MULTIPROCESSORS;
}

static parscan_status gather_peers(nccl_transport *transport, const void *send, size_t bytes,
                                   void *receive, parscan_comm_memory memory, void *stream,
                                   void **request)
{
    const size_t size = (size_t)transport->size;
    size_t *const lists = calloc(3 * size, sizeof *lists);
    if (lists == NULL)
        return parscan_nccl_fail(transport, "no memory for an exchange");
    size_t *const counts = lists + size, *const places = counts + size;
    for (size_t r = 0; r < size; r++) {
        counts[r] = bytes;
        places[r] = r * bytes;
    }
    const parscan_status status = parscan_peers_begin(transport, send, counts, lists, receive,
                                                      counts, places, memory, stream, request);
    free(lists);
    return status;
}

static parscan_status all_gather(void *user, const void *send, size_t bytes, void *receive,
                                 parscan_comm_memory memory, void *stream, void **request)
{
    nccl_transport *const transport = user;
    nccl_exchange *exchange = NULL;
    int before;
    parscan_status status = enter_exchange(transport, &before);
    if (status != PARSCAN_OK)
        return status;
    if (transport->peers != NULL) {
        status = gather_peers(transport, send, bytes, receive, memory, stream, request);
    } else {
        status =
            parscan_nccl_all_gather(transport, send, bytes, receive, memory, stream, &exchange);
        *request = exchange;
    }
    parscan_nccl_leave(transport, before);
    return status;
}

static parscan_status wait_exchange(void *user, void *request, double seconds)
{
    nccl_transport *const transport = user;
    int before;
    parscan_status status = parscan_nccl_enter(transport, &before);
    if (status != PARSCAN_OK)
        return status;
    status = transport->peers != NULL ? parscan_peers_wait(transport, request, seconds)
                                      : parscan_nccl_wait(transport, request, seconds);
    parscan_nccl_leave(transport, before);
    return status;
}

static const char *error_words(void *user)
{
    return ((const nccl_transport *)user)->words;
}

parscan_comm_functions parscan_nccl_functions(void)
{
    return PARSCAN_COMM_FUNCTIONS(.device_memory = 1, .multiprocessors = MULTIPROCESSORS,
                                  .kept_multiprocessors = kept_multiprocessors,
                                  .all_gather = all_gather, .all_to_all = all_to_all,
                                  .wait = wait_exchange, .error = error_words,
                                  .release = parscan_nccl_release);
}
