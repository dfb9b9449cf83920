/* Where a kernel leaves an error (deferred.cuh). The first error stays. */
#ifndef PARSCAN_SCAN_CUDA_DEFERRED_H
#define PARSCAN_SCAN_CUDA_DEFERRED_H

#include <stdint.h>

/* In the value of a CAPACITY error: it is a length above its argument, with this bit. Of an
   INVALID_ARGUMENT: the place of an index of gather or scatter. */
#define PARSCAN_IS_LENGTH (1ull << 62)
#define PARSCAN_IS_INDEX (1ull << 63)
/* Of INVALID_ARGUMENT: bounds of a histogram. */
#define PARSCAN_IS_BOUND (1ull << 60)
/* Of CAPACITY: it is a count above out_capacity. */
#define PARSCAN_IS_COUNT (1ull << 61)

/* Passed by value: a graph keeps the ordinal of the call that was captured. */
typedef struct parscan_deferred {
    /* Two words of device memory: the status in 32 bits with the ordinal above it, and the wrong
       value. NULL: no error is left. */
    uint64_t *words;
    uint32_t ordinal;    /* of the call, from 1; 0: the call itself returns the error */
    uint32_t of_lengths; /* 1: the capacity of the call is lengths->out_capacity */
} parscan_deferred;

#endif
