/*
 * parscan/chunked.h: arrays in chunks, such as files and pipes that are larger than memory.
 *
 *     parscan_chunked *chunked;
 *     parscan_chunked_create_inclusive_scan(&chunked, context, PARSCAN_I64, NULL);
 *     while ((n = read_some(in)) > 0) {
 *         parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = in, .out = out, .n = n));
 *         write_some(out, n);
 *     }
 *     parscan_chunked_finish(chunked, NULL);
 *     parscan_chunked_destroy(chunked);
 *
 * A parscan_chunked continues a primitive over the chunks of an array, which are given in order.
 * What the next chunk must know of those before is the carry: a sum, an element, a count. The
 * chunks may have any lengths, also 0 and 1. The results are those of one call with the whole
 * array: to the bit where the one call's do not depend on the number of threads (integers, minima,
 * maxima, bit operators, and floats with `reproducible`). Other sums and products of floats,
 * segmented ones and recurrences among them, may differ by rounding, and by more where a number
 * overflows or large terms cancel, as between numbers of threads. Sums of PARSCAN_F16 and PARSCAN_BF16
 * stay floats from chunk to chunk; only results are rounded to the type.
 *
 * What a chunk has, and what the last call, parscan_chunked_finish(), writes:
 *
 *     primitive         in      in2          out       out2      written   end: out, out2     total
 *     scans             n       -            n         -         n         sum of all         n
 *     reduction         n       -            -         -         0         the result         n
 *     segmented scans   n       flags, keys  n         -         n         -                  n
 *     recurrence        a       b            n         -         n         the last element   n
 *     histogram         n       -            -         -         0         all counts         n
 *     compact           n       flags        kept      -         kept      -                  kept
 *     compact_if        n       -            kept      -         kept      -                  kept
 *     compact_indices   n       -            indices   -         kept      -                  kept
 *     unique            n       -            kept      -         kept      -                  kept
 *     run lengths       n       -            values    lengths   runs      the last run       runs
 *     allocate          sizes   -            offsets   -         n         close: the total   size
 *     difference        n       -            n         -         n         -                  n
 *     flags_if          n       -            flags     -         n         -                  n
 *     unique_pairs      keys    values       keys      values    kept      -                  kept
 *     reduce_by_key     n       keys         sums      keys      runs      the last run       runs
 *     arg_reduce        n       -            -         -         0         value, index       n
 *     top_k             n       -            -         -         0         values, indices    n
 *
 * `written` and `total` count elements of the outputs, but that n of `total` is the number of
 * elements of all chunks, and that of an allocation is the sum of all rounded sizes. A "-" must be
 * NULL.
 *
 * For all functions of this header:
 *   Arrays      as for the primitive's one call (parscan/context.h). in == out is allowed where the
 *               one call allows it (unique_pairs: out2 == in2 too), but not for run lengths; other
 *               overlaps are refused as there
 *   Errors      those of the one call. After an error the carry is as before the call: the chunk
 *               was not taken, and can be given again. Its outputs are unspecified, and so is its
 *               input if out == in
 *   reverse     is UNSUPPORTED: chunks come from the front
 *   Of the      an operator of the caller's (operator.h) for scans, segmented ones, reductions and reduce_by_key, on
 *   caller's    the CPU and not reproducible, and a predicate for compact_if, compact_indices and flags_if, with the
 *               type PARSCAN_CUSTOM. It must live longer; a carry may be set in an object with the same one, which only
 *               its element's size and init are compared for. Places that maps get count from the chunk's first
 *               element, and a load has in_size, else UNSUPPORTED. A reduction without elements, identity and init is
 *               INVALID_ARGUMENT at its end
 *   Memory      2 KiB or less; for reproducible floats 70 KiB; for a histogram 8 bytes a bin; for a
 *               top-k 32 bytes and three elements for each of k. It does not grow with the number of
 *               chunks
 *   Cost        that of the one call for a chunk, and some 10 ns. Reproducible floats evaluate up
 *               to 2047 elements of the chunks before once more: under 1 us
 *   CUDA        arrays in host or device memory. The carry is in host memory, so a call waits for
 *               its results, and cannot be captured in a graph. Reproducible floats are evaluated
 *               by the context's CPU threads
 *
 * A parscan_chunked uses its context, which must live longer. Other calls of the context may come
 * between two chunks; as with all calls of a context, only one thread at a time makes them.
 */
#ifndef PARSCAN_CHUNKED_H
#define PARSCAN_CHUNKED_H

#include "parscan/allocate.h"
#include "parscan/compact.h"
#include "parscan/context.h"
#include "parscan/histogram.h"
#include "parscan/options.h"
#include "parscan/scan.h"
#include "parscan/segmented.h"
#include "parscan/segments.h"
#include "parscan/select.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct parscan_chunked parscan_chunked;

/* One chunk. Make one with PARSCAN_CHUNK(...). */
typedef struct parscan_chunk {
    size_t struct_size; /* sizeof(parscan_chunk), see parscan/options.h */
    const void *in;     /* n elements */
    const void *in2;    /* n flags, keys, values or elements b */

    /* Room for n elements where the table above says n, flags, offsets, sums, or values of runs; for
       those that are kept where it says kept, indices, or keys of unique_pairs. */
    void *out;
    void *out2; /* room for n lengths or keys of runs; for the values that are kept */

    /* May be 0: then only *written is written, and arrays may be NULL. */
    size_t n;

    /* Receives the number of elements that were written to out, in host or, on CUDA, device memory.
       May be NULL where that is always 0 or n. */
    uint64_t *written;
} parscan_chunk;

/* A parscan_chunk with struct_size set: PARSCAN_CHUNK(.in = in, .out = out, .n = n). */
#define PARSCAN_CHUNK(...) PARSCAN_WITH_SIZE(parscan_chunk, __VA_ARGS__)

/* What parscan_chunked_finish() writes, in host or, on CUDA, also in device memory. Make one with
   PARSCAN_CHUNKED_END(...). */
typedef struct parscan_chunked_end {
    size_t struct_size; /* sizeof(parscan_chunked_end), see parscan/options.h */

    /* Scans, recurrence: one element, or NULL: not wanted. Reduction: one element. Histogram: a
       count for every bin. Run lengths, reduce_by_key: the value or the sum of the last run.
       Allocation with close: an offset, the total. arg_reduce: one element, top_k: k elements, or NULL: not wanted. */
    void *out;

    /* Run lengths, reduce_by_key: the length or the key of the last run. arg_reduce: an index, top_k: k indices, or NULL: not
       wanted. */
    void *out2;

    /* Run lengths, reduce_by_key: receives 1, or 0 if there was no element at all; allocation with
       close: 1; arg_reduce: 1; top_k: the number of results, k or the number of all elements if that is less;
       otherwise 0. NULL: not wanted. */
    uint64_t *written;

    /* Receives the total of the table above. NULL: not wanted. */
    uint64_t *total;
} parscan_chunked_end;

/* A parscan_chunked_end with struct_size set: PARSCAN_CHUNKED_END(.total = &total). */
#define PARSCAN_CHUNKED_END(...) PARSCAN_WITH_SIZE(parscan_chunked_end, __VA_ARGS__)

/*
 * The functions that create a parscan_chunked. Each takes the arguments of the primitive's one call
 * that are not arrays, and copies what they point to.
 *   chunked   receives the new object, or NULL if the call fails; not NULL
 * Errors: those of the one call for these arguments; UNSUPPORTED, reverse; OUT_OF_MEMORY.
 */

/* parscan/scan.h. init is combined once, before the first element of the first chunk. With
   reproducible, a chunk that ends beyond 2^51 elements is UNSUPPORTED. */
PARSCAN_API parscan_status
parscan_chunked_create_inclusive_scan(parscan_chunked **chunked, parscan_context *context,
                                      parscan_type type, const parscan_scan_options *options);
PARSCAN_API parscan_status
parscan_chunked_create_exclusive_scan(parscan_chunked **chunked, parscan_context *context,
                                      parscan_type type, const parscan_scan_options *options);
PARSCAN_API parscan_status parscan_chunked_create_reduce(parscan_chunked **chunked,
                                                         parscan_context *context,
                                                         parscan_type type,
                                                         const parscan_scan_options *options);

/*
 * parscan/segmented.h. The segments are told by in2, and go on from chunk to chunk.
 *   kind          PARSCAN_SEGMENTS_FLAGS or PARSCAN_SEGMENTS_KEYS; PARSCAN_SEGMENTS_OFFSETS and
 *                 PARSCAN_SEGMENTS_ROWS are UNSUPPORTED
 *   key_type      the type of the keys; for flags 0 or PARSCAN_U8
 * init is combined before the first element of every segment, as in the one call.
 */
PARSCAN_API parscan_status parscan_chunked_create_segmented_inclusive_scan(
    parscan_chunked **chunked, parscan_context *context, parscan_type type,
    parscan_segment_kind kind, parscan_type key_type, const parscan_scan_options *options);
PARSCAN_API parscan_status parscan_chunked_create_segmented_exclusive_scan(
    parscan_chunked **chunked, parscan_context *context, parscan_type type,
    parscan_segment_kind kind, parscan_type key_type, const parscan_scan_options *options);

/* parscan/segmented.h. x0 comes before the first chunk; NULL: 0. in has a, in2 has b. Where the
   chunks are cut changes how maps are grouped, and so how they round. */
PARSCAN_API parscan_status parscan_chunked_create_recurrence(parscan_chunked **chunked,
                                                             parscan_context *context,
                                                             parscan_type type, const void *x0);

/* parscan/histogram.h. parscan_chunked_finish() returns OVERFLOW for a count of 2^32 or more with
   PARSCAN_U32. */
PARSCAN_API parscan_status parscan_chunked_create_histogram(
    parscan_chunked **chunked, parscan_context *context, parscan_type type, size_t bins,
    parscan_type count_type, const parscan_histogram_options *options);

/* parscan/compact.h: parscan_compact(). in2 has the flags. element_size is in bytes, and not a
   parscan_type: PARSCAN_U32 would be 5 bytes (parscan/types.h). */
PARSCAN_API parscan_status parscan_chunked_create_compact(parscan_chunked **chunked,
                                                          parscan_context *context,
                                                          size_t element_size);

/* parscan/compact.h. Indices count from the first element of the first chunk; a chunk that ends
   beyond 2^32 elements is INVALID_ARGUMENT with PARSCAN_U32. */
PARSCAN_API parscan_status parscan_chunked_create_compact_if(parscan_chunked **chunked,
                                                             parscan_context *context,
                                                             parscan_type type,
                                                             const parscan_predicate *keep);
PARSCAN_API parscan_status parscan_chunked_create_compact_indices(parscan_chunked **chunked,
                                                                  parscan_context *context,
                                                                  parscan_type type,
                                                                  const parscan_predicate *keep,
                                                                  parscan_type index_type);
PARSCAN_API parscan_status parscan_chunked_create_unique(parscan_chunked **chunked,
                                                         parscan_context *context,
                                                         parscan_type type);

/* parscan/compact.h. The run at the end of a chunk stays open, since the next chunk may go on with
   it; a later chunk or parscan_chunked_finish() writes it. So a chunk of n elements writes up to n
   runs, and values and lengths need room for n; what lies beyond *written is unspecified. Neither
   may be NULL. OVERFLOW, a run of 2^32 elements or more with PARSCAN_U32: the chunk is not
   taken. */
PARSCAN_API parscan_status parscan_chunked_create_run_length_encode(parscan_chunked **chunked,
                                                                    parscan_context *context,
                                                                    parscan_type type,
                                                                    parscan_type count_type);

/*
 * parscan/segmented.h. in has the elements, in2 their keys; out receives sums, out2 the first key of each
 * run. As of run lengths, the run at the end of a chunk stays open: its sum, in the type that it is computed in,
 * and its first key are the carry. So a chunk of n elements writes up to n runs, and out and out2 need room
 * for n; what lies beyond *written is unspecified. Neither may be NULL. init is combined once a run, before
 * its first element.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_chunked_create_reduce_by_key(
    parscan_chunked **chunked, parscan_context *context, parscan_type key_type, parscan_type type,
    const parscan_scan_options *options);

/* parscan/compact.h. in has the keys, in2 their values. A run that goes on from the chunk before has no pair
   in this one. value_size is in bytes, and not a parscan_type: PARSCAN_U32 would be 5 bytes
   (parscan/types.h).
   Since parscan 0.3. */
PARSCAN_API parscan_status parscan_chunked_create_unique_pairs(parscan_chunked **chunked,
                                                               parscan_context *context,
                                                               parscan_type key_type,
                                                               size_t value_size);

/* parscan/compact.h. A predicate looks at an element alone, so there is no carry: parscan_flags_if() with
   each chunk writes the same flags. This is for programs that give chunks to any parscan_chunked. Flags of
   the elements that differ from the one before are those of a difference in chunks that is not zero.
   Since parscan 0.3. */
PARSCAN_API parscan_status parscan_chunked_create_flags_if(parscan_chunked **chunked,
                                                           parscan_context *context,
                                                           parscan_type type,
                                                           const parscan_predicate *keep);

/* parscan/scan.h. The carry is the last element; init comes before the first chunk.
   Since parscan 0.3. */
PARSCAN_API parscan_status parscan_chunked_create_difference(parscan_chunked **chunked,
                                                             parscan_context *context,
                                                             parscan_type type,
                                                             const parscan_scan_options *options);

/* parscan/allocate.h. Offsets go on from chunk to chunk; out may be NULL: only the total is wanted. With
   close, end->out is one offset more, the total: it goes behind the offsets of the last chunk.
   OVERFLOW, CAPACITY: the total of this chunk and those before it does not fit; the chunk is not
   taken. */
PARSCAN_API parscan_status parscan_chunked_create_allocate(parscan_chunked **chunked,
                                                           parscan_context *context,
                                                           parscan_type size_type,
                                                           parscan_type offset_type,
                                                           const parscan_allocate_options *options);

/* parscan/select.h. Indices count from the first element of the first chunk; a chunk that ends beyond what
   index_type can hold is INVALID_ARGUMENT. arg_reduce: with no elements as the one call. top_k: k may be
   more than there will be elements; with segments, count, counts or a shape in the options it is
   UNSUPPORTED.
   Since parscan 0.3. */
PARSCAN_API parscan_status parscan_chunked_create_arg_reduce(parscan_chunked **chunked,
                                                             parscan_context *context,
                                                             parscan_type type, parscan_op op,
                                                             parscan_type index_type);
/* The k first; see parscan_chunked_create_arg_reduce().
   Since parscan 0.3. */
PARSCAN_API parscan_status parscan_chunked_create_top_k(parscan_chunked **chunked,
                                                        parscan_context *context, parscan_type type,
                                                        size_t k, parscan_type index_type,
                                                        const parscan_top_k_options *options);

/* Takes the next chunk. Errors: those of the one call, with a message in the context; INVALID_ARGUMENT
   also for an array that the primitive does not have, and after parscan_chunked_finish(). */
PARSCAN_API parscan_status parscan_chunked_update(parscan_chunked *chunked,
                                                  const parscan_chunk *chunk);

/* Ends the array and writes what is still to be written. end == NULL: nothing is wanted, for
   primitives that need no `out` in it. Then only parscan_chunked_carry_set() and
   parscan_chunked_destroy() may follow. After an error more chunks may follow. */
PARSCAN_API parscan_status parscan_chunked_finish(parscan_chunked *chunked,
                                                  const parscan_chunked_end *end);

/* Frees the object, before its context is destroyed. NULL is allowed. */
PARSCAN_API void parscan_chunked_destroy(parscan_chunked *chunked);

/*
 * The carry as bytes, so that the work can be resumed later, in another process, or by another
 * engine: _get after any chunk, and _set in a new object that was created with the same arguments.
 * parscan_chunked_carry_size() is the number of bytes; it does not change during the life of the
 * object; 0 if chunked is NULL. The bytes are in the byte order of the machine. They start with a
 * mark, a version, and what the object was created with.
 *   carry   host memory of `size` bytes, of any alignment
 *   size    parscan_chunked_carry_size()
 * Errors: INVALID_ARGUMENT, size is wrong, or parscan_chunked_finish() has been called (_get);
 * carry was made by another primitive or with other arguments, or is damaged (_set): the object is
 * then as before. UNSUPPORTED, carry has another version of the format.
 */
PARSCAN_API size_t parscan_chunked_carry_size(const parscan_chunked *chunked);
PARSCAN_API parscan_status parscan_chunked_carry_get(parscan_chunked *chunked, void *carry,
                                                     size_t size);
PARSCAN_API parscan_status parscan_chunked_carry_set(parscan_chunked *chunked, const void *carry,
                                                     size_t size);

#ifdef __cplusplus
}

#if __cplusplus >= 201103L && !defined PARSCAN_NO_DELETED_OVERLOADS
/* A parscan_type where the bytes of an element stand (parscan/types.h). */
extern "C++" parscan_status parscan_chunked_create_compact(parscan_chunked **, parscan_context *,
                                                           parscan_type) = delete;
extern "C++" parscan_status parscan_chunked_create_unique_pairs(parscan_chunked **,
                                                                parscan_context *, parscan_type,
                                                                parscan_type) = delete;
#endif
#endif
#endif
