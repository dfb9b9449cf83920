/* A session is one run of a subcommand that computes: a context, a progress bar, the arrays, and
   the steps that all subcommands have in common: read, check, write. A step returns an exit status,
   or whether it succeeded. If it failed, *why says so in a message. */
#ifndef PARSCAN_CLI_SESSION_H
#define PARSCAN_CLI_SESSION_H

#include "apps/cli/array.h"
#include "apps/cli/common_options.h"
#include "apps/cli/input.h"
#include "apps/cli/output.h"
#include "apps/cli/progress.h"
#include "parscan/context.h"

typedef struct session {
    const common_options *options;
    parscan_context *context;
    progress progress;
    progress no_progress;                 /* never shown: a second file is read at the same time */
    input_reader *reader, *second_reader; /* the open input files, or NULL */
    const char *second_path;
    file_format input_format, second_format;
    field_rules
        fields; /* of the input's lines: the options', to which a subcommand may add before session_begin() */
    const char *fields_hint; /* as in an input_request */
    bool apart;              /* only the first of several FILEs is opened by session_begin() */
    kept_part keep;          /* what is kept of these lines, where lines are asked for */
    line_rule lines;   /* of the input, if it is text; beside a second file lines are elements */
    shape_rule shapes; /* of the input, if it is npy, where the options have no --axis */
    const npy_shape *out_shape; /* of what is written; NULL: one dimension */
    bool is_mask;               /* the input holds NumPy's booleans */
    array in, second;           /* what was read */
    array out;                  /* its data may be in's: computed in place */
} session;

/* A subcommand: its command line is read into *options and spec->user, then it runs in a session
   that is open, its arrays empty. Returns the exit status, with the line on standard error printed.
   */
typedef int session_run(session *job, void *user, failure *why);
int session_command(const usage *spec, common_options *options, session_run *run, int argc,
                    char **argv);

/* A file beside the input: flags, keys, values. */
typedef struct second_input {
    const char *option; /* "--keys" */
    const char *path;
    parscan_type type;       /* what it must hold; 0: what an npy file says, text_type for text */
    const char *type_option; /* the option that chooses the type; NULL: there is none */
    parscan_type text_type, raw_type; /* by default; raw_type 0: there is none */
    bool integers;                    /* floats are refused */
    text_words words;                 /* of text: as in an input_request */
    input_check *check;               /* or NULL; its message names the file */
    void *user;
    const char
        *one_each; /* the plural of what it holds, if there must be one for each element of the
                             input; or NULL */
} second_input;

/* Is called with the type of the input before its elements are read. Returns an exit status; unless
   it is STATUS_DONE, nothing is read. */
typedef int session_type_check(session *job, void *user, parscan_type type, failure *why);

/* For such a check: STATUS_USAGE if the elements, which are called `what`, are floats. */
int session_need_integers(const char *what, parscan_type type, failure *why);

/* Opens the input, and a second file unless second is NULL, to be read in pieces. job->in and
   job->second are empty arrays of the files' types. Elements of text have the type that the options
   choose, else text_type, else i64. check: NULL if every type serves. */
int session_begin(session *job, parscan_type text_type, const second_input *second,
                  session_type_check *check, void *user, failure *why);

/* Opens another FILE of the options, to be read beside the first one; or a text of the program's own, if its
   descriptor is not 0 (input_request.descriptor). Its elements have the same type; beside:
   input_request.beside. Returns NULL if it fails. */
input_reader *session_open_file(session *job, const char *path, int descriptor,
                                const field_rules *fields, const input_reader *beside, bool small,
                                failure *why);

/* Adds up to `most` elements of the second file to an array. */
bool session_read_second(session *job, const second_input *second, array *elements, size_t most,
                         failure *why);

/* Whether the second file has as many elements as it must have for n of the input. */
bool session_check_second(const session *job, const second_input *second, uint64_t n,
                          uint64_t second_n, failure *why);

/* Reads what is left of the open files, one after the other. */
bool session_read_rest(session *job, const second_input *second, failure *why);

/* Makes room for n elements of that type in job->out: the input's memory when it is large enough.
   */
bool session_make_out(session *job, parscan_type type, size_t n, failure *why);

/* The same in new memory: the input stays as it is. */
bool session_make_new_out(session *job, parscan_type type, size_t n, failure *why);

/* Opens the file at path for elements of that type, to be written in pieces: *n, if n is not NULL. */
output_writer *session_open_output(session *job, const char *path, parscan_type type,
                                   const uint64_t *n, failure *why);

/* How the output at path is written. */
output_request session_output_to(session *job, const char *path, progress *bar);

/* The threads of the context, at least 1. */
unsigned session_threads(const session *job);

/* Whether the elements are fields of lines. */
bool session_has_fields(const session *job);

/* Whether what is written to the output is read again, from one of the open files: of which name, unless
   name is NULL. */
bool session_feeds(const session *job, const output_writer *output, const char **name);

/* Says in notes, after the work, how the input was read: that the lines of a text were one list, where several numbers
   stand on some of them, or what the fields of a Matrix Market file are. */
void session_note_input(const session *job);

/* Writes job->out to the output file; the input is freed first. */
int session_write(session *job, failure *why);

/* Writes one array to the output file and another to the file at path: both, or none. */
int session_write_pair(session *job, const array *elements, const char *path, const array *others,
                       failure *why);

/* The exit status after a call of the library. *why gets the library's message, or that of the
   status. */
int session_status_of(parscan_status status, const char *words, failure *why);

/* The exit status after a call of the library that checked the options. Unless it is STATUS_DONE,
   *why gets the context's words, in which arguments have the names of the options. A wrong argument
   is wrong usage. */
int session_check(const session *job, parscan_status status, failure *why);

/* The same after a call that computed: the message of a failure starts with the name of the input. */
int session_check_result(const session *job, parscan_status status, failure *why);

/* The name of the input in messages. */
const char *session_input_name(const session *job);

/* Says that there is no memory for the input or for what is computed from it. Returns false. */
bool session_out_of_memory(const session *job, failure *why);

/* With --stats: prints n elements, the rate of so many bytes in so many seconds, the engine, and
   the context's threads, or 1 thread if only one can have computed. */
void session_print_stats(session *job, size_t n, double bytes, double seconds, bool parallel);

#endif
