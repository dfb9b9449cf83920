/*
 * Counts what a partition keeps, on CUDA, if it does so in advance (compact_parts.cuh). The tiles
 * that fill the blocks' stages at the start need no extra read: their counts are published in the
 * chain. The elements after those tiles are read once more, in pieces of 16 bytes. They are read
 * from the end, so that what is read last is still in L2 when the tiles read it first. Each block's
 * count is published after the tiles' aggregates.
 */
#ifndef PARSCAN_APPS_COMPACT_COUNT_CUH
#define PARSCAN_APPS_COMPACT_COUNT_CUH

#include "apps/compact/compact_parts.cuh"

/* The chain's status words for the blocks' counts, which are published like those of tiles. */
static __device__ __forceinline__ tile_chain counts_of(const compact_params &params)
{
    tile_chain counts = params.chain;
    counts.status += (params.tiles + 1) / 2 * 2; /* status words are read in pieces of 16 bytes */
    return counts;
}

template <typename S, bool FLOATS>
static __device__ __forceinline__ uint32_t count_behind(const compact_params &params, size_t begin)
{
    typedef typename S::U U;
    const unsigned LANE = 16 / sizeof(U), THREADS = S::THREADS;
    const unsigned AT_ONCE = S::WARP_SPECIALISED ? 8 : 4, BATCH = AT_ONCE * THREADS;
    const U *const in = (const U *)params.in + begin; /* aligned as the tiles are */
    const size_t rest = params.n - begin, pieces = rest / LANE, batches = pieces / BATCH;
    const uint4 *const piece_at = (const uint4 *)in;
    const size_t last = pieces - 1 - threadIdx.x; /* meaningful only if there are so many */
    uint32_t found = 0;
    const auto count = [&](const uint4 &piece) {
        U x[LANE];
        memcpy(x, &piece, sizeof x);
#pragma unroll
        for (const U key : x)
            found += in_range<FLOATS, S::HALVES>(params, key);
    };
#pragma unroll 1
    for (size_t batch = blockIdx.x; batch < batches; batch += gridDim.x) {
        const size_t at = last - batch * BATCH;
        uint4 raw[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            raw[k] = __ldg(piece_at + (at - k * THREADS));
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            count(raw[k]);
    }
#pragma unroll 1
    for (size_t p = batches * BATCH + blockIdx.x * THREADS; p + threadIdx.x < pieces;
         p += gridDim.x * THREADS)
        count(piece_at[last - p]);
    if (blockIdx.x == 0 && threadIdx.x < rest % LANE)
        found += in_range<FLOATS, S::HALVES>(params, in[pieces * LANE + threadIdx.x]);
    return found;
}

/* The first element that is counted in advance. */
template <typename S>
static __device__ __forceinline__ size_t first_ahead(const compact_params &params)
{
    return tiles_at_once<S>() * S::TILE - params.head_padding;
}

/* Sets *counted to the number of elements that this block keeps in its range. Called by all its
   threads. */
template <typename S>
static __device__ __forceinline__ void count_ahead(const compact_params &params,
                                                   unsigned long long *counted)
{
    if (threadIdx.x == 0)
        *counted = 0;
    __syncthreads();
    const size_t begin = first_ahead<S>(params);
    const uint32_t mine = S::FLOATS && (S::HALVES || params.floats)
                              ? count_behind<S, S::FLOATS>(params, begin)
                              : count_behind<S, false>(params, begin);
    const uint64_t all = warp_reduce(kept_operator(), (uint64_t)mine);
    if (threadIdx.x % 32 == 0)
        atomicAdd(counted, (unsigned long long)all);
    __syncthreads();
}

/* Returns the number of elements kept in the whole array, at lane 0. Called by a warp. */
template <typename S>
static __device__ __forceinline__ uint64_t total_kept(const compact_params &params, parts_way way,
                                                      uint32_t epoch, unsigned lane)
{
    const kept_operator op;
    if (way == PARTS_HELD)
        return tile_look_back<kept_operator, uint32_t>(op, params.chain, epoch, 0, params.tiles,
                                                       lane);
    const uint32_t first = tile_look_back<kept_operator, uint32_t>(op, params.chain, epoch, 0,
                                                                   tiles_at_once<S>(), lane);
    const uint64_t behind =
        tile_look_back<kept_operator, uint64_t>(op, counts_of(params), epoch, 0, gridDim.x, lane);
    return first + (params.outside ? params.n - first_ahead<S>(params) - behind : behind);
}

#endif
