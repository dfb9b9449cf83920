/*
 * parscan/scan.h: inclusive scan, exclusive scan, reduction.
 *
 * With an operator + and elements x[0..n):
 *
 *     inclusive   out[i] = x[0] + x[1] + ... + x[i]
 *     exclusive   out[i] = x[0] + x[1] + ... + x[i-1],   out[0] = the identity of + (0 for a sum)
 *     reduction   out[0] = x[0] + x[1] + ... + x[n-1],   the identity when n = 0
 *
 * Operands are always combined in the order of the array; how they are grouped is the algorithm's
 * choice, so sums and products of floats may differ in their last bits between algorithms, numbers
 * of threads and engines. Everything else is the same to the bit everywhere,
 * but for which of several NaNs a NaN is.
 */
#ifndef PARSCAN_SCAN_H
#define PARSCAN_SCAN_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begin with PARSCAN_SCAN_OPTIONS(...); a field left zero has the default. */
typedef struct parscan_scan_options {
    size_t struct_size; /* sizeof(parscan_scan_options) */

    /* The operator; default SUM. */
    parscan_op op;

    /* How; default AUTO, the fastest. */
    parscan_algorithm algorithm;

    /* The element type of the output, in which everything is accumulated; 0: as the input. Another
       type is for SUM only: u8, u16 -> u32, u64; u32 -> u64; i8, i16 -> i32, i64; i32 -> i64;
       f32 -> f64. */
    parscan_type out_type;

    /* Host pointer to one element of the output type, combined before the first element (before
       element n-1 in reverse), in inclusive scans and reductions too. NULL: none; then out[0] of an
       inclusive scan is in[0] to the bit. */
    const void *init;

    /* Non-zero: combine from element n-1 down, out[i] = x[n-1] + ... + x[i]. The result is the scan
       of the reversed array, reversed. */
    int reverse;

    /* Non-zero: the same bits on every engine and for every number of threads, floats included, but for
       those of NaNs. */
    int reproducible;

    /* Block algorithms only (else INVALID_ARGUMENT); 0: a good default. The threads of a block:
       2 to 1024 for KOGGE_STONE, 1 to 1024 for BRENT_KUNG and THREE_PHASE, 32 for WARP and
       WARP_PADDED. Elements a thread: 1 for KOGGE_STONE, WARP and WARP_PADDED, 2 for BRENT_KUNG,
       from 1 for THREE_PHASE. A block holds at least 2 elements; with what the algorithm keeps
       beside them, and one element of padding every 32, they take at most 48 KiB. */
    unsigned block_threads;
    unsigned items_per_thread;
} parscan_scan_options;

/* A parscan_scan_options with struct_size set: PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX). */
#define PARSCAN_SCAN_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_scan_options, __VA_ARGS__)

/*
 * Scans in[0..n) into out[0..n): inclusive, out[i] takes in element i.
 *   type     the type of in's elements
 *   in, out  n elements each, of type and of out_type, in memory that the engine reaches; on the
 *            CPU of any alignment. in == out is allowed when both types have one size; any other
 *            overlap is undefined
 *   n        any, 0 too: nothing is touched then, and the pointers may be NULL
 *   options  NULL: all defaults, the sum
 * Errors: INVALID_ARGUMENT, UNSUPPORTED (bit operators on floats, out_type of another kind),
 * OUT_OF_MEMORY. An error leaves in and out as they were.
 * Cost: O(n) work (O(n log block) for KOGGE_STONE and the warp scans). Block algorithms keep one
 * sum a block of scratch, and one a block of sums, and so on; the others one a thread.
 * Source: Kogge & Stone 1973; Brent & Kung 1982; Hwu, Kirk & El Hajj, Programming Massively
 * Parallel Processors, chapter 11 (three-phase, hierarchical); Merrill & Garland 2016 (single pass).
 */
PARSCAN_API parscan_status parscan_inclusive_scan(parscan_context *context, parscan_type type,
                                                  const void *in, void *out, size_t n,
                                                  const parscan_scan_options *options);

/* The same, exclusive: out[i] takes in the elements before i; out[0] is init, or the identity. */
PARSCAN_API parscan_status parscan_exclusive_scan(parscan_context *context, parscan_type type,
                                                  const void *in, void *out, size_t n,
                                                  const parscan_scan_options *options);

/*
 * Reduces in[0..n) to the one element out[0], of out_type. With n = 0 out[0] is init, or the
 * identity, and in may be NULL. A named block algorithm reduces each block by its scan. Otherwise
 * as parscan_inclusive_scan(); out may not lie inside in.
 */
PARSCAN_API parscan_status parscan_reduce(parscan_context *context, parscan_type type,
                                          const void *in, void *out, size_t n,
                                          const parscan_scan_options *options);

#ifdef __cplusplus
}
#endif
#endif
