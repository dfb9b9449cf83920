/*
 * parscan/select.h: the extreme of an array, with the index of the first element that has it.
 *
 * All results are the same to the bit on every engine, with every set of SIMD instructions and every number of
 * threads. Memory, errors and streams: parscan/context.h.
 */
#ifndef PARSCAN_SELECT_H
#define PARSCAN_SELECT_H

#include "parscan/context.h"
#include "parscan/options.h"
#include "parscan/segments.h"

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
 *   index_type    PARSCAN_U32 (n <= 2^32, else INVALID_ARGUMENT) or PARSCAN_U64
 *   indices_out   one index for every segment, counted within the segment; NULL: not wanted, and
 *                 index_type is not read then
 *   options       NULL: all elements are one segment
 * No output may overlap another array, else INVALID_ARGUMENT; but by flags or keys only the call finds
 * out the length of the outputs, and one that starts before an array and reaches into it is undefined.
 * Of no elements, or of an empty segment, the index is its length, 0, and the value is what
 * parscan_reduce() gives: +infinity or the largest integer for PARSCAN_MIN, -infinity or the smallest
 * one for PARSCAN_MAX.
 * Errors: INVALID_ARGUMENT; UNSUPPORTED, for CUDA contexts too, so far; OUT_OF_MEMORY. Offsets that are wrong: as in
 * parscan_segmented_reduce().
 * Cost: one read of in, as a reduction; then the tile that has the extreme once more. Work O(n +
 * segments). Scratch on the CPU: a word for every 16 KiB of elements that flags or keys cut, and some KiB.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_arg_reduce(parscan_context *context, parscan_type type,
                                              const void *in, size_t n, parscan_op op,
                                              void *values_out, parscan_type index_type,
                                              void *indices_out,
                                              const parscan_arg_reduce_options *options);

#ifdef __cplusplus
}
#endif
#endif
