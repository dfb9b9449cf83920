/*
 * parscan/histogram.h: how many elements fall into each bin; elements ordered by their bins.
 *
 * Results are the same to the bit on every engine and with every number of threads. Memory, errors
 * and streams: parscan/context.h.
 */
#ifndef PARSCAN_HISTOGRAM_H
#define PARSCAN_HISTOGRAM_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of parscan_histogram(). Make one with PARSCAN_HISTOGRAM_OPTIONS(...). */
typedef struct parscan_histogram_options {
    size_t struct_size; /* sizeof(parscan_histogram_options), see parscan/options.h */

    /* They point to one element of the input's type each ("Scalars" in context.h). The bins have equal widths and divide
       [*lower, *upper). *upper itself is not counted, not even if it is the largest number of the
       type. NULL, for integers only: 0, and the number of bins, which need not fit the type. */
    const void *lower, *upper;
} parscan_histogram_options;

/* A parscan_histogram_options with struct_size set: PARSCAN_HISTOGRAM_OPTIONS(.lower = &x, ...). */
#define PARSCAN_HISTOGRAM_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_histogram_options, __VA_ARGS__)

/*
 * Histogram: counts[b] is the number of elements x of in[0..n) that fall into bin b:
 *
 *     integers   b = floor((x - lower) * bins / (upper - lower)), exact (in 128 bits)
 *     floats     edge(b) <= x < edge(b + 1), where
 *                edge(b) = lower + b * ((upper - lower) / bins) in double, edge(bins) = upper
 *
 * Elements outside [lower, upper), and NaN, are not counted. Where edges are so near to each other
 * that some are the same double, the bins between them are empty.
 * numpy.histogram(x, bins, (lower, upper)) has the same edges for doubles, but counts upper itself,
 * in the last bin, and rounds the edges to float where x is float. It refuses bins that are narrower
 * than doubles are apart (NumPy 2), or puts some values beside them (NumPy 1.24).
 *   type         any element type; PARSCAN_F16 and PARSCAN_BF16 are floats, widened exactly
 *   in           n elements; never written
 *   bins         1 to 2^24
 *   count_type   PARSCAN_U32, U64, I32 (n < 2^31, else INVALID_ARGUMENT) or I64
 *   counts       one number of count_type for every bin; overwritten, with n = 0 too; must not
 *                overlap in
 *   options      NULL: all defaults; floats need lower and upper
 * Errors: INVALID_ARGUMENT, also if lower >= upper, if a bound is not finite, or if floats are so
 * far apart or so close that upper - lower or bins / (upper - lower) is not finite in double;
 * OVERFLOW, a count of 2^32 or more with PARSCAN_U32, counts are then unspecified; OUT_OF_MEMORY.
 * Cost: work O(n), one read of in; many elements of 1 byte cost the same whatever the bounds.
 * Scratch: none for fewer than 2^13 elements, for fewer elements than a quarter of the bins, and for
 * up to four elements a bin and thread if the counts are within the caches; else, at most, 2 MiB and
 * the counts of all bins for every thread, and 1% of the input. On CUDA none, but 8 bytes a bin for
 * 2^32 elements or more with PARSCAN_U32, and 256 for bounds in device memory ("Scalars" in context.h). If
 * such bounds are wrong and the arrays are in device memory too, the next parscan_synchronize() returns
 * INVALID_ARGUMENT, and all counts are 0.
 */
PARSCAN_API parscan_status parscan_histogram(parscan_context *context, parscan_type type,
                                             const void *in, size_t n, size_t bins,
                                             parscan_type count_type, void *counts,
                                             const parscan_histogram_options *options);

/*
 * Orders values by their bins: a counting sort, stable within a bin. If bin_of is the row of every
 * entry, it converts a sparse matrix from coordinates (COO) to compressed rows (CSR), and offsets
 * are the row offsets.
 *   bin_type     PARSCAN_U8, U16, U32 or U64
 *   bin_of       the bin of every entry, n of them; an entry whose bin is not below `bins` is left
 *                out
 *   value_size   bytes of a value, 1 to 64; 4 or 8 if values is NULL; not read if values_out is
 *                NULL. Not a parscan_type: PARSCAN_U32 would be 5 bytes (parscan/types.h)
 *   values       n values; NULL: the index of every entry, as uint32_t (n <= 2^32, else
 *                INVALID_ARGUMENT) or uint64_t; not read if values_out is NULL
 *   bins         0 to 2^32
 *   offset_type  PARSCAN_U32, U64, I32 or I64
 *   offsets      bins + 1 numbers: the values of bin b are values_out[offsets[b] .. offsets[b+1]).
 *                They are written with n = 0 too; must not overlap any other array
 *   values_out   offsets[bins] values; must not overlap any other array: one that starts within
 *                another is INVALID_ARGUMENT, one that reaches into it is undefined, since only the
 *                call finds out its length; NULL: only offsets are wanted
 * Errors: INVALID_ARGUMENT; OVERFLOW, n is beyond offset_type; OUT_OF_MEMORY. Inputs are never
 * written.
 * Cost: work O(n + bins).
 * - On the CPU, one core takes two reads of bin_of, one read and one write of the values, without
 *   scratch: for fewer than 2^14 entries, or fewer than a sixteenth of the bins; also up to 2^22
 *   entries on one thread and 2^20 on two, if the offsets are within the caches. Otherwise all cores
 *   do the same up to 2^13 bins (2^11 where the second-level cache is small). With more bins the
 *   entries go through buckets of bins: one read and one write of them more. Scratch: 152 bytes for
 *   every thread and bucket (or bin); there are at most 2^11 buckets up to 2^27 bins. For buckets
 *   also value_size + 2 bytes for every entry. If values_out is NULL: as parscan_histogram(), but
 *   above 2^24 bins, and where there is no memory, one thread counts, without scratch.
 * - On CUDA: one read of bin_of (with more than 2^8 bins and at most 2^16 entries also one for every 2^12
 *   bins, in parallel); then, for every 8 bits of a bin, one pass over bins and values, or
 *   over indices if values do not have 4 or 8 bytes. Scratch: 2 MiB; for several passes the bins (4
 *   bytes each, 8 for PARSCAN_U64; twice for more than two passes), the values or indices that go
 *   through the passes; none up to 4096 entries with values of 4 or 8 bytes.
 * Source: counting sort, Seward 1954; cache lines of a bucket written at once, Satish et al.,
 * SIGMOD 2010.
 */
PARSCAN_API parscan_status parscan_bin(parscan_context *context, parscan_type bin_type,
                                       const void *bin_of, size_t value_size, const void *values,
                                       size_t n, size_t bins, parscan_type offset_type,
                                       void *offsets, void *values_out);

#ifdef __cplusplus
}

#if __cplusplus >= 201103L && !defined PARSCAN_NO_DELETED_OVERLOADS
/* A parscan_type where the bytes of an element stand (parscan/types.h). */
extern "C++" parscan_status parscan_bin(parscan_context *, parscan_type, const void *, parscan_type,
                                        const void *, size_t, size_t, parscan_type, void *,
                                        void *) = delete;
#endif
#endif
#endif
