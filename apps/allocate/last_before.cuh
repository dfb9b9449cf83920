/* A search by a warp, which tests 32 places at a time. */
#ifndef PARSCAN_APPS_LAST_BEFORE_CUH
#define PARSCAN_APPS_LAST_BEFORE_CUH

#include <stddef.h>

/* Returns the last of `count` places for which is_before(place) holds. It must hold for the
   first place, and from the first place where it fails, it must fail for all that follow. Called
   by a whole warp. */
template <typename IsBefore>
static __device__ __forceinline__ size_t last_before(size_t count, unsigned lane,
                                                     const IsBefore &is_before)
{
    size_t low = 0, high = count;
#pragma unroll 1
    while (high - low > 1) {
        const size_t step = (high - low + 31) / 32, at = low + lane * step;
        const unsigned before = __ballot_sync(0xffffffffu, at < high && is_before(at));
        low += (31 - __clz((int)before)) * step;
        high = low + step < high ? low + step : high;
    }
    return low;
}

#endif
