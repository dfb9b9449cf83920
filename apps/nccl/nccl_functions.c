/*
 * The functions of the transport: the ranks meet before their first exchange, and then exchange over NCCL
 * (nccl_transport.c), or, if they are on one host, without it (nccl_peers.c).
 */
#include <stdlib.h>

#include "apps/nccl/nccl_peers.h"

/* What NCCL's kernels take of the device if the communicator's maxCTAs is 16, which is nearly as fast
   as more: a block takes a multiprocessor. */
enum { MULTIPROCESSORS = 16 };

/* Before the first exchange. */
static parscan_status meet(nccl_transport *transport)
{
    if (transport->met || transport->size == 1)
        return PARSCAN_OK;
    const parscan_status status = parscan_peers_meet(transport);
    transport->met = status == PARSCAN_OK;
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
        status = parscan_peers_begin(transport, send, send_counts, send_displacements, receive,
                                     receive_counts, receive_displacements, memory, false, stream,
                                     request);
    } else {
        status = parscan_nccl_all_to_all(transport, send, send_counts, send_displacements, receive,
                                         receive_counts, receive_displacements, memory, stream,
                                         &exchange);
        *request = exchange;
    }
    parscan_nccl_leave(transport, before);
    return status;
}

/* Between ranks of one host nothing runs on the device but copies. */
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
    const parscan_status status = parscan_peers_begin(
        transport, send, counts, lists, receive, counts, places, memory, true, stream, request);
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

static parscan_status lend(void *user, const void *memory, const void **lent, void *stream,
                           void **request)
{
    nccl_transport *const transport = user;
    int before;
    parscan_status status = enter_exchange(transport, &before);
    if (status != PARSCAN_OK)
        return status;
    *request = NULL;
    for (int r = 0; r < transport->size; r++)
        lent[r] = NULL;
    if (transport->peers != NULL)
        status = parscan_peers_lend(transport, memory, lent, stream, request);
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
                                  .all_gather = all_gather, .all_to_all = all_to_all, .lend = lend,
                                  .wait = wait_exchange, .error = error_words,
                                  .release = parscan_nccl_release);
}
