/* Many sorted files become one, in constant memory. */
#ifndef PARSCAN_CLI_MERGE_RUN_H
#define PARSCAN_CLI_MERGE_RUN_H

#include "apps/cli/session.h"

typedef struct merge_rules {
    bool descending;
    bool unique; /* only the first of equal elements, or of their lines */
} merge_rules;

/* Merges all FILEs of the options: opens them, writes the output, and prints the statistics. What a stable sort
   makes of all of them, one after the other. A file that is not sorted is a failure. Returns an exit status. */
int merge_run(session *job, const merge_rules *rules, failure *why);

#endif
