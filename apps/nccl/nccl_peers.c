/* Exchanges between ranks of one host: the order of postings, and device memory (nccl_peers.h). */
#include "apps/nccl/nccl_peers.h"

#include <cuda.h>
#include <string.h>

bool parscan_peers_succeeded(cudaError_t error)
{
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaSuccess;
}

/* ---- waiting for other ranks ---- */

void parscan_peers_tell(atomic_size_t *counter, size_t value)
{
    atomic_store_explicit(counter, value, memory_order_release);
}

static bool has_come(const atomic_size_t *counter, size_t least)
{
    return atomic_load_explicit(counter, memory_order_acquire) >= least;
}

parscan_status parscan_peers_wait_for(nccl_transport *transport, int r,
                                      const atomic_size_t *counter, size_t least)
{
    const parscan_nccl_clock clock = parscan_nccl_clock_start();
    while (!has_come(counter, least)) {
        if (atomic_load(&transport->peers->slots[r]->left) && !has_come(counter, least))
            return parscan_nccl_fail(transport, "rank %d has ended its comm in a call", r);
        const parscan_status status = parscan_nccl_pause(transport, &clock);
        if (status != PARSCAN_OK)
            return status;
    }
    return PARSCAN_OK;
}

nccl_posting *parscan_peers_posting(const struct nccl_peers *peers, int r, size_t number)
{
    return &peers->slots[r]->postings[number % NCCL_POSTINGS];
}

static const atomic_size_t *counter_of(const struct nccl_peers *peers, int r, nccl_progress what,
                                       size_t number)
{
    const nccl_posting *const posting = parscan_peers_posting(peers, r, number);
    switch (what) {
    case BEGUN:
        return &posting->begun;
    case ANSWERED:
        return &posting->answered;
    case TAKEN:
        return &posting->taken;
    default:
        return &posting->ended;
    }
}

parscan_status parscan_peers_wait_for_all(nccl_transport *transport, nccl_progress what,
                                          size_t number)
{
    parscan_status status = PARSCAN_OK;
    for (int r = 0; r < transport->size && status == PARSCAN_OK; r++)
        if (r != transport->rank)
            status = parscan_peers_wait_for(
                transport, r, counter_of(transport->peers, r, what, number), number + 1);
    return status;
}

bool parscan_peers_all_ended(const nccl_transport *transport, size_t number)
{
    bool ended = true;
    for (int r = 0; r < transport->size && ended; r++)
        ended = r == transport->rank ||
                has_come(counter_of(transport->peers, r, ENDED, number), number + 1);
    return ended;
}

/* ---- showing device memory ---- */

bool parscan_peers_can_read(const void *memory)
{
    typedef CUresult ask_function(void *answer, CUpointer_attribute what, CUdeviceptr memory);
    void *function = NULL;
    enum cudaDriverEntryPointQueryResult found;
    int shared = 0;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuPointerGetAttribute", &function,
                                                               12000, cudaEnableDefault, &found);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuPointerGetAttribute", &function, cudaEnableDefault, &found);
#endif
    if (!parscan_peers_succeeded(error) || function == NULL)
        return false;
    ask_function *ask;
    memcpy(&ask, &function, sizeof ask);
    return ask(&shared, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
               (CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS &&
           shared != 0;
}

/* Work on `to` that comes later waits for what is on `from` by now. */
static parscan_status order(nccl_transport *transport, cudaStream_t from, cudaEvent_t event,
                            cudaStream_t to)
{
    cudaError_t error = cudaEventRecord(event, from);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(to, event, 0);
    return parscan_nccl_check_cuda(transport, error, "the order of streams");
}

static parscan_status follow(nccl_transport *transport, cudaEvent_t event)
{
    return parscan_nccl_check_cuda(transport, cudaStreamWaitEvent(transport->stream, event, 0),
                                   "the order of streams");
}

static parscan_status copy(nccl_transport *transport, void *to, const void *from, size_t bytes,
                           cudaStream_t stream)
{
    if (bytes == 0)
        return PARSCAN_OK;
    return parscan_nccl_check_cuda(transport,
                                   cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream),
                                   "a copy of an exchange");
}

/* Places what others get one after another, and returns its bytes. */
static size_t pack(const nccl_transport *transport, const nccl_request *request, size_t *places)
{
    size_t bytes = 0;
    for (int r = 0; r < transport->size; r++) {
        const size_t own = r == transport->rank ? 0 : request->send_counts[r];
        places[r] = request->gathers ? 0 : bytes;
        bytes = request->gathers && bytes > 0 ? bytes : bytes + (own + 255) / 256 * 256;
    }
    return bytes;
}

/* Copies what is sent to a buffer, beside what the context's stream does later. */
static parscan_status fill_buffer(nccl_transport *transport, const nccl_request *request,
                                  const size_t *places, size_t bytes)
{
    struct nccl_peers *const peers = transport->peers;
    nccl_posting *const own = parscan_peers_posting(peers, transport->rank, request->number);
    parscan_status status =
        parscan_buffers_lease(transport, request->number, bytes, &own->buffer, &own->asks);
    if (status != PARSCAN_OK || own->buffer < 0)
        return status;
    char *const memory = peers->buffers[own->buffer].memory;
    bool copied = false;
    status = parscan_nccl_check_cuda(
        transport, cudaStreamWaitEvent(transport->copy_stream, transport->ready, 0),
        "the order of streams");
    for (int r = 0; r < transport->size && status == PARSCAN_OK; r++) {
        if (r == transport->rank || request->send_counts[r] == 0 || (request->gathers && copied))
            continue;
        status = copy(transport, memory + places[r], request->send + request->send_places[r],
                      request->send_counts[r], transport->copy_stream);
        copied = true;
    }
    if (status == PARSCAN_OK)
        status = parscan_nccl_check_cuda(
            transport,
            cudaEventRecord(peers->own->ready[request->number % NCCL_POSTINGS],
                            transport->copy_stream),
            "the order of streams");
    return status;
}

/* Shows device memory to the others: as it is, or a copy. */
static parscan_status show_device(nccl_transport *transport, const nccl_request *request,
                                  cudaStream_t stream)
{
    struct nccl_peers *const peers = transport->peers;
    const size_t at = request->number % NCCL_POSTINGS;
    nccl_posting *const own = &peers->own->postings[at];
    size_t *const places = parscan_board_places(&peers->board, transport->rank, at);
    const size_t bytes = pack(transport, request, places);
    if (peers->outgrown_count > 0 && parscan_buffers_idle(transport))
        parscan_buffers_collect(transport);
    if (bytes > 0 && peers->lends && parscan_peers_can_read(request->send)) {
        own->lent = request->send;
        memcpy(places, request->send_places, (size_t)transport->size * sizeof *places);
        return order(transport, stream, peers->own->ready[at], transport->stream);
    }
    const parscan_status status = order(transport, stream, transport->ready, transport->stream);
    return status == PARSCAN_OK && bytes > 0 ? fill_buffer(transport, request, places, bytes)
                                             : status;
}

/* ---- taking device memory ---- */

/* Opens what is new, and tells whether that can be read. *all: whether all ranks can go on. */
static parscan_status answer(nccl_transport *transport, const nccl_request *request, bool *all)
{
    struct nccl_peers *const peers = transport->peers;
    const int rank = transport->rank;
    nccl_posting *const own = parscan_peers_posting(peers, rank, request->number);
    bool opened = true;
    *all = true;
    own->can = true;
    for (int r = 0; r < transport->size; r++) {
        const nccl_posting *const posting = parscan_peers_posting(peers, r, request->number);
        if (posting->asks && posting->buffer < 0)
            *all = false;
        else if (posting->asks && r != rank)
            own->can = parscan_buffers_open(peers, rank, r, posting->buffer) && own->can;
    }
    parscan_peers_tell(&own->answered, request->number + 1);
    const parscan_status status = parscan_peers_wait_for_all(transport, ANSWERED, request->number);
    for (int r = 0; r < transport->size && status == PARSCAN_OK; r++)
        opened = opened && parscan_peers_posting(peers, r, request->number)->can;
    *all = *all && opened;
    if (status == PARSCAN_OK && !opened && own->asks && own->buffer >= 0)
        parscan_buffers_drop(peers, own->buffer);
    return status;
}

/* Waits until all ranks show what they send. *all: whether all can exchange it so. */
static parscan_status meet_all(nccl_transport *transport, const nccl_request *request, bool *all)
{
    bool asks = false;
    const parscan_status status = parscan_peers_wait_for_all(transport, BEGUN, request->number);
    *all = true;
    for (int r = 0; r < transport->size && status == PARSCAN_OK; r++)
        asks = asks || parscan_peers_posting(transport->peers, r, request->number)->asks;
    return asks ? answer(transport, request, all) : status;
}

/* Takes what rank r has for this one. */
static parscan_status take_from(nccl_transport *transport, const nccl_request *request, int r)
{
    struct nccl_peers *const peers = transport->peers;
    const size_t at = request->number % NCCL_POSTINGS;
    const nccl_posting *const from = &peers->slots[r]->postings[at];
    const nccl_import *const import = &peers->imports[r];
    if (request->receive_counts[r] == 0)
        return PARSCAN_OK;
    const char *const sent = from->lent != NULL ? from->lent : import->memory[from->buffer];
    const parscan_status status =
        follow(transport, import->same_process ? peers->slots[r]->ready[at] : import->ready[at]);
    if (status != PARSCAN_OK)
        return status;
    return copy(transport, request->receive + request->receive_places[r],
                sent + parscan_board_places(&peers->board, r, at)[transport->rank],
                request->receive_counts[r], transport->stream);
}

/* Each rank begins with itself, and goes on with the next one: no two ask the same rank at once. */
static parscan_status take_all(nccl_transport *transport, const nccl_request *request)
{
    const int size = transport->size, rank = transport->rank;
    const size_t at = request->number % NCCL_POSTINGS;
    nccl_slot *const own = transport->peers->own;
    parscan_status status = PARSCAN_OK;
    for (int i = 1; i < size && status == PARSCAN_OK; i++)
        status = take_from(transport, request, (rank + i) % size);
    if (status == PARSCAN_OK && own->postings[at].buffer >= 0)
        status = follow(transport, own->ready[at]);
    if (status == PARSCAN_OK)
        status = parscan_nccl_check_cuda(
            transport, cudaEventRecord(own->done[at], transport->stream), "the end of an exchange");
    if (status == PARSCAN_OK)
        parscan_peers_tell(&own->postings[at].taken, request->number + 1);
    return status;
}

/* What was copied to a buffer has been, before NCCL's exchange is done. */
static parscan_status go_by_nccl(nccl_transport *transport, nccl_request *request, void *stream)
{
    nccl_slot *const own = transport->peers->own;
    const size_t at = request->number % NCCL_POSTINGS;
    parscan_status status = PARSCAN_OK;
    if (own->postings[at].buffer >= 0)
        status = follow(transport, own->ready[at]);
    if (status == PARSCAN_OK)
        status = parscan_nccl_all_to_all(transport, request->send, request->send_counts,
                                         request->send_places, request->receive,
                                         request->receive_counts, request->receive_places,
                                         PARSCAN_COMM_DEVICE, stream, &request->by_nccl);
    return status;
}

static parscan_status take_device(nccl_transport *transport, nccl_request *request, void *stream)
{
    const int rank = transport->rank;
    bool all = false;
    parscan_status status = PARSCAN_OK;
    if (request->receive_counts[rank] > 0)
        status = copy(transport, request->receive + request->receive_places[rank],
                      request->send + request->send_places[rank], request->receive_counts[rank],
                      transport->stream);
    if (status == PARSCAN_OK)
        status = meet_all(transport, request, &all);
    if (status != PARSCAN_OK)
        return status;
    return all ? take_all(transport, request) : go_by_nccl(transport, request, stream);
}

/* ---- exchanges ---- */

parscan_status parscan_peers_claim(nccl_transport *transport, parscan_comm_memory memory,
                                   nccl_request **request)
{
    struct nccl_peers *const peers = transport->peers;
    const size_t number = peers->exchanges++;
    nccl_request *const own = &peers->requests[number % NCCL_POSTINGS];
    nccl_posting *const posting = &peers->own->postings[number % NCCL_POSTINGS];
    parscan_status status = PARSCAN_OK;
    if (number >= NCCL_POSTINGS)
        status = parscan_peers_wait_for_all(transport, ENDED, number - NCCL_POSTINGS);
    if (status != PARSCAN_OK)
        return status;
    own->number = number;
    own->memory = memory;
    own->gathers = own->lends = false;
    own->by_nccl = NULL;
    posting->lent = NULL;
    posting->buffer = -1;
    posting->asks = false;
    *request = own;
    return PARSCAN_OK;
}

parscan_status parscan_peers_begin(nccl_transport *transport, const void *send,
                                   const size_t *send_counts, const size_t *send_displacements,
                                   void *receive, const size_t *receive_counts,
                                   const size_t *receive_displacements, parscan_comm_memory memory,
                                   bool gathers, void *stream, void **request)
{
    const size_t bytes = (size_t)transport->size * sizeof(size_t);
    nccl_request *own = NULL;
    parscan_status status = parscan_peers_claim(transport, memory, &own);
    if (status != PARSCAN_OK)
        return status;
    own->gathers = gathers;
    own->send = send;
    own->receive = receive;
    memcpy(own->send_counts, send_counts, bytes);
    memcpy(own->send_places, send_displacements, bytes);
    memcpy(own->receive_counts, receive_counts, bytes);
    memcpy(own->receive_places, receive_displacements, bytes);
    if (memory == PARSCAN_COMM_HOST)
        parscan_peers_show_host(transport, own);
    else
        status = show_device(transport, own, (cudaStream_t)stream);
    if (status != PARSCAN_OK)
        return status;
    parscan_peers_tell(
        &parscan_peers_posting(transport->peers, transport->rank, own->number)->begun,
        own->number + 1);
    *request = own;
    return memory == PARSCAN_COMM_DEVICE ? take_device(transport, own, stream) : PARSCAN_OK;
}

/* Waits for this rank's copies; and those of the others, where they read its array. */
static parscan_status wait_for_copies(nccl_transport *transport, const nccl_request *request,
                                      double seconds)
{
    const struct nccl_peers *const peers = transport->peers;
    const size_t at = request->number % NCCL_POSTINGS;
    parscan_status status = parscan_nccl_wait_event(transport, peers->own->done[at], seconds);
    for (int r = 0; r < transport->size && status == PARSCAN_OK; r++)
        if (r != transport->rank && peers->own->postings[at].lent != NULL)
            status = parscan_nccl_wait_event(transport, peers->slots[r]->done[at], seconds);
    return status;
}

parscan_status parscan_peers_wait(nccl_transport *transport, void *request, double seconds)
{
    nccl_request *const own = request;
    struct nccl_peers *const peers = transport->peers;
    nccl_posting *const posting = parscan_peers_posting(peers, transport->rank, own->number);
    parscan_status status = PARSCAN_OK;
    parscan_nccl_limit(transport, seconds);
    if (own->lends)
        return parscan_peers_give_back(transport, own);
    if (own->memory == PARSCAN_COMM_HOST) {
        status = parscan_peers_take_host(transport, own);
        if (status == PARSCAN_OK)
            parscan_peers_tell(&posting->taken, own->number + 1);
    }
    if (status == PARSCAN_OK && own->by_nccl == NULL && peers->lends && posting->lent != NULL)
        status = parscan_peers_wait_for_all(transport, TAKEN, own->number);
    if (status == PARSCAN_OK && own->memory == PARSCAN_COMM_DEVICE)
        status = own->by_nccl != NULL ? parscan_nccl_wait(transport, own->by_nccl, seconds)
                                      : wait_for_copies(transport, own, seconds);
    if (status != PARSCAN_OK)
        return status;
    if (posting->buffer >= 0)
        peers->buffers[posting->buffer].open = false;
    parscan_peers_tell(&posting->ended, own->number + 1);
    return PARSCAN_OK;
}
