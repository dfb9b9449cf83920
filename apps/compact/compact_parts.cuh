/*
 * Where the two parts of a partition go on CUDA. The rest follows the kept elements, so its place
 * is known only when all elements have been counted. There are four variants.
 *
 * PARTS_HELD. The blocks hold all tiles at once, in their stages. A block waits for the counts of
 * all tiles before it stores the first one.
 *
 * PARTS_COUNTED. There are more tiles, but at most twice as many, or a quarter to three quarters of
 * the elements are kept. What the blocks cannot hold is read once more, in advance, only to be
 * counted (compact_count.cuh). Three times the bytes of the array are moved.
 *
 * PARTS_REST_TURNED. More than three quarters are kept. The kept elements are stored from the start
 * of the output towards its end, the others from its end towards its start, so in reverse order.
 * Then the others are reversed (compact_turn.cuh). Twice the bytes of the array are moved, and
 * twice those of the rest.
 *
 * PARTS_KEPT_TURNED. Less than a quarter is kept. The parts are exchanged: the tiles are processed
 * from the last to the first. The rest fills the output from its end, and since tiles go backwards,
 * it is in order. The kept elements fill the output from its start, in reverse order, and are
 * reversed.
 *
 * A sample tells what share is kept. If it is wrong, at most four times the bytes are moved. Each block
 * takes the sample, and the first one that has it decides for all: blocks that run different variants would wait
 * for each other for ever, and another kernel may change the input between their samples.
 */
#ifndef PARSCAN_APPS_COMPACT_PARTS_CUH
#define PARSCAN_APPS_COMPACT_PARTS_CUH

#include "apps/compact/compact_plan.h"
#include "apps/compact/compact_tile.cuh"

/* No part is reversed up to PARTS_COUNTED. */
enum parts_way : unsigned { PARTS_HELD, PARTS_COUNTED, PARTS_REST_TURNED, PARTS_KEPT_TURNED };

/* The number of tiles that the blocks hold at once. There may be fewer tiles. */
template <typename S>
static __device__ __forceinline__ size_t tiles_at_once()
{
    return (size_t)gridDim.x * S::STAGES;
}

/* The index of element k of a sample of n elements, of which there are at least `sample`. They are
   not at equal distances, since elements may have a period. */
static __device__ __forceinline__ size_t sample_at(size_t n, unsigned sample, unsigned k)
{
    const size_t each = n / sample;
    return k * each + each * (k * 0x9e3779b9u >> 16) / 65536;
}

/* Whether the variant depends on the elements. On an H100 it is faster to count the elements of fewer tiles than to
   take a sample and wait for all blocks. */
template <typename S>
static __device__ __forceinline__ bool takes_sample(const compact_params &params)
{
    return params.tiles > PARTS_COUNTED_MOST * tiles_at_once<S>();
}

/* The variant that a sample of the elements suggests. Called by all threads of a block. */
template <typename S>
static __device__ __forceinline__ parts_way sampled_way(const compact_params &params)
{
    typedef typename S::U U;
    const unsigned SAMPLE = S::THREADS < 256 ? S::THREADS : 256;
    bool keeps = false;
    if (threadIdx.x < SAMPLE) {
        const U x = ((const U *)params.in)[sample_at(params.n, SAMPLE, threadIdx.x)];
        keeps = (params.floats ? in_range<true, S::HALVES>(params, x)
                               : in_range<false>(params, x)) != params.outside;
    }
    const unsigned kept = (unsigned)__syncthreads_count(keeps);
    const unsigned turned = SAMPLE * PARTS_TURNED_PERCENT / 100;
    return kept < turned            ? PARTS_KEPT_TURNED
           : kept > SAMPLE - turned ? PARTS_REST_TURNED
                                    : PARTS_COUNTED;
}

/* The variant of a partition, the same in all blocks. Called by all threads of a block; `own` is in its shared
   memory. Where a sample is taken, blocks_part() follows at the end. */
template <typename S>
static __device__ __forceinline__ parts_way way_of(const compact_params &params, unsigned *own)
{
    if (params.tiles <= tiles_at_once<S>())
        return PARTS_HELD;
    wait_for_previous_kernel();
    if (!takes_sample<S>(params))
        return PARTS_COUNTED;
    const unsigned sampled = sampled_way<S>(params);
    if (threadIdx.x == 0) {
        const unsigned decided = atomicCAS(&params.meeting->way, 0u, sampled);
        *own = decided != 0 ? decided : sampled;
    }
    __syncthreads();
    return (parts_way)*own;
}

/* The last block clears what is shared by all blocks, for the next launch. Each block has met the others
   `times` times before. */
static __device__ __forceinline__ void blocks_part(parscan_meeting *meeting, unsigned times)
{
    if (threadIdx.x == 0 && atomicAdd(&meeting->blocks, 1u) + 1 == (times + 1) * gridDim.x)
        *meeting = parscan_meeting{0, 0};
}

#endif
