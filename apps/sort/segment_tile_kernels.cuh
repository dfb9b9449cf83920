/*
 * A sort of segments on CUDA. Each block has a window of the array; its tile is the window and some
 * elements after it. The block sorts the segments that start in its window and end in its tile.
 * Longer segments are sorted by the block after its tile, by all blocks after their last tiles
 * (segment_long_kernels.cuh), or by later launches.
 *
 * If the shape says so, the block first tries to sort the window by segment_short_kernels.cuh. Otherwise,
 * keys stay in shared memory where they are; their places in the tile, 16 bits each, are put in
 * order. A tile of short segments is ordered by comparing each key with all keys of its segment,
 * which takes a load and four instructions for each comparison; any other tile with few elements by
 * merging. The rest are sorted as a whole, digit by digit, and then by the indices of the segments.
 * Digits are ranked by the values that atomic additions to the counters return, in whatever order
 * the hardware serves the lanes (so far it was always the order of the lanes). The result is
 * checked: in each segment the pairs of key and place must ascend strictly. A tile that is not in
 * order is sorted again, and ranked by matches.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_TILE_KERNELS_CUH
#define PARSCAN_APPS_SORT_SEGMENT_TILE_KERNELS_CUH

#include "apps/radix/digit_rank_kernels.cuh"
#include "apps/radix/digit_tile_kernels.cuh"
#include "apps/radix/key_order.cuh"
#include "apps/sort/segment_find_kernels.cuh"
#include "apps/sort/segment_long_kernels.cuh"
#include "apps/sort/segment_short_kernels.cuh"
#include "scan/cuda/launch.cuh"

template <typename S>
static __device__ __forceinline__ void load_tile(const segment_params<typename S::Key> &params,
                                                 segment_tile_shared<S> &shared, uint64_t window)
{
    const unsigned AT_ONCE = 8, first = shared.first, last = shared.last;
    const typename S::Bits *const source = params.keys_in + window;
#pragma unroll 1
    for (unsigned at = threadIdx.x; at < last; at += AT_ONCE * S::THREADS) {
        typename S::Bits keys[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) {
            const unsigned place = at + k * S::THREADS;
            if (place >= first && place < last)
                keys[k] = source[place];
        }
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) {
            const unsigned place = at + k * S::THREADS;
            if (place >= first && place < last)
                shared.keys[place] = S::Key::encode(keys[k], params.flip);
        }
    }
}

/* Orders the tile by comparisons, of codes or of the bits of them that count. Keys without values
   are written to the output directly. */
template <bool BY_CODES, typename S>
static __device__ __forceinline__ void
order_by_comparisons(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
                     typename S::Bits *out)
{
    typedef typename S::Bits Bits;
    const unsigned first = shared.first, last = shared.last;
#pragma unroll 1
    for (unsigned place = threadIdx.x; place < last; place += S::THREADS) {
        if (place < first)
            continue;
        const unsigned begin = begin_at(shared, place), end = end_at(shared, place);
        const Bits code = shared.keys[place], key = BY_CODES ? code : params.compared(code);
        unsigned before = 0;
#pragma unroll 4
        for (unsigned other = begin; other < end; other++) {
            const Bits theirs = shared.keys[other];
            count_before(BY_CODES ? theirs : params.compared(theirs), other, key, place, &before);
        }
        const unsigned to = begin - first - before;
        if (params.value_size == 0)
            out[to] = S::Key::decode(code, params.flip);
        else
            shared.order[to] = (uint16_t)place;
    }
}

/* Orders a tile of at most one element a thread by merging sorted runs of its segments. Runs are
   twice as long in each round. A key's place is its own in its run, and the number of keys of the
   neighbouring run that come before it, which is found by bisection. */
template <typename S>
static __device__ __forceinline__ void
order_by_merges(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared)
{
    const unsigned first = shared.first, slot = threadIdx.x;
    const bool here = slot < shared.last - first;
    const unsigned begin = here ? begin_at(shared, first + slot) - first : slot;
    const unsigned end = here ? end_at(shared, first + slot) - first : slot, at = slot - begin;
    if (here)
        shared.order[slot] = (uint16_t)(first + slot);
    for (unsigned width = 1; __syncthreads_or(width < end - begin); width *= 2) {
        const unsigned place = shared.order[here ? slot : 0];
        const typename S::Bits key = params.compared(shared.keys[place]);
        const unsigned other = begin + ((at & ~(width - 1)) ^ width);
        unsigned low = other, high = other + width < end ? other + width : end;
        while (low < high) {
            const unsigned middle = (low + high) / 2, there = shared.order[middle];
            if (comes_before(params.compared(shared.keys[there]), there, key, place))
                low = middle + 1;
            else
                high = middle;
        }
        __syncthreads();
        if (here)
            shared.order[begin + (at & ~(2 * width - 1)) + (at & (width - 1)) + low - other] =
                (uint16_t)place;
    }
}

/* The digit of a pass for the element at a place. The passes after those of the keys take the
   digits of the segments' indices. */
template <typename S>
static __device__ __forceinline__ unsigned digit_at(const segment_params<typename S::Key> &params,
                                                    const segment_tile_shared<S> &shared,
                                                    unsigned pass, unsigned place)
{
    if (pass < params.passes)
        return params.digit[pass](shared.keys[place]);
    return number_at(shared, place) >> (pass - params.passes) * SORT_DIGIT_BITS & (SORT_DIGITS - 1);
}

/* Counts the lane's digit, if it has an element, and returns how many earlier elements of the
   warp have the same digit. Called by the whole warp, for one element a lane. */
static __device__ __forceinline__ unsigned rank_by_matches(uint32_t *row, unsigned lane,
                                                           unsigned digit, bool here)
{
    const unsigned same = __match_any_sync(0xffffffffu, here ? digit : SORT_DIGITS);
    const unsigned leader = 31 - (unsigned)__clz((int)same);
    uint32_t old = 0;
    if (here && leader == lane)
        old = atomicAdd(row + digit, (unsigned)__popc(same));
    __syncwarp();
    return __shfl_sync(0xffffffffu, old, (int)leader) + (unsigned)__popc(same & ((1u << lane) - 1));
}

/* Loads the places of the warp's elements, their digits in this pass, and how many earlier
   elements of the warp have the same digit. */
template <typename S>
static __device__ __forceinline__ void
count_places(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
             unsigned pass, bool by_counts, unsigned items, uint32_t (&held)[S::ITEMS])
{
    const unsigned MANY = 6, lane = threadIdx.x % 32, count = shared.last - shared.first;
    const unsigned slot = threadIdx.x / 32 * 32 * items + lane;
    uint32_t *const row = shared.rows[threadIdx.x / 32];
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i += S::MATCHED) {
        unsigned digits[S::MATCHED], places[S::MATCHED];
        bool here[S::MATCHED];
        if (i >= items)
            break;
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++) {
            const unsigned at = slot + (i + k) * 32;
            here[k] = i + k < items && at < count;
            places[k] = shared.order[here[k] ? at : 0];
            digits[k] = digit_at(params, shared, pass, places[k]);
        }
        const unsigned frequent = __shfl_sync(0xffffffffu, digits[0], 0) * 4;
        const bool many =
            __popc(__ballot_sync(0xffffffffu, digits[0] * 4 == frequent)) >= (int)MANY;
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++) {
            unsigned rank = 0;
            if (!by_counts)
                rank = rank_by_matches(row, lane, digits[k], here[k]);
            else if (many)
                rank = count_beside(row, lane, digits[k] * 4, frequent, here[k]);
            else if (here[k])
                rank = atomicAdd(row + digits[k], 1u);
            held[i + k] = places[k] | digits[k] << S::PLACE_BITS | rank << S::RANK_AT;
        }
    }
}

template <typename S>
static __device__ __forceinline__ void
order_by_digits(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
                bool by_counts)
{
    const unsigned count = shared.last - shared.first;
    const unsigned items = (count + S::THREADS - 1) / S::THREADS;
    const unsigned first = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
    uint32_t *const row = shared.rows[threadIdx.x / 32];
    unsigned passes = params.passes;
    for (unsigned numbers = shared.segments - 1; numbers > 0; numbers >>= SORT_DIGIT_BITS)
        passes++;
    for (unsigned slot = threadIdx.x; slot < count; slot += S::THREADS)
        shared.order[slot] = (uint16_t)(shared.first + slot);
#pragma unroll 1
    for (unsigned pass = 0; pass < passes; pass++) {
        uint32_t held[S::ITEMS];
        clear_row(row, threadIdx.x % 32);
        __syncthreads();
        count_places(params, shared, pass, by_counts, items, held);
        __syncthreads();
        place_digits<S>(shared);
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++) {
            const unsigned digit = held[i] >> S::PLACE_BITS & (SORT_DIGITS - 1);
            if (i >= items)
                break;
            if (first + i * 32 < count)
                shared.order[row[digit] + (held[i] >> S::RANK_AT)] =
                    (uint16_t)(held[i] & ((1u << S::PLACE_BITS) - 1));
        }
        __syncwarp();
    }
    __syncthreads();
}

/* Whether some slot holds an element of another segment, or one that does not come after the
   element before it. */
template <typename S>
static __device__ __forceinline__ bool is_disordered(const segment_params<typename S::Key> &params,
                                                     const segment_tile_shared<S> &shared)
{
    const unsigned first = shared.first, count = shared.last - first;
    bool disordered = false;
    for (unsigned slot = threadIdx.x; slot < count; slot += S::THREADS) {
        const unsigned begin = begin_at(shared, first + slot), place = shared.order[slot];
        disordered = disordered || begin_at(shared, place) != begin;
        if (first + slot > begin) {
            const unsigned before = shared.order[slot - 1];
            disordered = disordered || !comes_before(params.compared(shared.keys[before]), before,
                                                     params.compared(shared.keys[place]), place);
        }
    }
    return disordered;
}

/* Moves values where their keys go. All values are read before the first is written. */
template <typename VALUE, typename S>
static __device__ __forceinline__ void move_values(const segment_params<typename S::Key> &params,
                                                   const segment_tile_shared<S> &shared,
                                                   uint64_t window)
{
    const unsigned count = shared.last - shared.first;
    VALUE *const out = (VALUE *)params.values_out + window + shared.first;
    VALUE values[S::ITEMS];
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        const unsigned slot = i * S::THREADS + threadIdx.x;
        if (slot < count) {
            const uint64_t from = window + shared.order[slot];
            values[i] =
                params.values_in == NULL ? (VALUE)from : ((const VALUE *)params.values_in)[from];
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (i * S::THREADS + threadIdx.x < count)
            out[i * S::THREADS + threadIdx.x] = values[i];
}

template <typename S>
static __device__ __forceinline__ void sort_tile(const segment_params<typename S::Key> &params,
                                                 segment_tile_shared<S> &shared, uint64_t window)
{
    const unsigned MOST_COMPARED = 80, count = shared.last - shared.first;
    if (threadIdx.x / 32 == S::WARPS - 1)
        link_heads(shared);
    load_tile(params, shared, window);
    __syncthreads();
    typename S::Bits *const out = params.keys_out + window + shared.first;
    if (shared.comparisons / MOST_COMPARED <= count) {
        if (!S::Key::IS_FLOAT && params.keep == (typename S::Bits) ~(typename S::Bits)0)
            order_by_comparisons<true>(params, shared, out);
        else
            order_by_comparisons<false>(params, shared, out);
        if (params.value_size == 0)
            return;
        __syncthreads();
    } else if (count <= S::THREADS) {
        order_by_merges(params, shared);
    } else {
        bool by_counts = true, again = true;
        while (again) {
            order_by_digits(params, shared, by_counts);
            again = by_counts && __syncthreads_or(is_disordered(params, shared));
            by_counts = false;
        }
    }
    for (unsigned slot = threadIdx.x; slot < count; slot += S::THREADS)
        out[slot] = S::Key::decode(shared.keys[shared.order[slot]], params.flip);
    if (params.value_size == 4)
        move_values<uint32_t>(params, shared, window);
    else if (params.value_size == 8)
        move_values<uint64_t>(params, shared, window);
}

/* Lists the long segment that starts in the block's window. Called by one thread. */
template <typename S>
static __device__ __forceinline__ void
list_long_segment(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared)
{
    if (S::TOGETHER)
        list_for_all(params, &shared.taken, shared.long_begin, shared.long_length);
    else
        list_segment(
            params.list, 0, shared.long_begin,
            atomicAdd((unsigned long long *)params.list.taken, count_of_one(shared.long_length)));
}

/* Sorts the segments that start in a window, but for a long one that is sorted later. */
template <typename S>
static __device__ __forceinline__ void sort_window(const segment_params<typename S::Key> &params,
                                                   segment_tile_shared<S> &shared,
                                                   const segment_sizes &sizes, uint64_t window)
{
    if constexpr (S::SHORT)
        if (sort_short_segments(params, shared, sizes, window))
            return;
    for (unsigned k = threadIdx.x; k < S::WORDS; k += S::THREADS)
        shared.heads[k] = 0;
    if (threadIdx.x == 0) {
        shared.first = S::TILE;
        shared.last = shared.comparisons = shared.closed = 0;
        shared.long_length = 0;
    }
    find_segments(params, shared, sizes, first_segment<S>(params, sizes, window), window);
    __syncthreads();
    if (shared.first < shared.last)
        sort_tile(params, shared, window);
    if (shared.long_length == 0)
        return;
    if (S::TOGETHER || params.list.taken != NULL) {
        if (threadIdx.x == 0)
            list_long_segment(params, shared);
        return;
    }
    const uint64_t begin = shared.long_begin, length = shared.long_length;
    __syncthreads();
    sort_long_segment(params, *(long_segments_shared<S> *)&shared, begin, length);
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, BLOCKS_HELD(S::THREADS, S::BLOCKS))
    sort_segments(const __grid_constant__ segment_params<typename S::Key> params)
{
    extern __shared__ __align__(16) unsigned char stage[];
    segment_tile_shared<S> &shared = *(segment_tile_shared<S> *)stage;
    static_assert(sizeof(long_segments_shared<S>) <= sizeof shared, "one follows the other");
    wait_for_previous_kernel();
    const segment_sizes sizes = params.sizes();
    if (params.deferred.words != NULL)
        check_offsets(params, sizes);
    if constexpr (S::TOGETHER) {
        if (threadIdx.x == 0)
            shared.taken = 0;
        for (uint64_t at = (uint64_t)blockIdx.x * params.window; at < sizes.n;
             at += (uint64_t)gridDim.x * params.window) {
            sort_window(params, shared, sizes, at);
            __syncthreads();
        }
        if (threadIdx.x == 0)
            params.list.taken[blockIdx.x] = shared.taken;
        cooperative_groups::this_grid().sync();
        sort_long_segments(params, *(long_segments_shared<S> *)stage);
    } else {
        const uint64_t at = (uint64_t)blockIdx.x * params.window;
        if (at < sizes.n)
            sort_window(params, shared, sizes, at);
    }
}

/* Sorts the long segments that another launch has listed, as the first block's list. */
template <typename S>
static __global__ void __launch_bounds__(S::THREADS, BLOCKS_HELD(S::THREADS, S::BLOCKS))
    sort_listed_segments(const __grid_constant__ segment_params<typename S::Key> params)
{
    __shared__ long_segments_shared<S> shared;
    wait_for_previous_kernel();
    sort_long_segments(params, shared);
}

#endif
