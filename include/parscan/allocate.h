/*
 * parscan/allocate.h: room for outputs of different sizes, given out by a scan.
 *
 *     sizes -> parscan_allocate() -> offsets, total     where each output goes
 *     sizes -> parscan_expand()   -> owner, rank        whose each slot of the output is
 *     parscan_pack()                                    records moved to where they go
 */
#ifndef PARSCAN_ALLOCATE_H
#define PARSCAN_ALLOCATE_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begin with PARSCAN_ALLOCATE_OPTIONS(...); a field left zero has the default. */
typedef struct parscan_allocate_options {
    size_t struct_size; /* sizeof(parscan_allocate_options) */
    uint64_t alignment; /* a power of two that every offset is a multiple of; 0: 1 */
    uint64_t capacity;  /* the room there is; a larger total is CAPACITY. 0: no limit */
} parscan_allocate_options;

/* A parscan_allocate_options with struct_size set: PARSCAN_ALLOCATE_OPTIONS(.alignment = 16). */
#define PARSCAN_ALLOCATE_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_allocate_options, __VA_ARGS__)

/*
 * offsets[i] = the sum of the sizes before i, each rounded up to a multiple of alignment: an exclusive
 * scan that widens, and watches its end.
 *   size_type     PARSCAN_U8, U16, U32 or U64
 *   sizes         n, in memory that the engine reaches, on the CPU of any alignment
 *   offset_type   PARSCAN_U32 or PARSCAN_U64
 *   offsets       n, of offset_type; sizes == offsets is allowed when the types have one size; any
 *                 other overlap is undefined; NULL: only the total is wanted
 *   total         receives the sum of all rounded sizes (the last one's padding included); never
 *                 NULL; 0 when n = 0
 *   options       NULL: all defaults
 * Errors: INVALID_ARGUMENT; OVERFLOW, the total (not only an offset) is beyond offset_type
 * (*total is written, UINT64_MAX when it is beyond that too); CAPACITY, the total is beyond capacity
 * (*total is what is needed). On OVERFLOW offsets are unspecified; on CAPACITY they are right.
 * Cost: one read of the sizes, one write of the offsets. Scratch: none.
 */
PARSCAN_API parscan_status parscan_allocate(parscan_context *context, parscan_type size_type,
                                            const void *sizes, size_t n, parscan_type offset_type,
                                            void *offsets, uint64_t *total,
                                            const parscan_allocate_options *options);

/*
 * The inverse of an allocation: output slot j belongs to owner[j] = i, the i-th size, and is its
 * rank[j]-th slot: j = offset of i + rank[j], rank[j] < sizes[i]. Load-balanced search: the work is
 * shared by slots, however much the sizes differ.
 *   size_type     PARSCAN_U8, U16, U32 or U64
 *   sizes         n
 *   index_type    PARSCAN_U32 or PARSCAN_U64, of owner and rank
 *   owner, rank   capacity slots each, of which the first *total are written; either may be NULL: not
 *                 wanted; may not overlap sizes or each other
 *   capacity      how many slots there is room for
 *   total         receives the sum of the sizes; never NULL
 * Errors: INVALID_ARGUMENT (also n > 2^32 with PARSCAN_U32 and owner); OVERFLOW, the total is beyond
 * 64 bits, or a rank beyond index_type; CAPACITY, the total is beyond capacity: *total is what is
 * needed; OUT_OF_MEMORY, nothing is written. On another error nothing but *total is.
 * Cost: two reads of the sizes, one write of owner and rank; empty items are skipped 4096 at a time.
 * Scratch: 8 bytes for 4096 sizes, on CUDA for each, or 4 where capacity is below 2^32. Source:
 * S. Baxter, Load-balancing search, moderngpu, 2013.
 */
PARSCAN_API parscan_status parscan_expand(parscan_context *context, parscan_type size_type,
                                          const void *sizes, size_t n, parscan_type index_type,
                                          void *owner, void *rank, uint64_t capacity,
                                          uint64_t *total);

/*
 * Moves n records at once: the sizes[i] bytes at in + in_offsets[i] go to out + out_offsets[i].
 * Work is shared by bytes, however much the sizes differ.
 *   offset_type               PARSCAN_U32 or PARSCAN_U64, of in_offsets and out_offsets, in bytes
 *   size_type                 PARSCAN_U8, U16, U32 or U64, of sizes, in bytes
 *   in, out                   the records; out may not overlap anything. Records may be read twice,
 *                             and lie in any order; what is written twice is undefined
 * Errors: INVALID_ARGUMENT, OVERFLOW (the sum of the sizes is beyond 64 bits), OUT_OF_MEMORY.
 * Cost: a read and a write of the records, two reads of the sizes. Scratch: 8 bytes for 4096 sizes, on
 * CUDA 16 bytes for each of up to 2^27 records. Of `out` in host memory, CUDA also reads and writes
 * back what lies between records.
 */
PARSCAN_API parscan_status parscan_pack(parscan_context *context, const void *in,
                                        parscan_type offset_type, const void *in_offsets,
                                        parscan_type size_type, const void *sizes, void *out,
                                        const void *out_offsets, size_t n);

#ifdef __cplusplus
}
#endif
#endif
