/* Splits a merge at an exact rank. */
#ifndef PARSCAN_APPS_MERGE_MERGE_SPLIT_H
#define PARSCAN_APPS_MERGE_MERGE_SPLIT_H

#include "apps/merge/merge_runs.h"

/*
 * end[r] becomes where the elements that follow begin[0..count) in the merge end in run r. So
 * end[r] - begin[r] of them are of run r. Returns their number, from `least` to n; the more freedom,
 * the less work. Two runs are split by the merge path, into n.
 *   begin, end   call->count indices each; begin is itself such a split
 *   room         room for 2 * call->count indices
 * Work: for two runs one search; else O(log n) searches in every run, for each bit of the range of ranks; mostly one, if the runs
 * have the same distribution and n / 8 elements are free.
 */
size_t parscan_merge_split(const merge_call *call, const size_t *begin, size_t least, size_t n,
                           size_t *end, size_t *room);

#endif
