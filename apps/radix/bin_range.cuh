/*
 * The offsets of a counting sort of few elements. A block computes those of a range of bins: it reads
 * all elements, counts those in the range by their bins, and those before the range together.
 */
#ifndef PARSCAN_APPS_RADIX_BIN_RANGE_CUH
#define PARSCAN_APPS_RADIX_BIN_RANGE_CUH

#include <type_traits>

#include "apps/radix/digit_keys.cuh"
#include "apps/radix/each_key.cuh"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/tile_prefix.cuh"

#define BIN_RANGE_THREADS 512u

/* The words of shared memory that a range needs. */
#define BIN_RANGE_WORDS (BIN_RANGE + BIN_RANGE_THREADS / 16u)

/* Stores offsets[b] for BIN_RANGE values of b, from range * BIN_RANGE on, but none beyond
   offsets[bins]. All BIN_RANGE_THREADS threads of the block call it.
   `memory`: BIN_RANGE_WORDS words of shared memory, aligned to 16 bytes. */
template <typename RAW>
static __device__ __forceinline__ void count_range(const sort_bins &bins, uint64_t range,
                                                   const RAW *in, unsigned n, uint32_t *memory)
{
    typedef typename std::conditional<sizeof(RAW) == 8, uint64_t, uint32_t>::type Bin;
    const unsigned EACH = BIN_RANGE / BIN_RANGE_THREADS, WARPS = BIN_RANGE_THREADS / 32;
    static_assert(EACH % 4 == 0 && BIN_RANGE_WORDS == BIN_RANGE + 2 * WARPS, "vectors, sums");
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t *const counters = memory;
    uint4 *const mine = (uint4 *)(counters + threadIdx.x * EACH);
    uint2 *const warp_sums = (uint2 *)(counters + BIN_RANGE);
    /* Of the bins that the input's type can express: `last` is the last one, `inside` are in the range,
       those up to `below` come before it. */
    const uint64_t begin = range * BIN_RANGE, last = bins.count - 1;
    const uint64_t left = begin > last ? 0 : last - begin + 1;
    const Bin first = (Bin)begin, inside = left < BIN_RANGE ? (Bin)left : (Bin)BIN_RANGE;
    const Bin below = (Bin)(begin == 0 ? 0 : begin <= last ? begin - 1 : last);
#pragma unroll
    for (unsigned k = 0; k < EACH / 4; k++)
        mine[k] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    uint32_t before = 0, sum = 0;
    for_each_key(in, n, threadIdx.x, BIN_RANGE_THREADS, [&](RAW bin) {
        if ((Bin)(bin - first) < inside)
            atomicAdd(counters + (Bin)(bin - first), 1u);
        before += bin <= below;
    });
    if (begin == 0)
        before = 0;
    __syncthreads();
    alignas(16) uint32_t counts[EACH];
#pragma unroll
    for (unsigned k = 0; k < EACH / 4; k++)
        *(uint4 *)(counts + 4 * k) = mine[k];
#pragma unroll
    for (unsigned k = 0; k < EACH; k++)
        sum += counts[k];
    /* Not by block_prefix.cuh: both sums of a warp are one word of 64 bits, and `before` is wanted whole. */
    const uint32_t through = warp_scan(parscan_operator_SUM(), sum, lane);
    before = warp_scan(parscan_operator_SUM(), before, lane);
    if (lane == 31)
        warp_sums[warp] = make_uint2(before, through);
    __syncthreads();
    uint32_t offset = through - sum;
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++)
        offset += warp_sums[w].x + (w < warp ? warp_sums[w].y : 0);
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        const uint32_t count = counts[k];
        counts[k] = offset;
        offset += count;
    }
#pragma unroll
    for (unsigned k = 0; k < EACH / 4; k++)
        mine[k] = *(const uint4 *)(counts + 4 * k);
    __syncthreads();
    const uint64_t wanted = bins.bins + 1 - begin;
#pragma unroll
    for (unsigned k = threadIdx.x; k < BIN_RANGE; k += BIN_RANGE_THREADS)
        if (k < wanted)
            set_offset(bins, begin + k, counters[k]);
}

#endif
