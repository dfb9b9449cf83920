/*
 * parscan/allocate.h: room for outputs of different sizes, given out by a scan.
 *
 *     parscan_allocate()   sizes -> offsets, total     where each output goes
 *     parscan_expand()     sizes -> owner, rank        which output each slot belongs to
 *     parscan_run_length_decode()  values, lengths     the value of each slot's run
 *     parscan_pack()       records and offsets         moves records to where they go
 *
 * Results are the same to the bit on every engine and with every number of threads. A total is
 * written to host memory or, on CUDA, also to device memory; then the next parscan_synchronize()
 * returns OVERFLOW and CAPACITY. Memory, errors and streams: parscan/context.h.
 */
#ifndef PARSCAN_ALLOCATE_H
#define PARSCAN_ALLOCATE_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of parscan_allocate(). Make one with PARSCAN_ALLOCATE_OPTIONS(...). */
typedef struct parscan_allocate_options {
    size_t struct_size; /* sizeof(parscan_allocate_options), see parscan/options.h */
    uint64_t alignment; /* every offset is a multiple of this power of two; 0: 1 */
    uint64_t capacity;  /* the room that there is: a larger total is CAPACITY; 0: no limit */
    int close;          /* non-zero: offsets[n] is the total. Since parscan 0.3 */
    unsigned reserved;  /* not read */
} parscan_allocate_options;

/* A parscan_allocate_options with struct_size set: PARSCAN_ALLOCATE_OPTIONS(.alignment = 16). */
#define PARSCAN_ALLOCATE_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_allocate_options, __VA_ARGS__)

/*
 * Allocation: offsets[i] is the sum of the sizes before i, each rounded up to a multiple of
 * alignment: an exclusive scan that widens and checks its total.
 *   size_type     PARSCAN_U8, U16, U32 or U64
 *   sizes         n sizes
 *   offset_type   PARSCAN_U32, U64, I32 or I64
 *   offsets       n offsets, with close n + 1; sizes == offsets is allowed if the two types have the
 *                 same size (with close that array has room for n + 1 too), any other overlap is
 *                 INVALID_ARGUMENT; NULL: only the total is wanted
 *   total         receives the sum of all rounded sizes, the padding of the last one included; 0
 *                 with n = 0; not NULL
 *   options       NULL: all defaults. With close, offsets are those of parscan/segments.h and of CSR:
 *                 item i has the room from offsets[i] to offsets[i + 1]; with n = 0 offsets[0] is 0
 * Errors: INVALID_ARGUMENT; OVERFLOW, the total (not only an offset) is beyond offset_type: *total
 * is written, UINT64_MAX if it is beyond that too, and offsets are unspecified; CAPACITY, the total
 * is beyond capacity: *total and offsets are right; on CUDA OUT_OF_MEMORY.
 * Cost: work O(n), depth O(n / threads + tiles), one read of the sizes, one write of the offsets.
 * Scratch: none; on CUDA some words for every tile.
 */
PARSCAN_API parscan_status parscan_allocate(parscan_context *context, parscan_type size_type,
                                            const void *sizes, size_t n, parscan_type offset_type,
                                            void *offsets, uint64_t *total,
                                            const parscan_allocate_options *options);

/*
 * The inverse of an allocation: slot j of the output is the rank[j]-th slot of the item owner[j],
 * counted from 0:
 *
 *     j = offset of owner[j] + rank[j],   rank[j] < sizes[owner[j]]
 *
 * This is a load-balanced search: threads share the slots evenly, however much the sizes differ.
 *   size_type     PARSCAN_U8, U16, U32 or U64
 *   sizes         n sizes
 *   index_type    PARSCAN_U32, U64, I32 or I64, of owner and rank
 *   owner, rank   room for `capacity` numbers each, of which the first *total are written; either
 *                 may be NULL: not wanted; must not overlap sizes or each other, with all of their
 *                 room, else INVALID_ARGUMENT
 *   capacity      the number of slots that there is room for
 *   total         receives the sum of the sizes; not NULL
 * Errors: INVALID_ARGUMENT, also for n > 2^32 with PARSCAN_U32 and owner (2^31 with I32); OVERFLOW, the total is
 * beyond 64 bits, or a rank is beyond index_type; CAPACITY, the total is beyond capacity, *total is
 * what is needed; OUT_OF_MEMORY, nothing is written. After OVERFLOW and CAPACITY only *total is
 * written.
 * Cost: work O(n + total), two reads of the sizes, one write of owner and rank. Chunks of 4096
 * empty items are skipped. Scratch: 8 bytes for every 4096 sizes. On CUDA 8 bytes for every size,
 * or 4 if capacity is below 2^32.
 * Source: S. Baxter, Load-balancing search, moderngpu, 2013.
 */
PARSCAN_API parscan_status parscan_expand(parscan_context *context, parscan_type size_type,
                                          const void *sizes, size_t n, parscan_type index_type,
                                          void *owner, void *rank, uint64_t capacity,
                                          uint64_t *total);

/*
 * The inverse of parscan_run_length_encode(): each value as often as its length tells, which may be 0.
 *   value_size        bytes of a value, 1 or more. Not a parscan_type: PARSCAN_U32 would be 5 bytes
 *                     (parscan/types.h)
 *   values            n values, of any alignment on CUDA too, as out
 *   length_type       PARSCAN_U8, U16, U32 or U64
 *   lengths           n lengths
 *   out               room for `capacity` values, of which the first *total are written; must not overlap
 *                     values or lengths, with all of its room, else INVALID_ARGUMENT. NULL with
 *                     capacity = 0 alone: then the total is learned, by a CAPACITY unless it is 0
 *   capacity          the number of values that there is room for
 *   total             receives the sum of the lengths; not NULL
 * Errors: INVALID_ARGUMENT; OVERFLOW, the total is beyond 64 bits; CAPACITY, the total is beyond capacity,
 * *total is what is needed; OUT_OF_MEMORY, nothing is written. After OVERFLOW and CAPACITY only *total is
 * written.
 * Cost: work O(n + total), two reads of the lengths, one read of the values, one write of out. Threads share
 * the slots evenly, however much the lengths differ. Scratch: 8 bytes for every 4096 lengths; on CUDA as
 * parscan_expand().
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_run_length_decode(parscan_context *context, size_t value_size,
                                                     const void *values, parscan_type length_type,
                                                     const void *lengths, size_t n, void *out,
                                                     uint64_t capacity, uint64_t *total);

/*
 * Moves n records at once: the sizes[i] bytes at in + in_offsets[i] go to out + out_offsets[i].
 * Threads share the bytes evenly, however much the sizes differ.
 *   offset_type               PARSCAN_U32, U64, I32 or I64, of in_offsets and out_offsets, in bytes, none
 *                             of them negative, which is not checked
 *   size_type                 PARSCAN_U8, U16, U32 or U64, of sizes, in bytes
 *   in, out                   the bytes of the records, of any alignment. Records may lie in any
 *                             order, and may be read twice; bytes that are written twice are
 *                             undefined. The bytes that are written must not lie in any array, nor
 *                             in those that are read, which is not checked
 * Errors: INVALID_ARGUMENT; OVERFLOW, the sum of the sizes is beyond 64 bits; OUT_OF_MEMORY.
 * Cost: one read and one write of the records, two reads of the sizes. Scratch: 8 bytes for every
 * 4096 sizes; on CUDA 16 bytes for every record, of up to 2^27 records. If out is in host memory,
 * CUDA also reads and writes back the bytes between the records.
 */
PARSCAN_API parscan_status parscan_pack(parscan_context *context, const void *in,
                                        parscan_type offset_type, const void *in_offsets,
                                        parscan_type size_type, const void *sizes, void *out,
                                        const void *out_offsets, size_t n);

#ifdef __cplusplus
}

#if __cplusplus >= 201103L && !defined PARSCAN_NO_DELETED_OVERLOADS
/* A parscan_type where the bytes of an element stand (parscan/types.h). */
extern "C++" parscan_status parscan_run_length_decode(parscan_context *, parscan_type, const void *,
                                                      parscan_type, const void *, size_t, void *,
                                                      uint64_t, uint64_t *) = delete;
#endif
#endif
#endif
