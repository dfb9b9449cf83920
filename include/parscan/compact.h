/*
 * parscan/compact.h: stream compaction: what is kept of an array, close together, in order.
 *
 * Compaction is flags -> exclusive scan -> scatter: the scan of the flags says where each kept element
 * goes. Here it is fused into one pass over memory: every element is read once, every one kept is
 * written once. (A partition reads its input twice, since it must know where the rest begins.)
 *
 * Work O(n), depth O(n / threads + tiles). Results are the same to the bit for every number of
 * threads and on every engine. No function needs scratch, but on CUDA parscan_compact() in place of
 * elements that have not 1, 2, 4 or 8 bytes: room for all n.
 *
 * All functions: arrays are in memory that the engine reaches, on the CPU of any alignment, on a
 * device aligned as their elements are (those of parscan_compact(): of any alignment). *count (never
 * NULL; on CUDA host or device memory) receives how many elements were written; with n = 0 it is 0
 * and nothing else is touched, but for a matrix's row offsets. A call on CUDA waits only for what goes
 * to host memory; with *count on the device an OVERFLOW is returned by parscan_synchronize(). Outputs
 * need room for what is written and no more. An error leaves inputs intact, unless an output is one
 * of them.
 *
 * Source: G. Blelloch, Prefix Sums and Their Applications, 1990 (packing); M. Billeter, O. Olsson, U.
 * Assarsson, Efficient Stream Compaction on Wide SIMD Many-core Architectures, HPG 2009.
 */
#ifndef PARSCAN_COMPACT_H
#define PARSCAN_COMPACT_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How an element is compared. NaN is not zero, not equal to anything, and neither less nor greater:
   only NONZERO and NOT_EQUAL keep it. */
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

/* Which elements are kept: x <comparison> *value. Begin with PARSCAN_PREDICATE(...). */
typedef struct parscan_predicate {
    size_t struct_size; /* sizeof(parscan_predicate) */
    parscan_comparison comparison;
    const void *value; /* host pointer to one element of the array's type; NONZERO: not looked at */
    const void *upper; /* the same, for BETWEEN; otherwise not looked at */
} parscan_predicate;

/* A parscan_predicate with struct_size set: PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &x). */
#define PARSCAN_PREDICATE(...) PARSCAN_WITH_SIZE(parscan_predicate, __VA_ARGS__)

/* Keeps the elements whose flag is not zero.
     element_size   bytes of an element, from 1; elements are moved whole and not looked at
     flags          uint8_t[n]; out may not overlap them
     in, out        in == out is allowed; any other overlap is undefined */
PARSCAN_API parscan_status parscan_compact(parscan_context *context, size_t element_size,
                                           const void *in, const uint8_t *flags, void *out,
                                           size_t n, uint64_t *count);

/* Keeps the elements that the predicate holds for; keep == NULL: those that are not zero. in == out
   is allowed. */
PARSCAN_API parscan_status parscan_compact_if(parscan_context *context, parscan_type type,
                                              const void *in, const parscan_predicate *keep,
                                              void *out, size_t n, uint64_t *count);

/* The indices of the elements that the predicate holds for, ascending. index_type: PARSCAN_U32
   (n <= 2^32, else INVALID_ARGUMENT) or PARSCAN_U64. indices_out may not overlap in. */
PARSCAN_API parscan_status parscan_compact_indices(parscan_context *context, parscan_type type,
                                                   const void *in, const parscan_predicate *keep,
                                                   parscan_type index_type, void *indices_out,
                                                   size_t n, uint64_t *count);

/* All n elements: first, in order, those that the predicate holds for (*count of them), then, in
   order, the rest. out may not overlap in (in == out: INVALID_ARGUMENT). */
PARSCAN_API parscan_status parscan_partition(parscan_context *context, parscan_type type,
                                             const void *in, const parscan_predicate *keep,
                                             void *out, size_t n, uint64_t *count);

/* The first element of every run of equal elements (as ==, but NaN equals NaN, whatever its bits). On
   sorted input: the distinct values. in == out is allowed. */
PARSCAN_API parscan_status parscan_unique(parscan_context *context, parscan_type type,
                                          const void *in, void *out, size_t n, uint64_t *count);

/*
 * Run lengths: the first element of every run, as parscan_unique(), and how long the run is.
 *   values       one a run; values == in is allowed; NULL: not wanted
 *   count_type   PARSCAN_U32 or PARSCAN_U64
 *   lengths      one a run, of count_type; NULL: not wanted; may not overlap in
 *   count        receives the number of runs
 * Errors: OVERFLOW, a run of 2^32 or more with PARSCAN_U32; the outputs are unspecified then.
 */
PARSCAN_API parscan_status parscan_run_length_encode(parscan_context *context, parscan_type type,
                                                     const void *in, void *values,
                                                     parscan_type count_type, void *lengths,
                                                     size_t n, uint64_t *count);

/*
 * A dense matrix to compressed sparse rows: what is not zero (NaN is not, -0 is), row by row.
 *   dense            rows * columns elements, row-major
 *   index_type       PARSCAN_U32 or PARSCAN_U64, of row_offsets and column_indices
 *   row_offsets      rows + 1: entries of row r are row_offsets[r] to row_offsets[r+1] - 1; with
 *                    rows = 0 one 0
 *   column_indices   one an entry, ascending in a row
 *   values           one an entry, of type. Both NULL: only row_offsets and *count, to learn how much
 *                    room the rest needs
 *   count            receives the number of entries
 * Errors: OVERFLOW, entries or columns beyond index_type; the outputs are unspecified then. No output
 * may overlap dense.
 */
PARSCAN_API parscan_status parscan_dense_to_csr(parscan_context *context, parscan_type type,
                                                const void *dense, size_t rows, size_t columns,
                                                parscan_type index_type, void *row_offsets,
                                                void *column_indices, void *values,
                                                uint64_t *count);

#ifdef __cplusplus
}
#endif
#endif
