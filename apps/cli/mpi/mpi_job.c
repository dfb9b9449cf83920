#define _POSIX_C_SOURCE 200809L
#include "apps/cli/mpi/mpi_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/session.h"
#include "parscan/comm_mpi.h"

int mpi_rank(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int mpi_agree(const mpi_job *job, int status, failure *why)
{
    int first = status != STATUS_DONE ? job->rank : job->size;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == job->size)
        return STATUS_DONE;
    MPI_Bcast(&status, 1, MPI_INT, first, MPI_COMM_WORLD);
    MPI_Bcast(why->text, sizeof why->text, MPI_CHAR, first, MPI_COMM_WORLD);
    return status;
}

/* The rank that prints first ends all others. Rank 0 gets a second to be the one. */
static void end_all_ranks(const mpi_job *job, const failure *why)
{
    if (job->rank != 0)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    failure_print(why);
    MPI_Abort(MPI_COMM_WORLD, STATUS_FAILED);
}

int mpi_check(const mpi_job *job, parscan_status status, failure *why)
{
    const int found = session_status_of(status, parscan_comm_error(job->comm), why);
    if (status == PARSCAN_ERROR_DEVICE)
        end_all_ranks(job, why);
    return found;
}

uint64_t mpi_first(const mpi_job *job, uint64_t n, int rank)
{
    const uint64_t size = (uint64_t)job->size, r = (uint64_t)rank, more = n % size;
    return n / size * r + (r < more ? r : more);
}

/* Ranks of one machine that may use the same processors share them: by default each would have a thread
   for every one. */
static unsigned share_of_threads(unsigned threads, MPI_Comm here)
{
    unsigned all = threads;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UNSIGNED, MPI_SUM, here);
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
    MPI_Comm here;
    int rank_here = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, job->rank, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &rank_here);
    int status = create_context(job, job->options->threads, rank_here, why);
    if (status == STATUS_DONE && job->options->threads == 0) {
        const unsigned threads = parscan_context_threads(job->context);
        parscan_context_destroy(job->context);
        status = create_context(job, share_of_threads(threads, here), rank_here, why);
    } else if (job->options->threads == 0) {
        share_of_threads(0, here);
    }
    MPI_Comm_free(&here);
    return mpi_agree(job, status, why);
}

static int job_open(mpi_job *job, const common_options *options, failure *why)
{
    *job = (mpi_job){.options = options, .rank = mpi_rank()};
    MPI_Comm_size(MPI_COMM_WORLD, &job->size);
    progress_init(&job->progress, options->quiet || job->rank != 0);
    const int status = open_context(job, why);
    if (status != STATUS_DONE)
        return status;
    const parscan_status made = parscan_comm_create_mpi(&job->comm, job->context, MPI_COMM_WORLD);
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
    const usage_verdict verdict = usage_read(spec, argc, argv);
    if (verdict != USAGE_RUN)
        return usage_status(verdict);
    int status = STATUS_USAGE;
    if (common_take_input(options, argc, argv, &why)) {
        mpi_job job;
        status = job_open(&job, options, &why);
        if (status == STATUS_DONE)
            status = run(&job, spec->user, &why);
        job_close(&job);
    }
    if (status == STATUS_USAGE && !spec->silent)
        usage_wrong(spec->command, &why);
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
