/*
 * parscan/gather.h: elements moved by their indices.
 *
 *     parscan_gather()     out[i] = in[indices[i]]      what an argsort, or the indices of a compaction, say
 *     parscan_scatter()    out[indices[i]] = in[i]      its inverse, where every index occurs once
 *
 * Elements have any size and are moved whole. Indices are u32, u64, i32 or i64; a negative one is out
 * of range. Memory, errors and streams: parscan/context.h.
 */
#ifndef PARSCAN_GATHER_H
#define PARSCAN_GATHER_H

#include "parscan/context.h"
#include "parscan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * out[i] = in[indices[i]] for 0 <= i < n.
 *   value_size    bytes of an element, 1 or more; elements are moved whole and not interpreted.
 *                 Not a parscan_type: PARSCAN_U32 would be 5 bytes (parscan/types.h)
 *   in            in_count elements, of any alignment on both engines
 *   in_count      a number, 0 too; lengths of parscan/lengths.h do not change it
 *   index_type    PARSCAN_U32, U64, I32 or I64
 *   indices       n indices, each at least 0 and below in_count, in any order; equal ones are allowed.
 *                 They may be `in`
 *   out           n elements; indices == out is allowed if an index has value_size bytes, any other
 *                 overlap is INVALID_ARGUMENT, with in too: another index may still need an element
 *                 that is overwritten
 * Errors: INVALID_ARGUMENT, also for an index that is out of range: the message has the first one and its
 * place, elements with such an index become zero bytes, all others are written. On CUDA the
 * message has one of them, and if out is in device memory, the next parscan_synchronize() returns it,
 * with the place alone.
 * Results are the same to the bit on every engine and with every number of threads.
 * Cost: work O(n), one read of the indices, one write of out, and of in what is asked for: a line of
 * memory (64 bytes, on CUDA 32) for each element where indices are in no order. Scratch: none.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_gather(parscan_context *context, size_t value_size,
                                          const void *in, size_t in_count, parscan_type index_type,
                                          const void *indices, void *out, size_t n);

/* Options of parscan_scatter(). Make one with PARSCAN_SCATTER_OPTIONS(...). Since parscan 0.3 */
typedef struct parscan_scatter_options {
    size_t struct_size; /* sizeof(parscan_scatter_options), see parscan/options.h */
    int last_wins;      /* non-zero: of elements with equal indices the last one is stored */
    unsigned reserved;  /* not read */
} parscan_scatter_options;

/* A parscan_scatter_options with struct_size set: PARSCAN_SCATTER_OPTIONS(.last_wins = 1). */
#define PARSCAN_SCATTER_OPTIONS(...) PARSCAN_WITH_SIZE(parscan_scatter_options, __VA_ARGS__)

/*
 * out[indices[i]] = in[i] for 0 <= i < n. Elements of out without an index stay as they were.
 *   value_size    as for parscan_gather()
 *   in, n         n elements, of any alignment on both engines
 *   index_type    PARSCAN_U32, U64, I32 or I64
 *   indices       n indices, each at least 0 and below out_count, in any order. They may be `in`
 *   out           out_count elements; must not overlap in or indices, else INVALID_ARGUMENT
 *   options       NULL: all defaults
 * Of elements with equal indices one is stored, never bytes of several. Which one is unspecified, and may
 * differ from call to call; with last_wins it is the last one, on every engine. If all indices differ,
 * results are the same either way.
 * Errors: INVALID_ARGUMENT, also for an index that is out of range: the message has the first one and its
 * place, elements with such an index are left out, all others are stored. On CUDA the
 * message has one of them, and if out is in device memory, the next parscan_synchronize() returns it,
 * with the place alone.
 * Cost: work O(n), one read of in and of the indices, one read and one write of a line of memory for
 * each element where indices are in no order. On the CPU, with last_wins, or if elements are not of 1, 2,
 * 4 or 8 bytes aligned to their size, every thread that takes part reads all indices; where elements are
 * short, and in the caches or in order, one thread does it all.
 * Scratch: none; on CUDA, with last_wins and for such elements, a number for each element of out, of 4
 * bytes (8 from n = 2^32 on), and host arrays are copied whole.
 * Since parscan 0.3.
 */
PARSCAN_API parscan_status parscan_scatter(parscan_context *context, size_t value_size,
                                           const void *in, size_t n, parscan_type index_type,
                                           const void *indices, void *out, size_t out_count,
                                           const parscan_scatter_options *options);

#ifdef __cplusplus
}

#if __cplusplus >= 201103L && !defined PARSCAN_NO_DELETED_OVERLOADS
/* A parscan_type where the bytes of an element stand (parscan/types.h). */
extern "C++" parscan_status parscan_gather(parscan_context *, parscan_type, const void *, size_t,
                                           parscan_type, const void *, void *, size_t) = delete;
extern "C++" parscan_status parscan_scatter(parscan_context *, parscan_type, const void *, size_t,
                                            parscan_type, const void *, void *, size_t,
                                            const parscan_scatter_options *) = delete;
#endif
#endif
#endif
