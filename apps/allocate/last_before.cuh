/* A search by a warp, 32 places at a look. */
#ifndef PARSCAN_APPS_LAST_BEFORE_CUH
#define PARSCAN_APPS_LAST_BEFORE_CUH

#include <stddef.h>

/* The last of `count` places that is_before(place) holds for: it does for the first, and for none behind one
   that it does not hold for. The whole warp. */
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
