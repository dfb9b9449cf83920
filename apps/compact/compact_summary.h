/*
 * What the look-back of a compaction carries from tile to tile: how many elements are kept, and, for
 * runs, where the open run started and the last element, since a run may go on in the next tile.
 */
#ifndef PARSCAN_APPS_COMPACT_SUMMARY_H
#define PARSCAN_APPS_COMPACT_SUMMARY_H

#include "apps/compact/compact_cpu.h"

/* What a tile contributes. It is tested as if a run started at its first element. */
typedef struct compact_summary {
    uint64_t kept;
    size_t begin;                      /* the index of its first element; for runs also: */
    size_t second, head;               /* where the second run and the last run in the tile start */
    unsigned char first[16], last[16]; /* the first and the last element */
} compact_summary;

/* Returns what a tested tile contributes. */
compact_summary parscan_compact_summary(const compact_pass *pass, const compact_tile *tile);

/* Whether the run before a tile goes on in it. */
bool parscan_run_goes_on(const compact_pass *pass, const compact_before *before,
                         const compact_summary *tile);

/* Returns what the tile after this one must know. pass: the compact_pass. */
compact_before parscan_compact_add(const void *pass, const compact_before *before,
                                   const compact_summary *tile);

#endif
