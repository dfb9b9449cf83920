/*
 * What went wrong, as a message, for one line on standard error. Functions of the program put the message
 * here and return false; only the subcommands print them.
 */
#ifndef PARSCAN_CLI_FAILURE_H
#define PARSCAN_CLI_FAILURE_H

#include <stdbool.h>

typedef struct failure {
    char text[1024];
} failure;

/* Writes the message and returns false, so that a function can end in `return fail(...)`. */
__attribute__((format(printf, 2, 3))) bool fail(failure *why, const char *format, ...);

/* The same with "out of memory". */
bool fail_out_of_memory(failure *why);

/* Puts "NAME: " before the message. Returns false. */
bool fail_in(failure *why, const char *name);

/* "parscan" or "parscan-mpi", defined beside main(). */
extern const char program_name[];

/* Prints "parscan: WORDS" on standard error. Control characters are replaced, so that it is one
   line. */
void failure_print(const failure *why);

#endif
