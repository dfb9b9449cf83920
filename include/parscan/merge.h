/*
 * parscan/merge.h: two sorted arrays become one, are joined, or are taken as sets.
 *
 *     parscan_merge()   keys, or keys with values
 *     parscan_join()    pairs of indices of equal elements: INNER, LEFT, SEMI, ANTI
 *     parscan_set_union(), _intersection(), _difference(), _symmetric_difference()
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
 *   keys_out             n + n2 keys; must not overlap another array, else INVALID_ARGUMENT; nor
 *                        must values_out
 *   value_size           bytes of a value, 1 to 64, which are moved whole and not interpreted; 0, with
 *                        NULL for all values: there are keys alone. Not a parscan_type: PARSCAN_U32
 *                        would be 5 bytes (parscan/types.h)
 *   a_values, b_values   a_values[i] goes to the place in values_out where a_keys[i] goes in keys_out;
 *                        of any alignment
 *   values_out           n + n2 values
 * With parscan_set_lengths() the lengths are n and n2.
 * Errors: INVALID_ARGUMENT; OUT_OF_MEMORY, nothing is written.
 * Cost: work O(n + n2); one read and one write of the elements, where values move with the keys (on the
 * CPU keys of 4 and 8 bytes without a NaN by SIMD vectors). The merge path divides the output evenly,
 * whatever the keys are. On CUDA one launch. Scratch: at most 1 MiB a thread, none on CUDA.
 * Source: O. Green, S. Odeh, Y. Birk, Merge Path: A Visually Intuitive Approach to Parallel Merging,
 * 2014; K. E. Batcher, Sorting Networks and Their Applications, 1968.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_merge(parscan_context *context, parscan_type key_type,
                                         const void *a_keys, size_t n, const void *b_keys,
                                         size_t n2, void *keys_out, size_t value_size,
                                         const void *a_values, const void *b_values,
                                         void *values_out);

/* Which pairs a join has. */
typedef enum parscan_join_kind {
    PARSCAN_JOIN_INNER = 0, /* each element of left with each equal one of right */
    PARSCAN_JOIN_LEFT = 1,  /* the same, and each of left without any with the length of right */
    PARSCAN_JOIN_SEMI = 2,  /* each element of left that has an equal one, once */
    PARSCAN_JOIN_ANTI = 3   /* each element of left that has none */
} parscan_join_kind;

/*
 * The join of the sorted arrays left[0..n) and right[0..n2): the pairs of indices (i, j) with
 * left[i] == right[j], ordered by i, then by j.
 *
 *     INNER of [3 5 5 9] and [5 5 7]   left_out  [1 1 2 2]       right_out [0 1 0 1]
 *     LEFT                             left_out  [0 1 1 2 2 3]   right_out [3 0 1 0 1 3]
 *     SEMI                             left_out  [1 2]
 *     ANTI                             left_out  [0 3]
 *
 * parscan_gather() takes the indices and fetches the columns of the rows. Elements are equal as == says
 * (-0 equals +0, as in parscan_unique()), but every NaN equals every NaN. So floats may also be sorted
 * with -0 and +0 in any order.
 *   kind                  PARSCAN_JOIN_INNER, LEFT, SEMI or ANTI
 *   type                  any element type, of left and right
 *   left, right           n and n2 elements, in order; they may be one array
 *   index_type            PARSCAN_U32, I32, U64 or I64, of left_out and right_out. It must hold n - 1 for
 *                         left_out and n2 for right_out, else INVALID_ARGUMENT
 *   left_out, right_out   room for `capacity` indices each, of which the first *total are written;
 *                         either may be NULL: not wanted. right_out must be NULL for SEMI and ANTI. They
 *                         must not overlap another array, with all of their room, else
 *                         INVALID_ARGUMENT. Where an element of left has no equal one, LEFT writes the
 *                         length of right to right_out
 *   capacity              the number of indices that there is room for; one beyond any memory says that
 *                         it has not been counted, and of an output only the first n are looked at then
 *   total                 receives the number of pairs; not NULL; on CUDA in host or device memory
 * With parscan_set_lengths() the lengths are n and n2, and out_capacity is a capacity too.
 * Errors: INVALID_ARGUMENT; OVERFLOW, the total is beyond 64 bits; CAPACITY, the total is beyond
 * capacity, *total is what is needed (on CUDA, with a total in device memory, parscan_synchronize()
 * returns these two); OUT_OF_MEMORY, nothing is written. After OVERFLOW and CAPACITY only *total is
 * written.
 * Cost: work O(n + n2 + total), one read of left and right, one write of the outputs. Threads share
 * elements and pairs evenly, however often an element occurs. Scratch: 3 bytes for each element of left,
 * and 320 bytes for every 8192 elements of both; on CUDA 12 bytes for each element of left (8 without
 * right_out; twice as much for more than 2^32 - 1 elements of right or pairs), and the samples of right
 * (parscan/search.h).
 * Source: O. Green, R. McColl, D. A. Bader, GPU Merge Path, ICS 2012; S. Baxter, Relational joins,
 * moderngpu, 2013.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_join(parscan_context *context, parscan_join_kind kind,
                                        parscan_type type, const void *left, size_t n,
                                        const void *right, size_t n2, parscan_type index_type,
                                        void *left_out, void *right_out, uint64_t capacity,
                                        uint64_t *total);

/*
 * Set operations of the sorted arrays a[0..n) and b[0..n2), which may have equal elements (multisets, as
 * std::set_union and its sisters): of an element that stands k times in a and k2 times in b the result
 * has, in order,
 *
 *     parscan_set_union                  max(k, k2)        [1 3 3] and [2 3 3 3]: [1 2 3 3 3]
 *     parscan_set_intersection           min(k, k2)                               [3 3]
 *     parscan_set_difference             max(k - k2, 0)                           [1]
 *     parscan_set_symmetric_difference   |k - k2|                                 [1 2 3]
 *
 * Elements are equal as in a sort: -0 is another element than +0, all NaNs are one. Where both arrays have
 * it, a's is taken, its bits are kept.
 *   type       any element type, of a, b and out
 *   a, b       n and n2 elements, in order; they may be one array
 *   out        room for `capacity` elements, of which the first min(*count, capacity) are written; must
 *              not overlap a or b, with all of its room, else INVALID_ARGUMENT. NULL: only the count is
 *              wanted, and capacity is not read
 *   capacity   the number of elements that there is room for
 *   count      receives the number of elements of the result; not NULL; on CUDA in host or device memory
 * With parscan_set_lengths() the lengths are n and n2, and out_capacity is a capacity too.
 * Errors: INVALID_ARGUMENT; CAPACITY, the result is longer than capacity, *count is what is needed (on
 * CUDA, with a count in device memory, parscan_synchronize() returns it); OUT_OF_MEMORY, nothing is
 * written.
 * Cost: work O(n + n2), two reads of a and b, one write of out, on CUDA one read and one launch; threads
 * share a and b evenly, whatever the elements are. Scratch: 2 KiB a thread; on CUDA 8 bytes for about
 * 3000 elements.
 * Source: S. Baxter, Multisets (balanced path), moderngpu, 2013; on CUDA the merge path.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_set_union(parscan_context *context, parscan_type type,
                                             const void *a, size_t n, const void *b, size_t n2,
                                             void *out, uint64_t capacity, uint64_t *count);

/* The same for another operation. Since parscan 0.3. */
PARSCAN_API parscan_status parscan_set_intersection(parscan_context *context, parscan_type type,
                                                    const void *a, size_t n, const void *b,
                                                    size_t n2, void *out, uint64_t capacity,
                                                    uint64_t *count);

/* The same for another operation. Since parscan 0.3. */
PARSCAN_API parscan_status parscan_set_difference(parscan_context *context, parscan_type type,
                                                  const void *a, size_t n, const void *b, size_t n2,
                                                  void *out, uint64_t capacity, uint64_t *count);

/* The same for another operation. Since parscan 0.3. */
PARSCAN_API parscan_status parscan_set_symmetric_difference(parscan_context *context,
                                                            parscan_type type, const void *a,
                                                            size_t n, const void *b, size_t n2,
                                                            void *out, uint64_t capacity,
                                                            uint64_t *count);

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
