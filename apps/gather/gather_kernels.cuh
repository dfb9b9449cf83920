/*
 * The kernels of gather and scatter. An index is read once, tested and used. Where a thread has whole elements,
 * it has several at once, so that their reads wait together. Otherwise a warp has 32 elements: each lane
 * reads an index, and lane l moves the units l, 32 + l, ... of all of them, so that whole lines are moved.
 */
#ifndef PARSCAN_APPS_GATHER_KERNELS_CUH
#define PARSCAN_APPS_GATHER_KERNELS_CUH

#include "apps/gather/gather_cuda.h"
#include "scan/cuda/deferred.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

enum { GATHER_THREADS = 256, GATHER_EACH = 4 };

struct gather_at_length : gather_params {
    device_length length;
};

/* What a lane has of an index that is out of range. */
static const uint64_t NOWHERE = ~0ull;

template <bool WIDE>
static __device__ __forceinline__ uint64_t index_at(const gather_params &params, size_t i)
{
    return WIDE ? ((const uint64_t *)params.indices)[i] : ((const uint32_t *)params.indices)[i];
}

/* The same; NOWHERE, and an error, if it is out of range. */
template <bool WIDE>
static __device__ __forceinline__ uint64_t checked_index(const gather_params &params, size_t i)
{
    const uint64_t index = index_at<WIDE>(params, i);
    if (index < params.limit)
        return index;
    leave_error(params.error, PARSCAN_ERROR_INVALID_ARGUMENT, PARSCAN_IS_INDEX | i);
    return NOWHERE;
}

template <typename UNIT, bool WIDE>
static __global__ void __launch_bounds__(GATHER_THREADS)
    gather_elements(const __grid_constant__ gather_at_length params)
{
    const size_t step = (size_t)gridDim.x * GATHER_THREADS * GATHER_EACH;
    size_t base = (size_t)blockIdx.x * GATHER_THREADS * GATHER_EACH + threadIdx.x;
    const UNIT *const in = (const UNIT *)params.in;
    UNIT *const out = (UNIT *)params.out;
    wait_for_previous_kernel();
    const size_t n = length_of(params.length, params.n);
    for (; base < n; base += step) {
        UNIT value[GATHER_EACH];
#pragma unroll
        for (int k = 0; k < GATHER_EACH; k++) {
            const size_t i = base + k * GATHER_THREADS;
            const uint64_t from = i < n ? checked_index<WIDE>(params, i) : NOWHERE;
            value[k] = from != NOWHERE ? in[from] : UNIT{};
        }
#pragma unroll
        for (int k = 0; k < GATHER_EACH; k++)
            if (base + k * GATHER_THREADS < n)
                out[base + k * GATHER_THREADS] = value[k];
    }
}

template <typename UNIT, bool WIDE>
static __global__ void __launch_bounds__(GATHER_THREADS)
    scatter_elements(const __grid_constant__ gather_at_length params)
{
    const size_t step = (size_t)gridDim.x * GATHER_THREADS;
    size_t i = (size_t)blockIdx.x * GATHER_THREADS + threadIdx.x;
    wait_for_previous_kernel();
    const size_t n = length_of(params.length, params.n);
    for (; i < n; i += step) {
        const uint64_t to = checked_index<WIDE>(params, i);
        if (to != NOWHERE)
            ((UNIT *)params.out)[to] = ((const UNIT *)params.in)[i];
    }
}

/* winners[index] becomes 1 + the last place of this index. PLACE: unsigned, unsigned long long. */
template <typename PLACE, bool WIDE>
static __global__ void __launch_bounds__(GATHER_THREADS)
    find_winners(const __grid_constant__ gather_at_length params)
{
    const size_t step = (size_t)gridDim.x * GATHER_THREADS;
    size_t i = (size_t)blockIdx.x * GATHER_THREADS + threadIdx.x;
    wait_for_previous_kernel();
    const size_t n = length_of(params.length, params.n);
    for (; i < n; i += step) {
        const uint64_t to = checked_index<WIDE>(params, i);
        if (to != NOWHERE)
            atomicMax((PLACE *)params.winners + to, (PLACE)(i + 1));
    }
}

/* Whether an element is the one that is stored. An index that has changed since has no place there. */
static __device__ __forceinline__ bool wins(const gather_params &params, uint64_t to, size_t i)
{
    const uint64_t winner = params.wide_winners ? ((const uint64_t *)params.winners)[to]
                                                : ((const uint32_t *)params.winners)[to];
    return winner == i + 1;
}

/* Moves the elements of a warp. at: this lane's index, or NOWHERE, of the element base + lane. */
template <typename UNIT, bool SCATTERS>
static __device__ __forceinline__ void move_units(const gather_params &params, size_t base,
                                                  unsigned values, uint64_t at)
{
    const size_t units = params.value_size / sizeof(UNIT);
    const unsigned lane = threadIdx.x % 32;
    for (size_t first = 0; first < values * units; first += 32) { /* all lanes shuffle */
        const size_t unit = first + lane;
        const unsigned value = (unsigned)(unit / units);
        const uint64_t there = __shfl_sync(~0u, at, value < values ? (int)value : 0);
        if (value >= values)
            continue;
        const size_t here = base * units + unit, part = unit % units;
        const UNIT *const in = (const UNIT *)params.in;
        UNIT *const out = (UNIT *)params.out;
        if (SCATTERS && there != NOWHERE)
            out[there * units + part] = in[here];
        if (!SCATTERS)
            out[here] = there != NOWHERE ? in[there * units + part] : UNIT{};
    }
}

template <typename UNIT, bool WIDE, bool SCATTERS>
static __global__ void __launch_bounds__(GATHER_THREADS, BLOCKS_HELD(GATHER_THREADS, 8))
    move_by_warps(const __grid_constant__ gather_at_length params)
{
    const unsigned lane = threadIdx.x % 32;
    const size_t step = (size_t)gridDim.x * GATHER_THREADS;
    size_t base = (size_t)blockIdx.x * GATHER_THREADS + threadIdx.x / 32 * 32;
    wait_for_previous_kernel();
    const size_t n = length_of(params.length, params.n);
    for (; base < n; base += step) {
        const size_t i = base + lane;
        const unsigned values = n - base < 32 ? (unsigned)(n - base) : 32;
        uint64_t at = NOWHERE;
        if (lane < values && SCATTERS) {
            at = index_at<WIDE>(params, i);
            at = at < params.limit && wins(params, at, i) ? at : NOWHERE;
        } else if (lane < values) {
            at = checked_index<WIDE>(params, i);
        }
        __syncwarp(); /* out may be the indices */
        move_units<UNIT, SCATTERS>(params, base, values, at);
    }
}

#endif
