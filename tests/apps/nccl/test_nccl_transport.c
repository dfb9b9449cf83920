/* The transport of libparscan_nccl without a GPU (fake_nccl.h), between threads: which bytes go where. Contexts are on
   the CPU, so all calls of parscan/distributed.h exchange host memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/apps/nccl/transport_case.h"

typedef struct rank_thread {
    struct ncclComm nccl;
    pthread_t handle;
} rank_thread;

static void *run(void *data)
{
    rank_thread *const self = data;
    const parscan_comm_functions functions = parscan_nccl_functions();
    nccl_transport *const transport = transport_case_open(&self->nccl, 10);
    transport_case_run(transport, 70001);
    require((transport->peers != NULL) == (fake_peers && transport->size > 1),
            "exchanges between threads, where devices can read each other's memory");
    require(functions.kept_multiprocessors(transport) == 0 || transport->peers == NULL,
            "copies keep no multiprocessor");
    transport_case_run_calls(transport);
    return NULL;
}

/* The words of a limit tell how long it is, and who sets it. */
static void expect_limits(void)
{
    struct ncclComm nccl = {0, 2, 0};
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
    fake_start();
    for (int k = 1; k <= 10; k++) {
        const int size = (k + 1) / 2;
        fake_peers = k % 2;
        rank_thread ranks[FAKE_RANKS];
        for (int r = 0; r < size; r++) {
            ranks[r].nccl = (struct ncclComm){r, size, 0};
            require(pthread_create(&ranks[r].handle, NULL, run, &ranks[r]) == 0, "no thread");
        }
        for (int r = 0; r < size; r++)
            pthread_join(ranks[r].handle, NULL);
        require(fake_remaining() == 0, "all events and all memory are given back");
    }
    return EXIT_SUCCESS;
}
