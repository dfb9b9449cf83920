/* Sorts whole lines by a field. */
#ifndef PARSCAN_CLI_SORT_LINES_H
#define PARSCAN_CLI_SORT_LINES_H

#include "apps/cli/sort_pieces.h"
#include "parscan/sort.h"

/* Reads the input to its end, and writes its lines, with what the request says of memory, folders and unique: the first
   of those whose elements are equal. Lines beyond that memory go to files, in runs. Returns an exit status. */
int sort_lines(session *job, const parscan_sort_options *options, const sort_request *request,
               sort_totals *totals, failure *why);

#endif
