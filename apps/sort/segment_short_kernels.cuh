/*
 * How a block sorts the segments of its window where all of them are short. A thread loads a segment
 * from the tile in shared memory, sorts it in its registers by a network of comparisons, and stores it
 * back. A segment that is too long for a thread is sorted by a warp, which compares each key with all
 * others. Where one is too long for a warp, the block does nothing here, and sorts the window by
 * segment_tile_kernels.cuh. A network does not keep the order of equal keys, so this is for keys
 * without values, and only where equal keys have the same bits.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_SHORT_KERNELS_CUH
#define PARSCAN_APPS_SORT_SEGMENT_SHORT_KERNELS_CUH

#include <type_traits>

#include "apps/radix/key_order.cuh"
#include "apps/sort/segment_find_kernels.cuh"
#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_source.cuh"

/* The longest segment that a thread sorts, and the longest that a warp sorts. */
#define SORT_MOST_BY_THREAD 32u
#define SORT_MOST_BY_WARP 128u

template <typename WORD>
static __device__ __forceinline__ void exchange(WORD &low, WORD &high)
{
    const WORD least = low < high ? low : high;
    high = low < high ? high : low;
    low = least;
}

/* Batcher's merge exchange: in round r, sorted runs of 2^r keys are merged to runs of twice the length. */
template <unsigned SIZE, typename WORD>
static __device__ __forceinline__ void sort_by_network(WORD (&keys)[SIZE])
{
#pragma unroll
    for (unsigned r = 0; 1u << r < SIZE; r++)
#pragma unroll
        for (unsigned step = 0; step <= r; step++) {
            const unsigned apart = 1u << (r - step), first = step == 0 ? 0 : apart;
#pragma unroll
            for (unsigned k = 0; k + apart < SIZE; k++)
                if (k >= first && (k - first) / apart % 2 == 0 &&
                    k >> (r + 1) == (k + apart) >> (r + 1))
                    exchange(keys[k], keys[k + apart]);
        }
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

/* Sorts one segment of at most 32 * EACH keys. Called by the whole warp. */
template <unsigned EACH, typename KEY>
static __device__ __forceinline__ void
sort_by_warp(typename KEY::Bits flip, typename KEY::Bits *keys, unsigned length, unsigned lane)
{
    typename KEY::Bits own[EACH];
    unsigned before[EACH] = {}; /* 0 less the number of keys that come before the own */
#pragma unroll
    for (unsigned k = 0; k < EACH; k++)
        own[k] = KEY::encode(keys[lane + k * 32 < length ? lane + k * 32 : 0], flip);
#pragma unroll 4
    for (unsigned other = 0; other < length; other++) {
        const typename KEY::Bits theirs = KEY::encode(keys[other], flip);
#pragma unroll
        for (unsigned k = 0; k < EACH; k++)
            count_before(theirs, other, own[k], lane + k * 32, &before[k]);
    }
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < EACH; k++)
        if (lane + k * 32 < length)
            keys[0 - before[k]] = KEY::decode(own[k], flip);
    __syncwarp();
}

/* The segments of a window in four lists, so that the lanes of a warp have segments of like length: up
   to a quarter of SORT_MOST_BY_THREAD elements, up to half of it, up to all of it, and longer. An entry
   holds the segment's place in the tile, and from bit 16 on its length. Lists 0 and 1 grow from the two
   ends of the first half of `segments`, lists 2 and 3 from those of the second. */
template <typename S>
struct segment_lists {
    static const unsigned MOST = S::THREADS * 4; /* segments */
    uint32_t *segments, *counts;

    static __device__ __forceinline__ unsigned at(unsigned which, unsigned k)
    {
        return which / 2 * MOST + (which % 2 == 0 ? k : MOST - 1 - k);
    }
    /* The entry of list `which` for the lane in a group of 32, or 0 if there is none. */
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
        for (unsigned which = 0; which < SHORT_LENGTHS; which++) {
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

/* Sorts the listed segments of the tile. The block's warps take tasks in turn: a segment of list 3, or 32
   segments of another list. The longest come first. */
template <typename S>
static __device__ __forceinline__ void
sort_listed_in_tile(const segment_lists<S> &lists, typename S::Bits flip, typename S::Bits *tile)
{
    typedef typename S::Key Key;
    const unsigned MOST = SORT_MOST_BY_THREAD, end_3 = lists.counts[3];
    const unsigned end_2 = end_3 + lists.groups(2), end_1 = end_2 + lists.groups(1);
    const unsigned end_0 = end_1 + lists.groups(0);
#pragma unroll 1
    for (unsigned task = threadIdx.x / 32; task < end_0; task += S::WARPS) {
        const uint32_t own = task < end_3   ? lists.segments[lists.at(3, task)]
                             : task < end_2 ? lists.of_lane(2, task - end_3)
                             : task < end_1 ? lists.of_lane(1, task - end_2)
                                            : lists.of_lane(0, task - end_1);
        typename S::Bits *const keys = tile + (own & 0xffff);
        const unsigned length = own >> 16;
        if (task < end_3 && length <= SORT_MOST_BY_WARP / 2)
            sort_by_warp<SORT_MOST_BY_WARP / 64, Key>(flip, keys, length, threadIdx.x % 32);
        else if (task < end_3)
            sort_by_warp<SORT_MOST_BY_WARP / 32, Key>(flip, keys, length, threadIdx.x % 32);
        else if (task < end_2)
            sort_by_thread<MOST, Key>(flip, keys, length);
        else if (task < end_1)
            sort_by_thread<MOST / 2, Key>(flip, keys, length);
        else
            sort_by_thread<MOST / 4, Key>(flip, keys, length);
    }
}

/* Lists the segments that start in a window of so many elements. Looks at MOST segments, from `from` on.
   Returns false if one that starts in the window is too long or is not among them, or if offsets are out
   of order. */
template <typename S>
static __device__ __forceinline__ bool
list_short_segments(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
                    segment_lists<S> &lists, const segment_sizes &sizes, size_t from,
                    uint64_t window, unsigned elements)
{
    const unsigned ALL = 0xffffffffu, AT_ONCE = 2;
    bool fits = true;
    bool ends = false; /* none of the warp's next segments starts in the window */
#pragma unroll 1
    for (unsigned k = 0; k < lists.MOST && !ends; k += AT_ONCE * S::THREADS) {
        uint64_t begins[AT_ONCE], after[AT_ONCE];
#pragma unroll
        for (unsigned m = 0; m < AT_ONCE; m++) {
            const size_t segment = from + k + m * S::THREADS + threadIdx.x;
            begins[m] = params.offset(segment, sizes);
            after[m] = params.offset(segment + 1, sizes);
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
            /* If offsets are right, only one segment reaches the window's end. */
            if (here && end - window >= elements)
                atomicMax(&shared.last, (uint32_t)(end - window));
        }
    }
    /* The last warp has the last of the segments: only it has to have seen the window's end. */
    return fits && (ends || threadIdx.x / 32 < S::WARPS - 1);
}

/* Begins to copy `count` keys, from the window's first on, to shared memory. Returns where the first one
   will be. Before the keys are used, each thread calls pieces_wait(), and then all wait at a barrier. */
template <typename S>
static __device__ __forceinline__ typename S::Bits *
copy_window(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared, size_t n,
            uint64_t window, unsigned count)
{
    const unsigned SIZE = sizeof(typename S::Bits);
    const size_t begin = (uintptr_t)params.keys_in % 16, first = begin + window * SIZE;
    const size_t at = first / 16 * 16;
    const tile_source source = {(unsigned char *)shared.keys,
                                (const char *)params.keys_in - begin + at,
                                cut_bytes(begin, begin + n * SIZE, at,
                                          ((unsigned)(first - at) + count * SIZE + 15) / 16 * 16)};
    for (unsigned b = source.bytes.whole_begin + threadIdx.x * 16; b < source.bytes.whole_end;
         b += S::THREADS * 16)
        copy_piece(source.to + b, source.from + b);
    if (!source.bytes.whole)
        load_ends<typename S::Bits>(source, threadIdx.x, S::THREADS);
    return (typename S::Bits *)(source.to + (first - at));
}

/* Sorts the segments that start in a window. Returns false, and writes nothing to the output, if
   list_short_segments() does. Then no thread uses `shared` any more. */
template <typename S>
static __device__ __forceinline__ bool
sort_short_segments(const segment_params<typename S::Key> &params, segment_tile_shared<S> &shared,
                    const segment_sizes &sizes, uint64_t window)
{
    segment_lists<S> lists = {shared.rows[0], shared.counts};
    static_assert(2 * lists.MOST * sizeof(uint32_t) <= sizeof shared.rows, "the lists must fit");
    const uint64_t rest = sizes.n - window;
    const unsigned elements = rest < params.window ? (unsigned)rest : params.window;
    if (threadIdx.x < SHORT_LENGTHS)
        shared.counts[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        shared.first = S::TILE;
        shared.last = 0;
    }
    typename S::Bits *const tile =
        copy_window(params, shared, sizes.n, window, elements + SORT_MOST_BY_WARP);
    const size_t from = first_segment<S>(params, sizes, window);
    __syncthreads();
    const bool fits = list_short_segments<S>(params, shared, lists, sizes, from, window, elements);
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
