/* What a subcommand that computes has from its beginning to its end: a context, a progress bar, its
   arrays, and the steps that are the same for all: read, time, write. Steps return an exit status, or
   whether they were done; unless they were, the words are in *why. */
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
    file_format input_format, second_format;
    array in, second; /* what was read */
    array out;        /* its data may be in's: computed in place */
} session;

/* A subcommand: its command line is read into *options and spec->user, then it runs in a session that
   is open, its arrays empty. Returns the exit status, with the line on standard error printed. */
typedef int session_run(session *job, void *user, failure *why);
int session_command(const usage *spec, common_options *options, session_run *run, int argc,
                    char **argv);

/* A file beside the input: flags, keys, values. */
typedef struct second_input {
    const char *option; /* "--keys" */
    const char *path;
    parscan_type type;       /* what it must hold; 0: what it says, or text_type for text */
    const char *type_option; /* that chose the type; NULL: there is none */
    parscan_type text_type;
    text_words words;   /* of text: as in an input_request */
    input_check *check; /* or NULL; its words name the file */
    void *user;
    const char *one_each; /* there must be one for each element of the input, and are called so; or
                             NULL */
} second_input;

/* Told the type of the input before its elements are read: an exit status. */
typedef int session_type_check(session *job, void *user, parscan_type type, failure *why);

/* Reads the input, and a second file unless second is NULL; text is of text_type, or i64 if that is
   0, unless the options say otherwise. */
int session_read(session *job, parscan_type text_type, const second_input *second,
                 session_type_check *check, void *user, failure *why);

/* Room for n elements of that type in job->out: in the input's place when the sizes allow it. */
bool session_make_out(session *job, parscan_type type, size_t n, failure *why);

/* The same, with the input left as it is. */
bool session_make_new_out(session *job, parscan_type type, size_t n, failure *why);

/* Writes job->out to the output file; the input is freed first. */
int session_write(session *job, failure *why);

/* Writes an array to the output file, another one to the file at path: both or none. */
int session_write_pair(session *job, const array *elements, const char *path, const array *others,
                       failure *why);

/* After a call of the library: the exit status, with the context's words, in which the options have
   their names, unless it is STATUS_DONE. A wrong argument is wrong usage. */
int session_check(const session *job, parscan_status status, failure *why);

/* The same, where the arguments have been checked and what is wrong are the elements at path. */
int session_check_elements(const session *job, parscan_status status, const char *path,
                           failure *why);

/* How messages call the input. */
const char *session_input_name(const session *job);

/* With --stats: n elements, bytes read and written in that many seconds; whether all the context's
   threads may have had a part in it. */
void session_print_stats(session *job, size_t n, double bytes, double seconds, bool parallel);

#endif
