/* What all calls of compaction check. Each checks its own outputs. */
#ifndef PARSCAN_APPS_COMPACT_CHECKS_H
#define PARSCAN_APPS_COMPACT_CHECKS_H

#include "apps/compact/compact_call.h"
#include "scan/context/call_lengths.h"
#include "scan/context/check.h"

/* What the calls that CUDA has can do there. */
enum {
    ON_DEVICE = LENGTH_N | LENGTH_ON_DEVICE,
    ROOM = LENGTH_OUT_CAPACITY | LENGTH_CAPACITY_ON_CUDA
};

/* Checks the count and the input, n elements of `size` bytes, which the caller calls `name`. */
parscan_status parscan_check_compacted(parscan_context *context, const char *name, const void *in,
                                       size_t n, size_t size, const uint64_t *count);

/* Takes the lengths and checks the type, the count and the input, `in`. */
parscan_status parscan_check_compact_input(parscan_context *context, unsigned accepts,
                                           call_lengths *lengths, parscan_type type, const void *in,
                                           size_t n, const uint64_t *count);

/* The same for a call with a predicate, and an input of another name. On success *call tests the elements of `in`, which the caller
   calls so. */
parscan_status parscan_begin_filter(compact_call *call, const char *name, unsigned accepts,
                                    call_lengths *lengths, const parscan_predicate *given);

/* Runs a call whose arguments are checked, with its lengths. */
parscan_status parscan_run_compact_with(compact_call *call, call_lengths *lengths);

static inline parscan_extent parscan_compact_input(const compact_call *call)
{
    return (parscan_extent){"in", call->in, call->n * call->size};
}

/* An output of the elements that are kept, of n: none, perhaps. */
static inline parscan_extent parscan_kept(const char *name, const void *out, size_t n)
{
    return (parscan_extent){name, out, n > 0};
}

/* An output of one element for every run: of n elements there is one at least. */
static inline parscan_extent parscan_first_run(const char *name, const void *out, size_t n,
                                               size_t size)
{
    return (parscan_extent){name, out, n > 0 ? size : 0};
}

#endif
