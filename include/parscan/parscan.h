/*
 * parscan/parscan.h: parallel scan (prefix sum) and what is built on it, for C. Includes all
 * headers.
 *
 *     parscan_context *context;
 *     parscan_context_create(&context, NULL);
 *     parscan_inclusive_scan(context, PARSCAN_U32, in, out, n, NULL);    prefix sums of in
 *     parscan_context_destroy(context);
 *
 *     types.h       status codes, element types, operators, algorithms, and their names
 *     options.h     the structs that calls take, and how they grow
 *     context.h     contexts (engines, threads, streams, errors), and rules for all calls
 *     memory.h      memory of an engine
 *     scan.h        inclusive and exclusive scan, reduction
 *     segments.h    how a call is told the segments of an array
 *     segmented.h   scan and reduction of every segment, linear recurrences
 *     sort.h        radix sort of keys, pairs, indices and segments
 *     sorter.h      sort of more elements than memory holds, in runs on disk
 *     compact.h     compaction, partition, unique, run lengths, dense matrix to CSR
 *     histogram.h   histogram, elements ordered by their bins
 *     allocate.h    offsets of outputs of different sizes, their inverse, records moved to them
 *     chunked.h     these primitives over arrays in chunks, larger than memory
 *     comm.h        a group of processes or threads, each with a piece of an array
 *     distributed.h these primitives over arrays in pieces, one a process
 */
#ifndef PARSCAN_PARSCAN_H
#define PARSCAN_PARSCAN_H

#include "parscan/allocate.h"
#include "parscan/chunked.h"
#include "parscan/comm.h"
#include "parscan/compact.h"
#include "parscan/context.h"
#include "parscan/distributed.h"
#include "parscan/histogram.h"
#include "parscan/memory.h"
#include "parscan/options.h"
#include "parscan/scan.h"
#include "parscan/segmented.h"
#include "parscan/segments.h"
#include "parscan/sort.h"
#include "parscan/sorter.h"
#include "parscan/types.h"

#endif
