/*
 * The transport of libparscan_mpi, run by mpirun. It is compiled with parts of 1000 bytes, so that
 * messages have many.
 *     test_mpi_transport exchanges    random messages, several exchanges at a time, on all ranks
 *                                     and on parts of them
 *     test_mpi_transport late         the last rank comes too late
 *     test_mpi_transport killed       the last rank dies; mpirun --enable-recovery
 */
#define _POSIX_C_SOURCE 200809L /* _exit */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/mpi/mpi_transport.h"

enum { ROUNDS = 20, AT_ONCE = 3, MOST_BYTES = 5000, MOST_RANKS = 16 };

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, rank, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                  \
        }                                                                                  \
    } while (0)

static int rank, size;

static mpi_transport *new_transport(MPI_Comm comm)
{
    mpi_transport *const transport = calloc(1, sizeof *transport);
    CHECK(transport != NULL);
    MPI_Comm_dup(comm, &transport->comm);
    MPI_Comm_set_errhandler(transport->comm, MPI_ERRORS_RETURN);
    transport->rank = rank;
    transport->size = size;
    return transport;
}

/* The same on all ranks, so that each knows what the others send. */
static size_t bytes_between(int round, int from, int to)
{
    static const size_t edges[] = {0, 0, 1, 999, 1000, 1001, 2000, MOST_BYTES};
    const unsigned mixed = 2654435761u * (unsigned)(round * 256 + from * 16 + to + 1);
    return edges[mixed >> 29];
}

static char byte_between(int round, int from, int to, size_t i)
{
    return (char)(31 * round + 7 * from + 3 * to + (int)(i % 251));
}

typedef struct messages {
    char *send, *receive;
    size_t sent[MOST_RANKS], sent_at[MOST_RANKS], received[MOST_RANKS], received_at[MOST_RANKS];
    void *request;
} messages;

static void begin_messages(const parscan_comm_functions *functions, mpi_transport *transport,
                           messages *m, int round)
{
    size_t sent = 1, received = 1;
    for (int r = 0; r < size; r++) {
        m->sent[r] = bytes_between(round, rank, r);
        m->received[r] = bytes_between(round, r, rank);
        m->sent_at[r] = sent;
        m->received_at[r] = received;
        sent += m->sent[r] + 3;
        received += m->received[r] + 3;
    }
    m->send = malloc(sent);
    m->receive = malloc(received);
    CHECK(m->send != NULL && m->receive != NULL);
    memset(m->receive, 0x55, received);
    for (int r = 0; r < size; r++)
        for (size_t i = 0; i < m->sent[r]; i++)
            m->send[m->sent_at[r] + i] = byte_between(round, rank, r, i);
    CHECK(functions->all_to_all(transport, m->send, m->sent, m->sent_at, m->receive, m->received,
                                m->received_at, PARSCAN_COMM_HOST, NULL,
                                &m->request) == PARSCAN_OK);
}

static void end_messages(const parscan_comm_functions *functions, mpi_transport *transport,
                         messages *m, int round)
{
    CHECK(functions->wait(transport, m->request, 20) == PARSCAN_OK);
    for (int r = 0; r < size; r++) {
        for (size_t i = 0; i < m->received[r]; i++)
            CHECK(m->receive[m->received_at[r] + i] == byte_between(round, r, rank, i));
        CHECK(m->receive[m->received_at[r] + m->received[r] - (m->received[r] == 0)] == 0x55);
    }
    free(m->send);
    free(m->receive);
}

static void check_gather(const parscan_comm_functions *functions, mpi_transport *transport,
                         size_t bytes)
{
    char *const send = malloc(bytes), *const receive = malloc(bytes * (size_t)size);
    void *request;
    CHECK(send != NULL && receive != NULL);
    for (size_t i = 0; i < bytes; i++)
        send[i] = byte_between(0, rank, 0, i);
    CHECK(functions->all_gather(transport, send, bytes, receive, PARSCAN_COMM_HOST, NULL,
                                &request) == PARSCAN_OK);
    CHECK(functions->wait(transport, request, 20) == PARSCAN_OK);
    for (int r = 0; r < size; r++)
        for (size_t i = 0; i < bytes; i++)
            CHECK(receive[(size_t)r * bytes + i] == byte_between(0, r, 0, i));
    free(send);
    free(receive);
}

static void run_exchanges(MPI_Comm comm)
{
    mpi_transport *const transport = new_transport(comm);
    const parscan_comm_functions functions = parscan_mpi_functions(transport);
    messages under_way[AT_ONCE];
    for (int round = 0; round < ROUNDS; round += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++)
            begin_messages(&functions, transport, &under_way[i], round + i);
        for (int i = 0; i < AT_ONCE; i++)
            end_messages(&functions, transport, &under_way[i], round + i);
    }
    check_gather(&functions, transport, 1);
    check_gather(&functions, transport, 100 * 1000); /* not copied, in parts */
    check_gather(&functions, transport, 4096);
    functions.release(transport);
}

/* With the first `first` ranks, and with the others. */
static void run_exchanges_of(int first)
{
    MPI_Comm part;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < first, rank, &part);
    MPI_Comm_rank(part, &rank);
    MPI_Comm_size(part, &size);
    run_exchanges(part);
    MPI_Comm_free(&part);
}

/* An exchange that the last rank does not take part in ends after the time, with a message. */
static void expect_lost(bool gathers)
{
    mpi_transport *const transport = new_transport(MPI_COMM_WORLD);
    const parscan_comm_functions functions = parscan_mpi_functions(transport);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        return;
    messages m = {0};
    char all[MOST_RANKS];
    if (gathers)
        CHECK(functions.all_gather(transport, "x", 1, all, PARSCAN_COMM_HOST, NULL, &m.request) ==
              PARSCAN_OK);
    else
        begin_messages(&functions, transport, &m, 6);
    CHECK(functions.wait(transport, m.request, 0.3) == PARSCAN_ERROR_DEVICE);
    CHECK(strstr(functions.error(transport), "lost or late") != NULL);
    CHECK(strstr(functions.error(transport), "after 0.3 seconds (parscan_comm_set_timeout())") !=
          NULL);
    CHECK(gathers || strstr(functions.error(transport), "rank ") != NULL);
    functions.release(transport);
    free(m.send);
    free(m.receive);
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size <= MOST_RANKS);
    if (strcmp(what, "exchanges") == 0) {
        const int all = size;
        for (int first = all / 2; first <= all; first++)
            run_exchanges_of(first);
    } else if (strcmp(what, "late") == 0) {
        expect_lost(false);
        expect_lost(true);
    } else if (strcmp(what, "killed") == 0) {
        expect_lost(false);
        if (rank == size - 1)
            raise(SIGKILL);
        printf("rank %d goes on\n", rank);
        fflush(stdout);
        _exit(0); /* MPI_Finalize() would wait for the dead */
    } else {
        CHECK(!"exchanges, late or killed");
    }
    MPI_Finalize();
    return 0;
}
