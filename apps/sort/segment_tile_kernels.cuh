/*
 * A sort of segments on CUDA: a block sorts those that begin in its window of the array and end in
 * its tile, which is the window and what comes after it. Longer ones are listed for
 * others, or sorted by the block after the tile (segment_block_kernels.cuh).
 *
 * Keys stay where they are in shared memory; what is ordered are their places, 16 bits each. A tile of
 * short segments is ordered by comparing each key with all of its segment, which takes a load and four
 * instructions a comparison; any other as a whole, digit by digit, and then by the segments' numbers.
 * Digits are ranked by what counters return, in whatever order the hardware serves lanes (that of
 * their numbers, as far as was seen): places in order are told from others, since key and place
 * ascend strictly in every segment. A tile that is not in order is ordered anew, by votes.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_TILE_KERNELS_CUH
#define PARSCAN_APPS_SORT_SEGMENT_TILE_KERNELS_CUH

#include "apps/sort/digit_tile_kernels.cuh"
#include "apps/sort/segment_find_kernels.cuh"

template <typename S>
static __device__ __forceinline__ void load_tile(const segment_tile_call<S> &call,
                                                 segment_tile_shared<S> &shared, uint64_t window)
{
    const unsigned AT_ONCE = 8, first = shared.first, last = shared.last;
    const typename S::Bits *const source = call.keys_in + window;
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
                shared.keys[place] = S::Key::encode(keys[k], call.flip);
        }
    }
}

/* Whether key a at place i comes before key b at place j. */
template <typename BITS>
static __device__ __forceinline__ bool comes_before(BITS a, unsigned i, BITS b, unsigned j)
{
    if (sizeof(BITS) == 8)
        return a < b || (a == b && i < j);
    return ((uint64_t)a << 32 | i) < ((uint64_t)b << 32 | j);
}

template <typename S>
static __device__ __forceinline__ void order_by_comparisons(const segment_tile_call<S> &call,
                                                            segment_tile_shared<S> &shared)
{
    const unsigned first = shared.first, last = shared.last;
#pragma unroll 1
    for (unsigned place = threadIdx.x; place < last; place += S::THREADS) {
        if (place < first)
            continue;
        const unsigned begin = begin_at(shared, place), end = end_at(shared, place);
        const typename S::Bits key = call.compared(shared.keys[place]);
        unsigned to = begin - first;
#pragma unroll 4
        for (unsigned other = begin; other < end; other++)
            to += comes_before(call.compared(shared.keys[other]), other, key, place);
        shared.order[to] = (uint16_t)place;
    }
}

/* The digit of the pass that the element at a place has; passes beyond those of keys are of the
   segments' numbers. */
template <typename S>
static __device__ __forceinline__ unsigned digit_at(const segment_tile_call<S> &call,
                                                    const segment_tile_shared<S> &shared,
                                                    unsigned pass, unsigned place)
{
    if (place == S::NOBODY)
        return SORT_DIGITS - 1;
    if (pass < call.passes)
        return call.digit[pass](shared.keys[place]);
    return number_at(shared, place) >> (pass - call.passes) * SORT_DIGIT_BITS & (SORT_DIGITS - 1);
}

/* Places of the warp's elements, their digits of the pass, and how many of the warp's before them
   have the same. */
template <typename S>
static __device__ __forceinline__ void
count_places(const segment_tile_call<S> &call, segment_tile_shared<S> &shared, unsigned pass,
             bool by_counts, unsigned items, uint32_t (&held)[S::ITEMS])
{
    const unsigned MANY = 6, lane = threadIdx.x % 32, count = shared.last - shared.first;
    const unsigned slot = threadIdx.x / 32 * 32 * items + lane;
    uint32_t *const row = shared.rows[threadIdx.x / 32];
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i += S::MATCHED) {
        unsigned digits[S::MATCHED], ranks[S::MATCHED];
        if (i >= items)
            break;
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++) {
            const unsigned at = slot + (i + k) * 32;
            const unsigned place = at < count ? shared.order[at] : S::NOBODY;
            digits[k] = digit_at(call, shared, pass, place);
            held[i + k] = place | digits[k] << 14;
        }
        if (by_counts) {
            const unsigned frequent = __shfl_sync(0xffffffffu, digits[0], 0) * 4;
            const bool many =
                __popc(__ballot_sync(0xffffffffu, digits[0] * 4 == frequent)) >= (int)MANY;
#pragma unroll
            for (unsigned k = 0; k < S::MATCHED; k++)
                ranks[k] = many ? count_beside(row, lane, digits[k] * 4, frequent, true)
                                : atomicAdd(row + digits[k], 1u);
        } else {
            rank_by_votes<S>(row, NULL, lane, digits, ranks);
        }
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++)
            held[i + k] |= ranks[k] << 22;
    }
}

/* Slots from `first` on, which say who is in them, in any order before. */
template <typename S>
static __device__ __forceinline__ void
order_by_digits(const segment_tile_call<S> &call, segment_tile_shared<S> &shared, bool by_counts)
{
    const unsigned count = shared.last - shared.first, round = S::THREADS * S::MATCHED;
    const unsigned items = (count + round - 1) / round * S::MATCHED;
    uint32_t *const row = shared.rows[threadIdx.x / 32];
    unsigned passes = call.passes;
    for (unsigned numbers = shared.segments - 1; numbers > 0; numbers >>= SORT_DIGIT_BITS)
        passes++;
    for (unsigned slot = threadIdx.x; slot < count; slot += S::THREADS)
        shared.order[slot] = (uint16_t)(shared.first + slot);
#pragma unroll 1
    for (unsigned pass = 0; pass < passes; pass++) {
        uint32_t held[S::ITEMS];
        clear_row(row, threadIdx.x % 32);
        __syncthreads();
        count_places(call, shared, pass, by_counts, items, held);
        __syncthreads();
        place_digits<S>(shared);
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++) {
            const unsigned place = held[i] & S::NOBODY;
            if (i < items && place != S::NOBODY)
                shared.order[row[held[i] >> 14 & (SORT_DIGITS - 1)] + (held[i] >> 22)] =
                    (uint16_t)place;
        }
        __syncwarp();
    }
    __syncthreads();
}

/* Whether some slot has an element of another segment, or one that does not come after the one
   before it. */
template <typename S>
static __device__ __forceinline__ bool is_disordered(const segment_tile_call<S> &call,
                                                     const segment_tile_shared<S> &shared)
{
    const unsigned first = shared.first, count = shared.last - first;
    bool disordered = false;
    for (unsigned slot = threadIdx.x; slot < count; slot += S::THREADS) {
        const unsigned begin = begin_at(shared, first + slot), place = shared.order[slot];
        disordered = disordered || begin_at(shared, place) != begin;
        if (first + slot > begin) {
            const unsigned before = shared.order[slot - 1];
            disordered = disordered || !comes_before(call.compared(shared.keys[before]), before,
                                                     call.compared(shared.keys[place]), place);
        }
    }
    return disordered;
}

/* Values go where their keys go: all have been read when the first is written. */
template <typename VALUE, typename S>
static __device__ __forceinline__ void
move_values(const segment_tile_call<S> &call, const segment_tile_shared<S> &shared, uint64_t window)
{
    const unsigned count = shared.last - shared.first;
    VALUE *const out = (VALUE *)call.values_out + window + shared.first;
    VALUE values[S::ITEMS];
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        const unsigned slot = i * S::THREADS + threadIdx.x;
        if (slot < count) {
            const uint64_t from = window + shared.order[slot];
            values[i] =
                call.values_in == NULL ? (VALUE)from : ((const VALUE *)call.values_in)[from];
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (i * S::THREADS + threadIdx.x < count)
            out[i * S::THREADS + threadIdx.x] = values[i];
}

template <typename S>
static __device__ __forceinline__ void sort_tile(const segment_tile_call<S> &call,
                                                 segment_tile_shared<S> &shared, uint64_t window)
{
    const unsigned MOST_COMPARED = 80, count = shared.last - shared.first;
    if (threadIdx.x / 32 == S::WARPS - 1)
        link_heads(shared);
    load_tile(call, shared, window);
    __syncthreads();
    if (shared.comparisons / MOST_COMPARED <= count) {
        order_by_comparisons(call, shared);
        __syncthreads();
    } else {
        order_by_digits(call, shared, true);
        if (__syncthreads_or(is_disordered(call, shared)))
            order_by_digits(call, shared, false);
    }
    typename S::Bits *const out = call.keys_out + window + shared.first;
    for (unsigned slot = threadIdx.x; slot < count; slot += S::THREADS)
        out[slot] = S::Key::decode(shared.keys[shared.order[slot]], call.flip);
    if (call.value_size == 4)
        move_values<uint32_t>(call, shared, window);
    else if (call.value_size == 8)
        move_values<uint64_t>(call, shared, window);
}

#endif
