/* What a subcommand that computes has from its beginning to its end: a context, a progress bar, and
   the steps that are the same for all: read, time, write. */
#ifndef PARSCAN_CLI_SESSION_H
#define PARSCAN_CLI_SESSION_H

#include "apps/cli/array.h"
#include "apps/cli/common_options.h"
#include "apps/cli/input.h"
#include "apps/cli/progress.h"
#include "parscan/context.h"

typedef struct session {
    const common_options *options;
    parscan_context *context;
    progress progress;
    file_format input_format;
} session;

/* Returns an exit status; the session is to be closed in any case. */
int session_open(session *job, const common_options *options, failure *why);
void session_close(session *job);

/* Reads the input file. As soon as the type is known, before the elements are read, check() may
   refuse to go on: its words then name no file. */
bool session_read(session *job, array *elements, input_check *check, void *user, failure *why);

/* Writes the output file. */
bool session_write(session *job, const array *elements, failure *why);

/* After a call of the library: the exit status, with the context's words, in which the options have
   their names, unless it is STATUS_DONE. A wrong argument is wrong usage. */
int session_check(const session *job, parscan_status status, failure *why);

/* With --stats: n elements, bytes read and written in that many seconds; whether all the context's
   threads may have had a part in it. */
void session_print_stats(session *job, size_t n, double bytes, double seconds, bool parallel);

#endif
