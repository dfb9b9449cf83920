/*
 * How the ranks of one host meet, and part (nccl_peers.h). Three gathers over NCCL: who the ranks are and where the board
 * is; whether each has mapped it and shows its events and a buffer there; whether each has opened those of the others,
 * and has read a buffer as it will. If one cannot, all go on with NCCL.
 */
#include <stdlib.h>
#include <string.h>

#include "apps/nccl/nccl_peers.h"

/* How long a rank waits at its end for processes that still have its memory open. */
static const double LEAVE_SECONDS = 1;

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

/* *all: whether all ranks can. */
static parscan_status agree(nccl_transport *transport, bool can, bool *answers, bool *all)
{
    const parscan_status status = gather_now(transport, &can, sizeof can, answers);
    *all = status == PARSCAN_OK;
    for (int r = 0; r < transport->size && *all; r++)
        *all = answers[r];
    return status;
}

/* ---- what a rank shows ---- */

static bool can_read(int device, int other)
{
    int can = 0;
    if (device == other)
        return true;
    cudaError_t error = cudaDeviceCanAccessPeer(&can, device, other);
    if (error == cudaSuccess && can)
        error = cudaDeviceEnablePeerAccess(other, 0);
    const bool enabled = error == cudaErrorPeerAccessAlreadyEnabled;
    return (parscan_peers_succeeded(error) || enabled) && can;
}

static bool make_events(struct nccl_peers *peers)
{
    nccl_slot *const own = peers->own;
    const unsigned shared = peers->lends ? 0 : cudaEventInterprocess;
    bool made = true;
    for (int k = 0; k < NCCL_POSTINGS && made; k++) {
        made = parscan_peers_succeeded(
                   cudaEventCreateWithFlags(&own->ready[k], cudaEventDisableTiming | shared)) &&
               parscan_peers_succeeded(
                   cudaEventCreateWithFlags(&own->done[k], cudaEventDisableTiming));
        if (made && !peers->lends)
            made = parscan_peers_succeeded(
                cudaIpcGetEventHandle(&own->ready_handles[k], own->ready[k]));
    }
    return made;
}

/* What a rank's first buffer begins with. */
static uint64_t token_of(const nccl_record *records, int rank)
{
    return (records[0].file_number << 8) ^ (uint64_t)(rank + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Small exchanges of device memory need no other one. */
static bool show_first_buffer(nccl_transport *transport, const nccl_record *records)
{
    struct nccl_peers *const peers = transport->peers;
    const uint64_t token = token_of(records, transport->rank);
    if (!parscan_buffers_grow(transport, 0, sizeof token))
        return false;
    peers->buffer_count = 1;
    return parscan_peers_succeeded(cudaMemcpyAsync(peers->buffers[0].memory, &token, sizeof token,
                                                   cudaMemcpyDefault, transport->copy_stream)) &&
           parscan_peers_succeeded(cudaEventRecord(peers->own->ready[0], transport->copy_stream)) &&
           parscan_peers_succeeded(cudaStreamSynchronize(transport->copy_stream));
}

static bool show_own(nccl_transport *transport, const nccl_record *records)
{
    struct nccl_peers *const peers = transport->peers;
    bool can = true;
    atomic_store(&peers->own->users, (unsigned)transport->size);
    for (int r = 0; r < transport->size && can; r++)
        can = !peers->imports[r].same_process ||
              can_read(records[transport->rank].device, records[r].device);
    return can && make_events(peers) && (peers->lends || show_first_buffer(transport, records));
}

/* ---- what it opens ---- */

/* Reads the beginning of rank r's first buffer as exchanges will: after its event, by a copy between the devices. */
static bool read_first_buffer(nccl_transport *transport, const nccl_record *records, int r)
{
    struct nccl_peers *const peers = transport->peers;
    char *const own = peers->buffers[0].memory + 64;
    uint64_t token = 0;
    /* Where no gather goes through: if this fails, the copy may still come. */
    char *const read = transport->pinned + NCCL_PINNED - sizeof token;
    cudaError_t error = cudaStreamWaitEvent(transport->stream, peers->imports[r].ready[0], 0);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(own, peers->imports[r].memory[0], sizeof token, cudaMemcpyDefault,
                                transport->stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(read, own, sizeof token, cudaMemcpyDefault, transport->stream);
    if (error == cudaSuccess)
        error = cudaEventRecord(peers->own->done[0], transport->stream);
    if (!parscan_peers_succeeded(error) ||
        parscan_nccl_wait_event(transport, peers->own->done[0], transport->seconds) != PARSCAN_OK)
        return false;
    memcpy(&token, read, sizeof token);
    return token == token_of(records, r);
}

static bool open_others(nccl_transport *transport, const nccl_record *records)
{
    struct nccl_peers *const peers = transport->peers;
    bool can = true;
    for (int r = 0; r < transport->size && can; r++) {
        nccl_import *const import = &peers->imports[r];
        for (int k = 0; k < NCCL_POSTINGS && can && !import->same_process; k++)
            can = parscan_peers_succeeded(
                cudaIpcOpenEventHandle(&import->ready[k], peers->slots[r]->ready_handles[k]));
        if (can && !peers->lends && r != transport->rank)
            can = parscan_buffers_open(peers, transport->rank, r, 0);
        if (can && !import->same_process)
            can = read_first_buffer(transport, records, r);
    }
    return can;
}

/* ---- how they part ---- */

/* Destroys what rank r has shown, in its process, when nobody uses it any more. */
static void destroy_shown(nccl_slot *slot)
{
    const bool busy = atomic_load(&slot->busy);
    for (int k = 0; k < NCCL_POSTINGS; k++) {
        if (slot->ready[k] != NULL)
            cudaEventDestroy(slot->ready[k]);
        if (slot->done[k] != NULL)
            cudaEventDestroy(slot->done[k]);
    }
    for (int k = 0; k < NCCL_BUFFERS && !busy; k++)
        if (slot->exports[k].memory != NULL)
            cudaFree(slot->exports[k].memory);
}

static void close_others(nccl_transport *transport)
{
    struct nccl_peers *const peers = transport->peers;
    for (int r = 0; r < transport->size; r++) {
        nccl_import *const import = &peers->imports[r];
        for (int k = 0; k < NCCL_BUFFERS; k++)
            if (import->memory[k] != NULL)
                parscan_buffers_close(peers, transport->rank, r, k);
        for (int k = 0; k < NCCL_POSTINGS; k++)
            if (import->ready[k] != NULL)
                cudaEventDestroy(import->ready[k]);
        if (r != transport->rank && atomic_fetch_sub(&peers->slots[r]->users, 1) == 1 &&
            import->same_process)
            destroy_shown(peers->slots[r]);
    }
}

/* Until this rank is the last user of what it has shown. */
static void wait_for_users(nccl_transport *transport)
{
    const struct nccl_peers *const peers = transport->peers;
    const parscan_nccl_clock clock = parscan_nccl_clock_start();
    while (!peers->lends && !transport->failed && atomic_load(&peers->own->users) > 1)
        if (!parscan_nccl_pause_until(&clock, LEAVE_SECONDS))
            break;
}

static void peers_free(struct nccl_peers *peers)
{
    parscan_board_unmap(&peers->board);
    free(peers->outgrown);
    free(peers->slots);
    free(peers->imports);
    free(peers->numbers);
    free(peers);
}

/* For ranks that have not opened anything of each other. */
static void discard(nccl_transport *transport)
{
    if (transport->peers->own != NULL)
        destroy_shown(transport->peers->own);
    peers_free(transport->peers);
    transport->peers = NULL;
}

void parscan_peers_leave(nccl_transport *transport)
{
    struct nccl_peers *const peers = transport->peers;
    if (peers == NULL)
        return;
    /* After a failure a copy may wait for a rank for ever. What it uses is left to the end of the process. */
    const bool idle = parscan_buffers_idle(transport);
    atomic_store(&peers->own->busy, !idle);
    atomic_store(&peers->own->left, true);
    if (idle || peers->lends) {
        close_others(transport);
        wait_for_users(transport);
        if (idle)
            parscan_buffers_collect(transport);
        if (atomic_fetch_sub(&peers->own->users, 1) == 1)
            destroy_shown(peers->own);
    }
    peers_free(peers);
    transport->peers = NULL;
}

/* ---- how they meet ---- */

static bool take_numbers(struct nccl_peers *peers, size_t size)
{
    peers->numbers = calloc(4 * size * NCCL_POSTINGS, sizeof *peers->numbers);
    for (size_t k = 0; k < NCCL_POSTINGS && peers->numbers != NULL; k++) {
        nccl_request *const request = &peers->requests[k];
        request->send_counts = peers->numbers + 4 * size * k;
        request->send_places = request->send_counts + size;
        request->receive_counts = request->send_places + size;
        request->receive_places = request->receive_counts + size;
    }
    return peers->numbers != NULL;
}

/* Sets transport->peers, if there is memory; true if this rank shows all that it has to. */
static bool show(nccl_transport *transport, const nccl_record *records)
{
    const int size = transport->size, rank = transport->rank;
    struct nccl_peers *const peers = calloc(1, sizeof *peers);
    transport->peers = peers;
    if (peers == NULL)
        return false;
    peers->lends = true;
    peers->slots = calloc((size_t)size, sizeof *peers->slots);
    peers->imports = calloc((size_t)size, sizeof *peers->imports);
    if (peers->slots == NULL || peers->imports == NULL || !take_numbers(peers, (size_t)size) ||
        !parscan_board_map(&peers->board, records, rank, size))
        return false;
    for (int r = 0; r < size; r++) {
        peers->slots[r] = parscan_board_slot(&peers->board, r);
        peers->imports[r].same_process = parscan_board_same_process(&records[rank], &records[r]);
        peers->lends = peers->lends && parscan_board_same_process(&records[0], &records[r]);
    }
    peers->own = peers->slots[rank];
    return show_own(transport, records);
}

static bool may_meet(const nccl_record *records, int size)
{
    bool may = records[0].file >= 0;
    for (int r = 0; r < size && may; r++)
        may = parscan_board_same_host(&records[0], &records[r]);
    return may;
}

static parscan_status meet(nccl_transport *transport, const nccl_record *own, nccl_record *records,
                           bool *answers)
{
    bool all = false;
    parscan_status status = gather_now(transport, own, sizeof *own, records);
    if (status != PARSCAN_OK || !may_meet(records, transport->size))
        return status;
    const bool shown = show(transport, records);
    status = agree(transport, shown, answers, &all);
    if (status != PARSCAN_OK && shown) { /* others may have agreed */
        parscan_peers_leave(transport);
        return status;
    }
    if (!all) {
        if (transport->peers != NULL)
            discard(transport);
        return status;
    }
    const bool opened = open_others(transport, records);
    status = agree(transport, opened, answers, &all);
    if (!all)
        parscan_peers_leave(transport);
    return status;
}

parscan_status parscan_peers_meet(nccl_transport *transport)
{
    const size_t size = (size_t)transport->size;
    nccl_record *const records = calloc(size, sizeof *records);
    bool *const answers = calloc(size, sizeof *answers);
    parscan_status status = PARSCAN_OK;
    if (records != NULL && answers != NULL) {
        const nccl_record own = parscan_board_record(transport);
        status = meet(transport, &own, records, answers);
        parscan_board_close(&own);
    } else {
        status = parscan_nccl_fail(transport, "no memory for the ranks");
    }
    free(records);
    free(answers);
    return status;
}
