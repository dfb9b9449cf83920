/*
 * A stable merge sort by an order of the caller's: CALLER has E, SIZE, ALIGNMENT, LOADS = false and
 * bool relate(E, E), whether the first comes before the second. Two kernels; a block has one tile at a time:
 *
 *     custom_sort_tiles   sorts tiles: each thread its elements in registers, then runs are merged in shared memory
 *     custom_merge_runs   one pass that merges runs by two. Warps find by the merge path where the tile begins and ends
 *                         in both runs (find_parts()), and the threads merge what lies between
 *
 * Both load a tile to shared memory, merge there (merge_own()), and store from there, in whole lines. Whatever the
 * relation says, a part lies within its run.
 *
 * Source: O. Green, R. McColl, D. Bader, GPU Merge Path, ICS 2012.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_SORT_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_SORT_CUH

#include "scan/cuda/first_not.cuh"
#include "scan/runtime/custom_call.cuh"

template <typename CALLER>
struct sort_shape {
    typedef typename CALLER::E E;
    typedef typename unit_of<unit_of_caller<CALLER>()>::type U;
    enum : unsigned {
        THREADS = CUSTOM_SORT_THREADS,
        ITEMS = CUSTOM_SORT_ITEMS(CALLER::SIZE), /* of a thread */
        TILE = THREADS * ITEMS,
        UNITS = CALLER::SIZE / sizeof(U), /* of an element */
        ELEMENTS = TILE + 1,              /* a merge reads one element beyond its part */
        ROOM = (ELEMENTS * CALLER::SIZE + 15) / 16 * 16
    };
};

/* A block's shared memory. */
template <typename CALLER>
struct sort_room {
    __align__(16) unsigned char bytes[sort_shape<CALLER>::ROOM];
    size_t paths[2]; /* of a tile's begin and end */
};

/* A tile in shared memory. */
template <typename CALLER>
struct sort_tile {
    typedef sort_shape<CALLER> S;
    typedef typename S::E E;
    typedef typename S::U U;
    unsigned char *bytes;
    unsigned count; /* elements */

    __device__ __forceinline__ E &operator[](unsigned i) const { return ((E *)bytes)[i]; }

    /* The first `of_a` elements from a, the others from b. */
    __device__ __forceinline__ void load(const void *a, unsigned of_a, const void *b) const
    {
        const unsigned units = count * S::UNITS, first = of_a * S::UNITS, AT_ONCE = 8;
#pragma unroll 1
        for (unsigned base = threadIdx.x; base < units; base += AT_ONCE * S::THREADS) {
            U x[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++) {
                const unsigned at = base + k * S::THREADS;
                if (at < units)
                    x[k] = at < first ? ((const U *)a)[at] : ((const U *)b)[at - first];
            }
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                if (base + k * S::THREADS < units)
                    ((U *)bytes)[base + k * S::THREADS] = x[k];
        }
    }
    __device__ __forceinline__ void store(void *out) const
    {
        const unsigned units = count * S::UNITS;
#pragma unroll 4
        for (unsigned at = threadIdx.x; at < units; at += S::THREADS)
            ((U *)out)[at] = ((const U *)bytes)[at];
    }
    /* The elements of this thread: there may be fewer than ITEMS. */
    __device__ __forceinline__ unsigned own() const
    {
        const unsigned first = threadIdx.x * S::ITEMS;
        return first >= count ? 0 : count - first < S::ITEMS ? count - first : S::ITEMS;
    }
    __device__ __forceinline__ void put_own(const E (&x)[S::ITEMS]) const
    {
#pragma unroll
        for (unsigned k = 0; k < S::ITEMS; k++)
            if (k < own())
                (*this)[threadIdx.x * S::ITEMS + k] = x[k];
    }
    /* Merges the runs [begin, middle) and [middle, end) as far as the output is this thread's own. */
    __device__ __forceinline__ void merge_own(unsigned begin, unsigned middle, unsigned end,
                                              E (&x)[S::ITEMS]) const
    {
        if (own() == 0)
            return;
        const unsigned diagonal = threadIdx.x * S::ITEMS - begin, of_a = middle - begin;
        const unsigned of_b = end - middle;
        unsigned i = first_not(diagonal > of_b ? diagonal - of_b : 0,
                               diagonal < of_a ? diagonal : of_a, [&](unsigned k) {
                                   return !CALLER::relate((*this)[middle + diagonal - 1 - k],
                                                          (*this)[begin + k]);
                               });
        unsigned j = middle + (diagonal - i);
        i += begin;
        E a = (*this)[i], b = (*this)[j];
#pragma unroll
        for (unsigned k = 0; k < S::ITEMS; k++)
            if (k < own()) {
                const bool next_is_a = j >= end || (i < middle && !CALLER::relate(b, a));
                x[k] = next_is_a ? a : b;
                if (next_is_a)
                    a = (*this)[++i];
                else
                    b = (*this)[++j];
            }
    }
};

/* Sorts the first `own` elements of a thread: neighbours change places. */
template <typename CALLER, unsigned ITEMS>
static __device__ __forceinline__ void sort_own(typename CALLER::E (&x)[ITEMS], unsigned own)
{
#pragma unroll 1
    for (unsigned round = 0; round < ITEMS; round += 2)
#pragma unroll
        for (unsigned first = 0; first < 2; first++)
#pragma unroll
            for (unsigned k = first; k + 1 < ITEMS; k += 2)
                if (k + 1 < own && CALLER::relate(x[k + 1], x[k])) {
                    const typename CALLER::E later = x[k];
                    x[k] = x[k + 1];
                    x[k + 1] = later;
                }
}

/* Sorts a tile that is loaded. */
template <typename CALLER>
static __device__ __forceinline__ void sort_loaded(const sort_tile<CALLER> &tile)
{
    typedef sort_shape<CALLER> S;
    typename S::E x[S::ITEMS];
#pragma unroll
    for (unsigned k = 0; k < S::ITEMS; k++)
        if (k < tile.own())
            x[k] = tile[threadIdx.x * S::ITEMS + k];
    sort_own<CALLER>(x, tile.own());
#pragma unroll 1
    for (unsigned run = 1; run * S::ITEMS < tile.count; run *= 2) { /* of so many threads */
        const unsigned begin = threadIdx.x / (2 * run) * (2 * run) * S::ITEMS;
        const unsigned middle = begin + run * S::ITEMS, end = middle + run * S::ITEMS;
        tile.put_own(x);
        __syncthreads();
        tile.merge_own(begin, middle < tile.count ? middle : tile.count,
                       end < tile.count ? end : tile.count, x);
        __syncthreads();
    }
    tile.put_own(x);
    __syncthreads();
}

template <typename CALLER>
static __device__ __forceinline__ void custom_sort_tiles(const custom_sort &given)
{
    typedef sort_shape<CALLER> S;
    __shared__ sort_room<CALLER> room;
    wait_for_previous_kernel();
    const size_t n = elements_of(given.call);
#pragma unroll 1
    for (size_t at = (size_t)blockIdx.x * S::TILE; at < n; at += (size_t)gridDim.x * S::TILE) {
        const unsigned count = n - at < S::TILE ? (unsigned)(n - at) : S::TILE;
        const sort_tile<CALLER> tile = {room.bytes, count};
        tile.load((const char *)given.call.in + at * CALLER::SIZE, tile.count, nullptr);
        __syncthreads();
        sort_loaded(tile);
        tile.store((char *)given.call.out + at * CALLER::SIZE);
        __syncthreads();
    }
}

/* The tile of the output that begins at `at`: its parts are a[i..i + of_a) and b[j..). */
template <typename CALLER>
struct merged_parts {
    const char *a, *b;
    size_t i, j;
    unsigned of_a, count;
};

/* How many of the first `diagonal` elements of a merge are a's. By all lanes of a warp. */
template <typename CALLER>
static __device__ __forceinline__ size_t path_by_warp(const char *a, size_t of_a, const char *b,
                                                      size_t of_b, size_t diagonal)
{
    return first_not_by_warp(diagonal > of_b ? diagonal - of_b : 0,
                             diagonal < of_a ? diagonal : of_a, threadIdx.x % 32, [&](size_t k) {
                                 return !CALLER::relate(fetch_element<CALLER>(b, diagonal - 1 - k),
                                                        fetch_element<CALLER>(a, k));
                             });
}

/* By all threads. */
template <typename CALLER>
static __device__ __forceinline__ merged_parts<CALLER>
find_parts(const custom_sort &given, size_t n, size_t at, size_t (&paths)[2])
{
    typedef sort_shape<CALLER> S;
    const size_t begin = (at / S::TILE & ~(2 * given.run - 1)) * S::TILE;
    const size_t run = given.run * S::TILE, rest = n - begin;
    const size_t of_a = rest < run ? rest : run;
    const size_t of_b = rest - of_a < run ? rest - of_a : run;
    const size_t left = of_a + of_b - (at - begin);
    merged_parts<CALLER> parts;
    parts.a = (const char *)given.call.in + begin * CALLER::SIZE;
    parts.b = parts.a + of_a * CALLER::SIZE;
    parts.count = left < S::TILE ? (unsigned)left : S::TILE;
    const unsigned warp = threadIdx.x / 32;
    if (warp < 2) {
        const size_t path = path_by_warp<CALLER>(parts.a, of_a, parts.b, of_b,
                                                 at - begin + (warp == 0 ? 0 : parts.count));
        if (threadIdx.x % 32 == 0)
            paths[warp] = path;
    }
    __syncthreads();
    parts.i = paths[0];
    parts.j = at - begin - parts.i;
    const size_t count = parts.count, rest_a = of_a - parts.i, rest_b = of_b - parts.j;
    const size_t least = count > rest_b ? count - rest_b : 0,
                 most = count < rest_a ? count : rest_a;
    const size_t found = paths[1] < parts.i ? 0 : paths[1] - parts.i;
    parts.of_a = (unsigned)(found < least ? least : found > most ? most : found);
    return parts;
}

template <typename CALLER>
static __device__ __forceinline__ void custom_merge_runs(const custom_sort &given)
{
    typedef sort_shape<CALLER> S;
    __shared__ sort_room<CALLER> room;
    wait_for_previous_kernel();
    const size_t n = elements_of(given.call);
#pragma unroll 1
    for (size_t at = (size_t)blockIdx.x * S::TILE; at < n; at += (size_t)gridDim.x * S::TILE) {
        const merged_parts<CALLER> parts = find_parts<CALLER>(given, n, at, room.paths);
        const sort_tile<CALLER> tile = {room.bytes, parts.count};
        typename S::E x[S::ITEMS];
        tile.load(parts.a + parts.i * CALLER::SIZE, parts.of_a, parts.b + parts.j * CALLER::SIZE);
        __syncthreads();
        tile.merge_own(0, parts.of_a, parts.count, x);
        __syncthreads();
        tile.put_own(x);
        __syncthreads();
        tile.store((char *)given.call.out + at * CALLER::SIZE);
        __syncthreads();
    }
}

#endif
