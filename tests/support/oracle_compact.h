/*
 * What compaction must keep, by plain loops over elements as numbers, written from the words of
 * parscan/compact.h. Everything else is a matter of the indices of what is kept.
 */
#ifndef PARSCAN_TESTS_ORACLE_COMPACT_H
#define PARSCAN_TESTS_ORACLE_COMPACT_H

#include <stdbool.h>

#include "parscan/compact.h"

/* Whether the predicate holds for the element; keep == NULL: whether it is not zero. */
bool oracle_keeps(parscan_type type, const void *element, const parscan_predicate *keep);

/* Writes the indices of in[0..n), ascending, of those elements that the predicate holds for, or of
   the first of every run; how many there are. */
size_t oracle_kept(parscan_type type, const void *in, size_t n, const parscan_predicate *keep,
                   uint64_t *indices);
size_t oracle_run_starts(parscan_type type, const void *in, size_t n, uint64_t *indices);

#endif
