/*
 * Finds the segments that a block of a sort of segments handles, which are those that start in its
 * window and end in its tile, and the segment to which each place of the tile belongs.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_FIND_KERNELS_CUH
#define PARSCAN_APPS_SORT_SEGMENT_FIND_KERNELS_CUH

#include "apps/sort/segment_tile_shape.cuh"
#include "scan/cuda/deferred.cuh"
#include "scan/cuda/operators.cuh"
#include "scan/cuda/tile_prefix.cuh"

/* Checks all pairs of neighbouring offsets, all blocks together. An error is left for
   parscan_synchronize(). */
template <typename KEY>
static __device__ __forceinline__ void check_offsets(const segment_params<KEY> &params,
                                                     const segment_sizes &sizes)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; k <= sizes.count; k += threads) {
        const uint64_t begin = params.offset_given(k);
        const uint64_t end = k < sizes.count ? params.offset_given(k + 1) : sizes.n;
        if (begin > end || (k == 0 && begin != 0) || (k == sizes.count && begin != sizes.n))
            leave_error(params.deferred, PARSCAN_ERROR_INVALID_ARGUMENT, k);
    }
}

/* Returns the first segment that starts at or after `at`, or one shortly before it. In each step
   every thread of the block tests one segment. */
template <typename S>
static __device__ __forceinline__ size_t first_segment(
    const segment_params<typename S::Key> &params, const segment_sizes &sizes, uint64_t at)
{
    size_t low = 0, high = sizes.count;
    while (high - low > S::THREADS) {
        const size_t step = (high - low + S::THREADS - 1) / S::THREADS;
        const size_t k = low + threadIdx.x * step;
        const size_t less = __syncthreads_count(k < high && params.offset(k, sizes) < at);
        if (less == 0)
            break;
        if (low + less * step < high)
            high = low + less * step;
        low += (less - 1) * step + 1;
    }
    return low;
}

/* Returns where a segment starts in the window, plus 1, or 0 if it starts before the window. */
template <typename KEY>
static __device__ __forceinline__ uint32_t start_of(const segment_params<KEY> &params,
                                                    const segment_sizes &sizes, size_t k,
                                                    uint64_t window)
{
    const uint64_t begin = params.offset(k, sizes);
    const uint64_t start = begin < window ? 0 : begin - window + 1;
    return start < UINT32_MAX ? (uint32_t)start : UINT32_MAX;
}

/* Adds segment k to the tile, if it starts in the window, which has `elements` elements. The one
   segment that reaches the window's end closes the tile. Returns the comparisons that the
   segment takes. Called by the whole warp. */
template <typename S>
static __device__ __forceinline__ unsigned
take_segment(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
             const segment_sizes &sizes, size_t k, uint64_t window, unsigned elements,
             uint32_t start, uint32_t next)
{
    const bool here = start - 1 < elements && start < next;
    const unsigned all = __ballot_sync(0xffffffffu, here);
    if (!here)
        return 0;
    const unsigned place = start - 1, length = next - start;
    const bool is_long = place + length > S::TILE; /* it also reaches the window's end */
    if (threadIdx.x % 32 == (unsigned)__ffs((int)all) - 1)
        atomicMin(&shared.first, place);
    if (!is_long)
        atomicOr(&shared.heads[place / 32], 1u << place % 32);
    /* Only one segment reaches the end, unless the offsets are wrong: then the first one counts. */
    if (next > elements && atomicExch(&shared.closed, 1u) == 0) {
        shared.last = is_long ? place : place + length;
        const uint64_t begin = window + place;
        const uint64_t end = is_long ? params.offset(k + 1, sizes) : 0;
        shared.long_begin = begin;
        shared.long_length = end > begin ? end - begin : 0; /* read again: it may have changed */
    }
    return is_long ? 0 : length * length;
}

/* Finds the segments that start in the window, starting with segment `from`, and the end of the
   tile. */
template <typename S>
static __device__ __forceinline__ void
find_segments(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
              const segment_sizes &sizes, size_t from, uint64_t window)
{
    const unsigned HALVES = 2, EACH = HALVES * S::THREADS;
    static_assert(sizeof shared.starts == EACH * sizeof(uint32_t), "one start for each entry");
    const unsigned elements =
        sizes.n - window < params.window ? (unsigned)(sizes.n - window) : params.window;
    uint32_t *const starts = shared.starts;
    unsigned comparisons = 0, begun = EACH;
    while (begun == EACH) {
        uint32_t mine[HALVES];
        __syncthreads();
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) {
            const unsigned at = h * S::THREADS + threadIdx.x;
            mine[h] = start_of(params, sizes, from + at, window);
            starts[at] = mine[h];
        }
        begun = (unsigned)__syncthreads_count(mine[0] <= elements);
        if (begun == S::THREADS)
            begun += (unsigned)__syncthreads_count(mine[1] <= elements);
        const unsigned taken = begun < EACH ? begun : EACH - 1; /* the last needs a next one */
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) {
            const unsigned at = h * S::THREADS + threadIdx.x;
            if (h * S::THREADS < taken)
                comparisons +=
                    take_segment(params, shared, sizes, from + at, window, elements,
                                 at < taken ? mine[h] : 0, starts[at < taken ? at + 1 : 0]);
        }
        from += taken;
    }
#pragma unroll
    for (unsigned delta = 16; delta > 0; delta /= 2)
        comparisons += __shfl_xor_sync(0xffffffffu, comparisons, delta);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&shared.comparisons, comparisons);
}

/* Makes a tile of one segment with n elements. Called by the whole block; link_heads() comes next. */
template <typename S>
static __device__ __forceinline__ void make_tile_of_one(segment_tile_shared<S> &shared, unsigned n)
{
    for (unsigned k = threadIdx.x; k < S::WORDS; k += S::THREADS)
        shared.heads[k] = k == 0;
    if (threadIdx.x == 0) {
        shared.first = 0;
        shared.last = n;
        shared.comparisons = ~0u;
    }
}

/* The bits of a word of heads that are below bit `end`. */
static __device__ __forceinline__ uint32_t heads_below(uint32_t heads, int end)
{
    return end <= 0 ? 0 : end < 32 ? heads & ((1u << end) - 1) : heads;
}

/* Fills `before`, `after` and `number` of each word of heads. Called by one warp; each lane has
   EACH words. Whatever wrong offsets say, the tile's first element in use starts a segment, and no
   segment starts after the last one. */
template <typename S>
static __device__ __forceinline__ void link_heads(segment_tile_shared<S> &shared)
{
    const unsigned EACH = S::WORDS / 32, lane = threadIdx.x % 32, word = lane * EACH;
    uint32_t last = 0, first = shared.last, count = 0;
    for (unsigned k = 0; k < EACH; k++) {
        const unsigned base = (word + k) * 32;
        uint32_t heads = heads_below(shared.heads[word + k], (int)(shared.last - base));
        if (base / 32 == shared.first / 32)
            heads |= 1u << shared.first % 32;
        shared.heads[word + k] = heads;
        if (heads != 0 && count == 0)
            first = base + (unsigned)__ffs((int)heads) - 1;
        if (heads != 0)
            last = base + 31 - (unsigned)__clz((int)heads);
        count += (unsigned)__popc(heads);
    }
    const uint32_t through = warp_scan(parscan_operator_SUM(), count, lane);
    last = warp_scan(parscan_operator_MAX(), last, lane);
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const unsigned upper = __shfl_down_sync(0xffffffffu, first, delta);
        first = lane + delta < 32 && upper < first ? upper : first;
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

/* The segment of a place: where it starts, where it ends, its index in the tile. */
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
