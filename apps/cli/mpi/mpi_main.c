/* The program parscan-mpi: subcommands of parscan, by all ranks of mpirun. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/mpi/mpi_job.h"
#include "apps/cli/mpi/mpi_options.h"
#include "apps/cli/mpi/mpi_talk.h"

const char program_name[] = "parscan-mpi";

typedef struct subcommand {
    const char *name;
    subcommand_main *run;
    const char *summary;
} subcommand;

static const subcommand subcommands[] = {
    {"scan", mpi_command_scan, "running sums, maxima, ... of an array"},
    {"sort", mpi_command_sort, "the elements in order, with values"},
    {"histogram", mpi_command_histogram, "the number of elements in each bin"},
    {"allocate", mpi_command_allocate,
     "offsets of items that lie one after another, from their sizes"},
    {"compact", mpi_command_compact, "the elements that meet a condition, or that are flagged"},
    {"reduce", mpi_command_reduce, "the sum, number, minimum, maximum or mean of all elements"},
    {"unique", mpi_command_unique, "each element once, or how often it is there"},
    {"group", mpi_command_group, "sums and more of the elements that have the same key"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

static int print_help(void)
{
    puts(
        "usage: mpirun parscan-mpi SUBCOMMAND [options] -o OUTPUT FILE\n"
        "       parscan-mpi SUBCOMMAND --help\n"
        "       parscan-mpi --help | --version\n"
        "\n"
        "Computes with the memory and the processors of all ranks of mpirun. Every rank reads and\n"
        "writes its part of one raw or npy file. Results are those of parscan.\n");
    for (int i = 0; i < SUBCOMMANDS; i++)
        printf("  %-10s  %s\n", subcommands[i].name, subcommands[i].summary);
    puts("\n"
         "Example:\n"
         "  mpirun -n 2 parscan-mpi sort -o sorted.npy data/eight.npy\n"
         "\n"
         "Exit status, on all ranks: 0 success; 1 failure, with one line on standard error; 2 "
         "wrong\n"
         "usage.\n"
         "Manual: man parscan");
    return STATUS_DONE;
}

/* What needs no other ranks is done by rank 0; the others know its status. */
static int dispatch_alone(const char *name)
{
    failure why;
    const bool silent = mpi_rank() != 0;
    if (name != NULL && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0))
        return silent ? STATUS_DONE : print_help();
    if (name != NULL && strcmp(name, "--version") == 0)
        return silent || printf("parscan-mpi %s\n", parscan_version()) > 0 ? STATUS_DONE
                                                                           : STATUS_FAILED;
    if (name == NULL)
        fail(&why, "a subcommand is missing");
    else
        fail(&why, "unknown %s '%.100s'", name[0] == '-' ? "option" : "subcommand", name);
    return silent ? STATUS_USAGE : usage_wrong(NULL, &why);
}

static int dispatch_mpi_command(int argc, char **argv)
{
    for (int i = 0; i < SUBCOMMANDS && argc > 1; i++)
        if (strcmp(argv[1], subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    mpi_limit_end(MPI_TIMEOUT);
    return dispatch_alone(argc > 1 ? argv[1] : NULL);
}

int main(int argc, char **argv)
{
    int level;
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is then a write that fails */
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return STATUS_FAILED;
    const int status = dispatch_mpi_command(argc, argv);
    fflush(stdout);
    MPI_Finalize();
    return status;
}
