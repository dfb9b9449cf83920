/* Many sorted files become one, in constant memory. */
#ifndef PARSCAN_CLI_MERGE_RUN_H
#define PARSCAN_CLI_MERGE_RUN_H

#include "apps/cli/session.h"

typedef struct merge_rules {
    bool descending;
    bool unique; /* only the first of equal elements, or of their lines */
    struct key_reader
        *keys; /* of merge_lines(): lines are compared by these; NULL: by their elements */
} merge_rules;

/* Merges all FILEs of the options: opens them, writes the output, and prints the statistics. What a stable sort
   makes of all of them, one after the other. A file that is not sorted is a failure. Returns an exit status. */
int merge_run(session *job, const merge_rules *rules, failure *why);

/* Texts of sorted lines that the caller has opened, without headers. */
typedef struct merge_inputs {
    input_reader *const *readers; /* they are closed by the merge */
    const char *const *names;     /* in messages */
    size_t count;
    size_t most; /* elements of each that are in memory; each is taken to have 2 bytes of text */
} merge_inputs;

/* Takes the next bytes of the result. */
typedef bool merge_write(void *to, const array *bytes, failure *why);

/* Merges them in the same way into what is written by that function. *seconds: those of the work are added. Returns an
   exit status. */
int merge_lines(session *job, const merge_rules *rules, const merge_inputs *inputs,
                merge_write *write, void *to, double *seconds, failure *why);

#endif
