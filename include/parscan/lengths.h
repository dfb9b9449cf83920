/*
 * parscan/lengths.h: lengths that are known where the arrays are, not to the caller. What a call has
 * counted is the length of the next one:
 *
 *     parscan_compact_if(context, PARSCAN_U32, in, &keep, kept, n, count);
 *     parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = count));
 *     parscan_sort_keys(context, PARSCAN_U32, kept, sorted, n, NULL);      sorts *count keys
 */
#ifndef PARSCAN_LENGTHS_H
#define PARSCAN_LENGTHS_H

#include "parscan/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make one with PARSCAN_LENGTHS(...). */
typedef struct parscan_lengths {
    size_t struct_size; /* sizeof(parscan_lengths), see parscan/options.h */
    /* The call's lengths, in the order of its arguments: n, or rows and columns. NULL: the argument
       is the length. */
    const uint64_t *n, *n2;
    /* The room that the output has for elements that are kept, runs, entries of a matrix, or results
       of segments by flags or keys. 0: no limit. */
    uint64_t out_capacity;
    /* The number of segments that are given by offsets. NULL: segments->count is it. */
    const uint64_t *segment_count;
} parscan_lengths;

/* A parscan_lengths with struct_size set: PARSCAN_LENGTHS(.n = count). */
#define PARSCAN_LENGTHS(...) PARSCAN_WITH_SIZE(parscan_lengths, __VA_ARGS__)

/*
 * Gives the next call of the context its lengths. They hold for that call alone, also if it fails. (What
 * is in context.h and memory.h is no such call: lengths wait for the next one.)
 * With them the call's own arguments (n, rows, columns, segments->count) are the most there can be:
 * arrays are checked by these, and scratch is taken for these. Beyond the lengths nothing is read or
 * written.
 *   lengths   NULL: the next call has no such lengths. The struct is read at once; what its pointers
 *             point to is read by the next call after its arguments are checked and before it writes,
 *             so its count may be the same number
 * Which calls take what: n, all of scan.h, segmented.h, select.h, sort.h, columns.h, compact.h, histogram.h, gather.h and allocate.h
 * (of search.h n is `count` and n2 is n; of parscan_dense_to_csr() n are the rows and n2 the columns, without gaps between the rows), and merge.h, n and n2; segment_count, those with segments by
 * offsets; out_capacity, parscan_compact(), _compact_by(), _compact_if(), _compact_indices(), _compact_with_indices(), _unique(), _unique_pairs(),
 * _run_length_encode(), _dense_to_csr(), parscan_reduce_by_key(), parscan_join(), parscan_set_union() and
 * its sisters, and parscan_segmented_reduce() by flags or keys.
 *
 * Of the next call:
 *   a length above its argument   the first n elements are done; then the call returns CAPACITY
 *   more results than out_capacity   those beyond it are not written (of a join none), *count is their
 *                                 number, and the call returns CAPACITY. Row offsets are complete
 *   offsets of segments           offsets[segment_count] must be the length, else INVALID_ARGUMENT
 *   UNSUPPORTED                   the call has no such length (every function of chunked.h,
 *                                 distributed.h and sorter.h), in words; nothing is written
 * A CPU context reads the numbers from host memory, a CUDA context from host or device memory. Numbers
 * in device memory, aligned to 8 bytes, are read by the kernels, without the host, if all arrays are
 * in device memory too: those of scan.h, segmented.h, compact.h, sort.h, columns.h, histogram.h,
 * gather.h, allocate.h, search.h, select.h and merge.h. Other calls, and calls with a shape, wait for the stream and read them, which is
 * UNSUPPORTED in a capture. The errors that only kernels see are returned by parscan_synchronize(): a
 * length above its argument, more results than out_capacity, wrong offsets, rows that are not whole.
 * Cost: none, but for out_capacity below n in parscan_segmented_reduce() and parscan_reduce_by_key() in
 * reverse, which count the segments first, on one thread.
 * Errors: INVALID_ARGUMENT, lengths->struct_size is wrong; UNSUPPORTED, it has fields that this version
 * does not know.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_set_lengths(parscan_context *context,
                                               const parscan_lengths *lengths);

#ifdef __cplusplus
}
#endif
#endif
