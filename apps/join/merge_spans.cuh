/*
 * Merges on CUDA. Each block has a span of the output, as long as the others'. It searches both arrays
 * for the beginning of its span once, then takes tile after tile:
 *
 *     load     both parts of the tile to shared memory
 *     merge    each thread finds its part by the merge path and merges it, to registers
 *     store    through shared memory, so that whole lines are written. With values the threads note
 *              which elements they are in place of the keys; then both are fetched and written
 *
 * Another warp meanwhile searches for the end of the next tile, which has only as many places as a tile
 * has elements. So each element is read from memory once and written once. Values are read twice in part: what a warp
 * fetches at once is two runs, whose ends share sectors with the next warp's.
 */
#ifndef PARSCAN_APPS_JOIN_MERGE_SPANS_CUH
#define PARSCAN_APPS_JOIN_MERGE_SPANS_CUH

#include "apps/join/merge_cuda.h"
#include "apps/join/pair_lengths.cuh"
#include "scan/cuda/launch.cuh"

typedef pair_at_lengths<merge_params> merge_at_lengths;

/* The blocks of a multiprocessor that have enough registers. */
template <bool VALUES, typename KEY>
static constexpr unsigned merge_blocks()
{
    return sizeof(typename KEY::Bits) == 8 ? 5 : VALUES ? 6 : 7;
}

/* An odd number of elements a thread, so that the threads of a warp store to different banks. */
template <typename KEY>
struct merge_shape {
    typedef typename KEY::Bits Bits;
    static const unsigned WARPS = 4, THREADS = 32 * WARPS; /* that merge; one more searches */
    static const unsigned ALL_THREADS = THREADS + 32, MOST_ITEMS = sizeof(Bits) == 8 ? 15 : 23;
    /* Codes of a tile, and what threads without elements read beyond them. */
    static const size_t CODE_BYTES = ((THREADS + 1) * MOST_ITEMS + 1) * sizeof(Bits) / 16 * 16 + 16;
    static const size_t PLACE_BYTES = THREADS * MOST_ITEMS * sizeof(uint16_t);
};

/* A tile, and the span that it is in. */
template <typename KEY>
struct merge_place {
    size_t at, end; /* of the output */
    size_t i;       /* the tile begins with a[i] and b[at - i] */
    unsigned items; /* of a thread */

    __device__ __forceinline__ unsigned count_at(size_t begin) const
    {
        const unsigned most = items * merge_shape<KEY>::THREADS;
        return end - begin < most ? (unsigned)(end - begin) : most;
    }
};

/* The span of this block. The tiles of small spans are small too, so that all threads have some. */
template <typename KEY>
static __device__ __forceinline__ merge_place<KEY> span_of_block(size_t n, size_t least)
{
    typedef merge_shape<KEY> S;
    const size_t LINE = 128, even = (n + gridDim.x - 1) / gridDim.x;
    const size_t wanted = even < least ? least : even;
    const size_t span = (wanted + LINE - 1) / LINE * LINE, at = blockIdx.x * span;
    merge_place<KEY> place;
    place.at = at < n ? at : n;
    place.end = n - place.at < span ? n : place.at + span;
    const size_t items = ((span + S::THREADS - 1) / S::THREADS) | 1;
    place.items = items < S::MOST_ITEMS ? (unsigned)items : S::MOST_ITEMS;
    return place;
}

/* Moves the values of a tile. places: of each element of the output, its place in the tile. */
template <typename KEY, typename UNIT>
static __device__ __forceinline__ void
move_units(const merge_values &values, const merge_place<KEY> &place, const merge_tile<KEY> &tile,
           const uint16_t *places)
{
    const unsigned THREADS = merge_shape<KEY>::THREADS, EACH = sizeof(UNIT) == 16 ? 4 : 8;
    const unsigned units = values.units, all = tile.count * units;
    const UNIT *const a = (const UNIT *)values.a + place.i * units;
    const UNIT *const b = (const UNIT *)values.b + (place.at - place.i) * units;
    UNIT *const out = (UNIT *)values.out + place.at * units;
#pragma unroll 1
    for (unsigned base = threadIdx.x; base < all; base += EACH * THREADS) {
        UNIT moved[EACH];
#pragma unroll
        for (unsigned k = 0; k < EACH; k++) {
            const unsigned unit = base + k * THREADS < all ? base + k * THREADS : all - 1;
            const unsigned value = units == 1 ? unit : unit / units;
            const unsigned from = places[value], part = unit - value * units;
            moved[k] =
                from < tile.of_a ? a[from * units + part] : b[(from - tile.of_a) * units + part];
        }
#pragma unroll
        for (unsigned k = 0; k < EACH; k++)
            if (base + k * THREADS < all)
                out[base + k * THREADS] = moved[k];
    }
}

template <typename KEY>
static __device__ __forceinline__ void
move_values(const merge_values &values, const merge_place<KEY> &place, const merge_tile<KEY> &tile,
            const uint16_t *places)
{
    switch (values.unit) {
    case 16:
        return move_units<KEY, uint4>(values, place, tile, places);
    case 8:
        return move_units<KEY, uint64_t>(values, place, tile, places);
    case 4:
        return move_units<KEY, uint32_t>(values, place, tile, places);
    case 2:
        return move_units<KEY, uint16_t>(values, place, tile, places);
    default:
        return move_units<KEY, uint8_t>(values, place, tile, places);
    }
}

/* Merges this thread's part: to[k] becomes the place of its element k, or else its code. */
template <bool PLACES, typename KEY, typename TO>
static __device__ __forceinline__ void merge_part(const merge_tile<KEY> &tile, unsigned items,
                                                  TO (&to)[merge_shape<KEY>::MOST_ITEMS])
{
    const unsigned diagonal = threadIdx.x * items;
    merge_steps<KEY> steps(tile, diagonal < tile.count ? diagonal : tile.count);
#pragma unroll
    for (unsigned k = 0; k < merge_shape<KEY>::MOST_ITEMS; k++) {
        const bool of_a = steps.next_is_a();
        if constexpr (PLACES)
            to[k] = (TO)(of_a ? steps.i : steps.j);
        else
            to[k] = of_a ? steps.a : steps.b;
        steps.pass(of_a);
    }
}

/* Stores what the threads have, in the order of the output. */
template <typename KEY, typename TO>
static __device__ __forceinline__ void put_part(const TO (&from)[merge_shape<KEY>::MOST_ITEMS],
                                                unsigned items, unsigned count, TO *to)
{
    const unsigned first = threadIdx.x * items;
#pragma unroll
    for (unsigned k = 0; k < merge_shape<KEY>::MOST_ITEMS; k++) {
        if (k < items && first + k < count)
            to[first + k] = from[k];
    }
}

/* The warps that merge wait for each other. */
template <typename KEY>
static __device__ __forceinline__ void wait_for_warps()
{
    warps_sync<merge_shape<KEY>::WARPS>(1);
}

/* Merges a tile that is in shared memory, and writes it. */
template <bool VALUES, typename KEY>
static __device__ __forceinline__ void
write_tile(const merge_params &params, const merge_keys<KEY> &keys, const merge_place<KEY> &place,
           const merge_tile<KEY> &tile, uint16_t *places)
{
    typedef typename KEY::Bits Bits;
    const unsigned THREADS = merge_shape<KEY>::THREADS;
    Bits *const out = (Bits *)params.keys.out + place.at;
    if constexpr (VALUES) {
        uint16_t part[merge_shape<KEY>::MOST_ITEMS];
        merge_part<true>(tile, place.items, part);
        put_part<KEY>(part, place.items, tile.count, places);
        wait_for_warps<KEY>();
        for (unsigned k = threadIdx.x; k < tile.count; k += THREADS)
            out[k] = keys.key(tile.codes[places[k]]);
        move_values(params.values, place, tile, places);
    } else {
        Bits part[merge_shape<KEY>::MOST_ITEMS];
        merge_part<false>(tile, place.items, part);
        wait_for_warps<KEY>(); /* nobody reads the codes any more */
        put_part<KEY>(part, place.items, tile.count, tile.codes);
        wait_for_warps<KEY>();
#pragma unroll 4
        for (unsigned k = threadIdx.x; k < tile.count; k += THREADS)
            out[k] = keys.key(tile.codes[k]);
    }
}

/* What the last warp finds: how many of the tile's elements are a's; of the first tile also where it begins. */
struct merge_found {
    size_t first, of_a[2]; /* of tiles with an even number, and of the others */
};

template <typename KEY>
static __device__ __forceinline__ void find_first(const merge_keys<KEY> &keys,
                                                  const merge_place<KEY> &place, merge_found *found)
{
    const unsigned lane = threadIdx.x % 32;
    const size_t i = cross_by_warp(keys, 0, 0, place.at, lane);
    const size_t of_a = cross_by_warp(keys, i, place.at - i, place.count_at(place.at), lane);
    if (lane == 0)
        found->first = i, found->of_a[0] = of_a;
}

template <bool VALUES, typename KEY>
static __global__ void __launch_bounds__(merge_shape<KEY>::ALL_THREADS,
                                         BLOCKS_HELD(merge_shape<KEY>::ALL_THREADS,
                                                     (merge_blocks<VALUES, KEY>())))
    merge_spans(const __grid_constant__ merge_at_lengths params)
{
    typedef merge_shape<KEY> S;
    typedef typename KEY::Bits Bits;
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ merge_found found;
    const bool searches = threadIdx.x >= S::THREADS;
    wait_for_previous_kernel();
    const merge_keys<KEY> keys = params.template keys_there<KEY>();
    merge_place<KEY> place = span_of_block<KEY>(keys.n + keys.n2, params.least_span);
    if (place.at == place.end)
        return;
    if (searches)
        find_first(keys, place, &found);
    __syncthreads();
    place.i = found.first;
#pragma unroll 1
    for (unsigned turn = 0; place.at < place.end; turn ^= 1) {
        const unsigned count = place.count_at(place.at);
        const merge_tile<KEY> tile = {(Bits *)shared, (unsigned)found.of_a[turn], count};
        const size_t next = place.at + count, next_i = place.i + tile.of_a;
        if (!searches) {
            load_tile<S::THREADS, S::MOST_ITEMS>(keys, place.i, place.at - place.i, tile);
            wait_for_warps<KEY>();
            write_tile<VALUES>(params, keys, place, tile, (uint16_t *)(shared + S::CODE_BYTES));
        } else if (next < place.end) {
            const size_t of_a =
                cross_by_warp(keys, next_i, next - next_i, place.count_at(next), threadIdx.x % 32);
            if (threadIdx.x == S::THREADS)
                found.of_a[turn ^ 1] = of_a;
        }
        __syncthreads();
        place.at = next;
        place.i = next_i;
    }
}

#endif
