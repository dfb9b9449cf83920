#define _POSIX_C_SOURCE 200809L
#include "apps/nccl/nccl_peers.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- who the ranks are ---- */

/* Threads of one process agree in the boot of their system, its namespace of processes, and their number
   there. Unknown: no two ranks agree. */
static void name_process(uint64_t name[4], const void *unique)
{
    char boot[17] = "";
    struct stat namespace;
    FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "r");
    const bool known = file != NULL && fread(boot, 1, 16, file) == 16 &&
                       stat("/proc/self/ns/pid", &namespace) == 0;
    if (file != NULL)
        fclose(file);
    memcpy(name, boot, 16);
    name[2] = known ? (uint64_t) namespace.st_ino : (uint64_t)(uintptr_t)unique;
    name[3] = (uint64_t)getpid();
}

static void slot_free(nccl_slot *slot)
{
    for (int k = 0; k < NCCL_POSTINGS; k++) {
        if (slot->postings[k].ready != NULL)
            cudaEventDestroy(slot->postings[k].ready);
        if (slot->postings[k].done != NULL)
            cudaEventDestroy(slot->postings[k].done);
    }
    free(slot->numbers);
    free(slot);
}

static nccl_slot *slot_new(size_t size)
{
    nccl_slot *const slot = calloc(1, sizeof *slot);
    if (slot == NULL)
        return NULL;
    atomic_init(&slot->users, (unsigned)size);
    slot->numbers = calloc(3 * size * NCCL_POSTINGS, sizeof *slot->numbers);
    bool made = slot->numbers != NULL;
    for (size_t k = 0; k < NCCL_POSTINGS && made; k++) {
        nccl_posting *const posting = &slot->postings[k];
        posting->displacements = slot->numbers + 3 * size * k;
        posting->receive_counts = posting->displacements + size;
        posting->receive_displacements = posting->receive_counts + size;
        made = cudaEventCreateWithFlags(&posting->ready, cudaEventDisableTiming) == cudaSuccess &&
               cudaEventCreateWithFlags(&posting->done, cudaEventDisableTiming) == cudaSuccess;
    }
    if (made)
        return slot;
    slot_free(slot);
    return NULL;
}

nccl_record parscan_peers_record(const nccl_transport *transport)
{
    nccl_record record = {.device = transport->device};
    name_process(record.process, transport);
    record.slot = slot_new((size_t)transport->size);
    return record;
}

void parscan_peers_discard(nccl_slot *slot)
{
    if (slot != NULL)
        slot_free(slot);
}

static bool can_read(int device, int other)
{
    int can = 0;
    if (device == other)
        return true;
    cudaError_t error = cudaDeviceCanAccessPeer(&can, device, other);
    if (error == cudaSuccess && can)
        error = cudaDeviceEnablePeerAccess(other, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled)
        error = cudaSuccess;
    cudaGetLastError(); /* so that the caller does not find it */
    return error == cudaSuccess && can;
}

static bool is_peer(const nccl_record *own, const nccl_record *other)
{
    return memcmp(other->process, own->process, sizeof own->process) == 0 && other->slot != NULL &&
           can_read(own->device, other->device);
}

struct nccl_peers *parscan_peers_make(const nccl_transport *transport, const nccl_record *records)
{
    const size_t size = (size_t)transport->size;
    struct nccl_peers *const peers = calloc(1, sizeof *peers + size * sizeof *peers->slots);
    for (size_t r = 0; r < size && peers != NULL; r++) {
        if (!is_peer(&records[transport->rank], &records[r])) {
            free(peers);
            return NULL;
        }
        peers->slots[r] = records[r].slot;
    }
    if (peers != NULL)
        peers->own = peers->slots[transport->rank];
    return peers;
}

void parscan_peers_leave(nccl_transport *transport)
{
    struct nccl_peers *const peers = transport->peers;
    if (peers == NULL)
        return;
    atomic_store(&peers->own->left, true);
    for (int r = 0; r < transport->size; r++)
        if (atomic_fetch_sub(&peers->slots[r]->users, 1) == 1)
            slot_free(peers->slots[r]);
    free(peers);
    transport->peers = NULL;
}

/* ---- waiting for other ranks ---- */

typedef enum progress { BEGUN, TAKEN, ENDED } progress;

static bool has_come(const nccl_posting *posting, progress what, size_t number)
{
    const atomic_size_t *const at = what == BEGUN   ? &posting->begun
                                    : what == TAKEN ? &posting->taken
                                                    : &posting->ended;
    return atomic_load_explicit(at, memory_order_acquire) == number + 1;
}

/* Waits until rank r is so far with an exchange. */
static parscan_status wait_for(nccl_transport *transport, int r, progress what, size_t number)
{
    nccl_slot *const slot = transport->peers->slots[r];
    const nccl_posting *const posting = &slot->postings[number % NCCL_POSTINGS];
    parscan_nccl_clock clock = parscan_nccl_clock_start();
    while (!has_come(posting, what, number)) {
        if (atomic_load(&slot->left) && !has_come(posting, what, number))
            return parscan_nccl_fail(transport, "rank %d has ended its comm in a call", r);
        const parscan_status status = parscan_nccl_pause(transport, &clock);
        if (status != PARSCAN_OK)
            return status;
    }
    return PARSCAN_OK;
}

static parscan_status wait_for_all(nccl_transport *transport, progress what, size_t number)
{
    parscan_status status = PARSCAN_OK;
    for (int r = 0; r < transport->size && status == PARSCAN_OK; r++)
        if (r != transport->rank)
            status = wait_for(transport, r, what, number);
    return status;
}

static void tell(atomic_size_t *at, size_t number)
{
    atomic_store_explicit(at, number + 1, memory_order_release);
}

/* ---- exchanges ---- */

/* Whether a device with peer access may read the memory: that of cudaMalloc(), which is also what legacy
   handles between processes take. Memory of pools and of virtual addresses has rights of its own. */
static bool is_shared(const void *memory)
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
    if (error != cudaSuccess || function == NULL) {
        cudaGetLastError();
        return false;
    }
    ask_function *ask;
    memcpy(&ask, &function, sizeof ask);
    return ask(&shared, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
               (CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS &&
           shared != 0;
}

static parscan_status follow(nccl_transport *transport, cudaEvent_t event)
{
    return parscan_nccl_check_cuda(transport, cudaStreamWaitEvent(transport->stream, event, 0),
                                   "the order of streams");
}

/* Takes what rank r has for this one. */
static parscan_status take_from(nccl_transport *transport, const nccl_posting *own, int r)
{
    const nccl_posting *const from =
        &transport->peers->slots[r]->postings[own->number % NCCL_POSTINGS];
    const size_t bytes = own->receive_counts[r];
    parscan_status status = wait_for(transport, r, BEGUN, own->number);
    if (status != PARSCAN_OK || bytes == 0)
        return status;
    char *const to = own->receive + own->receive_displacements[r];
    const char *const sent = from->send + from->displacements[transport->rank];
    if (own->memory == PARSCAN_COMM_HOST) {
        memcpy(to, sent, bytes);
        return PARSCAN_OK;
    }
    if (r != transport->rank)
        status = follow(transport, from->ready);
    if (status != PARSCAN_OK)
        return status;
    return parscan_nccl_check_cuda(
        transport, cudaMemcpyAsync(to, sent, bytes, cudaMemcpyDefault, transport->stream),
        "a copy between devices");
}

/* Each rank begins with itself, and goes on with the next one: no two ask the same rank at once. */
static parscan_status take_all(nccl_transport *transport, nccl_posting *own)
{
    const int size = transport->size;
    parscan_status status = PARSCAN_OK;
    for (int i = 0; i < size && status == PARSCAN_OK; i++)
        status = take_from(transport, own, (transport->rank + i) % size);
    if (status == PARSCAN_OK && own->memory == PARSCAN_COMM_DEVICE)
        status = parscan_nccl_check_cuda(transport, cudaEventRecord(own->done, transport->stream),
                                         "the end of an exchange");
    if (status == PARSCAN_OK)
        tell(&own->taken, own->number);
    return status;
}

/* Shows device memory to the others: as it is, or, where they may not read it, a copy. */
static parscan_status show_device(nccl_transport *transport, nccl_posting *own,
                                  const size_t *send_counts, cudaStream_t stream)
{
    size_t end = 0;
    bool others = false;
    for (int r = 0; r < transport->size; r++) {
        const size_t ends = own->displacements[r] + send_counts[r];
        end = send_counts[r] > 0 && ends > end ? ends : end;
        others = others || (r != transport->rank && send_counts[r] > 0);
    }
    parscan_status status = PARSCAN_OK;
    if (others && !is_shared(own->send)) {
        status = parscan_nccl_stage(transport, end, &own->staged);
        if (status == PARSCAN_OK)
            status = parscan_nccl_check_cuda(
                transport,
                cudaMemcpyAsync(own->staged->staged, own->send, end, cudaMemcpyDefault, stream),
                "a copy of what is sent");
        if (status == PARSCAN_OK)
            own->send = own->staged->staged;
    }
    if (status == PARSCAN_OK)
        status = parscan_nccl_check_cuda(transport, cudaEventRecord(own->ready, stream),
                                         "the order of streams");
    return status == PARSCAN_OK ? follow(transport, own->ready) : status;
}

parscan_status parscan_peers_begin(nccl_transport *transport, const void *send,
                                   const size_t *send_counts, const size_t *send_displacements,
                                   void *receive, const size_t *receive_counts,
                                   const size_t *receive_displacements, parscan_comm_memory memory,
                                   void *stream, void **request)
{
    struct nccl_peers *const peers = transport->peers;
    const size_t number = peers->exchanges++, bytes = (size_t)transport->size * sizeof(size_t);
    nccl_posting *const own = &peers->own->postings[number % NCCL_POSTINGS];
    parscan_status status = PARSCAN_OK;
    if (number >= NCCL_POSTINGS)
        status = wait_for_all(transport, ENDED, number - NCCL_POSTINGS);
    if (status != PARSCAN_OK)
        return status;
    own->number = number;
    own->memory = memory;
    own->send = send;
    own->receive = receive;
    own->staged = NULL;
    memcpy(own->displacements, send_displacements, bytes);
    memcpy(own->receive_counts, receive_counts, bytes);
    memcpy(own->receive_displacements, receive_displacements, bytes);
    if (memory == PARSCAN_COMM_DEVICE)
        status = show_device(transport, own, send_counts, (cudaStream_t)stream);
    if (status != PARSCAN_OK)
        return status;
    tell(&own->begun, number);
    *request = own;
    return memory == PARSCAN_COMM_DEVICE ? take_all(transport, own) : PARSCAN_OK;
}

static parscan_status wait_for_copies(nccl_transport *transport, const nccl_posting *own,
                                      double seconds)
{
    parscan_status status = PARSCAN_OK;
    for (int r = 0; r < transport->size && status == PARSCAN_OK; r++)
        status = parscan_nccl_wait_event(
            transport, transport->peers->slots[r]->postings[own->number % NCCL_POSTINGS].done,
            seconds);
    return status;
}

parscan_status parscan_peers_wait(nccl_transport *transport, void *request, double seconds)
{
    nccl_posting *const own = request;
    parscan_status status = PARSCAN_OK;
    parscan_nccl_limit(transport, seconds);
    if (own->memory == PARSCAN_COMM_HOST)
        status = take_all(transport, own);
    if (status == PARSCAN_OK)
        status = wait_for_all(transport, TAKEN, own->number);
    if (status == PARSCAN_OK && own->memory == PARSCAN_COMM_DEVICE)
        status = wait_for_copies(transport, own, seconds);
    if (status != PARSCAN_OK)
        return status;
    if (own->staged != NULL)
        parscan_nccl_unstage(transport, own->staged);
    tell(&own->ended, own->number);
    return PARSCAN_OK;
}
