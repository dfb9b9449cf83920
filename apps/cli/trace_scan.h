/*
 * Runs a scan for `trace`, by the templates of scan/, and records it.
 */
#ifndef PARSCAN_CLI_TRACE_SCAN_H
#define PARSCAN_CLI_TRACE_SCAN_H

#include "apps/cli/trace_record.h"

/* Completes the fields left 0 of a shape so that one block holds n values, if the algorithm has
   blocks so large, and checks it. NULL: fine; else what is wrong, as for
   parscan_block_shape_complete(). */
const char *trace_shape_complete(parscan_block_shape *shape, size_t n, size_t element_size,
                                 bool *threads_wrong);

/* Scans record->n values, n > 0; the includer has set type, op, shape, n and exclusive of a record
   that is zero else. False: no memory. */
bool trace_scan(trace_record *record, const trace_value *values);

/* The number of operations that the textbook gives, in words: "2N - 2 - log2 N = 11". */
void trace_textbook(const trace_record *record, char *text, size_t size);

#endif
