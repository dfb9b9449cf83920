/* Removes unfinished files when a signal ends the program. This is the program's only global state:
   a signal handler can reach no other. */
#ifndef PARSCAN_CLI_DRAFT_GUARD_H
#define PARSCAN_CLI_DRAFT_GUARD_H

#include <stdbool.h>

/* As many files as a subcommand writes. */
enum { MOST_DRAFTS = 2 };

/*
 * Creates the file at path, which must not be there yet, for writing, and guards it: every signal
 * that would end the program removes it first, and then ends the program as it would have.
 * (SIGKILL cannot be caught.) Signals that are ignored stay so. Returns the file's descriptor, or
 * -1 and errno; then nothing is guarded. More than MOST_DRAFTS files at a time are a failure.
 */
int draft_guard_create(const char *path);

/* The same for a second name of an open file, which may have no name yet. False and errno when
   that fails. */
bool draft_guard_link(int fd, const char *path);

/* Guards a file that another process has made. False and errno when that fails. */
bool draft_guard_join(const char *path);

/* Removes all files that are guarded, as a signal would, for a program that ends without one. */
void draft_guard_remove(void);

/* The file is complete or gone: it is guarded no more. After the last one the signals do again what
   they did before. */
void draft_guard_end(const char *path);

#endif
