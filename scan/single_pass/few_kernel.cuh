/*
 * A short scan on CUDA: a thread has one vector of the output, in registers (scan/cuda/few_tiles.cuh).
 * The tiles are cut as those of the single pass are.
 */
#ifndef PARSCAN_SCAN_FEW_KERNEL_CUH
#define PARSCAN_SCAN_FEW_KERNEL_CUH

#include "scan/cuda/few_tiles.cuh"
#include "scan/scan_cuda.h"
#include "scan/single_pass/single_pass_tile.cuh"

template <typename In, typename T, typename Out>
using few_shape = single_pass_shape<In, T, FEW_THREADS_OF_TILE / 32, 0, 1, 1, Out>;

/* The extent of a block's tile: nothing, if the length in device memory leaves it nothing. */
template <typename S, bool REVERSE>
static __device__ __forceinline__ tile_extent<S, REVERSE>
extent_of_block(const single_pass_params<S> &params)
{
    tile_extent<S, REVERSE> extent(params, blockIdx.x);
    if (blockIdx.x >= params.tiles)
        extent.at = extent.begin = extent.end = 0;
    return extent;
}

/* Loads a thread's vector from its tile in memory, in the order of combination. Positions that the array
   does not have get the identity. */
template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void
load_of_thread(OPERATOR op, const tile_extent<S, REVERSE> &extent, const typename S::In *tile,
               unsigned misalignment, typename S::T (&x)[1][S::LANE])
{
    typedef typename S::T T;
    const unsigned BYTES = S::LANE * sizeof(typename S::In);
    const unsigned first = position_of<S, REVERSE>(threadIdx.x);
    if (first >= extent.begin && first + S::LANE <= extent.end &&
        misalignment % (BYTES < 16 ? BYTES : 16) == 0) {
        load_vectors<S, REVERSE>(tile, 0, threadIdx.x, x);
        return;
    }
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++) {
        const unsigned at = first + (REVERSE ? S::LANE - 1 - e : e);
        x[0][e] = identity(op);
        if (at >= extent.begin && at < extent.end)
            x[0][e] = widened<T>(tile[at]);
    }
}

template <typename S, bool REVERSE, typename OPERATOR>
static __global__ void FEW_BOUNDS scan_few(const __grid_constant__ single_pass_params<S> given)
{
    typedef typename S::T T;
    typedef few_shared<S::SCANNERS, T> shared_type;
    const OPERATOR op = OPERATOR();
    const single_pass_params<S> params = at_its_length(given);
    __shared__ shared_type shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const few_entry entry(params.chain);
    const T start = start_at(params);
    const tile_extent<S, REVERSE> extent = extent_of_block<S, REVERSE>(params);
    const size_t moved = extent.at * S::TILE - params.head_padding;
    const typename S::In *const tile = params.in + moved;
    T x[1][S::LANE];
    load_of_thread(op, extent, tile, params.misalignment, x);
    const bool has_first = blockIdx.x == 0 && extent.begin < extent.end;
    const typename S::In first = has_first ? tile[first_position(extent)] : typename S::In();
    scan_loaded<S, REVERSE>(
        op, params.exclusive, x,
        [&](const T(&sums)[1]) {
            return combine(op, start, prefix_of_warp(op, entry, sums[0], shared));
        },
        [&](const T(&y)[1][S::LANE]) {
            store_vectors<S, REVERSE>(extent, params.out + moved, warp * 32, y, lane);
        },
        lane);
    if (has_first)
        store_first(params, extent, first, params.out + moved, warp, lane);
    entry.leave(shared.epoch);
}

#endif
