/* Where a kernel leaves an error (deferred.cuh). The first error stays. */
#ifndef PARSCAN_SCAN_CUDA_DEFERRED_H
#define PARSCAN_SCAN_CUDA_DEFERRED_H

#include <stdint.h>

/* Passed by value: a graph keeps the ordinal of the call that was captured. */
typedef struct parscan_deferred {
    /* Two words of device memory: the status in 32 bits with the ordinal above it, and the wrong
       value. NULL: no error is left. */
    uint64_t *words;
    uint32_t ordinal; /* of the call, from 1; 0: the call itself returns the error */
} parscan_deferred;

#endif
