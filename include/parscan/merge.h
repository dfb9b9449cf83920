/*
 * parscan/merge.h: two sorted arrays become one.
 *
 *     parscan_merge()   keys, or keys with values
 *
 * Arrays are sorted as parscan/sort.h sorts them, ascending: floats in numeric order, -0 before +0, and
 * every NaN after +infinity, whatever its sign; all NaNs are equal to each other. (So an array in which
 * +0 stands before -0 is not sorted, though == takes them for equal.) Of arrays that are not sorted, or
 * that change during a call, results are unspecified; nothing outside of the arrays is read or written.
 * Results are the same to the bit on every engine and with every number of threads. Memory, errors and
 * streams: parscan/context.h.
 */
#ifndef PARSCAN_MERGE_H
#define PARSCAN_MERGE_H

#include "parscan/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Merges the sorted arrays a_keys[0..n) and b_keys[0..n2) into keys_out[0..n + n2): what a stable sort
 * makes of a's elements followed by b's. So of equal keys a's come first, each array's in its order.
 *   key_type             any element type
 *   a_keys, b_keys       n and n2 keys, in order; the bits of keys are kept
 *   keys_out             n + n2 keys; must not overlap another array, else INVALID_ARGUMENT. So of
 *                        values_out
 *   value_size           bytes of a value, 1 to 64, which are moved whole and not interpreted; 0, with
 *                        NULL for all values: there are keys alone. Not a parscan_type: PARSCAN_U32
 *                        would be 5 bytes (parscan/types.h)
 *   a_values, b_values   a_values[i] goes to the place in values_out where a_keys[i] goes in keys_out;
 *                        of any alignment
 *   values_out           n + n2 values
 * With parscan_set_lengths() the lengths are n and n2.
 * Errors: INVALID_ARGUMENT; UNSUPPORTED, a CUDA context; OUT_OF_MEMORY, nothing is written.
 * Cost: work O(n + n2); one read and one write of the elements, where values move with the keys (keys
 * of 4 and 8 bytes without a NaN by SIMD vectors). The merge path divides the output evenly, whatever
 * the keys are. Scratch: at most 1 MiB a thread.
 * Source: O. Green, S. Odeh, Y. Birk, Merge Path: A Visually Intuitive Approach to Parallel Merging,
 * 2014; K. E. Batcher, Sorting Networks and Their Applications, 1968.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_merge(parscan_context *context, parscan_type key_type,
                                         const void *a_keys, size_t n, const void *b_keys,
                                         size_t n2, void *keys_out, size_t value_size,
                                         const void *a_values, const void *b_values,
                                         void *values_out);

#ifdef __cplusplus
}

#if __cplusplus >= 201103L && !defined PARSCAN_NO_DELETED_OVERLOADS
/* A parscan_type where the bytes of a value stand (parscan/types.h). */
extern "C++" parscan_status parscan_merge(parscan_context *, parscan_type, const void *, size_t,
                                          const void *, size_t, void *, parscan_type, const void *,
                                          const void *, void *) = delete;
#endif
#endif
#endif
