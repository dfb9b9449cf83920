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
 *     lengths.h     lengths that the caller does not know
 *     scan.h        inclusive and exclusive scan, reduction
 *     operator.h    operators and elements of the caller's
 *     segments.h    how a call is told the segments of an array
 *     segmented.h   scan and reduction of every segment, linear recurrences
 *     select.h      the k largest or smallest of an array or of each segment; the extreme and its index
 *     sort.h        radix sort of keys, pairs, indices and segments
 *     columns.h     rows in the order of several columns
 *     merge.h       merge, join and set operations of two sorted arrays
 *     sorter.h      sort of more elements than memory holds, in runs on disk
 *     search.h      bounds of elements in a sorted array
 *     compact.h     compaction, partition, unique, run lengths, dense matrix to CSR
 *     histogram.h   histogram, elements ordered by their bins
 *     gather.h      elements moved by their indices
 *     allocate.h    offsets of outputs of different sizes, their inverse, records moved to them
 *     chunked.h     these primitives over arrays in chunks, larger than memory
 *     comm.h        a group of processes or threads, each with a piece of an array
 *     distributed.h these primitives over arrays in pieces, one a process
 *
 * Not included, since a program asks for it: parscan/typed.h, macros that take types and sizes from
 * pointers; ready_operators.h, operators for operator.h; comm_mpi.h and comm_nccl.h, transports.
 *
 * Conventions of all headers:
 *
 *   First        The context, or for parscan_dist_ the comm. Functions that create an object take
 *                the pointer that receives it before.
 *   Types        A type, or the bytes of an element, stands at once before the first array that has
 *                it: (type, in, out), (key_type, keys_in, keys_out, value_size, values_in,
 *                values_out), (in, ..., index_type, indices_out). An array without a type of its
 *                own has that of the input.
 *   Indices      Indices, offsets and counts are u32, u64, i32 or i64, whatever the call takes them for.
 *                A negative one is out of range. What is too large for u32 from 2^32 on is too large
 *                for i32 from 2^31 on.
 *   Arrays       Inputs come before outputs; flags and predicates follow the array that they are
 *                of. Only parscan_copy() has the destination first, as memcpy() has.
 *   n            There are two orders. n follows inputs and outputs, (in, out, n), in scan.h,
 *                segmented.h, sort.h, compact.h and parscan_pack(). n follows the inputs alone,
 *                (in, n, bins, counts), in histogram.h and select.h and in parscan_allocate()
 *                and parscan_expand() of allocate.h. A matrix is followed by rows and columns;
 *                of the two inputs in merge.h and in search.h each is followed by its length.
 *                Functions of distributed.h are as those of one process; pieces of two lengths have
 *                n_in and n_out, each after its array, but in parscan_dist_sort_pairs() both
 *                after all.
 *   Last         Segments, then pointers that receive numbers (count, total), then options.
 *   NULL         as options: all defaults. As an output: not wanted, where a function says so.
 *   0            in a struct of options: the default, which each field names (parscan/options.h);
 *                scratch_limit and capacity then have no limit. As the argument `capacity` it is
 *                room for nothing.
 *   Enums        Those that have a default start with it, as 0: parscan_op (SUM), parscan_algorithm
 *                (AUTO), parscan_backend (AUTO), parscan_comparison (NONZERO), parscan_segment_kind
 *                (FLAGS), parscan_comm_memory (HOST); PARSCAN_OK is 0 too. parscan_type starts with
 *                1: 0 is no type. It is INVALID_ARGUMENT as an argument, so that a type that was
 *                forgotten is not u8; in options it is the type of the input (out_type), or of
 *                flags, but a sorter's key_type has no default.
 *   Names        Types, operators, algorithms and comparisons are PARSCAN_ and a word: PARSCAN_U8,
 *                PARSCAN_SUM, PARSCAN_WARP, PARSCAN_LESS. All others have the family between:
 *                PARSCAN_ERROR_IO, PARSCAN_BACKEND_CPU, PARSCAN_SEGMENTS_KEYS, PARSCAN_COMM_HOST.
 */
#ifndef PARSCAN_PARSCAN_H
#define PARSCAN_PARSCAN_H

#include "parscan/allocate.h"
#include "parscan/chunked.h"
#include "parscan/columns.h"
#include "parscan/comm.h"
#include "parscan/compact.h"
#include "parscan/context.h"
#include "parscan/distributed.h"
#include "parscan/gather.h"
#include "parscan/histogram.h"
#include "parscan/lengths.h"
#include "parscan/memory.h"
#include "parscan/merge.h"
#include "parscan/operator.h"
#include "parscan/options.h"
#include "parscan/scan.h"
#include "parscan/search.h"
#include "parscan/segmented.h"
#include "parscan/segments.h"
#include "parscan/select.h"
#include "parscan/shape.h"
#include "parscan/sort.h"
#include "parscan/sorter.h"
#include "parscan/types.h"

#endif
