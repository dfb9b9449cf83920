/*
 * parscan/search.h: where elements belong in a sorted array.
 *
 * Elements are ordered as by parscan_sort_keys(): integers and floats in numeric order, -0 before +0,
 * every NaN after +infinity and equal to every other, whatever its sign and bits. So +0 is not found
 * among -0: of {-0, -0, +0} the lower bound of +0 is 2, where a comparison by < gives 0.
 *
 * For both functions:
 *   sorted       `count` elements of type, in ascending order. If they are not, results are any numbers
 *                from 0 to count; nothing outside of the arrays is read
 *   values       n elements of type, the needles, in any order. Where 1024 of them lie in order (on CUDA
 *                128 or 256), they are walked along with `sorted`; nothing needs to be said about that
 *   index_type   PARSCAN_U32, U64, I32 or I64; a count beyond it is INVALID_ARGUMENT
 *   out          n numbers of index_type; out == values is allowed if the elements of the two have the same
 *                size, any other overlap is INVALID_ARGUMENT
 * parscan_set_lengths() gives them both lengths: n is `count`, n2 is n.
 * Errors: INVALID_ARGUMENT; OUT_OF_MEMORY.
 * Cost: work O(n log count), and O(n + count) at most where the needles lie in order. Several needles are
 * searched at once, so that they wait for memory together. Scratch on the CPU: 512 KiB at most. On CUDA,
 * where keys have more than 256 KiB, and there is a needle for 32 of them: a tree of samples, about 1/28 of
 * the keys' bytes (1/12 for 8 bytes a key), which each call makes by one read of a line in 128 bytes, but
 * not for many needles in order; for many needles also 1 KiB and a byte for each 2048.
 * Results are the same to the bit on every engine and with every number of threads. Memory, errors and
 * streams: parscan/context.h.
 */
#ifndef PARSCAN_SEARCH_H
#define PARSCAN_SEARCH_H

#include "parscan/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Lower bounds: out[i] is the number of elements of `sorted` that are less than values[i]. So it is
 * the index of the first element that is equal, if there is one, and the first place where values[i]
 * can be inserted.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_lower_bound(parscan_context *context, parscan_type type,
                                               const void *sorted, size_t count, const void *values,
                                               size_t n, parscan_type index_type, void *out);

/*
 * Upper bounds: out[i] is the number of elements of `sorted` that are less than values[i] or equal to
 * it: the last place where values[i] can be inserted. Upper less lower bound is how often it occurs.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_upper_bound(parscan_context *context, parscan_type type,
                                               const void *sorted, size_t count, const void *values,
                                               size_t n, parscan_type index_type, void *out);

#ifdef __cplusplus
}
#endif
#endif
