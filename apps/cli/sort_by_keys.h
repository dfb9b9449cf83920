/* Sorts, checks and merges lines by several fields, or by words. */
#ifndef PARSCAN_CLI_SORT_BY_KEYS_H
#define PARSCAN_CLI_SORT_BY_KEYS_H

#include "apps/cli/sort_keys.h"
#include "apps/cli/sort_pieces.h"

typedef enum key_work { KEYS_SORT, KEYS_CHECK, KEYS_MERGE } key_work;

/* Opens the input, and does that with its lines, as the request says of order, unique lines (where they are checked: equal
   ones are not in order), memory and folders. Statistics of a sort are the caller's. Returns an exit status. */
int sort_by_keys(session *job, const sort_keys *keys, key_work work, const sort_request *request,
                 sort_totals *totals, failure *why);

/* With --stats: prints lines and seconds, as if each key had 8 bytes. */
void sort_keys_print_stats(session *job, const sort_keys *keys, const sort_totals *totals);

#endif
