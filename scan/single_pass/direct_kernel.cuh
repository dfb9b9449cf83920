/*
 * A short scan on CUDA: a thread has one vector of the output, in registers (scan/cuda/direct_prefix.cuh).
 * The tiles are cut as those of the single pass are.
 */
#ifndef PARSCAN_SCAN_DIRECT_KERNEL_CUH
#define PARSCAN_SCAN_DIRECT_KERNEL_CUH

#include "scan/cuda/direct_prefix.cuh"
#include "scan/single_pass/single_pass_tile.cuh"

template <typename In, typename T, typename Out>
using direct_shape = single_pass_shape<In, T, PARSCAN_DIRECT_TILE_BYTES / 512, 0, 1, 1, Out>;

/* Loads a thread's vector from its tile in memory, in the order of combination. Positions that the array
   does not have get the identity. */
template <typename S, bool REVERSE, typename OPERATOR>
static __device__ __forceinline__ void
load_directly(OPERATOR op, const tile_extent<S, REVERSE> &extent, const typename S::In *tile,
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
static __global__ void __launch_bounds__(S::THREADS)
    direct_scan(const __grid_constant__ single_pass_params<S> given)
{
    typedef typename S::T T;
    typedef direct_shared<S::SCANNERS, T> shared_type;
    const OPERATOR op = OPERATOR();
    const single_pass_params<S> params = at_its_length(given);
    __shared__ shared_type shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const direct_entry entry(params.chain);
    const T start = start_at(params);
    tile_extent<S, REVERSE> extent(params, blockIdx.x);
    if (blockIdx.x >= params.tiles) /* the length in device memory leaves nothing to this block */
        extent.at = extent.begin = extent.end = 0;
    const size_t moved = extent.at * S::TILE - params.head_padding;
    const typename S::In *const tile = params.in + moved;
    T x[1][S::LANE];
    load_directly(op, extent, tile, params.misalignment, x);
    const bool has_first = blockIdx.x == 0 && extent.begin < extent.end;
    const typename S::In first = has_first ? tile[first_position(extent)] : typename S::In();
    scan_loaded<S, REVERSE>(
        op, params.exclusive, x,
        [&](const T(&sums)[1]) {
            return combine(op, start, direct_prefix(op, entry, sums[0], shared));
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
