/* A call of compaction on CUDA: what the host code (compact_cuda.c) passes to the launches. */
#ifndef PARSCAN_APPS_COMPACT_CUDA_H
#define PARSCAN_APPS_COMPACT_CUDA_H

#include <cuda_runtime_api.h>

#include "apps/compact/compact_call.h"
#include "scan/cuda/cuda_context.h"

typedef struct compact_cuda_call {
    const compact_call *call; /* its arrays may be in host memory */
    /* All pointers from here on are to device memory. */
    const void *in; /* what is tested, elements of `width` bytes; moved if there are values */
    size_t width;
    const uint8_t *flags; /* tested in its place. NULL: none */
    void *values, *indices, *lengths, *row_offsets;
    uint64_t *count;
    parscan_deferred error;    /* no words: there can be none */
    parscan_deferred exceeded; /* where a count above the capacity is told; no words: nowhere */
    /* Records of record_size bytes that are moved too, in pieces of `unit` bytes. NULL: none. */
    const void *records;
    void *records_out;
    size_t record_size, unit;
} compact_cuda_call;

/* So many results of a call are written at most. */
static inline size_t parscan_compact_room(const compact_call *call)
{
    return call->capacity > 0 && call->capacity < call->n ? call->capacity : SIZE_MAX;
}

#ifdef __cplusplus
extern "C" {
#endif
/* The flags of elements by a predicate: 1 where it holds. */
typedef struct predicate_params {
    parscan_comparison comparison;
    const void *in;
    const void *value, *upper; /* NULL: their bits are here, at the lowest places */
    uint64_t bits[2];
    uint8_t *flags; /* may be in */
    size_t n;       /* not 0 */
} predicate_params;
cudaError_t parscan_predicate_launch(parscan_context *context, parscan_type type,
                                     const predicate_params *params, const uint64_t *n_at);

/* Makes the flags of a call with n > 0 whose arrays are in device memory, by either kind of predicate. Errors:
   DEVICE; those of parscan_custom_test_cuda(). */
parscan_status parscan_flags_launch(const flags_call *call);

/* Launches the kernels. Errors: OUT_OF_MEMORY, DEVICE. */
parscan_status parscan_compact_launch(const compact_cuda_call *call);

/* Copies *count records of the call, or those that are written, from `from` to `to`, after its first *after
   records; after = NULL: to its start. All are in device memory. */
parscan_status parscan_compact_copy_back(const compact_cuda_call *call, const void *from, void *to,
                                         const uint64_t *after);
#ifdef __cplusplus
}
#endif

#endif
