/* What a subcommand that computes has from its beginning to its end: a context, a progress bar, and
   the steps that are the same for all: read, time, write. */
#ifndef PARSCAN_CLI_SESSION_H
#define PARSCAN_CLI_SESSION_H

#include "apps/cli/array.h"
#include "apps/cli/common_options.h"
#include "apps/cli/progress.h"
#include "parscan/context.h"

typedef struct session {
    const common_options *options;
    parscan_context *context;
    progress progress;
    file_format input_format;
} session;

bool session_open(session *job, const common_options *options, failure *why);
void session_close(session *job);

/* Reads the input file. */
bool session_read(session *job, array *elements, failure *why);

/* Writes the output file. */
bool session_write(session *job, const array *elements, failure *why);

/* After a call of the library: false with the context's words, and the input's name, unless OK. */
bool session_check(const session *job, parscan_status status, failure *why);

/* With --stats: n elements, bytes read and written in that many seconds. */
void session_print_stats(session *job, size_t n, double bytes, double seconds);

#endif
