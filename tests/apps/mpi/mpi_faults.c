/* parscan-mpi, one rank of which stops, dies or is slow in a function: the linker puts __wrap_NAME() in
   the place of NAME(). PARSCAN_FAULT="RANK NAME stop|kill|slow". */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include "parscan/distributed.h"

/* Returns whether the function is to be slow. */
static bool meet_fault(const char *function)
{
    const char *const fault = getenv("PARSCAN_FAULT");
    int rank = -1, asked = -2;
    char name[64] = "", what[8] = "";
    if (fault == NULL || sscanf(fault, "%d %63s %7s", &asked, name, what) != 3 ||
        strcmp(name, function) != 0)
        return false;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != asked)
        return false;
    if (strcmp(what, "slow") == 0)
        return true;
    raise(strcmp(what, "stop") == 0 ? SIGSTOP : SIGKILL);
    return false;
}

/* Defines the function and declares the one that it replaces. */
#define FAULTY(type, name, parameters, arguments) \
    type __real_##name parameters;                \
    type __wrap_##name parameters;                \
    type __wrap_##name parameters                 \
    {                                             \
        meet_fault(#name);                        \
        return __real_##name arguments;           \
    }

FAULTY(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
FAULTY(int, MPI_Finalize, (void), ())
FAULTY(parscan_status, parscan_dist_inclusive_scan,
       (parscan_comm * comm, parscan_type type, const void *in, void *out, size_t n,
        const parscan_scan_options *options),
       (comm, type, in, out, n, options))
FAULTY(parscan_status, parscan_dist_sort_keys,
       (parscan_comm * comm, parscan_type type, const void *in, size_t n, void *out, size_t out_n,
        const parscan_sort_options *options),
       (comm, type, in, n, out, out_n, options))
FAULTY(parscan_status, parscan_dist_histogram,
       (parscan_comm * comm, parscan_type type, const void *in, size_t n, size_t bins,
        parscan_type count_type, void *counts, const parscan_histogram_options *options),
       (comm, type, in, n, bins, count_type, counts, options))
FAULTY(parscan_status, parscan_dist_allocate,
       (parscan_comm * comm, parscan_type type, const void *sizes, size_t n,
        parscan_type offset_type, void *offsets, uint64_t *total,
        const parscan_allocate_options *options),
       (comm, type, sizes, n, offset_type, offsets, total, options))

/* A slow file gives a few bytes at a time. */
ssize_t __real_pread(int fd, void *to, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at);

ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at)
{
    enum { SLOW_BYTES = 2500 };
    if (meet_fault("pread")) {
        nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
        n = n < SLOW_BYTES ? n : SLOW_BYTES;
    }
    return __real_pread(fd, to, n, at);
}
