/* Files of which every rank reads or writes its part. All functions but the last of each kind are
   collective, and return an exit status that all ranks agree on. */
#ifndef PARSCAN_CLI_MPI_FILES_H
#define PARSCAN_CLI_MPI_FILES_H

#include <limits.h>

#include "apps/cli/array.h"
#include "apps/cli/input.h"
#include "apps/cli/mpi/mpi_job.h"
#include "apps/cli/output_file.h"

/* A raw or npy file. */
typedef struct mpi_input {
    const char *path;
    input_reader *reader;
    file_format format;
    parscan_type type;
    bool is_mask;   /* NumPy's booleans */
    uint64_t n;     /* elements of the whole file */
    uint64_t first; /* the index of this rank's first element */
    size_t count;   /* of this rank's elements */
    int fd;
    uint64_t at; /* the byte at which this rank's part starts */
    progress not_shown;
} mpi_input;

/* Opens a file. type: as --type gave it, or 0. */
int mpi_input_open(const mpi_job *job, mpi_input *input, const char *path, file_format format,
                   parscan_type type, failure *why);

/* Reads this rank's part into memory of *elements; array_release() frees it. */
int mpi_input_read(mpi_job *job, mpi_input *input, array *elements, failure *why);

void mpi_input_close(mpi_input *input);

/* A new file in the making. It has a draft that rank 0 has made. The other ranks of its machine open it by
   rank 0's descriptor; if there are others, or the file system has no files without names, all open
   it by name. */
typedef struct mpi_output {
    const char *path; /* NULL: it was never opened */
    output_file file; /* of rank 0 */
    char *joined;     /* the name of the draft that this rank guards too; NULL: none */
    int fd;           /* -1: not open */
    size_t header;    /* bytes before the first element */
    size_t element;   /* bytes of an element */
} mpi_output;

bool mpi_ends_in(const char *path, const char *end);

/* The format of the output at path: --output-format, or by its name, or that of the input. A local
   check. */
int mpi_output_format(const mpi_job *job, const char *path, const mpi_input *input,
                      file_format *format, failure *why);

/* Makes the draft of a file for n elements in all. */
int mpi_output_open(const mpi_job *job, mpi_output *output, const char *path, file_format format,
                    parscan_type type, uint64_t n, failure *why);

/* Writes this rank's elements, the first of which has that index. */
int mpi_output_write(mpi_job *job, const mpi_output *output, const void *elements, size_t count,
                     uint64_t first, failure *why);

/* Everything is written: the files take their places. */
int mpi_output_commit(const mpi_job *job, mpi_output *const *outputs, int count, failure *why);

/* Removes the draft, unless it was committed. */
void mpi_output_discard(mpi_output *output);

#endif
