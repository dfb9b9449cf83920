/* Counts in tables for each thread (count_in_tables.c). */
#ifndef PARSCAN_APPS_HISTOGRAM_COUNT_IN_TABLES_H
#define PARSCAN_APPS_HISTOGRAM_COUNT_IN_TABLES_H

#include "apps/histogram/counters.h"
#include "apps/histogram/histogram_call.h"

/* Computes the bins of a tile of COUNTER_TILE elements, the last of fewer. Returns their number. */
static inline size_t histogram_tile_bins(const histogram_call *call, size_t tile, uint32_t *bins)
{
    const size_t begin = tile * COUNTER_TILE;
    const size_t n = call->n - begin < COUNTER_TILE ? call->n - begin : COUNTER_TILE;
    call->kernel(&call->map, call->in + begin * call->element_size, n, bins);
    return n;
}

/* words: how many tables of 32 bits each thread has; 0: tables of bytes. Fewer threads may count than are given.
   scratch: of as many bytes as parscan_tables_need() tells, aligned to a line. */
size_t parscan_tables_need(histogram_call *call, size_t words, unsigned threads);
void parscan_count_in_tables(histogram_call *call, size_t words, unsigned threads, char *scratch);

#endif
