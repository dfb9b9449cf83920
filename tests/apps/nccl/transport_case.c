#define _POSIX_C_SOURCE 200809L
#include "tests/apps/nccl/transport_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apps/nccl/nccl_peers.h"
#include "tests/apps/nccl/fake_cuda.h"
#include "tests/support/comm_case.h"

void require(int condition, const char *words)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", words);
    exit(EXIT_FAILURE);
}

nccl_transport *transport_case_open(struct ncclComm *nccl, double seconds)
{
    nccl_transport *const transport = calloc(1, sizeof *transport);
    require(transport != NULL, "out of memory");
    *transport = (nccl_transport){.nccl = nccl,
                                  .rank = nccl->rank,
                                  .size = nccl->size,
                                  .device = nccl->rank,
                                  .limit = "the limit until an exchange is done",
                                  .seconds = seconds};
    require(parscan_nccl_open(transport) == PARSCAN_OK, transport->words);
    return transport;
}

/* An exchange under way. */
typedef struct under_way {
    nccl_transport *transport;
    int round;
    size_t unit;
    bool gathers, device;
    char *source, *send, *receive; /* source: what is copied to send by a stream */
    size_t sent[FAKE_RANKS], received[FAKE_RANKS], from[FAKE_RANKS], to[FAKE_RANKS], bytes;
    void *request;
} under_way;

static size_t units_between(int from, int to, int round)
{
    return (size_t)((from * 3 + to * 5 + round) % 4);
}

static char byte_of(const under_way *x, int from, int to, size_t i)
{
    return (char)(40 * from + (x->gathers ? 0 : 9 * to) + 5 * x->round + (int)(i * 7 + i / 256));
}

static char *take(size_t bytes)
{
    char *const memory = malloc(bytes + 1);
    require(memory != NULL, "out of memory");
    memset(memory, 0x55, bytes + 1);
    return memory;
}

static void fill(under_way *x)
{
    const int size = x->transport->size, rank = x->transport->rank;
    size_t received = 0;
    x->bytes = 0;
    for (int r = 0; r < size; r++) {
        x->sent[r] = x->gathers ? x->unit : units_between(rank, r, x->round) * x->unit;
        x->received[r] = x->gathers ? x->unit : units_between(r, rank, x->round) * x->unit;
        x->from[r] = x->gathers ? 0 : x->bytes;
        x->bytes = x->from[r] + x->sent[r];
        x->to[r] = received;
        received += x->received[r];
    }
    x->source = take(x->bytes);
    x->send = take(x->bytes);
    x->receive = take(received);
    for (int r = 0; r < (x->gathers ? 1 : size); r++)
        for (size_t i = 0; i < x->sent[r]; i++)
            x->source[x->from[r] + i] = byte_of(x, rank, r, i);
}

static void begin(under_way *x, cudaStream_t stream)
{
    const parscan_comm_functions functions = parscan_nccl_functions();
    const parscan_comm_memory memory = x->device ? PARSCAN_COMM_DEVICE : PARSCAN_COMM_HOST;
    fill(x);
    if (x->device)
        cudaMemcpyAsync(x->send, x->source, x->bytes, cudaMemcpyDefault, stream);
    else
        memcpy(x->send, x->source, x->bytes);
    const parscan_status status =
        x->gathers ? functions.all_gather(x->transport, x->send, x->unit, x->receive, memory,
                                          stream, &x->request)
                   : functions.all_to_all(x->transport, x->send, x->sent, x->from, x->receive,
                                          x->received, x->to, memory, stream, &x->request);
    require(status == PARSCAN_OK, x->transport->words);
}

static void end(under_way *x)
{
    const parscan_comm_functions functions = parscan_nccl_functions();
    const int size = x->transport->size, rank = x->transport->rank;
    require(functions.wait(x->transport, x->request, 10) == PARSCAN_OK, x->transport->words);
    /* It may be written now. */
    memset(x->send, 0xaa, x->bytes);
    for (int r = 0; r < size; r++)
        for (size_t i = 0; i < x->received[r]; i++)
            require(x->receive[x->to[r] + i] == byte_of(x, r, rank, i), "other bytes");
    require(cudaGetLastError() == cudaSuccess, "an error is left for the caller");
    free(x->source);
    free(x->send);
    free(x->receive);
}

void transport_case_exchange(nccl_transport *transport, int round, int count, size_t unit)
{
    under_way all[CASE_AT_ONCE];
    cudaStream_t stream;
    cudaStreamCreateWithPriority(&stream, 0, 0);
    for (int k = 0; k < count; k++) {
        const int kind = round + k;
        all[k] = (under_way){.transport = transport,
                             .round = round + 3 * k,
                             .unit = unit,
                             .gathers = kind % 4 > 1,
                             .device = kind % 2 == 0};
        begin(&all[k], stream);
    }
    for (int k = 0; k < count; k++)
        end(&all[k]);
    cudaStreamDestroy(stream);
}

/* As a sort does: while one is waited for, the next ones travel. The ranks are late in turn. */
static void run_one_after_another(nccl_transport *transport, size_t unit)
{
    enum { COUNT = 40, AHEAD = 2 };
    under_way all[COUNT];
    cudaStream_t stream;
    cudaStreamCreateWithPriority(&stream, 0, 0);
    for (int k = 0; k < COUNT + AHEAD; k++) {
        if ((k + transport->rank) % 5 == 0)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        if (k >= AHEAD)
            end(&all[k - AHEAD]);
        if (k >= COUNT)
            continue;
        all[k] = (under_way){.transport = transport, .round = k, .unit = unit, .device = true};
        begin(&all[k], stream);
    }
    cudaStreamDestroy(stream);
}

/* Reads what the others lend, by the stream, and writes its own when it has it back. refused: nobody can read what this
   rank has. Returns whether the ranks could. */
static bool lend(nccl_transport *transport, int round, bool refused)
{
    enum { BYTES = 5000 };
    const parscan_comm_functions functions = parscan_nccl_functions();
    const int size = transport->size, rank = transport->rank;
    under_way mine = {.round = round};
    const void *lent[FAKE_RANKS];
    char *const source = take(BYTES), *const seen = take((size_t)size * BYTES);
    void *allocated = NULL, *request = &mine;
    cudaStream_t stream;
    cudaStreamCreateWithPriority(&stream, 0, 0);
    /* Half of the pages may be read by others. */
    require(cudaMalloc(&allocated, 3 * FAKE_PAGE) == cudaSuccess, "no memory of the device");
    char *memory = allocated;
    while ((uintptr_t)memory / FAKE_PAGE % 2 != refused)
        memory += FAKE_PAGE;
    for (size_t i = 0; i < BYTES; i++)
        source[i] = byte_of(&mine, rank, 0, i);
    cudaMemcpyAsync(memory, source, BYTES, cudaMemcpyDefault, stream);
    require(functions.lend(transport, memory, lent, stream, &request) == PARSCAN_OK,
            transport->words);
    const bool could = lent[0] != NULL;
    require(could == (request != NULL), "a request only where memory is lent");
    for (int r = 0; r < size; r++) {
        require((lent[r] != NULL) == could, "all ranks lend, or none");
        if (could)
            cudaMemcpyAsync(seen + r * BYTES, lent[r], BYTES, cudaMemcpyDefault, stream);
    }
    cudaStreamSynchronize(stream);
    for (int r = 0; r < size && could; r++)
        for (size_t i = 0; i < BYTES; i++)
            require(seen[r * BYTES + i] == byte_of(&mine, r, 0, i), "other bytes are lent");
    if (could)
        require(functions.wait(transport, request, 10) == PARSCAN_OK, transport->words);
    cudaMemcpyAsync(memory, seen, BYTES, cudaMemcpyDefault, stream); /* it may be written now */
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(allocated);
    free(source);
    free(seen);
    return could;
}

static void run_lending(nccl_transport *transport)
{
    for (int k = 0; k < 5; k++) {
        if ((k + transport->rank) % 3 == 0)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        const bool refused = k == 2, could = lend(transport, k, refused && transport->rank == 0);
        require(could == (transport->peers != NULL && transport->peers->lends && !refused),
                "threads lend, where none is refused");
        transport_case_exchange(transport, k, 3, 7);
    }
}

void transport_case_run(nccl_transport *transport, size_t large)
{
    run_one_after_another(transport, 1001);
    run_lending(transport);

    for (int k = 0; k < 6; k++) /* more exchanges than a slot has postings */
        transport_case_exchange(transport, k, 4, 7);
    transport_case_exchange(transport, 6, CASE_AT_ONCE, 1);
    for (int k = 0; k < 2; k++) {
        transport_case_exchange(transport, 7 + 2 * k, 2, large);
        transport_case_exchange(transport, 9 + k, 3, 13);
    }
    transport_case_exchange(transport, 11, CASE_AT_ONCE, 3001);
}

void transport_case_run_calls(nccl_transport *transport)
{
    static const size_t lengths[] = {0, 3, 1000, 30011};
    const parscan_comm_functions functions = parscan_nccl_functions();
    parscan_context *context = NULL;
    parscan_comm *comm = NULL;
    require(parscan_context_create(
                &context, &PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 1)) ==
                    PARSCAN_OK &&
                parscan_comm_create(&comm, context,
                                    &PARSCAN_COMM_OPTIONS(.rank = (unsigned)transport->rank,
                                                          .size = (unsigned)transport->size,
                                                          .functions = &functions,
                                                          .user = transport)) == PARSCAN_OK,
            "no comm");
    for (unsigned i = 0; i < 8; i++) {
        comm_case test = {.comm = comm, .n = lengths[i % 4], .seed = i + 1};
        require(comm_case_run(&test), test.words);
    }
    parscan_comm_destroy(comm);
    parscan_context_destroy(context);
}
