/*
 * parscan/select.h: the k largest or smallest elements of an array, sorted, with their indices; the extreme
 * alone, with the index of the first element that has it.
 *
 * All results are the same to the bit on every engine, with every set of SIMD instructions and every number of
 * threads. Memory, errors and streams: parscan/context.h.
 */
#ifndef PARSCAN_SELECT_H
#define PARSCAN_SELECT_H

#include "parscan/context.h"
#include "parscan/options.h"
#include "parscan/segments.h"
#include "parscan/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of parscan_arg_reduce(). Make one with PARSCAN_ARG_REDUCE_OPTIONS(...). */
typedef struct parscan_arg_reduce_options {
    size_t struct_size; /* sizeof(parscan_arg_reduce_options), see parscan/options.h */

    /* The segments of `in` (parscan/segments.h), each with an extreme of its own. NULL: all elements
       are one segment, also where there is none. */
    const parscan_segments *segments;

    /* Receives the number of segments, on CUDA in host or device memory. May be NULL, but not with
       segments by flags or keys. */
    uint64_t *count;

    /* The axis that the call runs along (parscan/shape.h), in place of segments: n is the length of a
       line, and there are outer x 1 x inner results. out_strides are those of values_out. On the CPU lines
       with gaps are copied to scratch, some at once: 1 MiB a thread, or 16 lines; on CUDA they are read
       where they are. NULL: there is one line. */
    const parscan_shape *shape;

    /* With a shape, the strides of indices_out, as shape->out_strides. NULL: it has no gaps. UNSUPPORTED
       without a shape. */
    const int64_t *indices_out_strides;
} parscan_arg_reduce_options;

/* A parscan_arg_reduce_options with struct_size set: PARSCAN_ARG_REDUCE_OPTIONS(.segments = &segments). */
#define PARSCAN_ARG_REDUCE_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_arg_reduce_options, __VA_ARGS__)

/*
 * The minimum or the maximum, and where it is:
 *
 *     indices_out[0] = the least i such that in[i] is the extreme of in[0..n)
 *     values_out[0] = in[indices_out[0]]
 *
 * The extreme is that of parscan_reduce() by the same op: -0 is below +0, and a NaN wins, of either
 * sign, for the minimum too. So the index is that of the first NaN if there is one, and in[index] is
 * the maximum (minimum) always. The bits of the element are kept, a NaN's too.
 *   type          any element type
 *   in            n elements
 *   op            PARSCAN_MIN or PARSCAN_MAX; others are UNSUPPORTED
 *   values_out    one element of `type` for every segment; NULL: not wanted
 *   index_type    PARSCAN_U32, PARSCAN_U64, PARSCAN_I32 or PARSCAN_I64; one that cannot
 *                 hold n - 1 is INVALID_ARGUMENT
 *   indices_out   one index for every segment, counted within the segment; NULL: not wanted, and
 *                 index_type is not read then
 *   options       NULL: all elements are one segment
 * No output may overlap another array, else INVALID_ARGUMENT; but by flags or keys only the call finds
 * out the length of the outputs, and one that starts before an array and reaches into it is undefined.
 * Of no elements, or of an empty segment, the index is its length, 0, and the value is what
 * parscan_reduce() gives: +infinity or the largest integer for PARSCAN_MIN, -infinity or the smallest
 * one for PARSCAN_MAX.
 * Errors: INVALID_ARGUMENT; UNSUPPORTED; OUT_OF_MEMORY; DEVICE. Offsets that are wrong: as in
 * parscan_segmented_reduce().
 * Cost: one read of in, as a reduction; then the tile that has the extreme once more. Work O(n +
 * segments). Scratch on the CPU: two words for every 16384 elements that flags or keys cut, and some KiB; on CUDA
 * the status words of a reduction, 5 bytes an element by flags or keys (9 from n = 2^32 on), 4 (8) a row.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_arg_reduce(parscan_context *context, parscan_type type,
                                              const void *in, size_t n, parscan_op op,
                                              void *values_out, parscan_type index_type,
                                              void *indices_out,
                                              const parscan_arg_reduce_options *options);

/* Options of parscan_top_k(). Make one with PARSCAN_TOP_K_OPTIONS(...). */
typedef struct parscan_top_k_options {
    size_t struct_size; /* sizeof(parscan_top_k_options), see parscan/options.h */

    /* As in parscan_arg_reduce_options: of each segment, the k first. */
    const parscan_segments *segments;
    uint64_t *count;

    /* Receives for every segment how many results it has: k, or its length if that is less. On CUDA in
       host or device memory. NULL: not wanted. */
    uint64_t *counts;

    int smallest; /* non-zero: the smallest, in ascending order. Default: the largest, in descending order */
    unsigned reserved; /* not read */

    /* As in parscan_arg_reduce_options; the results are outer x k x inner elements. k is at most n, and
       there is no counts; of lines that parscan_set_lengths() makes shorter than k, the other slots are not
       written. On CUDA all lines that are not rows without gaps are copied to scratch, and so are their
       results. */
    const parscan_shape *shape;
    const int64_t *indices_out_strides;
} parscan_top_k_options;

/* A parscan_top_k_options with struct_size set: PARSCAN_TOP_K_OPTIONS(.smallest = 1). */
#define PARSCAN_TOP_K_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_top_k_options, __VA_ARGS__)

/*
 * The k largest (smallest) elements, sorted, and their indices: the first k of parscan_argsort() and of the
 * keys in that order,
 *
 *     values_out[j] = in[indices_out[j]],   j < k
 *
 * in the order of parscan_sort_keys(), descending or, for the smallest, ascending: equal elements by
 * ascending index, -0 before +0, every NaN after +infinity. So a NaN is the largest element, and the smallest
 * only if there is nothing else. The first index of the largest is that of parscan_arg_reduce(); that of the
 * smallest differs if there is a NaN, which is the minimum there. The bits of elements are kept, a NaN's too.
 *   type          any element type
 *   in            n elements
 *   k             0 to n; with segments it may be more than their lengths
 *   values_out    k elements for every segment, those of segment s from values_out[s * k] on. Of a segment
 *                 of fewer elements the slots behind them are not written. NULL: not wanted
 *   index_type    PARSCAN_U32, PARSCAN_U64, PARSCAN_I32 or PARSCAN_I64; one that cannot
 *                 hold n - 1 is INVALID_ARGUMENT
 *   indices_out   k indices for every segment, counted within the segment; NULL: not wanted, and
 *                 index_type is not read then
 *   options       NULL: the largest of all elements
 * No output may overlap another array, else INVALID_ARGUMENT; but by flags or keys as in
 * parscan_arg_reduce(). With a length by parscan_set_lengths() that is less than k there are as many results, which
 * counts[0] tells.
 * Errors: INVALID_ARGUMENT; UNSUPPORTED, on CUDA also more than 2^32 - 1 segments; OUT_OF_MEMORY; DEVICE. Offsets
 * that are wrong: as in parscan_segmented_reduce().
 * Cost: a sample of some sqrt(n) elements gives a limit; one read of in lists the elements that pass it, some
 * more than k, of which k are taken and sorted. If k is more than n / 16, or two samples were wrong, the limit is found
 * by one read for each byte of an element, and the k elements by two more. Work O(n + k log k).
 * Scratch on the CPU: some 32 bytes for each of k + 30 sqrt(n) elements (k + 6 sqrt(k) n^(1/4), if that
 * is more); with segments as much for the largest of up to 2^20 elements, for each thread. For more than 4096
 * results that of parscan_sort_pairs() of k elements, and k elements if values_out is NULL.
 * Cost on CUDA: the same, without the host: the sample, the limit and the candidates stay on the device. Up to
 * 1024 results are chosen by one block, more are sorted with the candidates. If k is more than n / 4, all elements are
 * sorted, and so they are for more than 1024 results of each segment. For fewer a block takes one segment after another,
 * however long it is, or a warp, if k is at most 32 and the segment has at most 1024 elements. A few long rows
 * are taken as arrays, one after another. Scratch: codes of the sample and of some more than k candidates;
 * where all are sorted, that of parscan_argsort(), with segments 12 bytes an element more.
 * Source: R. W. Floyd, R. L. Rivest, Expected Time Bounds for Selection, 1975 (the limit from a sample).
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_top_k(parscan_context *context, parscan_type type,
                                         const void *in, size_t n, size_t k, void *values_out,
                                         parscan_type index_type, void *indices_out,
                                         const parscan_top_k_options *options);

#ifdef __cplusplus
}
#endif
#endif
