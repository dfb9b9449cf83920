/*
 * parscan/segmented.h: scan and reduction of every segment of an array; linear recurrences.
 *
 * A segmented scan is a scan of pairs (value, head flag) with the operator
 *
 *     (a, f) + (b, g) = (g ? b : a + b, f or g)
 *
 * which is associative and does not commute. parscan/segments.h tells how segments are described.
 *
 * Integers, minima and maxima have the same results everywhere, to the bit. Sums and products of
 * floats may differ by rounding between numbers of threads, sets of SIMD instructions and engines,
 * and by more where a number overflows or large terms cancel (parscan/scan.h). There is no
 * `reproducible` for them, nor for recurrences. Sums and products of PARSCAN_F16 and PARSCAN_BF16 are
 * accumulated in float, and a result is rounded once. Memory, errors and streams: parscan/context.h.
 */
#ifndef PARSCAN_SEGMENTED_H
#define PARSCAN_SEGMENTED_H

#include "parscan/scan.h"
#include "parscan/segments.h"
#include "parscan/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Inclusive scan of every segment: out[i] is the sum of the elements from the first of i's segment
 * to i.
 *   type, in, out, n   as for parscan_inclusive_scan(); in == out is allowed if both types have the
 *                      same size; out must not overlap the segments' data, else INVALID_ARGUMENT
 *   segments           the segments of in; not NULL
 *   options            NULL: all defaults, a sum. init is combined before the first element of
 *                      every segment; reverse combines from the end of every segment. algorithm:
 *                      AUTO, SEQUENTIAL or SINGLE_PASS, which on CUDA are all the single pass; the
 *                      others are UNSUPPORTED. reproducible: for integers it has no effect, of
 *                      floats it is UNSUPPORTED; as for a scan, it is INVALID_ARGUMENT with another
 *                      algorithm than AUTO. block_threads and items_per_thread must be 0
 * Errors: those of parscan_inclusive_scan(); INVALID_ARGUMENT also for offsets that do not start
 * with 0, do not end with n, or decrease. If offsets decrease, out is unspecified. If the offsets
 * are in device memory, the next parscan_synchronize() returns the error, and out is unspecified.
 * Cost: work O(n), depth O(n / threads + tiles), one read of in and of the segments' data (rows have
 * none; on CUDA their offsets are written and read), one write of out, whatever the lengths of the
 * segments. An empty segment costs a read of its offset; where many of them lie at one element, one
 * core reads them all. On CUDA the offsets of many
 * elements first become a bit for each element: n / 8 bytes are cleared, set and read. A scan by
 * offsets of few elements reads those of long segments twice there. Scratch: none; on CUDA twice that
 * of a scan, or 8 KiB if that is more, those bits, and the offsets of rows.
 * Source: G. Blelloch, Prefix Sums and Their Applications, 1990; Merrill & Garland 2016 (single
 * pass).
 */
PARSCAN_API parscan_status parscan_segmented_inclusive_scan(parscan_context *context,
                                                            parscan_type type, const void *in,
                                                            void *out, size_t n,
                                                            const parscan_segments *segments,
                                                            const parscan_scan_options *options);

/* Exclusive scan of every segment: out[i] is the sum of the elements of i's segment before i. The
   first of a segment is init, or the identity. Otherwise as parscan_segmented_inclusive_scan(). */
PARSCAN_API parscan_status parscan_segmented_exclusive_scan(parscan_context *context,
                                                            parscan_type type, const void *in,
                                                            void *out, size_t n,
                                                            const parscan_segments *segments,
                                                            const parscan_scan_options *options);

/*
 * Reduction of every segment: out[s] is the sum of the elements of segment s. For an empty segment
 * it is init, or the identity.
 *   out     one element of the output type for every segment; must not overlap in or the segments'
 *           data, else INVALID_ARGUMENT; but by flags or keys only the call finds out the length of
 *           out, and one that starts before an array and reaches into it is undefined
 *   count   receives the number of segments, on CUDA in host or device memory; may be NULL if the
 *           segments are given by offsets or rows
 * With n = 0, flags, keys and rows have no segment; offsets have `count` empty ones. Otherwise as
 * parscan_segmented_inclusive_scan().
 * Cost: work O(n + segments), one read of in and of the segments' data, one write of out. Elements
 * and offsets are divided among the cores together, so that neither one huge segment nor many empty
 * ones leave cores idle. Scratch: for offsets and rows 70 KiB a thread, on CUDA 24 KiB (and the
 * offsets of rows); otherwise on CUDA that of a scan.
 * Source: for offsets, D. Merrill, M. Garland, Merge-based Parallel Sparse Matrix-Vector
 * Multiplication, 2016.
 */
PARSCAN_API parscan_status parscan_segmented_reduce(parscan_context *context, parscan_type type,
                                                    const void *in, void *out, size_t n,
                                                    const parscan_segments *segments,
                                                    uint64_t *count,
                                                    const parscan_scan_options *options);

/*
 * Reduction by key: of each run of equal neighbouring keys the first key, and the sum of its elements. Of
 * sorted keys that is one result for each key (GROUP BY).
 *   key_type, keys_in   n keys. They are equal as by ==, but every NaN equals every other
 *   keys_out   the first key of each run, its bits kept, as parscan_unique() gives it; NULL: not wanted
 *   type, in   n elements
 *   out        one element of the output type for each run; not NULL
 *   count      receives the number of runs; not NULL; on CUDA in host or device memory
 *   options    as for parscan_segmented_reduce(): init is combined before the first element of every run
 * Outputs need room for the runs and no more, and must not overlap each other or an input: an overlap that
 * starts within an input is INVALID_ARGUMENT, others are undefined, since only the call finds out the
 * lengths. With n = 0 there is no run. Otherwise as parscan_segmented_reduce() by keys.
 * Cost: work O(n), one read of keys and elements, one write of keys and sums. Scratch: none; on CUDA that of
 * parscan_segmented_reduce().
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_reduce_by_key(parscan_context *context, parscan_type key_type,
                                                 const void *keys_in, void *keys_out,
                                                 parscan_type type, const void *in, void *out,
                                                 size_t n, uint64_t *count,
                                                 const parscan_scan_options *options);

/*
 * The linear recurrence of first order:
 *
 *     out[i] = a[i] * out[i-1] + b[i],   out[-1] = x0
 *
 * It is a scan of the maps x -> a x + b under composition, which is associative and does not
 * commute.
 *   type   PARSCAN_F32 or PARSCAN_F64; PARSCAN_F16 and PARSCAN_BF16, which are computed in float, the
 *          last x too, and of which each out[i] is rounded once. Others are UNSUPPORTED
 *   a, b   n elements each
 *   x0     points to one element (context.h, "Scalars"); NULL: 0
 *   out    n elements; out == a or out == b is allowed, no other overlap
 * Every product and every sum is rounded (there is no fused multiply-add). The engine chooses how
 * maps are grouped, by the number of threads and the place of out too; on the CPU sets of SIMD
 * instructions make no difference. What differs are last bits of the largest number that any
 * grouping adds. Where large terms cancel, that may be far above every x, and what differs grows
 * where |a| > 1: with a = 3.3e10, x0 = -3, b[0] = 3 a[0] and b = 0 after it a loop gives 0, and
 * this may give 1e58, or infinity. Where |a| <= 1 it is near the largest |x| or |b|.
 * Where products of neighbouring elements of a leave the range of the type and x does not:
 * - On the CPU that is noticed, and those elements are computed one after another: with one thread
 *   no finite x becomes 0, infinite or NaN by a product. With several threads, whose tiles have
 *   some thousand elements, one more thing differs: where x overflows within a tile, and the tile's
 *   other factors would take it back, x after the tile may be finite.
 * - On CUDA such products have exponents of their own and do not underflow. But if the recurrence
 *   from x = 0 overflows within some thousand elements, and the one from x0 does not, out is not
 *   finite.
 * Errors: INVALID_ARGUMENT, UNSUPPORTED; on CUDA OUT_OF_MEMORY.
 * Cost: work O(n), depth O(n / threads + tiles), one read of a and b, one write of out. Scratch:
 * none; on CUDA some words for every tile.
 * Source: P. Kogge, H. Stone, A Parallel Algorithm for the Efficient Solution of a General Class of
 * Recurrence Equations, 1973.
 */
PARSCAN_API parscan_status parscan_recurrence(parscan_context *context, parscan_type type,
                                              const void *a, const void *b, const void *x0,
                                              void *out, size_t n);

/* Options of parscan_recurrence_with(). Make one with PARSCAN_RECURRENCE_OPTIONS(...). */
typedef struct parscan_recurrence_options {
    size_t struct_size; /* sizeof(parscan_recurrence_options), see parscan/options.h */
    int constant_a;     /* non-zero: a is a pointer to one element, which stands for all of a */
    unsigned reserved;  /* not read */

    /* The axis that the call runs along (parscan/shape.h): n is the length of a line, a and b have
       in_strides, and x0 is that of every line. out may be a or b if the strides are the same. On the CPU
       each line is a call of its own, and lines with gaps are copied to scratch, some at once; on CUDA
       lines are taken as those of a scan with a shape. NULL: there is one line. */
    const parscan_shape *shape;
} parscan_recurrence_options;

/* A parscan_recurrence_options with struct_size set: PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1). */
#define PARSCAN_RECURRENCE_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_recurrence_options, __VA_ARGS__)

/*
 * The same with options: out[i] = a * out[i-1] + b[i] with one a for all elements. An exponential average
 * y[i] = a y[i-1] + (1 - a) x[i] is that of b[i] = (1 - a) x[i].
 *   a         with constant_a, a pointer to one element (context.h, "Scalars"), which is read before out
 *             is written
 *   options   NULL: as parscan_recurrence()
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_recurrence_with(parscan_context *context, parscan_type type,
                                                   const void *a, const void *b, const void *x0,
                                                   void *out, size_t n,
                                                   const parscan_recurrence_options *options);

#ifdef __cplusplus
}
#endif
#endif
