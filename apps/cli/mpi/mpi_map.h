/* The subcommands that write one element for each of their input. */
#ifndef PARSCAN_CLI_MPI_MAP_H
#define PARSCAN_CLI_MPI_MAP_H

#include "apps/cli/mpi/mpi_files.h"

typedef struct mpi_map {
    /* Checks the options for elements of the input's type, and sets the type of the output. Local, and the
       same on all ranks. Returns an exit status. */
    int (*check)(mpi_job *job, void *user, parscan_type type, parscan_type *out_type, failure *why);
    /* Computes this rank's elements: out has room for in->n. `first` is the index of the first. Returns an
       exit status that all ranks agree on. */
    int (*compute)(mpi_job *job, void *user, const array *in, array *out, uint64_t first,
                   failure *why);
    void *user;
} mpi_map;

/* Whether an input and an output file are given, or an input file alone. Return an exit status. */
int mpi_check_paths(const mpi_job *job, failure *why);
int mpi_check_input(const mpi_job *job, failure *why);

/* Room for that many elements; collective. Returns an exit status that all ranks agree on. */
int mpi_reserve(const mpi_job *job, array *elements, size_t capacity, failure *why);

/* From the input file to the output file. */
int mpi_map_run(mpi_job *job, const mpi_map *work, failure *why);

#endif
