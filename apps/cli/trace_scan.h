/*
 * Runs a scan with the templates of scan/ and records it for `trace`.
 */
#ifndef PARSCAN_CLI_TRACE_SCAN_H
#define PARSCAN_CLI_TRACE_SCAN_H

#include "apps/cli/trace_record.h"

/* Fills in the fields of a shape that are 0, so that one block holds n values if the algorithm
   allows blocks of that size. Then checks the shape. Returns NULL if it is valid, else what is
   wrong, as parscan_block_shape_complete() does. */
const char *trace_shape_complete(parscan_block_shape *shape, size_t n, size_t element_size,
                                 bool *threads_wrong);

/* Scans record->n values, n > 0. The caller has set type, op, shape, n and exclusive; the rest of
   the record is zero. False: memory ran out. */
bool trace_scan(trace_record *record, const trace_value *values);

/* The number of operations that the textbook gives, in words: "2N - 2 - log2 N = 11". */
void trace_textbook(const trace_record *record, char *text, size_t size);

#endif
