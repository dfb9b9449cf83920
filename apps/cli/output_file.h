/*
 * A file that is written whole or not at all. A regular or new file is written as a draft, which
 * takes its place when it is complete. A device, a pipe and an open descriptor (/dev/stdout,
 * /dev/fd/3) are written directly. A symbolic link stays, and the file that it leads to is
 * replaced.
 *
 * Where the file system allows it (O_TMPFILE), a draft has no name, and nothing is left of it
 * however the program ends. A new file then gets its name by a link. An existing one is replaced:
 * the draft is linked to a name beside it, and renamed. Elsewhere a draft has such a name from the
 * start. Every signal that ends the program removes that name, except SIGKILL; what that leaves,
 * the next named draft in the same folder removes (draft_name.h).
 *
 * At most MOST_DRAFTS drafts at a time. PARSCAN_NAMED_DRAFTS in the environment, for tests, gives
 * every draft a name.
 */
#ifndef PARSCAN_CLI_OUTPUT_FILE_H
#define PARSCAN_CLI_OUTPUT_FILE_H

#include "apps/cli/failure.h"

typedef struct output_file {
    int fd;
    char *place; /* where the file will be; NULL: fd is written directly */
    char *draft; /* the name of the draft beside it; NULL: it has none */
} output_file;

/* Opens path; NULL or "-" is standard output. The message of a failure starts with the name. */
bool output_file_open(output_file *file, const char *path, failure *why);

/* Gives a draft a name, by which other machines can open it, if it has none. */
bool output_file_name_draft(output_file *file, const char *path, failure *why);

/* Whether the file is written directly, so that what is written cannot be taken back. */
bool output_file_is_direct(const output_file *file);

/* Whether what is written goes straight to the file of another descriptor. */
bool output_file_is_file_of(const output_file *file, int fd);

/* Says that an input of that name is such a file: it would never end. Returns false. */
bool fail_output_is_input(const char *name, failure *why);

/* Whether both are to be in the same place. */
bool output_file_same_place(const output_file *a, const output_file *b);

/* Everything has been written: takes the errors that closing the file may tell, so that only
   output_file_commit() is left. */
bool output_file_complete(output_file *file, const char *path, failure *why);

/* Closes the file and puts it in its place. When that fails, nothing is left behind. */
bool output_file_commit(output_file *file, const char *path, failure *why);

/* Closes the file and removes its draft. */
void output_file_discard(output_file *file);

/* The name of the file at path in messages. */
const char *output_file_name(const char *path);

#endif
