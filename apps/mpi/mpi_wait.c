/* Waiting for messages with a limit of time. */
#define _POSIX_C_SOURCE 200809L
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "apps/mpi/mpi_transport.h"

/* A test that takes longer has moved bytes. */
static const double idle_test = 5e-6;
/* A rank that has moved nothing for so long sleeps between its tests. */
static const double patience = 2e-3;
enum { NAP_NANOSECONDS = 20000 };

parscan_status parscan_mpi_fail(mpi_transport *transport, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(transport->words, sizeof transport->words, format, arguments);
    va_end(arguments);
    transport->failed = true;
    return PARSCAN_ERROR_DEVICE;
}

parscan_status parscan_mpi_check(mpi_transport *transport, int error, const char *function)
{
    char words[MPI_MAX_ERROR_STRING + 1] = "an unknown error";
    int length;
    if (error == MPI_SUCCESS)
        return PARSCAN_OK;
    MPI_Error_string(error, words, &length);
    return parscan_mpi_fail(transport, "%s: %.300s", function, words);
}

/* MPI_ERR_IN_STATUS says only that one of the messages has failed. */
static parscan_status check_tested(mpi_transport *transport, int error, int count,
                                   const MPI_Status *statuses)
{
    if (error == MPI_ERR_IN_STATUS)
        for (int i = 0; i < count; i++)
            if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
                return parscan_mpi_check(transport, statuses[i].MPI_ERROR, "MPI_Testall");
    return parscan_mpi_check(transport, error, "MPI_Testall");
}

/* Words with the ranks whose messages are not done. */
static parscan_status fail_late(mpi_transport *transport, int count, const MPI_Request *requests,
                                const int *peers, mpi_limit limit)
{
    int first = -1, last = -1;
    for (int i = 0; i < count; i++) {
        int done = 0;
        if (requests[i] == MPI_REQUEST_NULL || peers[i] < 0 ||
            MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done)
            continue;
        first = first < 0 || peers[i] < first ? peers[i] : first;
        last = peers[i] > last ? peers[i] : last;
    }
    char who[64] = "a rank is lost or late";
    if (first >= 0 && first == last)
        snprintf(who, sizeof who, "rank %d is lost or late", first);
    else if (first >= 0)
        snprintf(who, sizeof who, "ranks are lost or late, from %d to %d", first, last);
    return parscan_mpi_fail(transport, "an exchange is not done after %g seconds (%s): %s",
                            limit.seconds, limit.name, who);
}

/* Leaves the processor to other ranks. MPI has no call that waits with a limit of time. */
static void pause_between_tests(bool sleeps)
{
    const struct timespec nap = {.tv_nsec = NAP_NANOSECONDS};
    if (sleeps)
        nanosleep(&nap, NULL);
    else
        sched_yield();
}

parscan_status parscan_mpi_wait_all(mpi_transport *transport, int count, MPI_Request *requests,
                                    MPI_Status *statuses, const int *peers, mpi_limit limit)
{
    const double begin = MPI_Wtime();
    double moved = begin;
    for (;;) {
        int done;
        const double before = MPI_Wtime();
        const int error = MPI_Testall(count, requests, &done, statuses);
        const double after = MPI_Wtime();
        if (error != MPI_SUCCESS)
            return check_tested(transport, error, count, statuses);
        if (done)
            return PARSCAN_OK;
        if (after - begin > limit.seconds)
            return fail_late(transport, count, requests, peers, limit);
        if (after - before > idle_test)
            moved = after;
        pause_between_tests(after - moved > patience);
    }
}
