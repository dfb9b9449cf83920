/*
 * parscan/segmented.h: a scan or a reduction of every segment of an array on its own, at once; linear
 * recurrences.
 *
 * A segmented scan is a scan of pairs (value, head flag) with the operator
 *
 *     (a, f) + (b, g) = (g ? b : a + b, f or g)
 *
 * which is associative and does not commute. Segments: parscan/segments.h.
 */
#ifndef PARSCAN_SEGMENTED_H
#define PARSCAN_SEGMENTED_H

#include "parscan/scan.h"
#include "parscan/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Scans every segment of in[0..n) into its place in out[0..n): inclusive, out[i] takes in element i.
 *   type, in, out, n   as in parscan_inclusive_scan(); in == out is allowed when both types have one
 *                      size; out may not overlap the segments' data
 *   segments           where the segments are; never NULL
 *   options            NULL: all defaults, the sum. As for a scan; init is combined first in every
 *                      segment, reverse runs from the end of every segment. algorithm: AUTO,
 *                      SEQUENTIAL or SINGLE_PASS (on CUDA all of them the single pass), the others
 *                      are UNSUPPORTED; so is reproducible for floats
 * Errors: as a scan's; INVALID_ARGUMENT also for offsets that do not begin with 0, end with n, or
 * that decrease (then out is unspecified): of offsets in device memory the next parscan_synchronize()
 * returns it. An error leaves in as it was, unless in == out.
 * Cost: as a scan's, and one read of the segments' data, whatever the segments' lengths; empty
 * segments cost the reading of their offsets, on one core where many of them share a place. On CUDA
 * offsets of many elements become bits first, n / 8 bytes that are cleared, set and read. Scratch:
 * none; on CUDA as a scan's, twice, and those bits.
 * Source: G. Blelloch, Prefix sums and their applications, 1990; Merrill & Garland 2016 (single pass).
 */
PARSCAN_API parscan_status parscan_segmented_inclusive_scan(parscan_context *context,
                                                            parscan_type type, const void *in,
                                                            void *out, size_t n,
                                                            const parscan_segments *segments,
                                                            const parscan_scan_options *options);

/* The same, exclusive: out[i] takes in the elements of its segment before i; the first of a segment
   is init, or the identity. */
PARSCAN_API parscan_status parscan_segmented_exclusive_scan(parscan_context *context,
                                                            parscan_type type, const void *in,
                                                            void *out, size_t n,
                                                            const parscan_segments *segments,
                                                            const parscan_scan_options *options);

/*
 * Reduces every segment to one element: out[s] is the reduction of segment s; of an empty one init, or
 * the identity.
 *   out     one element of the output type a segment; may not overlap in or the segments' data
 *   count   receives the number of segments; may be NULL when the segments are given by offsets
 * With n = 0, flags and keys have no segment, offsets have their count of empty ones. Otherwise as
 * parscan_segmented_inclusive_scan().
 * A count in host memory, or out in host memory, is waited for on CUDA.
 * Cost: O(n + segments) work, one read of in and of the segments' data, one write a segment. By
 * offsets elements and segments are shared out together, so that one huge segment and many empty
 * ones alike keep all cores busy. Scratch: under 2 KiB a thread; on CUDA as for a scan, and by offsets
 * some bytes a thousand elements.
 * Source: for offsets, D. Merrill, M. Garland, Merge-based Parallel Sparse Matrix-Vector
 * Multiplication, 2016.
 */
PARSCAN_API parscan_status parscan_segmented_reduce(parscan_context *context, parscan_type type,
                                                    const void *in, void *out, size_t n,
                                                    const parscan_segments *segments,
                                                    uint64_t *count,
                                                    const parscan_scan_options *options);

/*
 * The linear recurrence of first order,
 *
 *     out[i] = a[i] * out[i-1] + b[i],   out[-1] = x0
 *
 * as a scan of the maps x -> a x + b under composition, an operator that does not commute.
 *   type   PARSCAN_F32 or PARSCAN_F64, else UNSUPPORTED
 *   a, b   n elements each
 *   x0     host pointer to one element; NULL: 0
 *   out    n elements; out == a or out == b is allowed
 * Products and sums are rounded on their own (no fused multiply-add); how maps are grouped is the
 * engine's choice, so last bits may differ between numbers of threads and engines. Products of up to
 * 16 neighbouring a's are taken before x comes in: where such a product underflows, it counts as 0. On
 * CUDA products of any number are, with exponents of their own, that do not underflow; but where the
 * recurrence overflows from x = 0 within some thousand elements and from x0 does not, out is not finite.
 * Errors: INVALID_ARGUMENT, UNSUPPORTED. An error leaves everything as it was.
 * Cost: O(n) work, one read of a and b, one write. Scratch: none.
 * Source: P. Kogge, H. Stone, A Parallel Algorithm for the Efficient Solution of a General Class of
 * Recurrence Equations, 1973.
 */
PARSCAN_API parscan_status parscan_recurrence(parscan_context *context, parscan_type type,
                                              const void *a, const void *b, const void *x0,
                                              void *out, size_t n);

#ifdef __cplusplus
}
#endif
#endif
