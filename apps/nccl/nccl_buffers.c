/*
 * Buffers through which device memory goes to ranks of other processes (nccl_peers.h): memory of cudaMalloc(), of
 * which the others get a handle, and which they open once. An exchange has a buffer until all ranks have ended
 * it. There are as many as are under way at once, and one more, so that a rank need not wait for the slowest.
 *
 * Whoever outgrows a buffer gets another memory, with another generation. The one before is freed when all have
 * closed it: to free what another process has open is undefined. cudaFree() also waits for the device, so that is
 * done only while nothing travels.
 */
#include <stdlib.h>

#include "apps/nccl/nccl_peers.h"

/* The allocations of small arrays share such a block, and a handle is the whole block's. */
static const size_t unit = (size_t)2 << 20;

static nccl_buffer *used_by(struct nccl_peers *peers, int buffer, size_t number)
{
    nccl_buffer *const leased = &peers->buffers[buffer];
    leased->number = number;
    leased->used = leased->open = true;
    return leased;
}

static bool is_free(const nccl_transport *transport, const nccl_buffer *buffer)
{
    return !buffer->open && (!buffer->used || parscan_peers_all_ended(transport, buffer->number));
}

/* The smallest of the free ones that is large enough, or else the largest. -1: none is free. */
static int best_of_free(const nccl_transport *transport, size_t bytes)
{
    const nccl_buffer *const buffers = transport->peers->buffers;
    int best = -1;
    for (int k = 0; k < transport->peers->buffer_count; k++) {
        if (!is_free(transport, &buffers[k]))
            continue;
        const size_t room = buffers[k].room, other = best < 0 ? 0 : buffers[best].room;
        if (best < 0 || (other < bytes ? room > other : room >= bytes && room < other))
            best = k;
    }
    return best;
}

/* The one that the others will have ended first: this rank has. */
static int oldest(const struct nccl_peers *peers)
{
    int best = -1;
    for (int k = 0; k < peers->buffer_count; k++)
        if (!peers->buffers[k].open &&
            (best < 0 || peers->buffers[k].number < peers->buffers[best].number))
            best = k;
    return best;
}

static parscan_status choose(nccl_transport *transport, size_t bytes, int *buffer)
{
    struct nccl_peers *const peers = transport->peers;
    int open = 0;
    for (int k = 0; k < peers->buffer_count; k++)
        open += peers->buffers[k].open;
    *buffer = best_of_free(transport, bytes);
    if (*buffer >= 0)
        return PARSCAN_OK;
    if (peers->buffer_count < NCCL_BUFFERS && peers->buffer_count < open + 2) {
        *buffer = peers->buffer_count++;
        return PARSCAN_OK;
    }
    *buffer = oldest(peers);
    return parscan_peers_wait_for_all(transport, ENDED, peers->buffers[*buffer].number);
}

parscan_status parscan_buffers_lease(nccl_transport *transport, size_t number, size_t bytes,
                                     int *buffer, bool *asks)
{
    struct nccl_peers *const peers = transport->peers;
    *asks = false;
    const parscan_status status = choose(transport, bytes, buffer);
    if (status != PARSCAN_OK)
        return status;
    if (peers->buffers[*buffer].room < bytes) {
        *asks = true;
        if (!parscan_buffers_grow(transport, *buffer, bytes)) {
            *buffer = -1;
            return PARSCAN_OK;
        }
    }
    used_by(peers, *buffer, number);
    return PARSCAN_OK;
}

/* Keeps memory until nobody has it open. There is room for it in the list. */
static void put_aside(struct nccl_peers *peers, int buffer)
{
    nccl_buffer *const old = &peers->buffers[buffer];
    if (old->memory != NULL)
        peers->outgrown[peers->outgrown_count++] =
            (nccl_outgrown){.memory = old->memory,
                            .generation = peers->own->exports[buffer].generation,
                            .buffer = buffer};
    old->memory = NULL;
    old->room = 0;
}

bool parscan_buffers_grow(nccl_transport *transport, int buffer, size_t bytes)
{
    struct nccl_peers *const peers = transport->peers;
    /* Messages of a call differ a little: with an eighth more, the next one fits too. */
    const size_t size = (bytes + bytes / 8 + unit - 1) / unit * unit;
    cudaIpcMemHandle_t handle = {{0}};
    void *memory = NULL;
    if (size < bytes)
        return false;
    nccl_outgrown *const list =
        realloc(peers->outgrown, ((size_t)peers->outgrown_count + 1 + NCCL_BUFFERS) * sizeof *list);
    if (list == NULL)
        return false;
    peers->outgrown = list; /* with room for all buffers, which may be dropped */
    if (!parscan_peers_succeeded(cudaMalloc(&memory, size)))
        return false;
    if (!peers->lends && !parscan_peers_succeeded(cudaIpcGetMemHandle(&handle, memory))) {
        cudaFree(memory);
        return false;
    }
    put_aside(peers, buffer);
    peers->buffers[buffer].memory = memory;
    peers->buffers[buffer].room = size;
    nccl_export *const shown = &peers->own->exports[buffer];
    shown->generation++;
    shown->memory = memory;
    shown->handle = handle;
    return true;
}

void parscan_buffers_drop(struct nccl_peers *peers, int buffer)
{
    put_aside(peers, buffer);
    peers->own->exports[buffer].memory = NULL;
}

/* ---- those of other ranks ---- */

void parscan_buffers_close(struct nccl_peers *peers, int rank, int r, int buffer)
{
    nccl_import *const import = &peers->imports[r];
    if (import->memory[buffer] != NULL && !import->same_process)
        parscan_peers_succeeded(cudaIpcCloseMemHandle(import->memory[buffer]));
    import->memory[buffer] = NULL;
    parscan_peers_tell(&parscan_board_opened(&peers->board, rank, r)[buffer], 0);
}

bool parscan_buffers_open(struct nccl_peers *peers, int rank, int r, int buffer)
{
    const nccl_export *const shown = &peers->slots[r]->exports[buffer];
    nccl_import *const import = &peers->imports[r];
    atomic_size_t *const opened = &parscan_board_opened(&peers->board, rank, r)[buffer];
    void *memory = shown->memory;
    if (atomic_load_explicit(opened, memory_order_relaxed) == shown->generation)
        return true;
    parscan_buffers_close(peers, rank, r, buffer);
    if (!import->same_process && !parscan_peers_succeeded(cudaIpcOpenMemHandle(
                                     &memory, shown->handle, cudaIpcMemLazyEnablePeerAccess)))
        return false;
    import->memory[buffer] = memory;
    parscan_peers_tell(opened, shown->generation);
    return true;
}

/* ---- memory that was too small ---- */

bool parscan_buffers_idle(const nccl_transport *transport)
{
    return parscan_peers_succeeded(cudaStreamQuery(transport->stream)) &&
           parscan_peers_succeeded(cudaStreamQuery(transport->copy_stream));
}

static bool is_closed(const nccl_transport *transport, const nccl_outgrown *outgrown)
{
    const struct nccl_peers *const peers = transport->peers;
    bool closed = true;
    for (int r = 0; r < transport->size && closed; r++)
        closed = peers->imports[r].same_process ||
                 atomic_load_explicit(
                     &parscan_board_opened(&peers->board, r, transport->rank)[outgrown->buffer],
                     memory_order_acquire) != outgrown->generation;
    return closed;
}

void parscan_buffers_collect(nccl_transport *transport)
{
    struct nccl_peers *const peers = transport->peers;
    int kept = 0;
    for (int k = 0; k < peers->outgrown_count; k++) {
        if (is_closed(transport, &peers->outgrown[k]))
            cudaFree(peers->outgrown[k].memory);
        else
            peers->outgrown[kept++] = peers->outgrown[k];
    }
    peers->outgrown_count = kept;
}
