/*
 * parscan/histogram.h: how many elements fall into each bin, and elements put in the order of bins.
 */
#ifndef PARSCAN_HISTOGRAM_H
#define PARSCAN_HISTOGRAM_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begin with PARSCAN_HISTOGRAM_OPTIONS(...); a field left zero has the default. */
typedef struct parscan_histogram_options {
    size_t struct_size; /* sizeof(parscan_histogram_options) */

    /* Host pointers to one element of the input's type each: bins are equal widths of [*lower,
       *upper), which leaves out *upper itself, the type's largest number too. NULL, for integers only: 0, and the number of bins (which need not fit the type). */
    const void *lower, *upper;
} parscan_histogram_options;

/* A parscan_histogram_options with struct_size set: PARSCAN_HISTOGRAM_OPTIONS(.lower = &x, ...). */
#define PARSCAN_HISTOGRAM_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_histogram_options, __VA_ARGS__)

/*
 * counts[b] = how many x of in[0..n) fall into bin b:
 *
 *     integers   b = floor((x - lower) * bins / (upper - lower)), exact (in 128 bits)
 *     floats     b = floor((x - lower) * (bins / (upper - lower))) in double, at most bins - 1
 *
 * x outside of [lower, upper), and NaN, are not counted.
 *   type         any element type
 *   in           n elements, in memory that the engine reaches, on the CPU of any alignment
 *   bins         1 to 2^24
 *   count_type   PARSCAN_U32 or PARSCAN_U64
 *   counts       one a bin; overwritten, with n = 0 too; may not overlap in
 *   options      NULL: all defaults; floats need lower and upper
 * Errors: INVALID_ARGUMENT (also lower >= upper, bounds that are not finite, and floats so far apart
 * or so close together that upper - lower or bins / (upper - lower) is not finite in double),
 * OVERFLOW (a count of 2^32 or more with PARSCAN_U32; counts are unspecified then), OUT_OF_MEMORY. in
 * is never written.
 * Cost: one read of the input; for many elements of a byte whatever the bounds. Scratch: none for
 * fewer than 4096 elements or a quarter of the bins; else 1 MiB, 1% of the input and, for each
 * thread, the counts of all bins, at most; on CUDA none, but for 2^32 elements or more and u32 counts
 * 8 bytes a bin.
 */
PARSCAN_API parscan_status parscan_histogram(parscan_context *context, parscan_type type,
                                             const void *in, size_t n, size_t bins,
                                             parscan_type count_type, void *counts,
                                             const parscan_histogram_options *options);

/*
 * Puts values in the order of their bins, keeping the order of those of one bin: a counting sort,
 * and, with bin_of the row of each entry, coordinates (COO) to compressed rows (CSR) in one call:
 * offsets are the row offsets.
 *   bin_type     PARSCAN_U8, U16, U32 or U64
 *   bin_of       n bins; an entry whose bin is bins or more is left out
 *   value_size   bytes of a value, 1 to 64; where values is NULL: 4 or 8; where values_out is NULL
 *                neither it nor values is looked at
 *   values       n values; NULL: the index of each entry, as uint32_t (n <= 2^32) or uint64_t
 *   bins         0 to 2^32
 *   offset_type  PARSCAN_U32 or PARSCAN_U64
 *   offsets      bins + 1: bin b's are values_out[offsets[b] .. offsets[b+1]); written with n = 0 too
 *   values_out   offsets[bins] values; NULL: only the offsets are wanted; may not overlap anything
 * Errors: INVALID_ARGUMENT, OVERFLOW (n > what offset_type holds), OUT_OF_MEMORY. Inputs are never
 * written.
 * Cost: up to 2^11 bins two reads of bin_of, a read and a write of the values; with more bins, the
 * entries are written to buckets of bins and read again: one read and one write more. Scratch: none
 * for fewer than 2^14 entries or a sixteenth of the bins; else 152 bytes a bucket (or bin), of which
 * there are 2^11 at most up to 2^27 bins, for each thread; with more than 2^11 bins the entries too,
 * value_size + 2 bytes each. With values_out NULL as parscan_histogram(); above 2^24 bins one thread
 * counts, without scratch. On CUDA: a read of bin_of, and a pass over bins and values (of 4 or 8
 * bytes; of others, indices) for every 8 bits of a bin. Scratch: 2 MiB, where there are several
 * passes what goes through them (bins of 4 bytes, or 8 of PARSCAN_U64), the bins twice if there are
 * more than two, and the indices; none up to 4096 entries of values of 4 or 8 bytes.
 * Source: counting sort, Seward 1954; its lines of cache: Satish et al., SIGMOD 2010.
 */
PARSCAN_API parscan_status parscan_bin(parscan_context *context, parscan_type bin_type,
                                       const void *bin_of, size_t value_size, const void *values,
                                       size_t n, size_t bins, parscan_type offset_type,
                                       void *offsets, void *values_out);

#ifdef __cplusplus
}
#endif
#endif
