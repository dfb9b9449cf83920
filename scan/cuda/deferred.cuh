/* Errors that a kernel finds. It leaves them in the memory that parscan_cuda_deferred() returns. */
#ifndef PARSCAN_SCAN_CONTEXT_DEFERRED_CUH
#define PARSCAN_SCAN_CONTEXT_DEFERRED_CUH

#include <stdint.h>

#ifndef __CUDACC_RTC__
#include "parscan/context.h"
#endif
#include "parscan/types.h"
#include "scan/cuda/deferred.h"

/* Leaves an error, unless there is one already, or no place for it. */
static __device__ __forceinline__ void leave_error(const parscan_deferred &deferred,
                                                   parscan_status status, uint64_t value)
{
    if (deferred.words != NULL &&
        atomicCAS((unsigned long long *)deferred.words, 0ull,
                  (unsigned long long)deferred.ordinal << 32 | (unsigned long long)status) == 0)
        deferred.words[1] = value;
}

/* Leaves CAPACITY: there are so many results. */
static __device__ __forceinline__ void leave_capacity(const parscan_deferred &deferred,
                                                      uint64_t count)
{
    leave_error(deferred, PARSCAN_ERROR_CAPACITY,
                count | (deferred.of_lengths != 0 ? PARSCAN_IS_COUNT : 0));
}

#endif
