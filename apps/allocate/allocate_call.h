/* Checked calls of allocation, expansion and packing: what allocate.c, expand.c and pack.c pass
   to an engine. The caller owns all arrays. */
#ifndef PARSCAN_APPS_ALLOCATE_CALL_H
#define PARSCAN_APPS_ALLOCATE_CALL_H

#include "parscan/allocate.h"
#include "scan/context/context_state.h"

typedef struct allocate_call {
    parscan_context *context;
    parscan_type size_type, offset_type;
    const void *sizes;
    void *offsets; /* NULL: only the total is wanted */
    size_t n;
    const uint64_t *n_at; /* the length in device memory, at most n; NULL: it is n */
    uint64_t alignment;   /* a power of two */
    bool close;           /* offsets has n + 1 elements, the last of which is the total */
    uint64_t start; /* the first offset, a multiple of alignment: 0, or the total of the chunks of
                           an array before this one. The total counts from 0 */
} allocate_call;

typedef struct expand_call {
    parscan_context *context;
    parscan_type size_type, index_type; /* the latter u32 or u64 */
    parscan_type given_type;            /* the caller's index_type */
    const void *sizes;
    size_t n;
    const uint64_t *n_at; /* as above */
    void *owner, *rank;   /* NULL: not wanted */
    uint64_t capacity;
    /* Run lengths decoded on CUDA: owner receives the value of its item, of value_size bytes. NULL: it
       receives the item. */
    const void *values;
    size_t value_size;
} expand_call;

/* A slot receives the value of its item. */
typedef struct decode_call {
    parscan_context *context;
    parscan_type size_type;
    const void *sizes;
    size_t n;
    const uint64_t *n_at; /* as above */
    const void *values;   /* of value_size bytes each, like out */
    size_t value_size;
    void *out;
    uint64_t capacity;
} decode_call;

typedef struct pack_records {
    const char *in;
    char *out;
    parscan_type offset_type, size_type;
    const void *in_offsets, *out_offsets, *sizes;
    bool stream;          /* large records bypass the caches */
    const uint64_t *n_at; /* their number in device memory, as above */
} pack_records;

/* Reads the caller's options into *options and checks them. NULL stands for the defaults. Errors:
   INVALID_ARGUMENT, UNSUPPORTED. */
parscan_status parscan_check_allocate_options(parscan_context *context,
                                              const parscan_allocate_options *given,
                                              parscan_allocate_options *options);

/* Checks the types of the sizes and the offsets. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_allocate_types(const allocate_call *call);

/* Checks them, the arrays and total. Errors: INVALID_ARGUMENT. */
parscan_status parscan_check_allocate_arrays(const allocate_call *call, const uint64_t *total);

/* How many offsets there are. n is checked, by the sizes. */
static inline size_t parscan_offsets_count(const allocate_call *call)
{
    return call->n + call->close;
}

/* The most that the total of a call without errors can be. */
uint64_t parscan_most_total(const allocate_call *call, uint64_t capacity);

/* Runs a checked call on the engine of its context. capacity = UINT64_MAX: no limit. */
parscan_status parscan_run_allocate(const allocate_call *call, uint64_t capacity, uint64_t *total);

/* Stores the message for a total that does not fit the type of offsets, or the capacity, and returns
   status. Does nothing if status is OK. */
parscan_status parscan_fail_total(parscan_context *context, parscan_status status,
                                  parscan_type type, uint64_t total, uint64_t capacity);

/* The largest rank that the caller's type holds; whether a rank may be above it; the error of one that
   is, OVERFLOW. */
uint64_t parscan_most_rank(const expand_call *call);
bool parscan_ranks_may_overflow(const expand_call *call);
parscan_status parscan_fail_ranks(const expand_call *call);

/* The engines. capacity = UINT64_MAX: no limit. Errors: OVERFLOW, CAPACITY, OUT_OF_MEMORY; on
   CUDA also DEVICE. */
parscan_status parscan_allocate_cpu(const allocate_call *call, uint64_t capacity, uint64_t *total);
parscan_status parscan_allocate_cuda(const allocate_call *call, uint64_t capacity, uint64_t *total);
parscan_status parscan_expand_cpu(const expand_call *call, uint64_t *total);
parscan_status parscan_expand_cuda(const expand_call *call, uint64_t *total);
parscan_status parscan_decode_cpu(const decode_call *call, uint64_t *total);
parscan_status parscan_decode_cuda(const decode_call *call, uint64_t *total);
parscan_status parscan_pack_cpu(parscan_context *context, const pack_records *records, size_t n);
parscan_status parscan_pack_cuda(parscan_context *context, const pack_records *records, size_t n);

#endif
