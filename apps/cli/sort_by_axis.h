/* Sorts along an axis (--axis). */
#ifndef PARSCAN_CLI_SORT_BY_AXIS_H
#define PARSCAN_CLI_SORT_BY_AXIS_H

#include "apps/cli/session.h"
#include "parscan/sort.h"

/* Sorts each line of the open input, or writes the indices that do; both whole. Returns an exit
   status. */
int sort_axis(session *job, const parscan_sort_options *options, bool argsort, failure *why);

#endif
