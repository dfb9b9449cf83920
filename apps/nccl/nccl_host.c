/* Exchanges of host memory between ranks of one host (nccl_peers.h). */
#include <string.h>

#include "apps/nccl/nccl_peers.h"

/* The bytes of a step for each rank. Threads read all that is sent where it is. */
static size_t room_of(const nccl_transport *transport, const nccl_request *request)
{
    if (transport->peers->lends)
        return SIZE_MAX;
    return request->gathers ? NCCL_PART : NCCL_PART / (size_t)transport->size / 64 * 64;
}

/* The bytes that step s has of a message. */
static size_t bytes_of(size_t count, size_t room, size_t s)
{
    const size_t before = s == 0 ? 0 : s * room;
    if (count <= before)
        return 0;
    return count - before < room ? count - before : room;
}

static size_t steps_of(const nccl_transport *transport, const size_t *counts, size_t room)
{
    size_t steps = 0;
    for (int r = 0; r < transport->size; r++) {
        const size_t own = counts[r] / room + (counts[r] % room != 0);
        steps = r != transport->rank && own > steps ? own : steps;
    }
    return steps;
}

/* Where a step of what rank `from` sends to rank `to` is. */
static char *part_of(const nccl_transport *transport, const nccl_request *request, int from, int to)
{
    char *const part =
        parscan_board_part(&transport->peers->board, from, request->number % NCCL_POSTINGS);
    return request->gathers ? part : part + (size_t)to * room_of(transport, request);
}

static void show_step(nccl_transport *transport, const nccl_request *request, size_t s)
{
    const size_t room = room_of(transport, request);
    bool shown = false; /* a gather's part once */
    for (int r = 0; r < transport->size; r++) {
        const size_t bytes = bytes_of(request->send_counts[r], room, s);
        if (r == transport->rank || bytes == 0 || (request->gathers && shown))
            continue;
        memcpy(part_of(transport, request, transport->rank, r),
               request->send + request->send_places[r] + s * room, bytes);
        shown = true;
    }
    parscan_peers_tell(
        &parscan_peers_posting(transport->peers, transport->rank, request->number)->shown, s + 1);
}

void parscan_peers_show_host(nccl_transport *transport, const nccl_request *request)
{
    struct nccl_peers *const peers = transport->peers;
    const size_t bytes = (size_t)transport->size * sizeof(size_t);
    nccl_posting *const own = parscan_peers_posting(peers, transport->rank, request->number);
    atomic_store_explicit(&own->shown, 0, memory_order_relaxed);
    atomic_store_explicit(&own->read, 0, memory_order_relaxed);
    own->lent = request->send; /* for threads */
    if (!peers->lends)
        show_step(transport, request, 0);
    else
        memcpy(
            parscan_board_places(&peers->board, transport->rank, request->number % NCCL_POSTINGS),
            request->send_places, bytes);
}

/* Step s is shown when all have read the one before. */
static parscan_status show_next(nccl_transport *transport, const nccl_request *request, size_t s)
{
    parscan_status status = PARSCAN_OK;
    for (int r = 0; r < transport->size && status == PARSCAN_OK; r++) {
        nccl_posting *const posting = parscan_peers_posting(transport->peers, r, request->number);
        if (r == transport->rank)
            continue;
        status = parscan_peers_wait_for(transport, r, &posting->begun, request->number + 1);
        if (status == PARSCAN_OK)
            status = parscan_peers_wait_for(transport, r, &posting->read, s);
    }
    if (status == PARSCAN_OK)
        show_step(transport, request, s);
    return status;
}

/* Reads what step s of rank r has for this one. */
static parscan_status take_from(nccl_transport *transport, const nccl_request *request, int r,
                                size_t s)
{
    struct nccl_peers *const peers = transport->peers;
    const size_t room = room_of(transport, request);
    const size_t bytes = bytes_of(request->receive_counts[r], room, s);
    const nccl_posting *const from = parscan_peers_posting(peers, r, request->number);
    if (bytes == 0)
        return PARSCAN_OK;
    char *const to = request->receive + request->receive_places[r];
    parscan_status status = parscan_peers_wait_for(transport, r, &from->begun, request->number + 1);
    if (status == PARSCAN_OK && peers->lends) {
        const size_t *const places =
            parscan_board_places(&peers->board, r, request->number % NCCL_POSTINGS);
        memcpy(to, from->lent + places[transport->rank], bytes);
        return status;
    }
    if (status == PARSCAN_OK)
        status = parscan_peers_wait_for(transport, r, &from->shown, s + 1);
    if (status == PARSCAN_OK)
        memcpy(to + s * room, part_of(transport, request, r, transport->rank), bytes);
    return status;
}

parscan_status parscan_peers_take_host(nccl_transport *transport, const nccl_request *request)
{
    const int size = transport->size, rank = transport->rank;
    const size_t room = room_of(transport, request);
    const size_t sends = steps_of(transport, request->send_counts, room),
                 receives = steps_of(transport, request->receive_counts, room);
    nccl_posting *const own = parscan_peers_posting(transport->peers, rank, request->number);
    parscan_status status = PARSCAN_OK;
    if (request->receive_counts[rank] > 0)
        memcpy(request->receive + request->receive_places[rank],
               request->send + request->send_places[rank], request->receive_counts[rank]);
    for (size_t s = 0; (s < sends || s < receives) && status == PARSCAN_OK; s++) {
        if (s > 0 && s < sends)
            status = show_next(transport, request, s);
        /* It goes on with the next rank: no two ask the same one at once. */
        for (int i = 1; i < size && status == PARSCAN_OK; i++)
            status = take_from(transport, request, (rank + i) % size, s);
        if (status == PARSCAN_OK)
            parscan_peers_tell(&own->read, s + 1);
    }
    if (status == PARSCAN_OK)
        parscan_peers_tell(&own->read, SIZE_MAX);
    return status;
}
