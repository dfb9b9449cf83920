/* Offsets of segments on CUDA: checked, and segments looked up in them. */
#ifndef PARSCAN_APPS_SEGMENT_SEARCH_CUH
#define PARSCAN_APPS_SEGMENT_SEARCH_CUH

#include "apps/segmented/segmented_cuda.h"

/* Whether offset `number` cannot be right; the one before is `before`. */
static __device__ __forceinline__ bool offset_is_wrong(const segment_offsets &offsets,
                                                       size_t number, size_t offset, size_t before)
{
    return offset < before || offset > offsets.n || (number == 0 && offset != 0) ||
           (number == offsets.count && offset != offsets.n);
}

/* Leaves an error, if there is none yet. */
static __device__ __forceinline__ void leave_error(const segment_offsets &offsets, size_t number)
{
    if (atomicCAS((unsigned long long *)offsets.deferred, 0ull,
                  (unsigned long long)PARSCAN_ERROR_INVALID_ARGUMENT) == 0)
        offsets.deferred[1] = number;
}

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
