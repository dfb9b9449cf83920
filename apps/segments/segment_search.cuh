/* Offsets of segments on CUDA: checked, and looked up. */
#ifndef PARSCAN_APPS_SEGMENT_SEARCH_CUH
#define PARSCAN_APPS_SEGMENT_SEARCH_CUH

#include "apps/segments/offsets_cuda.h"
#include "parscan/types.h"

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

/* Numbers low to high - 1, of which those come first that are below something: where the others
   begin, or high. Where some are not in order, one of low to high all the same. */
struct search_range {
    size_t low, high;

    /* Of 32 pieces, by whose last numbers they are told apart; there are below 2^37 numbers. */
    __device__ __forceinline__ unsigned step() const { return (unsigned)((high - low + 31) / 32); }
    /* A lane's own. */
    __device__ __forceinline__ size_t last(unsigned step, unsigned lane) const
    {
        return low + (size_t)step * (lane + 1) - 1;
    }
    /* `lanes`: those whose number is below. */
    __device__ __forceinline__ void narrow(unsigned step, uint32_t lanes)
    {
        low += (size_t)step * (~lanes == 0 ? 32u : (unsigned)__ffs((int)~lanes) - 1);
        if (step != 0 && low + step - 1 < high)
            high = low + step - 1;
    }
};

/* Two searches at once, by a warp: is_below(which, number). */
template <typename Below>
static __device__ __forceinline__ void search_both(search_range (&ranges)[2], unsigned lane,
                                                   Below is_below)
{
#pragma unroll 1
    while (ranges[0].low < ranges[0].high || ranges[1].low < ranges[1].high) {
        const unsigned steps[2] = {ranges[0].step(), ranges[1].step()};
        bool below[2] = {};
#pragma unroll
        for (unsigned k = 0; k < 2; k++) {
            const size_t last = ranges[k].last(steps[k], lane);
            if (steps[k] != 0 && last < ranges[k].high)
                below[k] = is_below(k, last);
        }
#pragma unroll
        for (unsigned k = 0; k < 2; k++)
            ranges[k].narrow(steps[k], __ballot_sync(0xffffffffu, below[k]));
    }
}

#endif
