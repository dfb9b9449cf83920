/*
 * parscan_comm_functions over MPI. Exchanges are non-blocking point-to-point messages of at most
 * PARSCAN_MPI_PART_BYTES, since the counts of MPI 3 are ints.
 */
#ifndef PARSCAN_APPS_MPI_MPI_TRANSPORT_H
#define PARSCAN_APPS_MPI_MPI_TRANSPORT_H

#include <mpi.h>
#include <stdbool.h>

#include "parscan/comm.h"

/* A test build makes it small. */
#ifndef PARSCAN_MPI_PART_BYTES
#define PARSCAN_MPI_PART_BYTES ((size_t)1 << 30)
#endif

/* Messages that are under way. */
typedef struct mpi_exchange {
    struct mpi_exchange *next;
    MPI_Request *requests;
    MPI_Status *statuses;      /* one for each request */
    int *peers;                /* likewise; -1: all ranks */
    int count, room, receives; /* the first `receives` requests are receives */
    /* A gathering goes through memory of its own, since MPI cannot take it back when it fails. */
    char *copies;
    size_t copies_size;
    void *gathered; /* where wait copies the ranks' parts to; NULL: nothing is to be copied */
    size_t gathered_size;
} mpi_exchange;

typedef struct mpi_transport {
    MPI_Comm comm; /* the duplicate */
    int rank, size;
    bool device_memory; /* the context is on CUDA, and MPI takes device pointers */
    bool failed;
    mpi_exchange *begun, *spare; /* those that wait has not ended, and those to be used again */
    char words[512];
} mpi_transport;

/* Keeps the message of a failure: the comm is broken. Returns DEVICE. */
__attribute__((format(printf, 2, 3))) parscan_status parscan_mpi_fail(mpi_transport *transport,
                                                                      const char *format, ...);

/* MPI_SUCCESS, or keeps MPI's words. */
parscan_status parscan_mpi_check(mpi_transport *transport, int error, const char *function);

/* A limit of time, and who sets it, for words. */
typedef struct mpi_limit {
    double seconds;
    const char *name;
} mpi_limit;

/* Waits until all requests are done. */
parscan_status parscan_mpi_wait_all(mpi_transport *transport, int count, MPI_Request *requests,
                                    MPI_Status *statuses, const int *peers, mpi_limit limit);

/* The functions, with an mpi_transport as their `user`. */
parscan_comm_functions parscan_mpi_functions(const mpi_transport *transport);

#endif
