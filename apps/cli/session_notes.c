/* What a session tells in notes, on standard error. */
#include <stdio.h>

#include "apps/cli/session.h"

void session_note_input(const session *job)
{
    char words[MATRIX_WORDS];
    const char *path;
    if (job->reader == NULL || job->options->quiet)
        return;
    const char *const lists = input_lists(job->reader);
    const matrix_market *const matrix = input_matrix(job->reader, &path);
    if (lists != NULL)
        fprintf(stderr,
                "%s: note: %.800s has several numbers on a line: all lines are one list (-k N "
                "reads one field of each line; --quiet: no note)\n",
                program_name, lists);
    if (matrix == NULL)
        return;
    matrix_describe(matrix, words);
    fprintf(stderr, "%s: note: %.500s is %s (--quiet: no note)\n", program_name, path, words);
}
