/* Many texts whose lines are sorted by several fields, or by words, become one. */
#ifndef PARSCAN_CLI_KEY_MERGE_H
#define PARSCAN_CLI_KEY_MERGE_H

#include "apps/cli/key_columns.h"
#include "apps/cli/merge_run.h"

typedef struct key_merge_rules {
    key_reader *reader;
    bool unique;     /* only the first of lines whose keys are equal */
    bool strict;     /* lines of a file whose keys are equal are not in order */
    uint64_t *lines; /* the number of lines is added there; or NULL */
} key_merge_rules;

/* Merges the texts into what is written by that function, or only reads them if it is NULL. Of lines whose keys are equal
   those of the first text come first; one that is not sorted is a failure. A reader that is NULL is opened by its name,
   with the header of the session's. They are closed, but for that of the session. Returns an exit status. */
int key_merge(session *job, const key_merge_rules *rules, const merge_inputs *inputs,
              merge_write *write, void *to, double *seconds, failure *why);

#endif
