/* Checks and searches the offsets of segments on CUDA. */
#ifndef PARSCAN_APPS_SEGMENT_SEARCH_CUH
#define PARSCAN_APPS_SEGMENT_SEARCH_CUH

#include "apps/segments/offsets_cuda.h"
#include "scan/cuda/length.cuh"

/* The offsets with their lengths (length.cuh). Kernels of segments begin with it. */
static __device__ __forceinline__ segment_offsets at_their_lengths(const segment_offsets &given)
{
    segment_offsets offsets = given;
    if (given.n_at == NULL && given.count_at == NULL)
        return offsets;
    wait_for_previous_kernel();
    const uint64_t n = given.n_at != NULL ? load_length(given.n_at) : given.n;
    const uint64_t count = given.count_at != NULL ? load_length(given.count_at) : given.count;
    offsets.n = uniform(length_within(device_length{given.n_at, given.deferred}, n, given.n));
    offsets.count =
        uniform(length_within(device_length{given.count_at, given.deferred}, count, given.count));
    return offsets;
}

/* Whether offset `number` is wrong, where `before` is the offset before it. */
static __device__ __forceinline__ bool offset_is_wrong(const segment_offsets &offsets,
                                                       size_t number, size_t offset, size_t before)
{
    return offset < before || offset > offsets.n || (number == 0 && offset != 0) ||
           (number == offsets.count && offset != offsets.n);
}

/* Leaves the error with the index of the offset. */
static __device__ __forceinline__ void leave_error(const segment_offsets &offsets, size_t number)
{
    leave_error(offsets.deferred, PARSCAN_ERROR_INVALID_ARGUMENT, number);
}

/* Stores the error if an offset from index `low` to `high` is wrong. Called by a whole warp. The offsets
   are a copy, so that the caller's stay in registers. */
template <typename OFFSET>
static __device__ __noinline__ void find_error(const segment_offsets offsets, size_t low,
                                               size_t high, unsigned lane)
{
    const OFFSET *const data = (const OFFSET *)offsets.data;
    for (size_t k = low + lane; k <= high && k <= offsets.count; k += 32)
        if (offset_is_wrong(offsets, k, data[k], k == 0 ? 0 : data[k - 1]))
            leave_error(offsets, k);
}

/* A search over the indices low to high - 1. Those below a bound come first; the result is the
   first index that is not below it, or high. If the indices are not in order, the result is some
   index from low to high. */
struct search_range {
    size_t low, high;

    /* The length of each of 32 pieces of the range; it is cut at the last index of each. There
       are fewer than 2^37 indices. */
    __device__ __forceinline__ unsigned step() const { return (unsigned)((high - low + 31) / 32); }
    /* The last index of the lane's piece. */
    __device__ __forceinline__ size_t last(unsigned step, unsigned lane) const
    {
        return low + (size_t)step * (lane + 1) - 1;
    }
    /* lanes: bit k is set if the last index of piece k is below the bound. */
    __device__ __forceinline__ void narrow(unsigned step, uint32_t lanes)
    {
        low += (size_t)step * (~lanes == 0 ? 32u : (unsigned)__ffs((int)~lanes) - 1);
        if (step != 0 && low + step - 1 < high)
            high = low + step - 1;
    }
};

/* Does COUNT searches at once. Called by a whole warp; is_below(which, number) tells whether an
   index of search `which` is below its bound. */
template <unsigned COUNT, typename Below>
static __device__ __forceinline__ void search_all(search_range (&ranges)[COUNT], unsigned lane,
                                                  Below is_below)
{
    const auto any_left = [&] {
        bool any = false;
#pragma unroll
        for (unsigned k = 0; k < COUNT; k++)
            any = any || ranges[k].low < ranges[k].high;
        return any;
    };
#pragma unroll 1
    while (any_left()) {
        unsigned steps[COUNT];
        bool below[COUNT] = {};
#pragma unroll
        for (unsigned k = 0; k < COUNT; k++) {
            steps[k] = ranges[k].step();
            const size_t last = ranges[k].last(steps[k], lane);
            if (steps[k] != 0 && last < ranges[k].high)
                below[k] = is_below(k, last);
        }
#pragma unroll
        for (unsigned k = 0; k < COUNT; k++)
            ranges[k].narrow(steps[k], __ballot_sync(0xffffffffu, below[k]));
    }
}

#endif
