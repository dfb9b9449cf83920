/* The options that all subcommands of parscan-mpi have, and their help. */
#ifndef PARSCAN_CLI_MPI_OPTIONS_H
#define PARSCAN_CLI_MPI_OPTIONS_H

#include "apps/cli/common_options.h"

/* clang-format off */
#define MPI_HELP                                                                       \
    {"\nInput and output, of which every rank reads and writes its part:\n"            \
     "  FILE                  the input, raw or npy, in a folder that all ranks see\n" \
     "  -o, --output FILE     the output. It takes its place when it is whole\n"       \
     "  --format FORMAT       the format of the input: raw or npy (default: npy if it begins like\n" \
     "                        an npy file, else raw)\n"                                \
     "  --type T              the element type of raw:\n"                              \
     "                        ", type_name_of},                                        \
    {"\n"                                                                              \
     "  --output-format FORMAT  raw or npy (default: npy for a name that ends in .npy, else as\n" \
     "                        the input)\n"                                            \
     "  --backend ENGINE      ", backend_name_of},                                     \
    {" (default: auto, which is the CPU).\n"                                           \
     "                        With cuda, the ranks of a machine take its devices in turn\n" \
     "  --threads N           CPU threads of a rank (default: the processors of a machine are\n" \
     "                        divided among its ranks)\n"                              \
     "  --timeout SECONDS     fail if nothing is heard of a rank for so long (default 60; inf: never)\n" \
     "  --stats               print elements, seconds, GB/s and engine on standard error\n" \
     QUIET_HELP HELP_HELP, NULL}
/* clang-format on */

int mpi_command_scan(int argc, char **argv);
int mpi_command_sort(int argc, char **argv);
int mpi_command_histogram(int argc, char **argv);
int mpi_command_allocate(int argc, char **argv);
int mpi_command_compact(int argc, char **argv);
int mpi_command_reduce(int argc, char **argv);
int mpi_command_unique(int argc, char **argv);
int mpi_command_group(int argc, char **argv);

#endif
