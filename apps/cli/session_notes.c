/* What a session tells in notes, on standard error. */
#include <stdio.h>

#include "apps/cli/session.h"

void session_note_lists(session *job)
{
    const output_request request = session_output_to(job, job->options->output, &job->no_progress);
    if (job->options->quiet || !input_has_lists(job->reader) ||
        output_format(&request) != FORMAT_TEXT)
        return;
    progress_end(&job->progress);
    fprintf(stderr,
            "%s: note: %.800s has several numbers on a line: all lines are one list, and each "
            "number gets a "
            "line of its own (--quiet: no note)\n",
            program_name, session_input_name(job));
}

void session_note_matrix(const session *job)
{
    char words[MATRIX_WORDS];
    const char *path;
    const matrix_market *const matrix =
        job->reader != NULL ? input_matrix(job->reader, &path) : NULL;
    if (matrix == NULL || job->options->quiet)
        return;
    matrix_describe(matrix, words);
    fprintf(stderr, "%s: note: %.500s is %s (--quiet: no note)\n", program_name, path, words);
}
