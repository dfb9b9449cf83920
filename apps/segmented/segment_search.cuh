/* Segments looked up in their offsets, on CUDA. */
#ifndef PARSCAN_APPS_SEGMENT_SEARCH_CUH
#define PARSCAN_APPS_SEGMENT_SEARCH_CUH

#include <stddef.h>
#include <stdint.h>

/* The segment that has elements, the last of them before element `end`: the number before that of the first
   offset that is `end` or more, from number `low` on, and `high` if none below that is. Offsets that
   decrease lead it astray, but not out of low - 1 to high - 1. */
template <typename OFFSET>
static __device__ __forceinline__ uint64_t segment_ending(const OFFSET *offsets, uint64_t end,
                                                          uint64_t low, uint64_t high)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (offsets[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

#endif
