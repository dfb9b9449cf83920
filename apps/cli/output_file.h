/*
 * A file that is written as a whole or not at all: a regular or new file is written beside its
 * place and renamed when it is complete; a device, a pipe and an open descriptor (/dev/stdout,
 * /dev/fd/3) are written directly. A symbolic link stays, and the file that it leads to is
 * replaced. SIGINT, SIGTERM, SIGHUP and SIGQUIT remove what is written beside. At most
 * MOST_DRAFTS such files at a time.
 */
#ifndef PARSCAN_CLI_OUTPUT_FILE_H
#define PARSCAN_CLI_OUTPUT_FILE_H

#include "apps/cli/failure.h"

typedef struct output_file {
    int fd;
    char *place; /* where the file will be; NULL: fd is written directly */
    char *draft; /* what fd is written to until then */
} output_file;

/* Opens path; NULL or "-" is standard output. The words of a failure begin with the name. */
bool output_file_open(output_file *file, const char *path, failure *why);

/* Whether both are to be in the same place. */
bool output_file_same_place(const output_file *a, const output_file *b);

/* Everything has been written: closes the file, so that nothing but its place is missing. */
bool output_file_close(output_file *file, const char *path, failure *why);

/* Closes the file, unless it is closed, and puts it in its place. When that fails, nothing is left
   behind. */
bool output_file_commit(output_file *file, const char *path, failure *why);

/* Closes the file and removes what was written beside. */
void output_file_discard(output_file *file);

/* How messages call the file at path. */
const char *output_file_name(const char *path);

#endif
