/* The transport of libparscan_nccl without a GPU (fake_nccl.h): which bytes go where. Contexts are on
   the CPU, so all calls of parscan/distributed.h exchange host memory. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/nccl/nccl_transport.h"
#include "tests/apps/nccl/fake_nccl.h"
#include "tests/support/comm_case.h"

enum { MOST_BYTES = 32, AT_ONCE = 3 };

typedef struct rank_thread {
    struct ncclComm nccl;
    pthread_t handle;
} rank_thread;

static void require(int condition, const char *words)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", words);
    exit(EXIT_FAILURE);
}

static size_t bytes_between(int from, int to, int round)
{
    return (size_t)((from * 3 + to * 5 + round) % 4 * 7);
}

static char byte_between(int from, int to, size_t i)
{
    return (char)(40 * from + 9 * to + (int)i);
}

/* Device memory and host memory, under way at the same time; only one of them goes through the pinned
   memory. */
static void exchange(nccl_transport *transport, int round)
{
    const parscan_comm_functions functions = parscan_nccl_functions();
    const int size = transport->size, rank = transport->rank;
    char send[FAKE_RANKS][MOST_BYTES], receive[AT_ONCE][FAKE_RANKS][MOST_BYTES];
    size_t sent[FAKE_RANKS], received[FAKE_RANKS], at[FAKE_RANKS];
    void *requests[AT_ONCE];
    for (int r = 0; r < size; r++) {
        at[r] = (size_t)r * MOST_BYTES;
        sent[r] = bytes_between(rank, r, round);
        received[r] = bytes_between(r, rank, round);
        for (size_t i = 0; i < sent[r]; i++)
            send[r][i] = byte_between(rank, r, i);
    }
    for (int k = 0; k < AT_ONCE; k++)
        require(functions.all_to_all(transport, send, sent, at, receive[k], received, at,
                                     k == 0 ? PARSCAN_COMM_DEVICE : PARSCAN_COMM_HOST, NULL,
                                     &requests[k]) == PARSCAN_OK,
                transport->words);
    for (int k = 0; k < AT_ONCE; k++)
        require(functions.wait(transport, requests[k], 10) == PARSCAN_OK, transport->words);
    for (int r = 0; r < size; r++)
        for (size_t i = 0; i < received[r]; i++)
            for (int k = 0; k < AT_ONCE; k++)
                require(receive[k][r][i] == byte_between(r, rank, i), "all_to_all: other bytes");
    require(cudaGetLastError() == cudaSuccess, "an error is left for the caller");
}

static void *run(void *data)
{
    static const size_t lengths[] = {0, 3, 1000, 30011};
    rank_thread *const self = data;
    const parscan_comm_functions functions = parscan_nccl_functions();
    parscan_context *context = NULL;
    parscan_comm *comm = NULL;
    nccl_transport *const transport = calloc(1, sizeof *transport);
    require(transport != NULL, "out of memory");
    *transport = (nccl_transport){.nccl = &self->nccl,
                                  .rank = self->nccl.rank,
                                  .size = self->nccl.size,
                                  .device = self->nccl.rank,
                                  .seconds = 10};
    require(parscan_nccl_open(transport) == PARSCAN_OK, transport->words);
    for (int round = 0; round < 8; round++) /* more exchanges than a slot has postings */
        exchange(transport, round);
    require((transport->peers != NULL) == (fake_peers && transport->size > 1),
            "exchanges between threads, where devices can read each other's memory");
    require(functions.kept_multiprocessors(transport) == 0 || transport->peers == NULL,
            "copies keep no multiprocessor");
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
    return NULL;
}

/* The words of a limit tell how long it is, and who sets it. */
static void expect_limits(void)
{
    struct ncclComm nccl = {0, 2};
    nccl_transport transport = {
        .nccl = &nccl, .size = 2, .seconds = 1e-9, .limit = "the limit until an exchange is done"};
    require(parscan_nccl_settle(&transport, ncclInProgress, "ncclGroupEnd") ==
                    PARSCAN_ERROR_DEVICE &&
                strstr(transport.words, "1e-09 seconds (the limit until") != NULL,
            "the words of the first limit");
    parscan_status status = PARSCAN_OK;
    for (int k = 0; k < 2 && status == PARSCAN_OK; k++) /* every second event has come at once */
        status = parscan_nccl_wait_event(&transport, NULL, 2e-9);
    require(status == PARSCAN_ERROR_DEVICE &&
                strstr(transport.words, "2e-09 seconds (parscan_comm_set_timeout())") != NULL,
            "the words of the limit of a wait");
}

int main(void)
{
    expect_limits();
    for (int k = 1; k <= 10; k++) {
        const int size = (k + 1) / 2;
        fake_peers = k % 2;
        rank_thread ranks[FAKE_RANKS];
        for (int r = 0; r < size; r++) {
            ranks[r].nccl = (struct ncclComm){r, size};
            require(pthread_create(&ranks[r].handle, NULL, run, &ranks[r]) == 0, "no thread");
        }
        for (int r = 0; r < size; r++)
            pthread_join(ranks[r].handle, NULL);
    }
    return EXIT_SUCCESS;
}
