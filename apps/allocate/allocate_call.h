/* The CUDA engine's side of allocate.c, expand.c and pack.c, for calls whose arguments are checked. */
#ifndef PARSCAN_APPS_ALLOCATE_CALL_H
#define PARSCAN_APPS_ALLOCATE_CALL_H

#include "apps/allocate/allocate_cpu.h"
#include "apps/allocate/pack_kernels.h"
#include "scan/context/context.h"

typedef struct expand_call {
    parscan_context *context;
    parscan_type size_type, index_type;
    const void *sizes;
    size_t n;
    void *owner, *rank; /* or NULL */
    uint64_t capacity;
} expand_call;

/* What is said of a total that does not fit: returns status. */
parscan_status parscan_allocate_says(parscan_context *context, parscan_status status,
                                     uint64_t total, uint64_t capacity);

/* capacity: UINT64_MAX: no limit. */
parscan_status parscan_allocate_cuda(const allocate_call *call, uint64_t capacity, uint64_t *total);
parscan_status parscan_expand_cuda(const expand_call *call, uint64_t *total);
parscan_status parscan_pack_cuda(parscan_context *context, const pack_records *records, size_t n);

#endif
