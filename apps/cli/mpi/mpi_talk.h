/*
 * How the ranks of a run talk to each other, all through rank 0, which so can tell who is lost: each
 * waits with the limit of --timeout. Collective calls of MPI itself would wait for a stopped rank for
 * ever.
 *
 * A message without bytes is a sign of life. A rank that reads or writes a file for long gives signs, and
 * so does rank 0 while it waits: the limit is for a rank of which nothing is heard.
 */
#ifndef PARSCAN_CLI_MPI_TALK_H
#define PARSCAN_CLI_MPI_TALK_H

#include <stddef.h>

#include "apps/cli/mpi/mpi_job.h"

/* Seconds of --timeout, by default. */
#define MPI_TIMEOUT 60.0

/* A moment at which a sign of life may be due. Cheap enough for every part of a file. */
void mpi_alive(mpi_job *job);

/* `bytes` bytes of each rank, more than 0, go to rank 0: all[r * stride ..]. A rank may give fewer than
   `stride`. all is NULL on the others. */
void mpi_collect(const mpi_job *job, const void *mine, size_t bytes, void *all, size_t stride);

/* all[r * stride ..] of rank 0 goes to rank r; stride = 0: the same to all. `bytes` is the room of mine. */
void mpi_spread(const mpi_job *job, const void *all, size_t stride, void *mine, size_t bytes);

/* The same bytes for all, which rank 0 has. */
void mpi_tell(const mpi_job *job, void *data, size_t bytes);

/* The name of this machine, as MPI knows it. */
typedef struct mpi_host {
    char name[256];
} mpi_host;
mpi_host mpi_this_host(void);

/* Ends the run on all ranks, without waiting for any: drafts are removed, and one rank prints. */
_Noreturn void mpi_end_all(const mpi_job *job, const failure *why);

/* The last of what needs all ranks. After this call the process ends by a signal if MPI_Finalize() takes
   longer than the limit. */
void mpi_limit_end(double seconds);

#endif
