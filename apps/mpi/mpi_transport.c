#include "apps/mpi/mpi_transport.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apps/mpi/mpi_device.h"

/* parscan's messages are alone in the duplicate. Those between two ranks arrive in the order in which
   they were sent, and all ranks start exchanges in the same order: one tag is enough. */
enum { TAG = 1 };

static void exchange_free(mpi_exchange *exchange)
{
    if (exchange == NULL)
        return;
    free(exchange->requests);
    free(exchange->statuses);
    free(exchange->peers);
    free(exchange->copies);
    free(exchange);
}

/* An exchange with room for so many requests and bytes of copies. NULL: memory ran out. */
static mpi_exchange *exchange_take(mpi_transport *transport, int requests, size_t copies)
{
    mpi_exchange *exchange = transport->spare;
    if (exchange != NULL)
        transport->spare = exchange->next;
    else if ((exchange = calloc(1, sizeof *exchange)) == NULL)
        return NULL;
    exchange->count = exchange->receives = 0;
    exchange->gathered = NULL;
    if (requests > exchange->room) {
        free(exchange->requests);
        free(exchange->statuses);
        free(exchange->peers);
        exchange->requests = malloc((size_t)requests * sizeof *exchange->requests);
        exchange->statuses = malloc((size_t)requests * sizeof *exchange->statuses);
        exchange->peers = malloc((size_t)requests * sizeof *exchange->peers);
        exchange->room = requests;
    }
    if (copies > exchange->copies_size) {
        free(exchange->copies);
        exchange->copies = malloc(copies);
        exchange->copies_size = copies;
    }
    if ((requests > 0 &&
         (exchange->requests == NULL || exchange->statuses == NULL || exchange->peers == NULL)) ||
        (copies > 0 && exchange->copies == NULL)) {
        exchange_free(exchange);
        return NULL;
    }
    exchange->next = transport->begun;
    transport->begun = exchange;
    return exchange;
}

/* The comm is broken, as with every error of a transport: other ranks wait for messages in vain. */
static parscan_status fail_memory(mpi_transport *transport)
{
    parscan_mpi_fail(transport, "no memory for the list of messages");
    return PARSCAN_ERROR_OUT_OF_MEMORY;
}

/* Parts of a message of so many bytes. */
static size_t parts_of(size_t bytes)
{
    return bytes / PARSCAN_MPI_PART_BYTES + (bytes % PARSCAN_MPI_PART_BYTES != 0);
}

/* Begins to send a message, or to receive one if `to` is not NULL, in its parts. */
static parscan_status begin_message(mpi_transport *transport, mpi_exchange *exchange, char *to,
                                    const char *from, size_t bytes, int peer)
{
    parscan_status status = PARSCAN_OK;
    for (size_t done = 0; done < bytes && status == PARSCAN_OK; done += PARSCAN_MPI_PART_BYTES) {
        const size_t left = bytes - done;
        const int part = (int)(left < PARSCAN_MPI_PART_BYTES ? left : PARSCAN_MPI_PART_BYTES);
        MPI_Request *const request = &exchange->requests[exchange->count];
        const int error =
            to != NULL
                ? MPI_Irecv(to + done, part, MPI_BYTE, peer, TAG, transport->comm, request)
                : MPI_Isend(from + done, part, MPI_BYTE, peer, TAG, transport->comm, request);
        status = parscan_mpi_check(transport, error, to != NULL ? "MPI_Irecv" : "MPI_Isend");
        if (status == PARSCAN_OK)
            exchange->peers[exchange->count++] = peer;
    }
    return status;
}

/* The requests that an exchange needs; -1: more than an int counts. */
static int count_requests(const mpi_transport *transport, const size_t *send_counts,
                          const size_t *receive_counts)
{
    size_t requests = 0;
    for (int r = 0; r < transport->size; r++)
        if (r != transport->rank)
            requests += parts_of(send_counts[r]) + parts_of(receive_counts[r]);
    return requests <= INT32_MAX ? (int)requests : -1;
}

/* Receives first, so that no message arrives unexpected on this rank. Each rank starts with the rank
   after it: not all with the first. */
static parscan_status begin_messages(mpi_transport *transport, mpi_exchange *exchange,
                                     const char *send, const size_t *send_counts,
                                     const size_t *send_displacements, char *receive,
                                     const size_t *receive_counts,
                                     const size_t *receive_displacements)
{
    const int size = transport->size;
    parscan_status status = PARSCAN_OK;
    for (int i = 1; i < size && status == PARSCAN_OK; i++) {
        const int from = (transport->rank + size - i) % size;
        status = begin_message(transport, exchange, receive + receive_displacements[from], NULL,
                               receive_counts[from], from);
    }
    exchange->receives = exchange->count;
    for (int i = 1; i < size && status == PARSCAN_OK; i++) {
        const int to = (transport->rank + i) % size;
        status = begin_message(transport, exchange, NULL, send + send_displacements[to],
                               send_counts[to], to);
    }
    return status;
}

static parscan_status copy_own(mpi_transport *transport, void *to, const void *from, size_t bytes,
                               parscan_comm_memory memory, void *stream)
{
    if (bytes == 0)
        return PARSCAN_OK;
    const char *const words =
        mpi_device_copy(to, from, bytes, stream, memory == PARSCAN_COMM_DEVICE);
    return words == NULL ? PARSCAN_OK : parscan_mpi_fail(transport, "%s", words);
}

/* MPI knows no streams: what is to be sent must be there, and receive must be free. */
static parscan_status finish_stream(mpi_transport *transport, parscan_comm_memory memory,
                                    void *stream)
{
    const char *const words = memory == PARSCAN_COMM_DEVICE ? mpi_device_finish(stream) : NULL;
    return words == NULL ? PARSCAN_OK : parscan_mpi_fail(transport, "%s", words);
}

static parscan_status all_to_all(void *user, const void *send, const size_t *send_counts,
                                 const size_t *send_displacements, void *receive,
                                 const size_t *receive_counts, const size_t *receive_displacements,
                                 parscan_comm_memory memory, void *stream, void **request)
{
    mpi_transport *const transport = user;
    const int own = transport->rank,
              requests = count_requests(transport, send_counts, receive_counts);
    mpi_exchange *const exchange = requests < 0 ? NULL : exchange_take(transport, requests, 0);
    *request = exchange;
    if (exchange == NULL)
        return fail_memory(transport);
    parscan_status status = finish_stream(transport, memory, stream);
    if (status == PARSCAN_OK)
        status = begin_messages(transport, exchange, send, send_counts, send_displacements, receive,
                                receive_counts, receive_displacements);
    if (status == PARSCAN_OK && send_counts[own] > 0)
        status = copy_own(transport, (char *)receive + receive_displacements[own],
                          (const char *)send + send_displacements[own], send_counts[own], memory,
                          stream);
    return status;
}

/* One collective call of MPI, on a copy of host memory. */
static parscan_status gather_copies(mpi_transport *transport, const void *send, size_t bytes,
                                    void *receive, void **request)
{
    const size_t size = (size_t)transport->size;
    mpi_exchange *const exchange = exchange_take(transport, 1, (size + 1) * bytes);
    *request = exchange;
    if (exchange == NULL)
        return fail_memory(transport);
    char *const own = exchange->copies + size * bytes;
    memcpy(own, send, bytes);
    exchange->gathered = receive;
    exchange->gathered_size = size * bytes;
    const parscan_status status =
        parscan_mpi_check(transport,
                          MPI_Iallgather(own, (int)bytes, MPI_BYTE, exchange->copies, (int)bytes,
                                         MPI_BYTE, transport->comm, exchange->requests),
                          "MPI_Iallgather");
    if (status != PARSCAN_OK)
        return status;
    exchange->peers[0] = -1;
    exchange->count = 1;
    return PARSCAN_OK;
}

/* Messages to every rank, without a copy. */
static parscan_status gather_messages(mpi_transport *transport, const void *send, size_t bytes,
                                      void *receive, parscan_comm_memory memory, void *stream,
                                      void **request)
{
    const size_t size = (size_t)transport->size;
    size_t *const lists = malloc(3 * size * sizeof *lists);
    if (lists == NULL)
        return fail_memory(transport);
    size_t *const counts = lists, *const zeros = lists + size, *const places = lists + 2 * size;
    for (size_t r = 0; r < size; r++) {
        counts[r] = bytes;
        zeros[r] = 0;
        places[r] = r * bytes;
    }
    const parscan_status status = all_to_all(transport, send, counts, zeros, receive, counts,
                                             places, memory, stream, request);
    free(lists);
    return status;
}

static parscan_status all_gather(void *user, const void *send, size_t bytes, void *receive,
                                 parscan_comm_memory memory, void *stream, void **request)
{
    enum { MOST_COPIED = 64 * 1024 };
    mpi_transport *const transport = user;
    if (memory == PARSCAN_COMM_HOST && bytes <= MOST_COPIED)
        return gather_copies(transport, send, bytes, receive, request);
    return gather_messages(transport, send, bytes, receive, memory, stream, request);
}

static void end_exchange(mpi_transport *transport, mpi_exchange *exchange)
{
    mpi_exchange **link = &transport->begun;
    while (*link != exchange)
        link = &(*link)->next;
    *link = exchange->next;
    exchange->next = transport->spare;
    transport->spare = exchange;
}

static parscan_status wait_exchange(void *user, void *request, double seconds)
{
    mpi_transport *const transport = user;
    mpi_exchange *const exchange = request;
    const parscan_status status =
        parscan_mpi_wait_all(transport, exchange->count, exchange->requests, exchange->statuses,
                             exchange->peers, (mpi_limit){seconds, "parscan_comm_set_timeout()"});
    if (status != PARSCAN_OK)
        return status; /* the exchange stays on the list of those that have started */
    if (exchange->gathered != NULL)
        memcpy(exchange->gathered, exchange->copies, exchange->gathered_size);
    end_exchange(transport, exchange);
    return PARSCAN_OK;
}

static const char *error_words(void *user)
{
    return ((const mpi_transport *)user)->words;
}

/* Receives that nobody has answered yet are withdrawn, which is local. Nothing else can be taken
   back: MPI keeps what it needs of the others, and the copies that it may still write stay. */
static void abandon(mpi_exchange *exchange)
{
    for (int i = 0; i < exchange->count; i++) {
        if (exchange->requests[i] == MPI_REQUEST_NULL)
            continue;
        if (i < exchange->receives)
            MPI_Cancel(&exchange->requests[i]);
        /* Not the request of a collective: the standard forbids it. */
        if (exchange->peers[i] >= 0)
            MPI_Request_free(&exchange->requests[i]);
    }
    exchange->copies = NULL;
}

static void release_mpi_transport(void *user)
{
    mpi_transport *const transport = user;
    int finalised = 0;
    MPI_Finalized(&finalised);
    for (mpi_exchange *next, *exchange = transport->begun; exchange != NULL; exchange = next) {
        next = exchange->next;
        if (!finalised)
            abandon(exchange);
        exchange_free(exchange);
    }
    for (mpi_exchange *next, *exchange = transport->spare; exchange != NULL; exchange = next) {
        next = exchange->next;
        exchange_free(exchange);
    }
    /* Collective, so only if all ranks are there to call it. */
    if (!finalised && !transport->failed)
        MPI_Comm_free(&transport->comm);
    free(transport);
}

parscan_comm_functions parscan_mpi_functions(const mpi_transport *transport)
{
    return PARSCAN_COMM_FUNCTIONS(.device_memory = transport->device_memory,
                                  .all_gather = all_gather, .all_to_all = all_to_all,
                                  .wait = wait_exchange, .error = error_words,
                                  .release = release_mpi_transport);
}
