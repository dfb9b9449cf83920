#define _POSIX_C_SOURCE 200809L
#include "apps/cli/mpi/mpi_talk.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/draft_guard.h"

enum { TAG = 7, NAP_NANOSECONDS = 20000, SIGNS = 4 /* in the time of the limit, at least */ };

/* Whoever has waited for so long sleeps between its looks. */
static const double patience = 2e-3;
static const double longest_silence = 15;

/* A message that is under way. */
typedef struct mail {
    void *to; /* NULL: it is sent */
    int bytes, peer;
    MPI_Request request;
    double heard; /* when the peer was heard of last */
    bool done;
} mail;

_Noreturn void mpi_end_all(const mpi_job *job, const failure *why)
{
    draft_guard_remove();
    /* The rank that prints first ends all others: rank 0, or if it is lost, rank 1. */
    nanosleep(&(struct timespec){.tv_sec = job->rank < 2 ? job->rank : 2}, NULL);
    failure_print(why);
    MPI_Abort(MPI_COMM_WORLD, STATUS_FAILED);
    _exit(STATUS_FAILED);
}

static _Noreturn void end_of_mpi(const mpi_job *job, const char *function, int error)
{
    failure why;
    char words[MPI_MAX_ERROR_STRING + 1] = "an unknown error";
    int length;
    MPI_Error_string(error, words, &length);
    fail(&why, "%s: %.300s", function, words);
    mpi_end_all(job, &why);
}

static void check_mpi_call(const mpi_job *job, const char *function, int error)
{
    if (error != MPI_SUCCESS)
        end_of_mpi(job, function, error);
}

static _Noreturn void end_late(const mpi_job *job, const mail *mails, int count, double now)
{
    failure why;
    int first = -1, last = -1;
    for (int i = 0; i < count; i++)
        if (!mails[i].done && now - mails[i].heard > job->timeout) {
            first = first < 0 ? mails[i].peer : first;
            last = mails[i].peer;
        }
    if (first == last)
        fail(&why, "rank %d is lost or late: it gave no sign of life for %g seconds (--timeout)",
             first, job->timeout);
    else
        fail(&why,
             "ranks are lost or late, from %d to %d: they gave no sign of life for %g seconds "
             "(--timeout)",
             first, last, job->timeout);
    mpi_end_all(job, &why);
}

static void begin_mail(const mpi_job *job, mail *m)
{
    if (m->to != NULL)
        check_mpi_call(
            job, "MPI_Irecv",
            MPI_Irecv(m->to, m->bytes, MPI_BYTE, m->peer, TAG, MPI_COMM_WORLD, &m->request));
}

/* Takes what has come; after a sign of life it waits on. */
static void look(const mpi_job *job, mail *m, double now)
{
    int arrived = 0, bytes = 0;
    MPI_Status status;
    check_mpi_call(job, "MPI_Test", MPI_Test(&m->request, &arrived, &status));
    if (!arrived)
        return;
    m->heard = now;
    if (m->to != NULL)
        MPI_Get_count(&status, MPI_BYTE, &bytes);
    m->done = m->to == NULL || bytes > 0;
    if (!m->done)
        begin_mail(job, m);
}

/* An empty message is gone at once, and needs no memory. */
static void sign_to(const mpi_job *job, int peer)
{
    MPI_Request request;
    check_mpi_call(job, "MPI_Isend",
                   MPI_Isend(NULL, 0, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request));
    MPI_Request_free(&request);
}

static double next_sign_after(const mpi_job *job, double now)
{
    const double often = job->timeout / SIGNS;
    return now + (often < longest_silence ? often : longest_silence);
}

static void sign_if_due(const mpi_job *job, double *next)
{
    const double now = seconds_now();
    if (now < *next)
        return;
    *next = next_sign_after(job, now);
    for (int peer = 1; peer < job->size && job->rank == 0; peer++)
        sign_to(job, peer);
    if (job->rank != 0)
        sign_to(job, 0);
}

void mpi_alive(mpi_job *job)
{
    sign_if_due(job, &job->next_sign);
}

/* Waits for all messages. */
static void await(const mpi_job *job, mail *mails, int count)
{
    const double first = seconds_now();
    double next_sign = next_sign_after(job, first);
    for (int i = 0; i < count; i++) {
        mails[i].heard = first;
        begin_mail(job, &mails[i]);
    }
    for (;;) {
        const double now = seconds_now();
        int left = 0;
        bool late = false;
        for (int i = 0; i < count; i++) {
            if (!mails[i].done)
                look(job, &mails[i], now);
            left += !mails[i].done;
            late = late || (!mails[i].done && now - mails[i].heard > job->timeout);
        }
        if (left == 0)
            return;
        if (late)
            end_late(job, mails, count, now);
        if (job->rank == 0 && mails[0].to != NULL) /* the others wait for what follows */
            sign_if_due(job, &next_sign);
        if (now - first > patience)
            nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL);
        else
            sched_yield();
    }
}

/* On rank 0 a mail for each of the other ranks. */
static mail *mails_of_all(const mpi_job *job)
{
    failure why;
    mail *const mails = calloc((size_t)job->size, sizeof *mails);
    for (int i = 0; mails != NULL && i + 1 < job->size; i++)
        mails[i].peer = i + 1;
    if (mails == NULL) {
        fail_out_of_memory(&why);
        mpi_end_all(job, &why);
    }
    return mails;
}

static void send(const mpi_job *job, mail *m, const void *from, size_t bytes)
{
    check_mpi_call(
        job, "MPI_Isend",
        MPI_Isend(from, (int)bytes, MPI_BYTE, m->peer, TAG, MPI_COMM_WORLD, &m->request));
}

void mpi_collect(const mpi_job *job, const void *mine, size_t bytes, void *all, size_t stride)
{
    if (job->rank != 0) {
        mail m = {.peer = 0};
        send(job, &m, mine, bytes);
        await(job, &m, 1);
        return;
    }
    mail *const mails = mails_of_all(job);
    memcpy(all, mine, bytes);
    for (int i = 0; i + 1 < job->size; i++) {
        mails[i].to = (char *)all + (size_t)(i + 1) * stride;
        mails[i].bytes = (int)stride;
    }
    await(job, mails, job->size - 1);
    free(mails);
}

void mpi_spread(const mpi_job *job, const void *all, size_t stride, void *mine, size_t bytes)
{
    if (job->rank != 0) {
        mail m = {.to = mine, .bytes = (int)bytes, .peer = 0};
        await(job, &m, 1);
        return;
    }
    mail *const mails = mails_of_all(job);
    for (int i = 0; i + 1 < job->size; i++)
        send(job, &mails[i], (const char *)all + (size_t)(i + 1) * stride, bytes);
    if (mine != all)
        memcpy(mine, all, bytes);
    await(job, mails, job->size - 1);
    free(mails);
}

void mpi_tell(const mpi_job *job, void *data, size_t bytes)
{
    mpi_spread(job, data, 0, data, bytes);
}

mpi_host mpi_this_host(void)
{
    mpi_host host = {""};
    char name[MPI_MAX_PROCESSOR_NAME + sizeof host.name] = ""; /* MPICH's are shorter than ours */
    int length;
    MPI_Get_processor_name(name, &length);
    memcpy(host.name, name, sizeof host.name - 1);
    return host;
}

void mpi_limit_end(double seconds)
{
    enum { MOST = 1 << 30 };
    if (seconds < MOST)
        alarm((unsigned)seconds + 1);
}
