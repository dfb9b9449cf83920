/* Moves elements by a range of the indices. Compiled once for each instruction set. */
#ifndef PARSCAN_APPS_GATHER_KERNELS_H
#define PARSCAN_APPS_GATHER_KERNELS_H

#include "apps/gather/gather_call.h"

typedef struct gather_kernels {
    /* Gathers or scatters by the indices begin to end - 1. ahead: the lines of the elements are fetched some
       indices ahead. *fault becomes the first index that is out of range. A scatter stores elements of 1,
       2, 4 and 8 bytes that are aligned to their size at once, so that several threads may store to one place;
       others must not. */
    void (*move)(const gather_call *call, size_t begin, size_t end, bool ahead, index_fault *fault);
    /* Scatters by all indices that are at least low and below high, in their order. With low = 0, *fault
       becomes the first index that is out of range. */
    void (*scatter_window)(const gather_call *call, uint64_t low, uint64_t high,
                           index_fault *fault);
} gather_kernels;

extern const gather_kernels parscan_gather_portable, parscan_gather_avx2, parscan_gather_avx512;

#endif
