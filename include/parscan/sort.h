/*
 * parscan/sort.h: radix sort of keys, of keys with values, of indices, of segments.
 *
 * Every sort is stable, descending sorts too: equal keys stay in the order of the input. Integers
 * sort in numeric order. Floats do too, with -0 before +0, and with every NaN after +infinity; all
 * NaNs are equal to each other, whatever their sign and bits. The bits of keys are kept. Descending
 * is the reverse order of keys (NaNs first), with equal keys still in the order of the input.
 * Results are the same to the bit on every engine and with every number of threads. Memory, errors
 * and streams: parscan/context.h.
 *
 * A radix sort counts the digits of the keys, scans the counts, and scatters the elements, stably.
 * On the CPU all cores scatter the elements once, by one digit at the top of the bits that vary,
 * into buckets that fit their caches. Each bucket is then sorted in its cache, from the least
 * significant digit up. On CUDA one read of the keys counts all digits, of 8 bits. Then every digit
 * that is not the same in all keys, from the least significant up, takes one read and one write of
 * the elements. Many keys of 1 or 2 bytes without values are not moved there: the keys are counted, and
 * written anew in order.
 *
 * Host arrays that are larger than the device's memory go through it twice: chunks are sorted and
 * go to buckets, each a range of keys, between splitters that are taken from a sample; then each
 * bucket is sorted. The keys travel up once more before, to be counted. Scratch on the host: n keys
 * (values) where the sort of the keys (values) is in place; n keys for parscan_argsort().
 *
 * Source: D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2.5; N. Satish et al., Fast Sort
 * on CPUs and GPUs, SIGMOD 2010; M. Kokot, S. Deorowicz, M. Dlugosz, Even Faster Sorting of (Not
 * Only) Integers, ICMMI 2017; A. Adinets, D. Merrill, Onesweep: A Faster Least Significant Digit
 * Radix Sort for GPUs, 2022.
 */
#ifndef PARSCAN_SORT_H
#define PARSCAN_SORT_H

#include "parscan/context.h"
#include "parscan/options.h"
#include "parscan/segments.h"
#include "parscan/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of sorts. Make one with PARSCAN_SORT_OPTIONS(...). */
typedef struct parscan_sort_options {
    size_t struct_size; /* sizeof(parscan_sort_options), see parscan/options.h */

    /* Non-zero: the largest key first. */
    int descending;

    /* Keys are compared by their bits begin_bit to end_bit - 1 alone; bit 0 is the least
       significant. end_bit = 0: up to the top bit. The top bit of a signed key is its sign and
       orders negative keys first. begin_bit < end_bit <= the width of a key, else INVALID_ARGUMENT.
       For floats both must be 0, else UNSUPPORTED. */
    unsigned begin_bit, end_bit;

    unsigned reserved; /* not read */

    /* The axis that parscan_sort_keys(), parscan_sort_pairs() and parscan_argsort() run along
       (parscan/shape.h): each line of n keys is sorted on its own, and indices are those within it. Its
       strides are those of the keys, and of indices. An array may be sorted in place if its strides are the
       same. Lines that are not rows without gaps are copied to scratch and back: on the CPU some at once,
       1 MiB a thread, or 16 lines; on CUDA all, so scratch is that of a sort of segments, the keys, the
       values, and for an argsort the keys once more and the indices. There keys in lines of
       more than 4096, without values, are sorted all at once, with the number of their line, then by that
       number, and lines from some 2^20 elements on one after the other. NULL: there is one line. UNSUPPORTED in all other calls.
       Since parscan 0.3. */
    const parscan_shape *shape;

    /* With a shape, the strides of values_in and values_out, as the shape's. NULL: the values of an array
       lie next to each other, line by line as the shape has them. UNSUPPORTED without a shape.
       Since parscan 0.3. */
    const int64_t *values_in_strides, *values_out_strides;
} parscan_sort_options;

/* A parscan_sort_options with struct_size set: PARSCAN_SORT_OPTIONS(.descending = 1). */
#define PARSCAN_SORT_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_sort_options, __VA_ARGS__)

/*
 * Sorts keys_in[0..n) into keys_out[0..n).
 *   key_type            any element type
 *   keys_in, keys_out   n keys each; keys_in == keys_out sorts in place; any other overlap is
 *                       INVALID_ARGUMENT
 *   options             NULL: all defaults, ascending by all bits
 * Errors: INVALID_ARGUMENT; UNSUPPORTED, begin_bit or end_bit with floats; OUT_OF_MEMORY, keys_in
 * and keys_out are as before. If host arrays go through a device in chunks (parscan/context.h),
 * keys_out is then unspecified.
 * Cost: work O(n * digits). On the CPU, where buckets fit the caches, main memory has three reads
 * and two writes of the keys. Bits that are the same in all keys cost nothing. Keys of few bits or
 * few distinct values are only counted: two or three reads, one write. An input in order, or
 * strictly in reverse order, is recognised by one read. On the CPU up to 16 runs in order, with at most an
 * eighth of the array between them, are merged. Scratch: n keys and at most 2 MiB a thread.
 * On CUDA many keys of 1 or 2 bytes that are compared by all bits have one read, one write, and 1 MiB
 * of scratch; floats also n keys of scratch, and, if they have NaNs of several bits, three more reads
 * and a write more.
 */
PARSCAN_API parscan_status parscan_sort_keys(parscan_context *context, parscan_type key_type,
                                             const void *keys_in, void *keys_out, size_t n,
                                             const parscan_sort_options *options);

/*
 * Sorts keys with values: values_in[i] goes to the place in values_out where keys_in[i] goes in
 * keys_out.
 *   value_size              bytes of a value, 1 to 64; values are moved whole and not interpreted.
 *                           Not a parscan_type: PARSCAN_U32 would be 5 bytes (parscan/types.h)
 *   values_in, values_out   n values each, of any alignment on both engines; they may be the same
 *                           array, whether keys_in and keys_out are or not; any other overlap of an
 *                           output, with keys too, is INVALID_ARGUMENT
 * Otherwise as parscan_sort_keys(). On CUDA values that are not of 4 or 8 bytes, or are not aligned
 * to their size, are moved once, after the sort of their indices.
 * Scratch: n keys, n values and at most 2 MiB a thread. On CUDA, for values that are moved after the sort,
 * not n values but two indices an element, of 4 bytes (8 from n = 2^32 on), and n values if
 * values_in == values_out.
 */
PARSCAN_API parscan_status parscan_sort_pairs(parscan_context *context, parscan_type key_type,
                                              const void *keys_in, void *keys_out,
                                              size_t value_size, const void *values_in,
                                              void *values_out, size_t n,
                                              const parscan_sort_options *options);

/*
 * The permutation that sorts: keys[indices_out[0]] is the first key of the sorted order, and so on.
 * The indices of equal keys ascend. keys are not written.
 *   index_type    PARSCAN_U32 (n <= 2^32, else INVALID_ARGUMENT), U64, I32 (n <= 2^31) or I64
 *   indices_out   n indices; must not overlap keys, else INVALID_ARGUMENT
 * Otherwise as parscan_sort_keys(). Scratch: two times n keys, n indices and at most 2 MiB a thread.
 */
PARSCAN_API parscan_status parscan_argsort(parscan_context *context, parscan_type key_type,
                                           const void *keys, parscan_type index_type,
                                           void *indices_out, size_t n,
                                           const parscan_sort_options *options);

/*
 * Sorts every segment on its own: the elements of a segment stay in it.
 *   value_size, values_in, values_out   as for parscan_sort_pairs(), value_size bytes and not a
 *                                       parscan_type too; 0, NULL and NULL sort keys alone
 *   segments                            the segments of n elements (parscan/segments.h); not NULL;
 *                                       no output may overlap their data
 * Errors: those of parscan_sort_pairs(); INVALID_ARGUMENT also for offsets that do not start with
 * 0, do not end with n, or decrease. On CUDA, if the offsets are in device memory, the next
 * parscan_synchronize() returns that error, and the outputs are unspecified.
 * Cost: that of sorting the segments one by one, with all cores busy whatever their lengths. On
 * CUDA segments of up to 4096 elements (2048 if they have at most 128 on average, and on devices with
 * less than 163 KiB of shared memory a block) take one read and one write. Longer ones take an
 * argsort of their elements, an argsort of their segments' numbers, and two copies. Long rows without values are
 * sorted as lines of a shape (see the options), in fewer passes.
 * Scratch on CUDA: 2 MiB; for every element three indices, three keys (of at least 4 bytes) and a
 * value; an index and a byte more if the segments are flags or keys; the offsets of rows. For
 * values that are not of 4 or 8 bytes, or not aligned to their size: two indices in place of the
 * value, and the value if values_in == values_out.
 */
PARSCAN_API parscan_status parscan_sort_segments(parscan_context *context, parscan_type key_type,
                                                 const void *keys_in, void *keys_out,
                                                 size_t value_size, const void *values_in,
                                                 void *values_out, size_t n,
                                                 const parscan_segments *segments,
                                                 const parscan_sort_options *options);

#ifdef __cplusplus
}

#if __cplusplus >= 201103L && !defined PARSCAN_NO_DELETED_OVERLOADS
/* A parscan_type where the bytes of an element stand (parscan/types.h). */
extern "C++" parscan_status parscan_sort_pairs(parscan_context *, parscan_type, const void *,
                                               void *, parscan_type, const void *, void *, size_t,
                                               const parscan_sort_options *) = delete;
extern "C++" parscan_status parscan_sort_segments(parscan_context *, parscan_type, const void *,
                                                  void *, parscan_type, const void *, void *,
                                                  size_t, const parscan_segments *,
                                                  const parscan_sort_options *) = delete;
#endif
#endif
#endif
