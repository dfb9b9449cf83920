/*
 * parscan/sort.h: radix sort of keys, of keys with values, of indices, of segments.
 *
 * Every sort is stable: equal keys stay in the order of the input, descending too. Integers sort in
 * numeric order; floats too, with -0 before +0, and every NaN, of either sign, after +infinity and
 * equal to every other NaN; bits are kept. Descending is the mirror of it (NaNs first), with equal
 * keys still in the order of the input. So a result is one and the same on every engine.
 *
 * A radix sort is a histogram of digits, an exclusive scan of the counts, a stable scatter. On the
 * CPU one digit, at the top of the bits that vary, is scattered through memory by all cores, into
 * buckets that fit their caches; those are sorted there from the least significant digit up. On
 * CUDA digits of 8 bits, from the least significant up, are counted in one read of the keys; then
 * each that is not the same in all keys takes one read and one write of the elements.
 *
 * Sources: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2.5; N. Satish et al., Fast Sort
 * on CPUs and GPUs, SIGMOD 2010; M. Kokot, S. Deorowicz, M. Dlugosz, Even Faster Sorting of (Not
 * Only) Integers, ICMMI 2017; A. Adinets, D. Merrill, Onesweep: A Faster Least Significant Digit
 * Radix Sort for GPUs, 2022.
 */
#ifndef PARSCAN_SORT_H
#define PARSCAN_SORT_H

#include "parscan/context.h"
#include "parscan/options.h"
#include "parscan/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begin with PARSCAN_SORT_OPTIONS(...); a field left zero has the default. */
typedef struct parscan_sort_options {
    size_t struct_size; /* sizeof(parscan_sort_options) */

    /* Non-zero: the largest key first. */
    int descending;

    /* Integers only (floats: UNSUPPORTED): keys are compared by their bits begin_bit to end_bit - 1
       alone, bit 0 the least significant; the top bit of a signed key is its sign, and orders
       negative keys first. end_bit = 0: all up to the top. begin_bit < end_bit <= the key's width,
       else INVALID_ARGUMENT. */
    unsigned begin_bit, end_bit;

    unsigned reserved; /* not read */
} parscan_sort_options;

/* A parscan_sort_options with struct_size set: PARSCAN_SORT_OPTIONS(.descending = 1). C99 and C++20
   (there, in the order of the fields). In C it can stand behind an &. */
#define PARSCAN_SORT_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_sort_options, __VA_ARGS__)

/*
 * Sorts keys_in[0..n) into keys_out[0..n).
 *   key_type            any of the element types
 *   keys_in, keys_out   n keys each, in memory that the engine reaches, on the CPU of any alignment;
 *                       keys_in == keys_out sorts in place; any other overlap is undefined. NULL is
 *                       allowed when n = 0
 *   options             NULL: all defaults, ascending by all bits
 * Errors: INVALID_ARGUMENT, UNSUPPORTED (bits of floats), OUT_OF_MEMORY. An error leaves keys_in
 * and keys_out as they were.
 * Cost: O(n * digits) work. Main memory: three reads and two writes of the keys on the CPU where
 * buckets fit the caches; bits that are the same in all keys cost nothing, keys of few bits or few
 * distinct values are only counted (two reads or three, one write); input in order, or strictly in
 * reverse order, is found in one read. Scratch: n keys and 16 MiB at most.
 */
PARSCAN_API parscan_status parscan_sort_keys(parscan_context *context, parscan_type key_type,
                                             const void *keys_in, void *keys_out, size_t n,
                                             const parscan_sort_options *options);

/*
 * The same, and values[i] goes where keys[i] goes.
 *   value_size              bytes of a value, 1 to 64; a value is moved whole and not looked at
 *   values_in, values_out   n values each, of any alignment, as the keys; values_in == values_out
 *                           is allowed, whether keys_in == keys_out or not
 * Scratch: n keys, n values and 16 MiB at most. On CUDA values that are not of 4 or 8 bytes,
 * aligned so, are moved once, by indices that are sorted in their place: two indices of 4 bytes an
 * element (8 from n = 2^32 on) instead, and n values where they are sorted in place.
 */
PARSCAN_API parscan_status parscan_sort_pairs(parscan_context *context, parscan_type key_type,
                                              const void *keys_in, void *keys_out,
                                              size_t value_size, const void *values_in,
                                              void *values_out, size_t n,
                                              const parscan_sort_options *options);

/*
 * The permutation that sorts: keys[indices_out[0]] is the first key, and so on; indices of equal
 * keys ascend. keys are not written.
 *   index_type    PARSCAN_U32 (n <= 2^32, else INVALID_ARGUMENT) or PARSCAN_U64
 *   indices_out   n indices; may not overlap keys (that is not checked)
 * Scratch: two times n keys, n indices and 16 MiB at most.
 */
PARSCAN_API parscan_status parscan_argsort(parscan_context *context, parscan_type key_type,
                                           const void *keys, parscan_type index_type,
                                           void *indices_out, size_t n,
                                           const parscan_sort_options *options);

/*
 * Sorts every segment on its own; elements stay in their segment.
 *   value_size, values_in, values_out   as in parscan_sort_pairs(), or 0, NULL, NULL: keys alone
 *   segments                            flags, offsets or keys (of segments), n elements in all
 * Errors: INVALID_ARGUMENT also for offsets that do not begin with 0, end with n, or that decrease.
 * Cost: as sorting the segments one by one, with all cores busy however their lengths differ. On
 * CUDA segments of up to 4096 elements (2048 on devices with less than 163 KiB of shared memory a
 * block) take one read and one write; longer ones an argsort of their elements, one of the segments'
 * numbers and two copies. Scratch there: 2 MiB; an element, three indices, three keys (of 4 bytes at
 * least) and a value; an index and a byte more if segments are flags or keys; for values that are not
 * of 4 or 8 bytes, aligned so, an index in the place of the value, one more, and the value where they
 * are sorted in place. There, offsets in device memory that are wrong are told by the next
 * parscan_synchronize(), and what is in the outputs then is not specified.
 */
PARSCAN_API parscan_status parscan_sort_segments(parscan_context *context, parscan_type key_type,
                                                 const void *keys_in, void *keys_out,
                                                 size_t value_size, const void *values_in,
                                                 void *values_out, size_t n,
                                                 const parscan_segments *segments,
                                                 const parscan_sort_options *options);

#ifdef __cplusplus
}
#endif
#endif
