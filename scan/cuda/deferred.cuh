/* Errors that a kernel finds. It leaves them in the memory that parscan_cuda_deferred() returns. */
#ifndef PARSCAN_SCAN_CONTEXT_DEFERRED_CUH
#define PARSCAN_SCAN_CONTEXT_DEFERRED_CUH

#include <stdint.h>

#include "parscan/context.h"

/* Leaves an error, unless there is one already. */
static __device__ __forceinline__ void leave_error(uint64_t *deferred, parscan_status status,
                                                   uint64_t value)
{
    if (atomicCAS((unsigned long long *)deferred, 0ull, (unsigned long long)status) == 0)
        deferred[1] = value;
}

#endif
