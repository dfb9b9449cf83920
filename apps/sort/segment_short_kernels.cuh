/*
 * A sort of segments where a block's segments are all short (segment_tile_kernels.cuh has the others).
 * A thread loads a segment from the tile in shared memory, sorts it in its registers by a network of
 * comparisons, and stores it back. The segments that are too long for that are sorted by their warp,
 * which compares each key with all others. Only for keys without values whose equal keys are the same bits:
 * a network does not keep the order of equal keys.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_SHORT_KERNELS_CUH
#define PARSCAN_APPS_SORT_SEGMENT_SHORT_KERNELS_CUH

#include <type_traits>

#include "apps/radix/key_order.cuh"
#include "apps/sort/segment_find_kernels.cuh"
#include "scan/cuda/tile_source.cuh"

/* The longest segments that a thread sorts, and that a warp does. */
#define SORT_MOST_BY_THREAD 32u
#define SORT_MOST_BY_WARP 64u

template <typename WORD>
static __device__ __forceinline__ void exchange(WORD &low, WORD &high)
{
    const WORD least = low < high ? low : high;
    high = low < high ? high : low;
    low = least;
}

/* Batcher's merge exchange: sorted runs of P keys are merged to runs of 2 P. */
template <unsigned SIZE, typename WORD>
static __device__ __forceinline__ void sort_by_network(WORD (&keys)[SIZE])
{
#pragma unroll
    for (unsigned p = 1; p < SIZE; p *= 2)
#pragma unroll
        for (unsigned apart = p; apart > 0; apart /= 2)
#pragma unroll
            for (unsigned k = apart % p; k + apart < SIZE; k++)
                if ((k - apart % p) / apart % 2 == 0 && k / (2 * p) == (k + apart) / (2 * p))
                    exchange(keys[k], keys[k + apart]);
}

/* Sorts one segment of at most SIZE keys. */
template <unsigned SIZE, typename KEY>
static __device__ __forceinline__ void sort_by_thread(typename KEY::Bits flip,
                                                      typename KEY::Bits *keys, unsigned length)
{
    typedef typename KEY::Bits Bits;
    typedef typename std::conditional<sizeof(Bits) == 8, uint64_t, uint32_t>::type Word;
    Word codes[SIZE];
#pragma unroll
    for (unsigned k = 0; k < SIZE; k++)
        codes[k] = k < length ? (Word)KEY::encode(keys[k], flip) : (Word) ~(Word)0;
    sort_by_network(codes);
#pragma unroll
    for (unsigned k = 0; k < SIZE; k++)
        if (k < length)
            keys[k] = KEY::decode((Bits)codes[k], flip);
}

/* Sorts one segment of at most SORT_MOST_BY_WARP keys. Called by the whole warp. */
template <typename KEY>
static __device__ __forceinline__ void
sort_by_warp(typename KEY::Bits flip, typename KEY::Bits *keys, unsigned length, unsigned lane)
{
    const unsigned EACH = SORT_MOST_BY_WARP / 32;
    typename KEY::Bits own[EACH];
    unsigned less[EACH] = {}; /* the keys that come before the own, counted down from 0 */
#pragma unroll
    for (unsigned k = 0; k < EACH; k++)
        own[k] = KEY::encode(keys[lane + k * 32 < length ? lane + k * 32 : 0], flip);
#pragma unroll 4
    for (unsigned other = 0; other < length; other++) {
        const typename KEY::Bits theirs = KEY::encode(keys[other], flip);
#pragma unroll
        for (unsigned k = 0; k < EACH; k++)
            count_before(theirs, other, own[k], lane + k * 32, &less[k]);
    }
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < EACH; k++)
        if (lane + k * 32 < length)
            keys[0 - less[k]] = KEY::decode(own[k], flip);
    __syncwarp();
}

/* The segments of a window by their lengths, so that the lanes of a warp have as much to do: up to a
   quarter of SORT_MOST_BY_THREAD elements, up to a half, up to all of it, and longer ones. A word holds
   the place in the tile, and the length from bit 16 on. Two lists share a half of the room, one from
   each end. */
enum { LENGTH_CLASSES = 4 };

template <typename S>
struct segment_lists {
    static const unsigned MOST = S::THREADS * 4; /* segments */
    uint32_t *segments, *counts;

    static __device__ __forceinline__ unsigned at(unsigned which, unsigned k)
    {
        return which / 2 * MOST + (which % 2 == 0 ? k : MOST - 1 - k);
    }
    /* A segment for the lane, or none, which is 0. */
    __device__ __forceinline__ uint32_t of_lane(unsigned which, unsigned group) const
    {
        const unsigned k = group * 32 + threadIdx.x % 32;
        return k < counts[which] ? segments[at(which, k)] : 0;
    }
    __device__ __forceinline__ unsigned groups(unsigned which) const
    {
        return (counts[which] + 31) / 32;
    }
    /* Called by the whole warp, whose lanes have a segment each, or 0. */
    __device__ __forceinline__ void add(uint32_t segment)
    {
        const unsigned ALL = 0xffffffffu, length = segment >> 16, lane = threadIdx.x % 32;
        const unsigned own = length <= SORT_MOST_BY_THREAD / 4   ? 0
                             : length <= SORT_MOST_BY_THREAD / 2 ? 1
                             : length <= SORT_MOST_BY_THREAD     ? 2
                                                                 : 3;
#pragma unroll
        for (unsigned which = 0; which < LENGTH_CLASSES; which++) {
            const bool among = own == which && length > 1;
            const unsigned lanes = __ballot_sync(ALL, among);
            unsigned first = 0;
            if (lanes == 0)
                continue;
            if (lane == 0)
                first = atomicAdd(&counts[which], (unsigned)__popc(lanes));
            first = __shfl_sync(ALL, first, 0);
            if (among)
                segments[at(which, first + __popc(lanes & ((1u << lane) - 1)))] = segment;
        }
    }
};

/* Sorts the listed segments of the tile. */
template <typename S>
static __device__ __forceinline__ void
sort_listed_in_tile(const segment_lists<S> &lists, typename S::Bits flip, typename S::Bits *tile)
{
    typedef typename S::Key Key;
    const unsigned by_warp = lists.counts[3], long_ones = by_warp + lists.groups(2);
    const unsigned middle = long_ones + lists.groups(1), all = middle + lists.groups(0);
#pragma unroll 1
    for (unsigned task = threadIdx.x / 32; task < all; task += S::WARPS) {
        if (task < by_warp) {
            const uint32_t own = lists.segments[lists.at(3, task)];
            sort_by_warp<Key>(flip, tile + (own & 0xffff), own >> 16, threadIdx.x % 32);
        } else if (task < long_ones) {
            const uint32_t own = lists.of_lane(2, task - by_warp);
            sort_by_thread<SORT_MOST_BY_THREAD, Key>(flip, tile + (own & 0xffff), own >> 16);
        } else if (task < middle) {
            const uint32_t own = lists.of_lane(1, task - long_ones);
            sort_by_thread<SORT_MOST_BY_THREAD / 2, Key>(flip, tile + (own & 0xffff), own >> 16);
        } else {
            const uint32_t own = lists.of_lane(0, task - middle);
            sort_by_thread<SORT_MOST_BY_THREAD / 4, Key>(flip, tile + (own & 0xffff), own >> 16);
        }
    }
}

/* Lists the segments that begin in a window of so many elements, starting with segment `from`. Returns
   false if one is too long, if there are too many, or if offsets are out of order. */
template <typename S>
static __device__ __forceinline__ bool
list_short_segments(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
                    segment_lists<S> &lists, size_t segments, size_t from, uint64_t window,
                    unsigned elements)
{
    const unsigned ALL = 0xffffffffu, AT_ONCE = 2;
    bool fits = true;
    bool ends = false; /* none of the warp's next segments begins in the window */
#pragma unroll 1
    for (unsigned k = 0; k < lists.MOST && !ends; k += AT_ONCE * S::THREADS) {
        uint64_t begins[AT_ONCE], after[AT_ONCE];
#pragma unroll
        for (unsigned m = 0; m < AT_ONCE; m++) {
            const size_t segment = from + k + m * S::THREADS + threadIdx.x;
            begins[m] = params.offset(segment, segments);
            after[m] = params.offset(segment + 1, segments);
        }
#pragma unroll
        for (unsigned m = 0; m < AT_ONCE; m++) {
            const uint64_t begin = begins[m], end = after[m];
            const unsigned place = (unsigned)(begin - window);
            const bool here = begin - window < elements;
            fits = fits && begin <= end && (!here || end - begin <= SORT_MOST_BY_WARP);
            ends = __ballot_sync(ALL, end >= window + elements) >> 31 != 0;
            lists.add(here && fits ? place | (uint32_t)(end - begin) << 16 : 0);
            if (threadIdx.x % 32 == (unsigned)__ffs((int)__ballot_sync(ALL, here)) - 1)
                atomicMin(&shared.first, place);
            if (here && end - window >= elements)
                atomicMax(&shared.last, (uint32_t)(end - window)); /* one, if offsets are right */
        }
    }
    return fits && (ends || threadIdx.x / 32 < S::WARPS - 1);
}

/* Begins to copy the window and what is behind it, `count` keys, to shared memory. Returns where the
   window begins there. pieces_wait() and a barrier come before the use. */
template <typename S>
static __device__ __forceinline__ typename S::Bits *
copy_window(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
            uint64_t window, unsigned count)
{
    const unsigned SIZE = sizeof(typename S::Bits);
    const size_t begin = (uintptr_t)params.keys_in % 16, first = begin + window * SIZE;
    const size_t at = first / 16 * 16;
    const tile_source source = {(unsigned char *)shared.keys,
                                (const char *)params.keys_in - begin + at,
                                cut_bytes(begin, begin + params.n * SIZE, at,
                                          ((unsigned)(first - at) + count * SIZE + 15) / 16 * 16)};
    for (unsigned b = source.bytes.whole_begin + threadIdx.x * 16; b < source.bytes.whole_end;
         b += S::THREADS * 16)
        copy_piece(source.to + b, source.from + b);
    if (!source.bytes.whole)
        load_ends<typename S::Bits>(source, threadIdx.x, S::THREADS);
    return (typename S::Bits *)(source.to + (first - at));
}

/* Sorts the segments that begin in a window. Returns false, and writes nothing to the output, if one of
   them is longer than SORT_MOST_BY_WARP, if a thread gets too many, or if offsets are out of order; then
   the block is done with `shared`. */
template <typename S>
static __device__ __forceinline__ bool
sort_short_segments(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
                    size_t segments, uint64_t window)
{
    segment_lists<S> lists = {shared.rows[0], shared.counts};
    static_assert(2 * lists.MOST * sizeof(uint32_t) <= sizeof shared.rows, "the lists must fit");
    const uint64_t rest = params.n - window;
    const unsigned elements = rest < params.window ? (unsigned)rest : params.window;
    if (threadIdx.x < LENGTH_CLASSES)
        shared.counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        shared.first = S::TILE;
        shared.last = 0;
    }
    typename S::Bits *const tile =
        copy_window(params, shared, window, elements + SORT_MOST_BY_WARP);
    const size_t from = first_segment<S>(params, segments, window);
    __syncthreads();
    const bool fits =
        list_short_segments<S>(params, shared, lists, segments, from, window, elements);
    pieces_wait();
    if (!__syncthreads_and(fits))
        return false;
    sort_listed_in_tile<S>(lists, params.flip, tile);
    __syncthreads();
    for (unsigned place = shared.first + threadIdx.x; place < shared.last; place += S::THREADS)
        params.keys_out[window + place] = tile[place];
    return true;
}

#endif
