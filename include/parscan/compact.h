/*
 * parscan/compact.h: stream compaction: the elements that are kept, one after the other, in order.
 *
 * Compaction is flags -> exclusive scan -> scatter: the scan of the flags says where every kept
 * element goes. Here the three are one pass over memory: every element is read once, and every kept
 * element is written once. Only parscan_partition() may read its input twice, or on CUDA move the
 * smaller part twice, since it must know where the second part starts.
 *
 * For all functions of this header that take a predicate, elements may be any of 1 to 64 bytes: with the type
 * PARSCAN_CUSTOM and a function of the caller's (parscan_predicate.custom).
 *
 * For all functions of this header:
 *   arrays    as for all calls (parscan/context.h); those of parscan_compact() of any alignment on
 *             CUDA too
 *   outputs   need room for the elements that are written and no more. They must not overlap, nor
 *             overlap another array, unless in == out is allowed. An overlap that starts within an
 *             input or row_offsets is INVALID_ARGUMENT, and any that parscan_partition() has. Other
 *             overlaps are undefined, since only the call finds out the lengths
 *             out = NULL (indices_out; values and lengths): only the count is written. Since parscan 0.3. Not
 *             of parscan_flags_if(); of parscan_unique_pairs() both outputs or neither
 *   count     receives the number of elements that are written; not NULL; on CUDA in host or device
 *             memory. With n = 0 it is 0, and nothing else is written but a matrix's row offsets
 * Errors: INVALID_ARGUMENT, and those that a function names; on CUDA OUT_OF_MEMORY. On CUDA, if
 * count is in device memory, the next parscan_synchronize() returns an OVERFLOW.
 * Cost: work O(n), depth O(n / threads + tiles). Scratch: none; on CUDA room for n elements or values,
 * for parscan_compact() in place of elements that do not have 1, 2, 4 or 8 bytes, and for
 * parscan_compact_by() and values of parscan_unique_pairs() in place.
 * Results are the same to the bit on every engine and with every number of threads.
 *
 * Source: G. Blelloch, Prefix Sums and Their Applications, 1990 (packing); M. Billeter, O. Olsson,
 * U. Assarsson, Efficient Stream Compaction on Wide SIMD Many-core Architectures, HPG 2009.
 */
#ifndef PARSCAN_COMPACT_H
#define PARSCAN_COMPACT_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How an element is compared. A NaN is not zero, is not equal to anything, and is neither less nor
   greater: only NONZERO and NOT_EQUAL keep it. */
typedef enum parscan_comparison {
    PARSCAN_NONZERO = 0,
    PARSCAN_EQUAL = 1,
    PARSCAN_NOT_EQUAL = 2,
    PARSCAN_LESS = 3,
    PARSCAN_LESS_EQUAL = 4,
    PARSCAN_GREATER = 5,
    PARSCAN_GREATER_EQUAL = 6,
    PARSCAN_BETWEEN = 7 /* value <= x <= upper */
} parscan_comparison;

/* Which elements x are kept: those for which `x comparison *value` holds. Make one with
   PARSCAN_PREDICATE(...). */
typedef struct parscan_predicate {
    size_t struct_size; /* sizeof(parscan_predicate), see parscan/options.h */
    parscan_comparison comparison;
    /* One element of the array's type (context.h, "Scalars"); for NONZERO it is not read. */
    const void *value;
    const void *upper; /* the same, for BETWEEN; otherwise not read */
    /* A predicate of the caller's (parscan/operator.h), for elements of the caller's: with the type PARSCAN_CUSTOM,
       and only with it, else INVALID_ARGUMENT. It tells which elements are kept and how many bytes they have;
       comparison, value and upper are not read. On CUDA it makes a flag for every element first, in scratch, and
       elements in device memory have its alignment. parscan_dist_compact_if() takes it on the CPU. Since parscan 0.3. */
    const parscan_operator *custom;
} parscan_predicate;

/* A parscan_predicate with struct_size set:
   PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &x). */
#define PARSCAN_PREDICATE(...) PARSCAN_WITH_SIZE(parscan_predicate, __VA_ARGS__)

/*
 * Keeps the elements whose flag is not zero.
 *   element_size   bytes of an element, 1 or more; elements are moved whole and not interpreted.
 *                  Not a parscan_type: PARSCAN_U32 would be 5 bytes (parscan/types.h)
 *   flags          uint8_t[n]; out must not overlap them
 *   in, out        elements; in == out is allowed, no other overlap
 */
PARSCAN_API parscan_status parscan_compact(parscan_context *context, size_t element_size,
                                           const void *in, const uint8_t *flags, void *out,
                                           size_t n, uint64_t *count);

/*
 * Keeps the elements for which the predicate holds.
 *   keep      NULL: the elements that are not zero
 *   in, out   elements of type; in == out is allowed, no other overlap
 */
PARSCAN_API parscan_status parscan_compact_if(parscan_context *context, parscan_type type,
                                              const void *in, const parscan_predicate *keep,
                                              void *out, size_t n, uint64_t *count);

/*
 * Keeps the elements of one array where the predicate holds for those of another.
 *   element_size   bytes of an element of in and out, as for parscan_compact()
 *   type, by       n elements that are tested; out must not overlap them
 *   keep           NULL: those where `by` is not zero
 *   in, out        elements, of any alignment on CUDA too; in == out is allowed, no other overlap; in may
 *                  be NULL if out is
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_compact_by(parscan_context *context, size_t element_size,
                                              const void *in, parscan_type type, const void *by,
                                              const parscan_predicate *keep, void *out, size_t n,
                                              uint64_t *count);

/*
 * The flags of the elements: 1 where the predicate holds, else 0.
 *   keep        NULL: of the elements that are not zero
 *   flags_out   n flags; of types of one byte they may be `in` itself, any other overlap is
 *               INVALID_ARGUMENT; of any alignment on CUDA too
 * Cost: one read, one write. Scratch: none.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_flags_if(parscan_context *context, parscan_type type,
                                            const void *in, const parscan_predicate *keep,
                                            uint8_t *flags_out, size_t n);

/*
 * The indices of the elements for which the predicate holds, ascending.
 *   keep          NULL: the elements that are not zero
 *   index_type    PARSCAN_U32 (n <= 2^32, else INVALID_ARGUMENT), U64, I32 (n <= 2^31) or I64
 *   indices_out   one index for every kept element; must not overlap in
 */
PARSCAN_API parscan_status parscan_compact_indices(parscan_context *context, parscan_type type,
                                                   const void *in, const parscan_predicate *keep,
                                                   parscan_type index_type, void *indices_out,
                                                   size_t n, uint64_t *count);

/*
 * The elements for which the predicate holds, and their indices, ascending, in one pass: of a sparse array its
 * entries.
 *   keep                      NULL: the elements that are not zero
 *   in, out                   elements of type, as for parscan_compact_if(); out may be in
 *   index_type, indices_out   as for parscan_compact_indices()
 *   out, indices_out          if one of them is NULL, only the other one is written
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_compact_with_indices(parscan_context *context, parscan_type type,
                                                        const void *in,
                                                        const parscan_predicate *keep, void *out,
                                                        parscan_type index_type, void *indices_out,
                                                        size_t n, uint64_t *count);

/*
 * All n elements in two parts: first those for which the predicate holds, then the others, both in
 * order.
 *   keep    NULL: the elements that are not zero
 *   out     n elements; must not overlap in
 *   count   receives the number of elements of the first part
 */
PARSCAN_API parscan_status parscan_partition(parscan_context *context, parscan_type type,
                                             const void *in, const parscan_predicate *keep,
                                             void *out, size_t n, uint64_t *count);

/*
 * The first element of every run of equal elements; of a sorted array, its distinct values.
 * Elements are equal as by ==, but every NaN equals every other.
 *   in, out   elements of type; in == out is allowed, no other overlap
 */
PARSCAN_API parscan_status parscan_unique(parscan_context *context, parscan_type type,
                                          const void *in, void *out, size_t n, uint64_t *count);

/*
 * The first pair of every run of equal keys: its key, as parscan_unique() gives it, and its value. Of pairs
 * in the order of keys (parscan_sort_pairs() is stable) it is the first value of each key.
 *   key_type, keys_in, keys_out     keys; keys_out == keys_in is allowed
 *   value_size                      bytes of a value, 1 or more. Not a parscan_type: PARSCAN_U32 would
 *                                   be 5 bytes (parscan/types.h)
 *   values_in, values_out           values, of any alignment on CUDA too; values_out == values_in is
 *                                   allowed
 *   count                           receives the number of runs
 * keys_out and values_out may both be NULL: only the count is written, and values_in may be NULL too.
 * Only the values of first elements are read. In place, large values are moved by one thread of the CPU's.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_unique_pairs(parscan_context *context, parscan_type key_type,
                                                const void *keys_in, void *keys_out,
                                                size_t value_size, const void *values_in,
                                                void *values_out, size_t n, uint64_t *count);

/*
 * Run lengths: the first element of every run, as parscan_unique() gives it, and the length of the
 * run.
 *   values       one element for every run; values == in is allowed; NULL: not wanted
 *   count_type   PARSCAN_U32, U64, I32 (on CUDA n < 2^31, else UNSUPPORTED) or I64
 *   lengths      one number of count_type for every run; NULL: not wanted; must not overlap in or
 *                values
 *   count        receives the number of runs
 * Errors: OVERFLOW, a run of 2^32 elements or more with PARSCAN_U32; the outputs are then
 * unspecified.
 */
PARSCAN_API parscan_status parscan_run_length_encode(parscan_context *context, parscan_type type,
                                                     const void *in, void *values,
                                                     parscan_type count_type, void *lengths,
                                                     size_t n, uint64_t *count);

/*
 * A dense matrix to compressed sparse rows (CSR): its entries, the elements that are not zero, row
 * by row. A NaN is an entry, -0 is not.
 *   dense            rows * columns elements, row by row
 *   index_type       PARSCAN_U32, U64, I32 (on CUDA less than 2^31 elements, else UNSUPPORTED) or I64,
 *                    of row_offsets and column_indices
 *   row_offsets      rows + 1 numbers: the entries of row r are those from row_offsets[r] up to,
 *                    but without, row_offsets[r+1]. With rows = 0, one 0
 *   column_indices   the column of every entry, ascending within a row
 *   values           every entry, of type. column_indices and values may both be NULL: then only
 *                    row_offsets and *count are written, to learn how much room the others need
 *   count            receives the number of entries
 * No output may overlap dense or another output. Errors: OVERFLOW, more columns or entries than
 * index_type counts; the outputs are then unspecified.
 */
PARSCAN_API parscan_status parscan_dense_to_csr(parscan_context *context, parscan_type type,
                                                const void *dense, size_t rows, size_t columns,
                                                parscan_type index_type, void *row_offsets,
                                                void *column_indices, void *values,
                                                uint64_t *count);

#ifdef __cplusplus
}

#if __cplusplus >= 201103L && !defined PARSCAN_NO_DELETED_OVERLOADS
/* A parscan_type where the bytes of an element stand (parscan/types.h). */
extern "C++" parscan_status parscan_compact(parscan_context *, parscan_type, const void *,
                                            const uint8_t *, void *, size_t, uint64_t *) = delete;
extern "C++" parscan_status parscan_unique_pairs(parscan_context *, parscan_type, const void *,
                                                 void *, parscan_type, const void *, void *, size_t,
                                                 uint64_t *) = delete;
extern "C++" parscan_status parscan_compact_by(parscan_context *, parscan_type, const void *,
                                               parscan_type, const void *,
                                               const parscan_predicate *, void *, size_t,
                                               uint64_t *) = delete;
#endif
#endif
#endif
