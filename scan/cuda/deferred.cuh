/* Errors that a kernel finds out: parscan_cuda_deferred() tells where they are left. */
#ifndef PARSCAN_SCAN_CONTEXT_DEFERRED_CUH
#define PARSCAN_SCAN_CONTEXT_DEFERRED_CUH

#include <stdint.h>

#include "parscan/context.h"

/* An error that is there already stays. */
static __device__ __forceinline__ void leave_error(uint64_t *deferred, parscan_status status,
                                                   uint64_t value)
{
    if (atomicCAS((unsigned long long *)deferred, 0ull, (unsigned long long)status) == 0)
        deferred[1] = value;
}

#endif
