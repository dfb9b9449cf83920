#define _POSIX_C_SOURCE 200809L
#include "apps/cli/mpi/mpi_job.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/mpi/mpi_talk.h"
#include "apps/cli/option_words.h"
#include "apps/cli/session.h"
#include "parscan/comm_mpi.h"

int mpi_rank(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* Of a rank; the message follows if it has failed. */
typedef struct rank_verdict {
    int status;
    failure why;
} rank_verdict;

static size_t verdict_bytes(const rank_verdict *v)
{
    return v->status == STATUS_DONE ? sizeof v->status : sizeof *v;
}

/* On rank 0: the lowest that has failed. */
static const rank_verdict *first_failure(const rank_verdict *all, int size)
{
    for (int r = 0; r < size; r++)
        if (all[r].status != STATUS_DONE)
            return &all[r];
    return &all[0];
}

/* On rank 0, for what all ranks give: it cannot tell the others that there is none. */
static void *memory_of_all(const mpi_job *job, size_t bytes)
{
    failure why;
    void *const all = job->rank == 0 ? calloc((size_t)job->size, bytes) : NULL;
    if (job->rank == 0 && all == NULL) {
        fail_out_of_memory(&why);
        mpi_end_all(job, &why);
    }
    return all;
}

int mpi_agree(const mpi_job *job, int status, failure *why)
{
    rank_verdict mine = {.status = status};
    if (status != STATUS_DONE)
        mine.why = *why;
    rank_verdict *const all = memory_of_all(job, sizeof *all);
    mpi_collect(job, &mine, verdict_bytes(&mine), all, sizeof *all);
    if (job->rank == 0)
        mine = *first_failure(all, job->size);
    mpi_tell(job, &mine, job->rank == 0 ? verdict_bytes(&mine) : sizeof mine);
    if (mine.status != STATUS_DONE)
        *why = mine.why;
    free(all);
    return mine.status;
}

int mpi_check(const mpi_job *job, parscan_status status, failure *why)
{
    const int found = session_status_of(status, parscan_comm_error(job->comm), why);
    if (status == PARSCAN_ERROR_DEVICE)
        mpi_end_all(job, why);
    return found;
}

uint64_t mpi_first(const mpi_job *job, uint64_t n, int rank)
{
    const uint64_t size = (uint64_t)job->size, r = (uint64_t)rank, more = n % size;
    return n / size * r + (r < more ? r : more);
}

/* Of the ranks of one machine. */
typedef struct neighbours {
    int before;       /* how many have a lower number */
    unsigned threads; /* of all of them */
} neighbours;

/* Collective. hosts: on rank 0 those of all ranks. */
static neighbours find_neighbours(const mpi_job *job, const mpi_host *hosts, unsigned threads)
{
    unsigned *const threads_of = memory_of_all(job, sizeof *threads_of);
    neighbours *const all = memory_of_all(job, sizeof *all), mine;
    mpi_collect(job, &threads, sizeof threads, threads_of, sizeof threads);
    for (int r = 0; job->rank == 0 && r < job->size; r++)
        for (int other = 0; other < job->size; other++) {
            if (strcmp(hosts[r].name, hosts[other].name) != 0)
                continue;
            all[r].before += other < r;
            all[r].threads += threads_of[other];
        }
    mpi_spread(job, all, sizeof *all, &mine, sizeof mine);
    free(threads_of);
    free(all);
    return mine;
}

/* Ranks of one machine that may use the same processors share them: by default each would have a thread
   for every one. */
static unsigned share_of_threads(unsigned threads, unsigned all)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1 || all <= (unsigned long)processors)
        return threads;
    const unsigned share = (unsigned)((double)threads * (double)processors / (double)all);
    return share > 0 ? share : 1;
}

static int create_context(mpi_job *job, unsigned threads, int device, failure *why)
{
    char words[512] = "";
    const parscan_backend asked = job->options->backend;
    const parscan_status status = parscan_context_create(
        &job->context,
        &PARSCAN_CONTEXT_OPTIONS(.backend =
                                     asked == PARSCAN_BACKEND_AUTO ? PARSCAN_BACKEND_CPU : asked,
                                 .device = device, .threads = threads, .error = words,
                                 .error_size = sizeof words));
    return session_status_of(status, words, why);
}

/* On CUDA, the ranks of a machine take its devices in turn. */
static int open_context(mpi_job *job, failure *why)
{
    const mpi_host host = mpi_this_host();
    mpi_host *const hosts = memory_of_all(job, sizeof *hosts);
    mpi_collect(job, &host, sizeof host, hosts, sizeof host);
    const int device = find_neighbours(job, hosts, 0).before;
    int status = create_context(job, job->options->threads, device, why);
    const unsigned threads = status == STATUS_DONE ? parscan_context_threads(job->context) : 0;
    const unsigned all = find_neighbours(job, hosts, threads).threads;
    if (status == STATUS_DONE && job->options->threads == 0) {
        parscan_context_destroy(job->context);
        status = create_context(job, share_of_threads(threads, all), device, why);
    }
    free(hosts);
    return mpi_agree(job, status, why);
}

static double timeout_of(const common_options *options)
{
    return options->timeout > 0 ? options->timeout : MPI_TIMEOUT;
}

static int job_open(mpi_job *job, const common_options *options, failure *why)
{
    *job = (mpi_job){.options = options, .rank = mpi_rank(), .timeout = timeout_of(options)};
    MPI_Comm_size(MPI_COMM_WORLD, &job->size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* drafts are removed first */
    progress_init(&job->progress, options->quiet || job->rank != 0);
    const int status = open_context(job, why);
    if (status != STATUS_DONE)
        return status;
    const parscan_status made = parscan_comm_create_mpi(&job->comm, job->context, MPI_COMM_WORLD);
    if (made == PARSCAN_OK)
        parscan_comm_set_timeout(job->comm, job->timeout);
    return mpi_agree(job, session_status_of(made, parscan_context_error(job->context), why), why);
}

static void job_close(mpi_job *job)
{
    progress_end(&job->progress);
    parscan_comm_destroy(job->comm);
    parscan_context_destroy(job->context);
}

int mpi_command(usage *spec, common_options *options, mpi_job_run *run, int argc, char **argv)
{
    failure why;
    spec->silent = mpi_rank() != 0;
    const usage_verdict read = usage_read(spec, argc, argv);
    int status = STATUS_USAGE;
    if (read != USAGE_RUN) {
        mpi_limit_end(MPI_TIMEOUT);
        return usage_status(read);
    }
    if (!common_take_input(options, argc, argv, &why)) {
        mpi_limit_end(timeout_of(options));
    } else {
        mpi_job job;
        status = job_open(&job, options, &why);
        if (status == STATUS_DONE)
            status = run(&job, spec->user, &why);
        status = mpi_agree(&job, status, &why);
        mpi_limit_end(job.timeout);
        job_close(&job);
    }
    if (status == STATUS_USAGE && !spec->silent)
        usage_wrong(spec->command, &why);
    if (status == STATUS_FAILED && spec->integers)
        type_option_words(&why, NULL);
    if (status == STATUS_FAILED && !spec->silent)
        failure_print(&why);
    return status;
}

void mpi_print_stats(mpi_job *job, uint64_t n, double bytes, double begin)
{
    const double seconds = seconds_now() - begin;
    const unsigned threads = parscan_context_threads(job->context);
    progress_end(&job->progress);
    if (!job->options->stats || job->rank != 0)
        return;
    fprintf(stderr, "%s: %" PRIu64 " elements, %.6f s, %.2f GB/s, %s, %d ranks of %u thread%s\n",
            program_name, n, seconds, seconds > 0 ? bytes / seconds * 1e-9 : 0,
            parscan_backend_name(parscan_context_backend(job->context)), job->size, threads,
            threads == 1 ? "" : "s");
}

const char *mpi_input_name(const mpi_job *job)
{
    return input_name(job->options->input);
}
