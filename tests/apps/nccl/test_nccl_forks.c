/* The transport of libparscan_nccl without a GPU (fake_nccl.h), between processes of one host: which bytes go where,
   what is refused, who dies, and what is left. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apps/nccl/nccl_peers.h"
#include "tests/apps/nccl/forked_ranks.h"
#include "tests/apps/nccl/transport_case.h"

static void step(const ranks *all, int rank, int to)
{
    atomic_store(&all->state->steps[rank], to);
}

static void wait_for_step(const ranks *all, int rank, int to)
{
    while (atomic_load(&all->state->steps[rank]) < to)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int open_files(void)
{
    int open = 0;
    for (int k = 0; k < 64; k++)
        open += fcntl(k, F_GETFD) >= 0;
    return open;
}

/* ---- cases ---- */

static void run_all(const ranks *all, int rank)
{
    struct ncclComm nccl = {rank, all->size, 0};
    const parscan_comm_functions functions = parscan_nccl_functions();
    const int files = open_files();
    nccl_transport *const transport = transport_case_open(&nccl, 10);
    transport_case_run(transport, all->size < 4 ? 700001 : 30011);
    require(transport->peers != NULL && transport->peers->lends == (all->threads == all->size),
            "processes exchange without NCCL");
    require(transport->peers->buffer_count <= 2 * CASE_AT_ONCE, "there are a few buffers");
    require(functions.kept_multiprocessors(transport) == 0, "copies keep no multiprocessor");
    transport_case_run_calls(transport);
    require(all->threads > 1 || open_files() == files, "no file stays open");
}

static void expect_right_bytes(void)
{
    static const int shapes[][2] = {{2, 1}, {3, 1}, {5, 1}, {4, 2}, {2, 2}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        require(run_ranks((ranks){.run = run_all, .size = shapes[k][0], .threads = shapes[k][1]}) ==
                    0,
                "all events and all memory are given back");
}

/* What one rank is refused when the ranks meet: all of them go on with NCCL. */
static void run_refused_meeting(const ranks *all, int rank)
{
    struct ncclComm nccl = {rank, all->size, 0};
    const int files = open_files();
    nccl_transport *const transport = transport_case_open(&nccl, 10);
    if (rank == all->at)
        fake_refuse(all->function, all->nth, false);
    transport_case_exchange(transport, 0, 2, 5);
    require(rank != all->at || fake_refusals() == 1, all->function);
    require(transport->peers == NULL, "if one rank cannot, all go on with NCCL");
    fake_refuse(NULL, 0, false);
    transport_case_exchange(transport, 1, 4, 3001);
    parscan_nccl_release(transport);
    require(open_files() == files, "no file stays open");
}

/* function, on which of two ranks, from which call on it is of the meeting, to which */
typedef struct refusal {
    const char *function;
    int at, first, last;
} refusal;

static void expect_refused_meetings(void)
{
    static const refusal refusals[] = {
        {"memfd_create", 0, 1, 1},
        {"posix_fallocate", 0, 1, 1},
        {"open", 1, 1, 1},
        {"mmap", 0, 1, 1},
        {"mmap", 1, 1, 1},
        {"cudaEventCreateWithFlags", 0, 2, 2},
        {"cudaEventCreateWithFlags", 1, 33, 33},
        {"cudaIpcGetEventHandle", 0, 1, 1},
        {"cudaIpcGetEventHandle", 1, 16, 16},
        {"cudaMalloc", 0, 1, 1},
        {"cudaIpcGetMemHandle", 1, 1, 1},
        {"cudaIpcOpenEventHandle", 0, 1, 1},
        {"cudaIpcOpenEventHandle", 1, 16, 16},
        {"cudaIpcOpenMemHandle", 0, 1, 1},
        {"realloc", 1, 1, 1},
        {"calloc", 0, 5, 8},
        {"calloc", 1, 5, 8},
        {"cudaMemcpyAsync", 0, 2, 4},
        {"cudaEventRecord", 1, 2, 2},
        {"cudaEventRecord", 0, 4, 4},
        {"cudaStreamSynchronize", 1, 1, 1},
    };
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
        for (int nth = refusals[k].first; nth <= refusals[k].last; nth++)
            require(run_ranks((ranks){.run = run_refused_meeting,
                                      .size = 2,
                                      .threads = 1,
                                      .function = refusals[k].function,
                                      .at = refusals[k].at,
                                      .nth = nth}) == 0,
                    refusals[k].function);
}

/* A buffer that cannot grow, or not be opened: that exchange is NCCL's, later ones are not. */
static void run_refused_growth(const ranks *all, int rank)
{
    struct ncclComm nccl = {rank, all->size, 0};
    nccl_transport *const transport = transport_case_open(&nccl, 10);
    transport_case_exchange(transport, 0, 4, 5);
    require(transport->peers != NULL, "the ranks have met");
    if (rank == all->at)
        fake_refuse(all->function, all->nth, all->always);
    transport_case_exchange(transport, 0, 1, 700001);
    transport_case_exchange(transport, 4, 1, 690001);
    require(rank != all->at || fake_refusals() > 0, all->function);
    fake_refuse(NULL, 0, false);
    transport_case_exchange(transport, 0, 1, 720001);
    parscan_nccl_release(transport);
}

static void expect_refused_growth(void)
{
    static const char *const functions[] = {"cudaMalloc", "cudaIpcGetMemHandle",
                                            "cudaIpcOpenMemHandle", "realloc"};
    for (int k = 0; k < 8; k++)
        require(run_ranks((ranks){.run = run_refused_growth,
                                  .size = 3,
                                  .threads = 1,
                                  .function = functions[k / 2],
                                  .at = k % 3,
                                  .nth = 1,
                                  .always = k % 2 != 0}) == 0,
                functions[k / 2]);
}

/* The last rank dies while others wait for what it has shown, but not copied yet. */
static void run_lost_copy(const ranks *all, int rank)
{
    struct ncclComm nccl = {rank, all->size, 0};
    const parscan_comm_functions functions = parscan_nccl_functions();
    nccl_transport *const transport = transport_case_open(&nccl, 10);
    char send[8] = "parscan", receive[8 * FAKE_RANKS];
    void *request = NULL;
    transport_case_exchange(transport, 0, 4, 101);
    if (rank + 1 == all->size)
        fake_stop_streams();
    require(functions.all_gather(transport, send, sizeof send, receive, PARSCAN_COMM_DEVICE, NULL,
                                 &request) == PARSCAN_OK,
            transport->words);
    if (rank + 1 == all->size)
        _exit(EXIT_SUCCESS);
    require(functions.wait(transport, request, 0.3) == PARSCAN_ERROR_DEVICE &&
                strstr(transport->words, "after 0.3 seconds") != NULL &&
                strstr(transport->words, "lost or late") != NULL,
            transport->words);
    parscan_nccl_release(transport);
}

static parscan_status gather_once(nccl_transport *transport, double seconds)
{
    const parscan_comm_functions functions = parscan_nccl_functions();
    static char send[8] = "parscan", receive[8 * FAKE_RANKS]; /* until the comm is released */
    void *request = NULL;
    parscan_nccl_limit(transport, seconds);
    const parscan_status status = functions.all_gather(
        transport, send, sizeof send, receive,
        transport->seconds < 1 ? PARSCAN_COMM_HOST : PARSCAN_COMM_DEVICE, NULL, &request);
    return status == PARSCAN_OK ? functions.wait(transport, request, seconds) : status;
}

/* The last rank dies, or ends its comm, and the others find out. */
static void run_lost(const ranks *all, int rank)
{
    struct ncclComm nccl = {rank, all->size, 0};
    const bool last = rank + 1 == all->size, dies = strcmp(all->function, "dies") == 0;
    nccl_transport *const transport = transport_case_open(&nccl, 10);
    transport_case_exchange(transport, 0, 4, 70001);
    step(all, rank, 1);
    if (last && dies)
        _exit(EXIT_SUCCESS);
    if (!last) {
        wait_for_step(all, all->size - 1, 1);
        const parscan_status status = gather_once(transport, all->nth == 0 ? 0.3 : 1.1);
        require(status == PARSCAN_ERROR_DEVICE, "a lost rank is found");
        require(strstr(transport->words, dies ? "lost or late" : "has ended its comm") != NULL,
                transport->words);
        require(!dies || strstr(transport->words,
                                all->nth == 0 ? "after 0.3 seconds" : "after 1.1 seconds") != NULL,
                transport->words);
        parscan_nccl_release(transport);
    } else {
        parscan_nccl_release(transport);
    }
}

static void expect_lost_ranks(void)
{
    for (int k = 0; k < 4; k++)
        run_ranks((ranks){.run = run_lost,
                          .size = 3,
                          .threads = 1,
                          .function = k % 2 == 0 ? "dies" : "leaves",
                          .nth = k / 2});
    run_ranks((ranks){.run = run_lost_copy, .size = 2, .threads = 1});
}

/* Two comms at once; the one is ended while the other goes on. */
static void run_two(const ranks *all, int rank)
{
    struct ncclComm one = {rank, all->size, 0}, two = {all->size - 1 - rank, all->size, 1};
    nccl_transport *const first = transport_case_open(&one, 10);
    nccl_transport *const second = transport_case_open(&two, 10);
    for (int round = 0; round < 4; round++) {
        transport_case_exchange(first, round, 3, 101);
        transport_case_exchange(second, round, 3, 3001);
    }
    require(first->peers != NULL && second->peers != NULL, "both have met");
    parscan_nccl_release(first);
    for (int round = 0; round < 4; round++)
        transport_case_exchange(second, round, 3, 102);
    parscan_nccl_release(second);
}

/* One rank ends its comm late: the other leaves it what it has open. */
static void run_late(const ranks *all, int rank)
{
    struct ncclComm nccl = {rank, all->size, 0};
    nccl_transport *const transport = transport_case_open(&nccl, 10);
    transport_case_exchange(transport, 0, 4, 101);
    if (rank != 0)
        wait_for_step(all, 0, 1);
    const double begin = seconds_now();
    const unsigned naps = naps_of_this_process();
    parscan_nccl_release(transport);
    require(rank == 0 ? seconds_now() - begin > 0.9 : naps_of_this_process() == naps,
            "a rank waits for the others for a second");
    step(all, rank, 1);
}

static void expect_two_comms(void)
{
    require(run_ranks((ranks){.run = run_two, .size = 3, .threads = 1}) == 0,
            "all events and all memory are given back");
}

static void expect_late_ranks(void)
{
    require(run_ranks((ranks){.run = run_late, .size = 2, .threads = 1}) > 0,
            "what another rank has open stays");
}

/* test_nccl_forks [CASE]... */
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*expect)(void);
    } cases[] = {{"bytes", expect_right_bytes},     {"meetings", expect_refused_meetings},
                 {"growth", expect_refused_growth}, {"lost", expect_lost_ranks},
                 {"two", expect_two_comms},         {"late", expect_late_ranks}};
    fake_peers = 1;
    fake_start();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted = wanted || strcmp(argv[i], cases[k].name) == 0;
        if (wanted)
            cases[k].expect();
    }
    return EXIT_SUCCESS;
}
