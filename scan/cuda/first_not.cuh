/* Binary searches: by a thread, and by a warp. */
#ifndef PARSCAN_SCAN_CUDA_FIRST_NOT_CUH
#define PARSCAN_SCAN_CUDA_FIRST_NOT_CUH

/* The first of low, low + 1, ... high - 1 that is not before(); high: all are. */
template <typename BEFORE>
static __device__ __forceinline__ unsigned first_not(unsigned low, unsigned high,
                                                     const BEFORE &before)
{
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (before(middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same by all lanes of a warp, which ask at 32 places at once: each step leaves a 33rd, where a step
   takes as long as a read of device memory. */
template <typename BEFORE>
static __device__ __forceinline__ size_t first_not_by_warp(size_t low, size_t high, unsigned lane,
                                                           const BEFORE &before)
{
    while (low < high) {
        const size_t step = (high - low + 32) / 33, place = low + (lane + 1) * step - 1;
        const unsigned votes = __ballot_sync(0xffffffffu, place < high && before(place));
        const unsigned steps = (unsigned)__popc(votes);
        const size_t next = low + (steps + 1) * step - 1; /* the first place that is not */
        low += steps * step;
        if (steps < 32 && next < high)
            high = next;
    }
    return low;
}

#endif
