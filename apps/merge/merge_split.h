/* Splits a merge at an exact rank. */
#ifndef PARSCAN_APPS_MERGE_MERGE_SPLIT_H
#define PARSCAN_APPS_MERGE_MERGE_SPLIT_H

#include "apps/merge/merge.h"

/*
 * end[r] becomes where the n elements that follow begin[0..count) in the merge end in run r. So
 * end[r] - begin[r] of them are of run r.
 *   begin, end   call->count indices each; begin is itself such a split
 *   room         room for 2 * call->count indices
 * Work: O(log n) searches in every run, for each bit of the range of ranks.
 */
void parscan_merge_split(const merge_call *call, const size_t *begin, size_t n, size_t *end,
                         size_t *room);

#endif
