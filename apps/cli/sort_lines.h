/* Sorts whole lines by a field, in memory. */
#ifndef PARSCAN_CLI_SORT_LINES_H
#define PARSCAN_CLI_SORT_LINES_H

#include "apps/cli/session.h"
#include "parscan/sort.h"

/* Reads the input to its end, and writes its lines; unique: the first of those whose elements are equal.
   `memory`: the most bytes for lines and elements. *seconds: of sorting. Returns an exit status. */
int sort_lines(session *job, const parscan_sort_options *options, bool unique, uint64_t memory,
               double *seconds, failure *why);

#endif
