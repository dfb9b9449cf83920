/* Sorted lines that memory does not hold: they are written to files without names, and merged. */
#ifndef PARSCAN_CLI_LINE_RUNS_H
#define PARSCAN_CLI_LINE_RUNS_H

#include "apps/cli/line_output.h"
#include "apps/cli/merge_run.h"

enum { MOST_LINE_RUNS = 512 };

/* Start with the folders; the rest is 0. */
typedef struct line_runs {
    const char *const *folders; /* in turn */
    unsigned folder_count;
    int fds[MOST_LINE_RUNS];
    size_t count;
    uint64_t lines, bytes; /* of all runs */
    size_t longest;        /* line, in bytes */
} line_runs;

/* Writes the lines that have these indices, in this order, to a new file. */
bool line_runs_add(line_runs *runs, session *job, const line_store *lines, const uint64_t *order,
                   size_t n, failure *why);

/* Merges all runs, lines of equal elements in the order of their runs, with about so many bytes of memory, and adds
   them to the output. Returns an exit status. */
int line_runs_merge(line_runs *runs, session *job, const merge_rules *rules, uint64_t memory,
                    output_writer *output, double *seconds, failure *why);

void line_runs_release(line_runs *runs);

#endif
