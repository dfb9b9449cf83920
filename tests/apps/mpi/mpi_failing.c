/* parscan-mpi where memory runs out, or a write fails, on one rank: every allocation of the program itself and every
   write of each subcommand fails once, in one process after the other, by functions that the linker puts in the place
   of others (__wrap_NAME()). All ranks must then have the same failure, in words, and nothing may be written. */
#define _POSIX_C_SOURCE 200809L /* alarm, pwrite */
#include <dirent.h>
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "apps/cli/command.h"
#include "apps/cli/failure.h"
#include "apps/cli/mpi/mpi_options.h"

enum { RANKS = 2, KEYS = 1000, MOST_ARGUMENTS = 24, MOST_BYTES = 64 * 1024, FILES = 3 };

/* What fails: not at all, an allocation, a write. For all of its kinds but calloc() rank 0 has words: what it lacks
   to talk to the others ends the program. */
typedef enum fault_kind { NO_FAULT = 0, FAULT_MEMORY, FAULT_WRITE } fault_kind;

static struct {
    int rank;
    fault_kind kind;
    size_t at, calls; /* the call that fails, counted from 0; those so far */
} fault;

static failure told;    /* the last message, on rank 0 */
static size_t failures; /* that the faults made */

static bool fails(fault_kind kind)
{
    return fault.kind == kind && fault.calls++ == fault.at;
}

void *__real_malloc(size_t size);
/* AddressSanitizer's library calls them too, as the linker sees it. */
#define SEEN __attribute__((visibility("default")))
SEEN void *__wrap_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
SEEN void *__wrap_realloc(void *block, size_t size);
void *__real_calloc(size_t n, size_t size);
SEEN void *__wrap_calloc(size_t n, size_t size);
ssize_t __real_pwrite(int fd, const void *from, size_t n, off_t at);
SEEN ssize_t __wrap_pwrite(int fd, const void *from, size_t n, off_t at);
void __wrap_failure_print(const failure *why);
int __wrap_main(int argc, char **argv);

void *__wrap_malloc(size_t size)
{
    return fails(FAULT_MEMORY) ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return fails(FAULT_MEMORY) ? NULL : __real_realloc(block, size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fault.rank != 0 && fails(FAULT_MEMORY) ? NULL : __real_calloc(n, size);
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t n, off_t at)
{
    if (!fails(FAULT_WRITE))
        return __real_pwrite(fd, from, n, at);
    errno = ENOSPC;
    return -1;
}

void __wrap_failure_print(const failure *why)
{
    told = *why;
}

static void complain(const char *what, const char *const *arguments, const char *words)
{
    fprintf(stderr, "%s: %s, rank %d, call %zu: %s\n", arguments[0], what, fault.rank, fault.at,
            words);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int count_files(void)
{
    int count = 0;
    DIR *const folder = opendir(".");
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count - 2; /* . and .. */
}

static size_t read_output(char bytes[MOST_BYTES])
{
    FILE *const file = fopen("out", "rb");
    const size_t size = file != NULL ? fread(bytes, 1, MOST_BYTES, file) : 0;
    if (file != NULL)
        fclose(file);
    return size;
}

static int run_once(const char *const *arguments)
{
    char *argv[MOST_ARGUMENTS + 1] = {0};
    int argc = 0;
    for (; arguments[argc] != NULL; argc++)
        argv[argc] = (char *)(uintptr_t)arguments[argc];
    told.text[0] = '\0';
    fault.calls = 0;
    const char *const name = arguments[0];
    return (strcmp(name, "compact") == 0  ? mpi_command_compact
            : strcmp(name, "unique") == 0 ? mpi_command_unique
            : strcmp(name, "reduce") == 0 ? mpi_command_reduce
            : strcmp(name, "group") == 0  ? mpi_command_group
                                          : mpi_command_sort)(argc, argv);
}

/* Runs the command with that fault. Returns whether it was met. rank: the caller's. */
static bool survives(int rank, const char *const *arguments, fault_kind kind, int at_rank,
                     size_t at, const char *expected, size_t size)
{
    static char bytes[MOST_BYTES];
    fault.rank = at_rank;
    fault.at = at;
    fault.kind = rank == at_rank ? kind : NO_FAULT;
    const int status = run_once(arguments);
    bool met = fault.kind != NO_FAULT && fault.calls > at;
    fault.kind = NO_FAULT;
    MPI_Bcast(&met, sizeof met, MPI_BYTE, at_rank, MPI_COMM_WORLD);
    /* An array that cannot grow by half may grow by what is needed. */
    const bool done = status == STATUS_DONE;
    if (met ? status == STATUS_USAGE || (done && kind == FAULT_WRITE) : !done)
        complain("another exit status", arguments, rank == 0 ? told.text : "");
    if (rank == 0 && !done &&
        strstr(told.text, kind == FAULT_MEMORY ? "out of memory" : "No space left") == NULL)
        complain("other words", arguments, told.text);
    if (rank == 0 && count_files() != (done ? FILES : FILES - 1))
        complain("other files", arguments, "");
    if (rank == 0 && done && (read_output(bytes) != size || memcmp(bytes, expected, size) != 0))
        complain("other bytes", arguments, "");
    failures += !done;
    if (rank == 0)
        remove("out");
    MPI_Barrier(MPI_COMM_WORLD);
    return met;
}

static void survive_all(int rank, const char *const *arguments)
{
    static char expected[MOST_BYTES];
    const fault_kind kinds[] = {FAULT_MEMORY, FAULT_WRITE};
    failures = 0;
    if (run_once(arguments) != STATUS_DONE)
        complain("fails without a fault", arguments, told.text);
    const size_t size = rank == 0 ? read_output(expected) : 0;
    if (rank == 0)
        remove("out");
    for (int k = 0; k < 2; k++)
        for (int at_rank = 0; at_rank < RANKS; at_rank++)
            for (size_t at = 0; survives(rank, arguments, kinds[k], at_rank, at, expected, size);
                 at++)
                ;
    if (failures < 5)
        complain("too few faults make a failure", arguments, "");
}

/* Keys of which many are equal, as u32 and as u8. */
static void write_inputs(void)
{
    FILE *const keys = fopen("keys", "wb"), *const bytes = fopen("bytes", "wb");
    for (uint32_t i = 0; i < KEYS; i++) {
        const uint32_t key = i * 7919 % 101;
        fwrite(&key, sizeof key, 1, keys);
        fputc((int)(key % 7), bytes);
    }
    fclose(keys);
    fclose(bytes);
}

#define COMMAND(...)                                                                          \
    ((const char *const[]){__VA_ARGS__, "--format", "raw", "--type", "u32", "--threads", "1", \
                           "--timeout", "20", "-o", "out", "keys", NULL})

int __wrap_main(int argc, char **argv)
{
    int rank, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        write_inputs();
    MPI_Barrier(MPI_COMM_WORLD);
    survive_all(rank, COMMAND("compact", "--where", ">50"));
    survive_all(rank, COMMAND("compact", "--flags", "bytes", "--indices"));
    survive_all(rank, COMMAND("unique"));
    survive_all(rank, COMMAND("unique", "--count"));
    survive_all(rank, COMMAND("reduce", "--op", "sum,min,mean"));
    survive_all(rank, COMMAND("group", "--keys", "bytes", "--keys-type", "u8", "--op", "sum,max"));
    survive_all(rank, COMMAND("sort", "--argsort"));
    alarm(0);
    MPI_Finalize();
    return 0;
}
