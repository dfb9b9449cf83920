/*
 * parscan/distributed.h: arrays that are spread over several processes or threads (ranks).
 *
 *     parscan_comm *comm;
 *     parscan_comm_create_mpi(&comm, context, MPI_COMM_WORLD);              parscan/comm_mpi.h
 *     parscan_dist_inclusive_scan(comm, PARSCAN_F32, in, out, n, NULL);     n elements on this rank
 *     parscan_comm_destroy(comm);
 *
 * The global array is the ranks' pieces, one after the other: first rank 0's, then rank 1's, and
 * so on. Each rank passes its own piece and gets its own piece of the result. Pieces may differ in
 * length, and may be empty. A function does with the global array what the function without dist_
 * does with an array of one process, and results are those of that function, to the bit where they
 * do not depend on the number of threads: integers, minima, maxima, bit operators, and floats with
 * `reproducible`. Other sums and products of floats, segmented ones among them, may differ by
 * rounding, and by more where a number overflows or large terms cancel, as between numbers of
 * threads; with the same pieces and contexts all ranks agree on them. Ranks exchange sums of
 * PARSCAN_F16 and PARSCAN_BF16 as floats; only results are rounded to the type.
 *
 * For all functions of this header:
 *   Collective  All ranks call the same function, in the same order as other collective functions
 *               of the comm. Lengths and arrays are each rank's own. All other arguments are the
 *               same on all ranks (types, operator, options and the values that they point to);
 *               this is compared, and INVALID_ARGUMENT if they differ. All contexts have the same
 *               engine
 *   Arrays      as for the function of one process (parscan/context.h): host memory, or with a CUDA
 *               context also device memory. Single results and counts are host pointers, unless a
 *               function says otherwise
 *   Overlap     no output may overlap another array, unless a function says that in == out is
 *               allowed; else INVALID_ARGUMENT, as far as parscan/context.h says
 *   Errors      All ranks return the same status: that of the first rank that failed, whose number
 *               parscan_comm_error() tells with the message. The outputs are then unspecified on all
 *               ranks; after INVALID_ARGUMENT and UNSUPPORTED no array has been written, unless a
 *               function says otherwise. Errors are those of the function of one process, and:
 *               INVALID_ARGUMENT, comm is NULL (this rank alone) or arguments differ;
 *               OUT_OF_MEMORY; DEVICE, an exchange has failed, or took longer than the comm's
 *               timeout: a rank is lost or late, or its call differs. Then the comm is broken, this
 *               call and every later one returns DEVICE. A rank that has left a function before
 *               another one's last exchange failed learns of it in its next call
 *   Capture     in a CUDA graph is UNSUPPORTED. A call waits for its results
 *   Memory      besides that of the function of one process: what a function names, of the
 *               context's allocator or of the engine (parscan_malloc()), freed at the end of the
 *               call
 *   Cost        besides that of the function of one process: what a function names. An "exchange"
 *               is one all_gather or all_to_all of the transport; a small one moves 128 bytes a
 *               rank. The last exchange of every function is a small one, which agrees on the status
 */
#ifndef PARSCAN_DISTRIBUTED_H
#define PARSCAN_DISTRIBUTED_H

#include "parscan/allocate.h"
#include "parscan/comm.h"
#include "parscan/compact.h"
#include "parscan/histogram.h"
#include "parscan/options.h"
#include "parscan/scan.h"
#include "parscan/segments.h"
#include "parscan/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Inclusive scan of the global array: out[i] is the sum of all elements of the ranks before, and of
 * in[0..i] (parscan/scan.h).
 *   in, out   n elements on this rank; in == out is allowed as for parscan_inclusive_scan()
 *   options   as for parscan_inclusive_scan(). init is combined once, before the first element of
 *             the global array. reverse combines from the last rank's last element down.
 *             reproducible gives the bits of one process, wherever the pieces are cut
 * Errors: UNSUPPORTED also for more than 2^51 elements in all with reproducible sums of floats.
 * Cost: one reduction of the piece, then one scan of it, and two small exchanges. Reproducible sums
 * of floats: each rank evaluates the tiles (2048 elements) that lie in its piece; a tile that is
 * cut is evaluated by the rank where it ends, to which the ranks before send their elements of it.
 * These are two exchanges more: up to 2047 elements, and 2 KiB a rank. They are evaluated by the
 * CPU threads of the context, on CUDA too. Memory for them: 40 KiB, and 2 KiB a rank.
 */
PARSCAN_API parscan_status parscan_dist_inclusive_scan(parscan_comm *comm, parscan_type type,
                                                       const void *in, void *out, size_t n,
                                                       const parscan_scan_options *options);

/* Exclusive scan of the global array. The first element of all, out[0] of the first rank whose n is
   not 0, is init or the identity. Otherwise as parscan_dist_inclusive_scan(). */
PARSCAN_API parscan_status parscan_dist_exclusive_scan(parscan_comm *comm, parscan_type type,
                                                       const void *in, void *out, size_t n,
                                                       const parscan_scan_options *options);

/*
 * Reduction of the global array: *out is the sum of all elements of all ranks, on every rank.
 *   out   one element of the output type, in host memory or, on CUDA, also in device memory; not
 *         NULL. Without any element it is init, or the identity
 * Otherwise as parscan_dist_inclusive_scan(). Cost: one reduction and two small exchanges;
 * reproducible sums of floats three exchanges more.
 */
PARSCAN_API parscan_status parscan_dist_reduce(parscan_comm *comm, parscan_type type,
                                               const void *in, void *out, size_t n,
                                               const parscan_scan_options *options);

/*
 * Inclusive scan of every segment of the global array (parscan/segmented.h). Segments may go on
 * over any number of ranks.
 *   segments   of this rank's piece; not NULL. kind and type are the same on all ranks.
 *     flags      n flags. The first element of the global array starts a segment, whatever its
 *                flag; the first element of another piece does if its flag is set
 *     keys       n keys. A segment is a run of equal keys of the global array: it goes on with the
 *                next piece if that starts with the same key
 *     offsets    count + 1 numbers, of this piece and counted from its first element: offsets[s] is
 *                where segment s of those that start on this rank starts, and offsets[count] is n.
 *                offsets[0] need not be 0: the elements before belong to the last segment of the
 *                ranks before. So the global segments are those of all ranks, one after the other.
 *                The last one ends where the first one of the next rank that has one starts, the
 *                others end where the next one starts; a segment that ends with the piece is
 *                followed by offsets[0] = 0 on the next rank. Where no segment crosses a border of
 *                ranks, the offsets are those of parscan_segmented_inclusive_scan(). A rank in the
 *                midst of a segment has count = 0 and the one offset n. An element that belongs to
 *                no segment, on the first ranks, is INVALID_ARGUMENT
 *     rows       each piece has whole rows: n is a multiple of their length, which is the same on all
 *                ranks
 *   options    as for parscan_segmented_inclusive_scan(); init is combined before the first element
 *              of every segment, and not again where a segment goes on; reproducible is UNSUPPORTED
 *              for floats
 * Cost: one segmented scan of the piece; a reduction of what follows its last head (in reverse, of
 * what comes before its first one), which is found by reading it at most three times; two small
 * exchanges. On CUDA with offsets: room for count + 2 offsets.
 */
PARSCAN_API parscan_status parscan_dist_segmented_inclusive_scan(
    parscan_comm *comm, parscan_type type, const void *in, void *out, size_t n,
    const parscan_segments *segments, const parscan_scan_options *options);

/* Exclusive scan of every segment. Otherwise as parscan_dist_segmented_inclusive_scan(). */
PARSCAN_API parscan_status parscan_dist_segmented_exclusive_scan(
    parscan_comm *comm, parscan_type type, const void *in, void *out, size_t n,
    const parscan_segments *segments, const parscan_scan_options *options);

/*
 * Reduction of every segment: each rank gets the results of the segments that start in its piece,
 * in their order, also of elements that other ranks have.
 *   segments   as for parscan_dist_segmented_inclusive_scan()
 *   out        one element of the output type for every segment that starts in the piece: with
 *              offsets count of them, with rows one for each, with flags and keys at most n
 *   count      receives the number of these segments; not NULL
 *   offset     receives the number of segments that start on the ranks before; NULL: not wanted
 *   total      receives the number of all segments; NULL: not wanted
 * Otherwise as parscan_dist_segmented_inclusive_scan(). Cost: one segmented reduction, reads of what
 * lies before the piece's first head, and three small exchanges.
 */
PARSCAN_API parscan_status parscan_dist_segmented_reduce(parscan_comm *comm, parscan_type type,
                                                         const void *in, void *out, size_t n,
                                                         const parscan_segments *segments,
                                                         uint64_t *count, uint64_t *offset,
                                                         uint64_t *total,
                                                         const parscan_scan_options *options);

/*
 * Histogram of the global array: counts[b] is the number of elements of all ranks that fall into
 * bin b, on every rank (parscan/histogram.h).
 *   counts   one number of count_type for every bin; host memory or, on CUDA, also device memory
 * Errors: OVERFLOW, a count of all ranks together is beyond count_type. Cost: one histogram; up to
 * 512 bins (and 65536 by the number of ranks) three small exchanges (of up to 4 KiB a rank), else
 * five exchanges, of which two move 8 bytes a bin from and to every rank. Memory: 8 bytes a bin, and
 * 8 bytes a bin that the comm keeps.
 */
PARSCAN_API parscan_status parscan_dist_histogram(parscan_comm *comm, parscan_type type,
                                                  const void *in, size_t n, size_t bins,
                                                  parscan_type count_type, void *counts,
                                                  const parscan_histogram_options *options);

/*
 * Sorts the keys of the global array (parscan/sort.h). The sort is stable and exact.
 *   keys_in, n_in     this rank's piece of the input; it is not written, unless keys_in == keys_out,
 *                     which is allowed
 *   keys_out, n_out   this rank's piece of the result; the caller chooses its length, on every rank
 *                     as it likes: the sum of all n_out must be the sum of all n_in, else
 *                     INVALID_ARGUMENT. Elements n_out of rank 0 to n_out of rank 0 + rank 1 - 1 of
 *                     the sorted array are rank 1's, and so on, whatever the keys are
 *   options           as for parscan_sort_keys(); the same on all ranks
 * Cost, ascending by all bits, without a scratch_limit, of up to 16 GPUs or of up to 2^14 elements a
 * rank: one local sort, some 4 rounds of small messages in which the ranks find where their sorted keys
 * are cut, one exchange in up to 8 pieces, each of which is merged while the next ones travel. Skewed and
 * equal keys cost nothing more. Memory, which the comm keeps for later calls: n_in keys and those of two
 * pieces, with more than two ranks of two more; beside it the scratch of a local sort.
 * Cost otherwise: splitters are found exactly by counting digits, and equal keys are split by (rank,
 * position). One stable partition, one exchange of the keys that leave their rank, in rounds by
 * ranges of keys, each of which is sorted by the bits that are left while the next one travels. So
 * it is a local sort and what of the exchange is not hidden. Where keys are skewed and a border
 * between two ranks lies in a range with many of them, these are partitioned once or twice more.
 * Keys that are in the order of ranks already, where every rank keeps as many as it has, without a
 * scratch_limit: a sample of 1024 keys, one local sort, two small exchanges, from 2^14 keys a rank on, on
 * GPUs from 2^25 on.
 * Memory, which the comm keeps for later calls: n_in keys and those of two rounds (on the CPU 4 MiB a
 * thread, or what scratch_limit has room for); if a range of keys without a border between ranks
 * cannot be split into rounds, up to n_out keys more. What a comm keeps is within scratch_limit.
 * Beside it the context's own scratch, which is within scratch_limit for itself: on the CPU that of a
 * local sort without its n keys, on CUDA n_in keys for the partition, and then those of one round.
 * Source: digits counted from the top, as in A. Adinets, D. Merrill, Onesweep, 2022; exact splitting
 * of ties, D. Cheng et al., A Novel Parallel Sorting Algorithm for Contemporary Architectures, 2007;
 * cuts of sorted lists, P. J. Varman et al., Merging Multiple Lists, JPDC 12, 1991.
 */
PARSCAN_API parscan_status parscan_dist_sort_keys(parscan_comm *comm, parscan_type key_type,
                                                  const void *keys_in, size_t n_in, void *keys_out,
                                                  size_t n_out,
                                                  const parscan_sort_options *options);

/* Sorts keys with values, as parscan_sort_pairs() does; value_size, in bytes and not a parscan_type,
   is the same on all ranks.
     keys_in, values_in     n_in of each
     keys_out, values_out   n_out of each; values_in == values_out is allowed
   Otherwise as parscan_dist_sort_keys(); the memory is of keys and values. */
PARSCAN_API parscan_status parscan_dist_sort_pairs(parscan_comm *comm, parscan_type key_type,
                                                   const void *keys_in, void *keys_out,
                                                   size_t value_size, const void *values_in,
                                                   void *values_out, size_t n_in, size_t n_out,
                                                   const parscan_sort_options *options);

/*
 * The permutation that sorts the global array: indices_out[0..n_out) is this rank's piece of the
 * array of global indices. The global index of an element is its index in its piece plus the
 * lengths of the pieces of the ranks before.
 *   keys          n on this rank; not written
 *   indices_out   n_out numbers
 * Otherwise as parscan_dist_sort_pairs() with values of 8 bytes, and n_out keys of memory more.
 */
PARSCAN_API parscan_status parscan_dist_argsort(parscan_comm *comm, parscan_type key_type,
                                                const void *keys, size_t n, uint64_t *indices_out,
                                                size_t n_out, const parscan_sort_options *options);

/*
 * Keeps the elements of the global array for which the predicate holds (parscan/compact.h). What is
 * kept of a piece stays on its rank; parscan_dist_rebalance() makes pieces even.
 *   keep     values are equal on all ranks. keep->custom is each rank's own, with the same element_size; on
 *            CUDA it is UNSUPPORTED
 *   out      room for the elements of the piece that are kept; in == out is allowed
 *   count    receives the number of elements that are kept of this piece; not NULL
 *   offset   receives the number of elements that are kept of the ranks before: where the piece of
 *            the result starts; NULL: not wanted
 *   total    receives the number of elements that are kept of all; NULL: not wanted
 * Cost: one compaction and two small exchanges.
 */
PARSCAN_API parscan_status parscan_dist_compact_if(parscan_comm *comm, parscan_type type,
                                                   const void *in, const parscan_predicate *keep,
                                                   void *out, size_t n, uint64_t *count,
                                                   uint64_t *offset, uint64_t *total);

/* The first element of every run of equal elements of the global array, on the rank where the run
   starts. Otherwise as parscan_dist_compact_if(). */
PARSCAN_API parscan_status parscan_dist_unique(parscan_comm *comm, parscan_type type,
                                               const void *in, void *out, size_t n, uint64_t *count,
                                               uint64_t *offset, uint64_t *total);

/*
 * Run lengths of the global array: each rank gets the runs that start in its piece, with their whole
 * lengths, also of elements that other ranks have.
 *   values       one element for every such run; NULL: not wanted
 *   count_type   PARSCAN_U32, U64, I32 or I64
 *   lengths      one number for every such run; NULL: not wanted
 *   count, offset, total   of runs, as for parscan_dist_compact_if()
 * values == in is not allowed. Errors:
 * OVERFLOW, a run of 2^32 elements or more of all ranks together with PARSCAN_U32. Cost: that of
 * parscan_run_length_encode(), up to three reads of the piece's first run, and three small
 * exchanges.
 */
PARSCAN_API parscan_status parscan_dist_run_length_encode(parscan_comm *comm, parscan_type type,
                                                          const void *in, void *values,
                                                          parscan_type count_type, void *lengths,
                                                          size_t n, uint64_t *count,
                                                          uint64_t *offset, uint64_t *total);

/*
 * Allocation of the global array of sizes (parscan/allocate.h): offsets[i] is the sum of all sizes
 * of the ranks before and of sizes[0..i), each rounded up to a multiple of alignment.
 *   offsets   n offsets, with close n + 1; sizes == offsets is allowed as for parscan_allocate().
 *             NULL: not wanted on this rank
 *   total     receives the sum of all rounded sizes of all ranks; not NULL
 *   options   capacity is that of the whole. With close, offsets[n] is where this rank's room ends: the
 *             first offset of the next rank, or the total
 * Errors: OVERFLOW, the total of all ranks is beyond offset_type: *total is written, UINT64_MAX if it
 * is beyond that too; CAPACITY, it is beyond capacity: *total and offsets are right. Cost: two
 * reads of the sizes, one write of the offsets, two small exchanges.
 */
PARSCAN_API parscan_status parscan_dist_allocate(parscan_comm *comm, parscan_type size_type,
                                                 const void *sizes, size_t n,
                                                 parscan_type offset_type, void *offsets,
                                                 uint64_t *total,
                                                 const parscan_allocate_options *options);

/*
 * Brings values to the ranks that own their bins, ordered by bins: a sparse matrix from coordinates
 * (COO), whose entries may be on any rank, to compressed rows (CSR), each rank with a range of rows.
 * Rank 0 owns bins 0 to bins - 1, rank 1 the next ones, and so on. Entries of one bin keep the order
 * that they have in the global array.
 *   bin_type      PARSCAN_U8, U16, U32 or U64
 *   bin_of        the bin of every entry of this piece, n of them, counted over all ranks; an entry
 *                 whose bin no rank owns is left out
 *   value_size    bytes of a value, 1 to 64; 4 or 8 if values is NULL. Not a parscan_type:
 *                 PARSCAN_U32 would be 5 bytes (parscan/types.h)
 *   values        n values; NULL: the global index of every entry, as uint32_t (at most 2^32 entries
 *                 of all ranks, else INVALID_ARGUMENT) or uint64_t
 *   bins          the number of bins that this rank owns, 0 to 2^32
 *   offset_type   PARSCAN_U32, U64, I32 or I64
 *   offsets       bins + 1 numbers: the values of bin b of this rank are values_out[offsets[b] ..
 *                 offsets[b+1]). They count from this rank's first value
 *   values_out    room for `capacity` values; NULL: there is room for none. NULL on all ranks: only
 *                 offsets are wanted, and value_size and values are not read
 *   capacity      the number of values that there is room for
 *   count         receives the number of values of this rank's bins; not NULL
 * Errors: OVERFLOW, a rank's count is beyond offset_type; CAPACITY, it is beyond capacity, on any
 * rank: *count is then what each rank needs, and nothing else is written.
 * Cost: one sort of the piece's entries by their bins, one exchange of bins and values, one
 * parscan_bin() of what has come; five small exchanges. On CUDA bins travel through host memory.
 * Memory: bins and values, for n entries twice, and for *count entries once; 8 bytes a bin.
 */
PARSCAN_API parscan_status parscan_dist_bin(parscan_comm *comm, parscan_type bin_type,
                                            const void *bin_of, size_t value_size,
                                            const void *values, size_t n, size_t bins,
                                            parscan_type offset_type, void *offsets,
                                            void *values_out, size_t capacity, uint64_t *count);

/*
 * Cuts the global array anew: the same elements, in the same order, in pieces of other lengths.
 *   element_size   bytes of an element, 1 or more; the same on all ranks. Not a parscan_type:
 *                  PARSCAN_U32 would be 5 bytes (parscan/types.h)
 *   in, n_in       this rank's piece
 *   out, n_out     this rank's piece of the result. The sum of all n_out must be the sum of all n_in,
 *                  else INVALID_ARGUMENT
 * Cost: one exchange, in which elements that stay on their rank take part, and two small ones.
 */
PARSCAN_API parscan_status parscan_dist_rebalance(parscan_comm *comm, size_t element_size,
                                                  const void *in, size_t n_in, void *out,
                                                  size_t n_out);

#ifdef __cplusplus
}

#if __cplusplus >= 201103L && !defined PARSCAN_NO_DELETED_OVERLOADS
/* A parscan_type where the bytes of an element stand (parscan/types.h). */
extern "C++" parscan_status parscan_dist_sort_pairs(parscan_comm *, parscan_type, const void *,
                                                    void *, parscan_type, const void *, void *,
                                                    size_t, size_t,
                                                    const parscan_sort_options *) = delete;
extern "C++" parscan_status parscan_dist_bin(parscan_comm *, parscan_type, const void *,
                                             parscan_type, const void *, size_t, size_t,
                                             parscan_type, void *, void *, size_t,
                                             uint64_t *) = delete;
extern "C++" parscan_status parscan_dist_rebalance(parscan_comm *, parscan_type, const void *,
                                                   size_t, void *, size_t) = delete;
#endif
#endif
#endif
