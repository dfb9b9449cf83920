/* Allocation on the CPU. */
#ifndef PARSCAN_APPS_ALLOCATE_CPU_H
#define PARSCAN_APPS_ALLOCATE_CPU_H

#include "apps/allocate/allocate_kernels.h"

typedef struct allocate_call {
    parscan_context *context;
    parscan_type size_type, offset_type;
    const void *sizes;
    void *offsets; /* or NULL */
    size_t n;
    uint64_t alignment; /* a power of two */
} allocate_call;

/* Writes the offsets, right if their total is not beyond their type; returns the exact total. */
size_sum parscan_allocate_cpu(const allocate_call *call);

#endif
