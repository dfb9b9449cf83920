/* Results of which no rank knows the length before it has computed its part. All functions are collective, and
   return an exit status that all ranks agree on. */
#ifndef PARSCAN_CLI_MPI_RESULT_H
#define PARSCAN_CLI_MPI_RESULT_H

#include "apps/cli/mpi/mpi_files.h"

/* Writes the elements of all ranks, one rank's after the other's, to --output. input: the file whose format the
   output has by default. */
int mpi_result_write(mpi_job *job, const mpi_input *input, const array *elements, failure *why);

/* Whether the options can choose where a text goes: a file, or if `shown` standard output, too. A local check. */
int mpi_text_check(const mpi_job *job, bool shown, failure *why);

/* The same of lines of text, U8; without --output rank 0 prints its own, the only ones. */
int mpi_text_write(mpi_job *job, const array *lines, failure *why);

#endif
