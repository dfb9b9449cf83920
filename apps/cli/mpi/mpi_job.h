/*
 * A run of parscan-mpi: what all ranks of MPI_COMM_WORLD do together. Every step is collective: a rank
 * whose part of it fails tells the others, and all of them return the same exit status and message.
 */
#ifndef PARSCAN_CLI_MPI_JOB_H
#define PARSCAN_CLI_MPI_JOB_H

#include "apps/cli/common_options.h"
#include "apps/cli/progress.h"
#include "parscan/comm.h"

typedef struct mpi_job {
    const common_options *options;
    parscan_context *context;
    parscan_comm *comm;
    bool is_mask; /* the input of a scan holds NumPy's booleans */
    int rank, size;
    double timeout;    /* of --timeout */
    double next_sign;  /* when mpi_alive() gives the next one */
    progress progress; /* shown by rank 0 alone */
} mpi_job;

/* A subcommand: its command line is read into *options and spec->user, then it runs. Returns the exit
   status; rank 0 has printed the line on standard error. */
#define MPI_COMMON_OPTIONS                                 \
    COMMON_OPTIONS,                                        \
    {                                                      \
        "timeout", required_argument, NULL, OPTION_TIMEOUT \
    }
typedef int mpi_job_run(mpi_job *job, void *user, failure *why);
int mpi_command(usage *spec, common_options *options, mpi_job_run *run, int argc, char **argv);

/* The number of this process. */
int mpi_rank(void);

/* Agrees on an exit status: that of the lowest rank whose status is not STATUS_DONE, with its message. Does
   not return if a rank is lost (mpi_talk.h). */
int mpi_agree(const mpi_job *job, int status, failure *why);

/* The exit status after a call of parscan/distributed.h, whose status is the same on all ranks. *why
   gets its message. Does not return if the ranks cannot reach each other any more: all are ended. */
int mpi_check(const mpi_job *job, parscan_status status, failure *why);

/* The index of the first of n elements that that rank has: as many as the others, or one more. Rank
   `size` would start at n. */
uint64_t mpi_first(const mpi_job *job, uint64_t n, int rank);

/* With --stats: rank 0 prints n elements and the rate of so many bytes in the seconds since `begin`,
   of seconds_now(). */
void mpi_print_stats(mpi_job *job, uint64_t n, double bytes, double begin);

/* The name of the input in messages. */
const char *mpi_input_name(const mpi_job *job);

#endif
