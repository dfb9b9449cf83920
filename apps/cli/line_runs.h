/* Sorted lines that memory does not hold: they are written to files without names, and merged. */
#ifndef PARSCAN_CLI_LINE_RUNS_H
#define PARSCAN_CLI_LINE_RUNS_H

#include "apps/cli/line_output.h"
#include "apps/cli/merge_run.h"

enum { MOST_LINE_RUNS = 512 };

/* A file of sorted lines. */
typedef struct line_run {
    int fd; /* -1: it is being merged */
    const char *folder;
    unsigned level; /* how often its lines have been merged */
} line_run;

/* Start with the folders; the rest is 0. */
typedef struct line_runs {
    const char *const *folders; /* in turn */
    unsigned folder_count;
    line_run runs[MOST_LINE_RUNS]; /* in the order of the input */
    size_t count;
    uint64_t made;          /* runs in all, without what they were merged to */
    uint64_t files;         /* these too */
    uint64_t lines, bytes;  /* of all runs that were made */
    uint64_t bytes_spilled; /* with what they were merged to */
    size_t longest;         /* line, in bytes */
} line_runs;

/* Writes all lines of the store, in the order of their places there, to a new file. */
bool line_runs_add(line_runs *runs, session *job, const line_store *lines, failure *why);

/* Whether no more runs can be added, as so many files cannot be open. */
bool line_runs_are_many(const line_runs *runs);

/* Then: merges some of them to one, with about so many bytes of memory. Returns an exit status. */
int line_runs_shorten(line_runs *runs, session *job, const merge_rules *rules, uint64_t memory,
                      double *seconds, failure *why);

/* Merges all runs, lines of equal elements in the order of their runs, in the same way, and adds them to the output.
   *levels: how often a line has been merged. Returns an exit status. */
int line_runs_merge(line_runs *runs, session *job, const merge_rules *rules, uint64_t memory,
                    output_writer *output, uint64_t *levels, double *seconds, failure *why);

void line_runs_release(line_runs *runs);

#endif
