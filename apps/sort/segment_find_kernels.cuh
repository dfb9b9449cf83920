/*
 * Which segments a block of a sort of segments has: those that begin in its window and end in its tile;
 * and of which of them each place of the tile is.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_FIND_KERNELS_CUH
#define PARSCAN_APPS_SORT_SEGMENT_FIND_KERNELS_CUH

#include "apps/sort/segment_tile_shape.cuh"

/* All pairs of neighbours are looked at by the blocks together; what is wrong is left for
   parscan_synchronize(). */
template <typename S>
static __device__ __forceinline__ void check_offsets(const segment_tile_call<S> &call)
{
    const size_t threads = (size_t)gridDim.x * S::THREADS;
    size_t k = (size_t)blockIdx.x * S::THREADS + threadIdx.x;
    for (; k <= call.count; k += threads) {
        const uint64_t begin = call.offset_given(k);
        const uint64_t end = k < call.count ? call.offset_given(k + 1) : call.n;
        if ((begin > end || (k == 0 && begin != 0) || (k == call.count && begin != call.n)) &&
            atomicCAS(call.deferred, 0ull, (unsigned long long)PARSCAN_ERROR_INVALID_ARGUMENT) == 0)
            atomicExch(call.deferred + 1, (unsigned long long)k);
    }
}

/* The first segment that begins at `at` or after it: each step asks as many as there are threads. */
template <typename S>
static __device__ __forceinline__ size_t first_segment(const segment_tile_call<S> &call,
                                                       size_t segments, uint64_t at)
{
    size_t low = 0, high = segments;
    while (low < high) {
        const size_t step = (high - low + S::THREADS - 1) / S::THREADS;
        const size_t k = low + threadIdx.x * step;
        const size_t less = __syncthreads_count(k < high && call.offset(k, segments) < at);
        if (less == 0)
            break;
        if (low + less * step < high)
            high = low + less * step;
        low += (less - 1) * step + 1;
    }
    return low;
}

/* A segment that begins in the window. One alone reaches the window's end. */
template <typename S>
static __device__ __forceinline__ unsigned
take_segment(const segment_tile_call<S> &call, segment_tile_shared<S> &shared, uint64_t window,
             uint64_t window_end, uint64_t begin, uint64_t end)
{
    const unsigned place = (unsigned)(begin - window);
    const bool is_long = end - begin > S::TILE - call.window;
    if (!is_long)
        atomicOr(&shared.heads[place / 32], 1u << place % 32);
    if (end >= window_end) {
        shared.last = is_long ? place : (unsigned)(end - window);
        shared.long_begin = begin;
        shared.long_length = is_long ? end - begin : 0;
    }
    const unsigned length = (unsigned)(end - begin);
    return is_long ? 0 : length * length;
}

/* The segments that begin in the window, and where the tile ends. */
template <typename S>
static __device__ __forceinline__ void
find_segments(const segment_tile_call<S> &call, segment_tile_shared<S> &shared, uint64_t window)
{
    const uint64_t window_end = call.n - window < call.window ? call.n : window + call.window;
    const size_t segments =
        call.count_at == NULL || *call.count_at > call.count ? call.count : *call.count_at;
    const size_t from = first_segment(call, segments, window);
    unsigned comparisons = 0;
    bool more = true;
    for (size_t k = from + threadIdx.x; more; k += S::THREADS) {
        const uint64_t begin = call.offset(k, segments), end = call.offset(k + 1, segments);
        if (k == from && begin < window_end && begin >= window)
            shared.first = (unsigned)(begin - window);
        if (k < segments && begin >= window && begin < window_end && begin < end)
            comparisons += take_segment(call, shared, window, window_end, begin, end);
        more = !__syncthreads_or(k >= segments || begin >= window_end);
    }
#pragma unroll
    for (unsigned delta = 16; delta > 0; delta /= 2)
        comparisons += __shfl_xor_sync(0xffffffffu, comparisons, delta);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&shared.comparisons, comparisons);
}

/* By one warp: a lane has EACH words. */
template <typename S>
static __device__ __forceinline__ void link_heads(segment_tile_shared<S> &shared)
{
    const unsigned EACH = S::WORDS / 32, lane = threadIdx.x % 32, word = lane * EACH;
    unsigned last = 0, first = shared.last, count = 0;
    for (unsigned k = 0; k < EACH; k++) {
        const uint32_t heads = shared.heads[word + k];
        const unsigned base = (word + k) * 32;
        if (heads != 0 && count == 0)
            first = base + (unsigned)__ffs((int)heads) - 1;
        if (heads != 0)
            last = base + 31 - (unsigned)__clz((int)heads);
        count += (unsigned)__popc(heads);
    }
    unsigned through = count;
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const unsigned lower = __shfl_up_sync(0xffffffffu, last, delta);
        const unsigned upper = __shfl_down_sync(0xffffffffu, first, delta);
        const unsigned sum = __shfl_up_sync(0xffffffffu, through, delta);
        last = lane >= delta && lower > last ? lower : last;
        first = lane + delta < 32 && upper < first ? upper : first;
        through += lane >= delta ? sum : 0;
    }
    unsigned before = __shfl_up_sync(0xffffffffu, last, 1);
    unsigned after = __shfl_down_sync(0xffffffffu, first, 1), number = through - count;
    if (lane == 0)
        before = 0;
    if (lane == 31) {
        after = shared.last;
        shared.segments = through;
    }
    for (unsigned k = 0; k < EACH; k++) {
        const uint32_t heads = shared.heads[word + k];
        shared.before[word + k] = (uint16_t)before;
        shared.number[word + k] = (uint16_t)number;
        if (heads != 0)
            before = (word + k) * 32 + 31 - (unsigned)__clz((int)heads);
        number += (unsigned)__popc(heads);
    }
    for (unsigned k = EACH; k-- > 0;) {
        const uint32_t heads = shared.heads[word + k];
        shared.after[word + k] = (uint16_t)after;
        if (heads != 0)
            after = (word + k) * 32 + (unsigned)__ffs((int)heads) - 1;
    }
}

/* The segment of a place: its beginning, its end, its number in the tile. */
template <typename S>
static __device__ __forceinline__ unsigned begin_at(const segment_tile_shared<S> &shared,
                                                    unsigned place)
{
    const uint32_t lower = shared.heads[place / 32] & 0xffffffffu >> (31 - place % 32);
    return lower != 0 ? place / 32 * 32 + 31 - (unsigned)__clz((int)lower)
                      : shared.before[place / 32];
}

template <typename S>
static __device__ __forceinline__ unsigned end_at(const segment_tile_shared<S> &shared,
                                                  unsigned place)
{
    const uint32_t upper = shared.heads[place / 32] & 0xfffffffeu << place % 32;
    return upper != 0 ? place / 32 * 32 + (unsigned)__ffs((int)upper) - 1
                      : shared.after[place / 32];
}

template <typename S>
static __device__ __forceinline__ unsigned number_at(const segment_tile_shared<S> &shared,
                                                     unsigned place)
{
    const uint32_t lower = shared.heads[place / 32] & 0xffffffffu >> (31 - place % 32);
    return shared.number[place / 32] + (unsigned)__popc(lower) - 1;
}

#endif
