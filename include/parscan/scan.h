/*
 * parscan/scan.h: inclusive scan, exclusive scan, reduction, difference.
 *
 * With an operator + and elements x[0..n):
 *
 *     inclusive   out[i] = x[0] + x[1] + ... + x[i]
 *     exclusive   out[i] = x[0] + x[1] + ... + x[i-1],   out[0] = the identity of + (0 for a sum)
 *     reduction   out[0] = x[0] + x[1] + ... + x[n-1],   the identity if n = 0
 *
 * Operands are combined in the order of the array; the algorithm chooses how they are grouped. The
 * grouping matters only for sums and products of floats. They may differ by rounding between
 * algorithms, numbers of threads, sets of SIMD instructions and engines, with n, with a shape, and with
 * the places of the arrays: where large terms cancel, by more than the last bits of the result. More
 * differs where a sum or product on the way leaves the range of its type: of
 * 1e308, 1e308, -1e308 and -1e308 one grouping gives 0, another infinity or NaN; a product may be 0
 * or infinity where the loop's is neither. The option `reproducible` fixes one grouping, a tree
 * that depends on n alone: then overflow, too, is the same everywhere, though not that of a loop.
 * All other results are the same to the bit everywhere. If a result is NaN, the bits of the NaN are
 * unspecified. What the caller's floating-point mode changes: parscan/context.h, Floats.
 *
 * Elements of f16 and bf16 are combined as f32, grouped as f32, and each result is rounded once, to the
 * nearest, in every floating-point mode: the sum of 5000 ones in f16 is 5000. It is infinite where
 * a sum is beyond the range of the type, and finite again where the sum comes back.
 *
 * Memory, errors and streams: parscan/context.h.
 */
#ifndef PARSCAN_SCAN_H
#define PARSCAN_SCAN_H

#include "parscan/context.h"
#include "parscan/options.h"
#include "parscan/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of scans and reductions. Make one with PARSCAN_SCAN_OPTIONS(...). */
typedef struct parscan_scan_options {
    size_t struct_size; /* sizeof(parscan_scan_options), see parscan/options.h */

    /* The operator; default SUM. */
    parscan_op op;

    /* The algorithm; default AUTO, the fastest. */
    parscan_algorithm algorithm;

    /* The element type of the output. All elements are converted to it before they are combined.
       0: the type of the input. A wider type is for SUM only: u8, u16 -> u32, u64; u32 -> u64;
       i8, i16 -> i32, i64; i32 -> i64; f32 -> f64; f16, bf16 -> f32,
       f64. */
    parscan_type out_type;

    /* Points to one element of the output type ("Scalars" in context.h). It is combined before all elements (in
       reverse: before element n-1), in inclusive scans and reductions too. NULL: none; the first
       element of an inclusive scan is then that of the input to the bit; with a shape, but for signalling NaNs. */
    const void *init;

    /* Non-zero: combine from element n-1 down to 0, out[i] = x[n-1] + ... + x[i]. The result is the
       scan of the reversed array, reversed. */
    int reverse;

    /* Non-zero: sums and products of floats have the same bits on every engine, with every number
       of threads, every set of SIMD instructions and in every floating-point mode of the caller; the
       bits of a NaN excepted. They are grouped in a fixed tree, which is an algorithm of its own;
       each is rounded to the nearest, and subnormal numbers are kept. So algorithm must be AUTO, and
       block_threads and items_per_thread must be 0; else INVALID_ARGUMENT, for integers too, and
       for operators whose results never depend on the grouping. */
    int reproducible;

    /* The shape of a block, for a block algorithm named in `algorithm`; otherwise both must be 0,
       else INVALID_ARGUMENT. 0 takes a default.

           algorithm           threads of a block   elements of a thread
           KOGGE_STONE         2 to 1024            1
           BRENT_KUNG          1 to 1024            2
           THREE_PHASE         1 to 1024            1 or more
           WARP, WARP_PADDED   32                   1

       A block has at least 2 elements. Its memory is at most 48 KiB: its elements in the output
       type (f16 and bf16: in f32), one element of padding after every 32, and the algorithm's own sums. */
    unsigned block_threads;
    unsigned items_per_thread;

    /* Of parscan_inclusive_scan(), _exclusive_scan() and _reduce(), the axis of an array that they run
       along: n is the length of a line. in has outer * n * inner elements, and so has out; that of a
       reduction has outer * inner. init is that of every line. in == out is allowed if the elements'
       sizes and the strides are the same. algorithm must be AUTO, else INVALID_ARGUMENT. NULL: there is
       one line. UNSUPPORTED in all calls that have a scan's options besides; on CUDA where strides are no
       multiples of the element's size. A length in device memory is fetched. The pass reads and writes
       every element once, whatever the axis; reproducible sums of floats are read twice on CUDA, and on
       the CPU lines with gaps are copied to scratch, some at once. There short rows without gaps are scanned
       and reduced as segments, and their reduction takes the scratch of a segmented one. Since parscan 0.3. */
    const parscan_shape *shape;

    /* An operator of the caller's (parscan/operator.h). The type is then PARSCAN_CUSTOM, and a type PARSCAN_CUSTOM
       needs it, else INVALID_ARGUMENT. op and out_type must be 0. init is one element of the operator's. Results
       are elements, or what the operator's map stores.
       It is taken by: parscan_inclusive_scan(), _exclusive_scan(), _reduce(); their sisters in segmented.h;
       parscan_reduce_by_key(); on the CPU also by the sisters of all these in chunked.h.
       All other calls with these options are UNSUPPORTED, those of distributed.h too. So is a shape.
       Since parscan 0.3. */
    const parscan_operator *custom;
} parscan_scan_options;

/* A parscan_scan_options with struct_size set: PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX). */
#define PARSCAN_SCAN_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_scan_options, __VA_ARGS__)

/*
 * Inclusive scan: out[i] = x[0] + ... + x[i].
 *   type      the element type of in
 *   in, out   n elements each, of `type` and of out_type. in == out is allowed if both types have
 *             the same size; any other overlap is INVALID_ARGUMENT
 *   options   NULL: all defaults, a sum
 * Errors: INVALID_ARGUMENT; UNSUPPORTED, a bit operator on floats or an out_type that is not listed
 * above; OUT_OF_MEMORY, in and out are as before.
 * Cost: AUTO and SINGLE_PASS read and write every element once; work O(n), depth O(n / threads +
 * tiles). SEQUENTIAL does the same with depth n. A block algorithm on the CPU reads and writes
 * every element twice: it scans the blocks, then adds to each block the sum of the blocks before.
 * On CUDA it reads every element twice and writes it once. Its work is O(n) for BRENT_KUNG and
 * THREE_PHASE, O(n log block) for the others.
 * Scratch: a block algorithm keeps the sum of every block, the sum of every block of sums, and so
 * on; on the CPU also one block for each thread. The other algorithms take none on the CPU, and a
 * few words for every tile on CUDA.
 * Source: Kogge & Stone 1973; Brent & Kung 1982; Hwu, Kirk & El Hajj, Programming Massively
 * Parallel Processors, chapter 11 (three-phase, hierarchical); Merrill & Garland 2016 (single
 * pass).
 */
PARSCAN_API parscan_status parscan_inclusive_scan(parscan_context *context, parscan_type type,
                                                  const void *in, void *out, size_t n,
                                                  const parscan_scan_options *options);

/* Exclusive scan: out[i] = x[0] + ... + x[i-1]; out[0] is init, or the identity. Otherwise as
   parscan_inclusive_scan(). */
PARSCAN_API parscan_status parscan_exclusive_scan(parscan_context *context, parscan_type type,
                                                  const void *in, void *out, size_t n,
                                                  const parscan_scan_options *options);

/*
 * Reduction: out[0] = x[0] + ... + x[n-1], one element of out_type. With n = 0 out[0] is init, or
 * the identity, and in may be NULL. out must not be NULL and must not lie in `in`, else
 * INVALID_ARGUMENT. The input is read once. On the CPU a block algorithm reduces every block by
 * scanning it. Otherwise as parscan_inclusive_scan().
 */
PARSCAN_API parscan_status parscan_reduce(parscan_context *context, parscan_type type,
                                          const void *in, void *out, size_t n,
                                          const parscan_scan_options *options);

/*
 * Differences of neighbours, the inverse of an inclusive scan:
 *
 *     out[i] = in[i] - in[i-1],   out[0] = in[0], or in[0] - init
 *
 *   type      of in and out. Integers wrap. A difference of floats is rounded once, to the nearest;
 *             one of PARSCAN_F16 and PARSCAN_BF16 is computed in float and rounded once more
 *   in, out   n elements each; in == out is allowed, any other overlap is INVALID_ARGUMENT
 *   options   those of the scan that is inverted; NULL: all defaults. op: SUM, or XOR of integers, where
 *             out[i] = in[i] ^ in[i-1]; the others are UNSUPPORTED, and so are another out_type than the
 *             type and another algorithm than AUTO. init: one element of type (context.h, "Scalars"), which
 *             comes before in[0]. NULL: out[0] is in[0] to the bit. reverse: out[i] = in[i] - in[i+1],
 *             and init comes after in[n-1]. reproducible has no effect
 * So a scan of integers and a difference with the same options give the array back. Floats come back
 * where no sum was rounded. The n - 1 differences alone, as NumPy's diff() gives them, are those of the n - 1
 * elements from in[1] on, with init = in.
 * Errors: INVALID_ARGUMENT, UNSUPPORTED; on CUDA, and in place, OUT_OF_MEMORY.
 * Cost: work O(n), depth O(n / threads), one read of in, one write of out. Scratch: in place, one element
 * for each tile (of a thread; on CUDA 16 KiB each). Results are the same to the bit on every engine, with every number of threads
 * and in every floating-point mode of the caller.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_difference(parscan_context *context, parscan_type type,
                                              const void *in, void *out, size_t n,
                                              const parscan_scan_options *options);

#ifdef __cplusplus
}
#endif
#endif
