/*
 * Set operations on CUDA, in one pass over the tiles of the merge of both arrays. Of an element that stands
 * k times in a and k2 times in b, the first min(k, k2) in each array are partners; the operation takes or leaves
 * elements by whether they have one. In the merge all of a's come before b's. So
 *
 *     element r of a's k (from 0)    has a partner if b has an equal one r after its first
 *     element r of b's k2            has a partner if r < k, which is known where b's are passed
 *
 * for which a thread knows where the run of equal elements begins in both arrays. Of a run that began before
 * the thread's part it searches the tile, and of the one that began before the tile a warp has searched
 * the arrays. The elements that are taken are counted, the look-back tells the tile's place in the output, and
 * they are moved through shared memory.
 */
#ifndef PARSCAN_APPS_JOIN_SET_TILES_CUH
#define PARSCAN_APPS_JOIN_SET_TILES_CUH

#include "apps/join/pair_lengths.cuh"
#include "apps/join/set_cuda.h"
#include "scan/cuda/block_prefix.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/tile_prefix.cuh"

struct set_at_lengths : pair_at_lengths<set_params> {
    tile_chain chain;
};

template <typename KEY>
struct set_shape {
    typedef typename KEY::Bits Bits;
    /* Of the warps that have elements; one more searches. */
    static const unsigned WARPS = 7, THREADS = 32 * WARPS, ALL_THREADS = THREADS + 32;
    static const unsigned BLOCKS = 3; /* of a multiprocessor */
    static const unsigned ITEMS = sizeof(Bits) == 8 ? 11 : 15, TILE = THREADS * ITEMS;
    /* Codes of a tile, and what threads read beyond them. */
    static const size_t CODE_BYTES = (TILE + ITEMS + 1) * sizeof(Bits) / 16 * 16 + 16;
};

/* A tile in both arrays. */
struct set_place {
    size_t i, j;         /* the tile begins with a[i] and b[j] */
    size_t run_a, run_b; /* elements before it that equal its first one */
    unsigned of_a;       /* its elements that are a's */
};

/* What a block shares. */
template <typename KEY>
struct set_shared {
    set_place places[2]; /* of the block's tiles with an even number, and of the others */
    uint32_t sums[set_shape<KEY>::WARPS];
    uint32_t epoch;
    uint64_t before; /* elements of the output before the block's last tile whose place is known */
};

/* The warps that have elements wait for each other. */
template <typename KEY>
static __device__ __forceinline__ void wait_for_elements()
{
    warps_sync<set_shape<KEY>::WARPS>(1);
}

/* Finds a tile that begins so many elements after a[i] and b[j]. By all lanes of a warp. */
template <typename KEY>
static __device__ __forceinline__ void find_tile(const merge_keys<KEY> &keys, size_t i, size_t j,
                                                 size_t after, unsigned lane, set_place *found)
{
    typedef typename KEY::Bits Bits;
    const size_t passed = cross_by_warp(keys, i, j, after, lane);
    set_place place = {i + passed, j + (after - passed), 0, 0, 0};
    const size_t left = keys.n - place.i + (keys.n2 - place.j);
    const unsigned count = left < set_shape<KEY>::TILE ? (unsigned)left : set_shape<KEY>::TILE;
    place.of_a = (unsigned)cross_by_warp(keys, place.i, place.j, count, lane);
    const Bits last = (Bits) ~(Bits)0, a = place.i < keys.n ? keys.rank_a(place.i) : last;
    const Bits b = place.j < keys.n2 ? keys.rank_b(place.j) : last, first = a < b ? a : b;
    if (place.i > 0 && keys.rank_a(place.i - 1) == first)
        place.run_a = place.i - below_by_warp(keys, keys.a, place.i, first, lane);
    if (place.j > 0 && keys.rank_b(place.j - 1) == first)
        place.run_b = place.j - below_by_warp(keys, keys.b, place.j, first, lane);
    if (lane == 0)
        *found = place;
}

/* A thread's part of a tile, and where the run of equal elements begins that it is in. */
template <typename KEY>
struct set_steps : merge_steps<KEY> {
    typedef typename KEY::Bits Bits;
    const merge_keys<KEY> &keys;
    const set_place &place;
    Bits run;
    bool is_first;         /* the run that the tile begins with, which may begin before it */
    unsigned run_a, run_b; /* where the run begins in the tile's part of a and of b */

    __device__ __forceinline__ set_steps(const merge_keys<KEY> &of, const set_place &at,
                                         const merge_tile<KEY> &tile, unsigned diagonal)
        : merge_steps<KEY>(tile, diagonal), keys(of), place(at)
    {
        const unsigned i = this->i, j = this->j - tile.of_a;
        run = this->next_is_a() ? this->a_rank : this->b_rank;
        is_first = run == first_of_tile(tile);
        run_a = is_first ? 0 : i;
        run_b = is_first ? 0 : j;
        if (!is_first && ((i > 0 && tile.rank(i - 1) == run) ||
                          (j > 0 && tile.rank(tile.of_a + j - 1) == run))) {
            run_a = first_not(0, i, [&](unsigned k) { return tile.rank(k) < run; });
            run_b = first_not(0, j, [&](unsigned k) { return tile.rank(tile.of_a + k) < run; });
        }
    }
    static __device__ __forceinline__ Bits first_of_tile(const merge_tile<KEY> &tile)
    {
        if (tile.of_a == 0 || tile.of_a == tile.count)
            return tile.rank(0);
        const Bits a = tile.rank(0), b = tile.rank(tile.of_a);
        return a < b ? a : b;
    }
    /* How many more equal elements a has before the next step than b has before b[at]. */
    __device__ __forceinline__ long long more_of_a() const
    {
        const int more = (int)(this->i - run_a) + (int)run_b;
        return is_first ? more + (long long)(place.run_a - place.run_b) : more;
    }
    /* Whether the element that a's next one would be the partner of equals it. It may be beyond the tile. */
    __device__ __forceinline__ bool has_partner() const
    {
        const merge_tile<KEY> &tile = this->tile;
        const size_t at = (size_t)more_of_a(); /* in b, from the tile's first one on */
        if (at < tile.count - tile.of_a)
            return tile.rank(tile.of_a + (unsigned)at) == run;
        return place.j + at < keys.n2 && keys.rank_b(place.j + at) == run;
    }
    /* Whether the next element, which is a's or not, belongs to the result. */
    __device__ __forceinline__ bool takes(const set_rule &rule, bool is_a)
    {
        const Bits rank = is_a ? this->a_rank : this->b_rank;
        const unsigned j = this->j - this->tile.of_a;
        if (rank != run)
            run = rank, run_a = this->i, run_b = j, is_first = false;
        if (is_a)
            return rule.of_a == rule.of_both || has_partner() ? rule.of_both : rule.of_a;
        return rule.of_b && (long long)j >= more_of_a();
    }
};

/* Finds which elements of this thread's part are taken: bit k tells it of codes[k]. */
template <typename KEY>
static __device__ __forceinline__ uint32_t
take_part(const set_params &params, const merge_keys<KEY> &keys, const set_place &place,
          const merge_tile<KEY> &tile, typename KEY::Bits (&codes)[set_shape<KEY>::ITEMS])
{
    const unsigned diagonal = threadIdx.x * set_shape<KEY>::ITEMS;
    uint32_t taken = 0;
    if (diagonal >= tile.count)
        return 0;
    set_steps<KEY> steps(keys, place, tile, diagonal);
#pragma unroll
    for (unsigned k = 0; k < set_shape<KEY>::ITEMS; k++) {
        const bool is_a = steps.next_is_a();
        codes[k] = is_a ? steps.a : steps.b;
        if (diagonal + k < tile.count)
            taken |= (uint32_t)steps.takes(params.rule, is_a) << k;
        steps.pass(is_a);
    }
    return taken;
}

/* Finds the number of elements before a tile, from that before the block's tile before it. By all lanes of a
   warp. */
static __device__ __forceinline__ void find_before(const tile_chain &chain, uint32_t epoch,
                                                   size_t tile, uint64_t *before)
{
    const unsigned lane = threadIdx.x % 32;
    const size_t known = tile >= gridDim.x ? tile - gridDim.x : 0;
    const uint32_t more = tile_look_back<parscan_operator_SUM, uint32_t>(
        parscan_operator_SUM(), chain, epoch, known, tile, lane);
    if (lane == 0)
        *before += more;
}

/* The end of the call: what has been counted. By one thread. */
static __device__ __forceinline__ void tell_count(const set_params &params, uint64_t count)
{
    *params.count = count;
    if (params.keys.out != NULL && count > params.capacity)
        leave_capacity(params.exceeded, count);
}

/* Counts what the threads have taken, moves it to the beginning of the tile's codes, and finds the tile's
   place in the output. Returns the number of all. */
template <typename KEY>
static __device__ __forceinline__ uint32_t
place_taken(const tile_chain &chain, size_t number, uint32_t taken,
            const typename KEY::Bits (&codes)[set_shape<KEY>::ITEMS], const merge_tile<KEY> &tile,
            set_shared<KEY> &shared)
{
    const unsigned WARPS = set_shape<KEY>::WARPS;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t mine = (uint32_t)__popc(taken);
    const uint32_t through = prefix_in_warp(mine, shared.sums, warp, lane);
    wait_for_elements<KEY>(); /* nobody reads codes any more */
    const uint32_t all = with_warps_before<WARPS>(0u, shared.sums, WARPS);
    if (threadIdx.x == 0)
        tile_publish(chain, shared.epoch, number, all);
    uint32_t at = with_warps_before<WARPS>(through, shared.sums, warp) - mine;
#pragma unroll
    for (unsigned k = 0; k < set_shape<KEY>::ITEMS; k++)
        if (taken >> k & 1)
            tile.codes[at++] = codes[k];
    if (warp == 0)
        find_before(chain, shared.epoch, number, &shared.before);
    wait_for_elements<KEY>();
    return all;
}

/* Takes the elements of a tile and writes them. */
template <typename KEY>
static __device__ __forceinline__ void
write_set(const set_at_lengths &params, const merge_keys<KEY> &keys, size_t number,
          const set_place &place, const merge_tile<KEY> &tile, set_shared<KEY> &shared)
{
    typedef typename KEY::Bits Bits;
    const unsigned THREADS = set_shape<KEY>::THREADS;
    Bits codes[set_shape<KEY>::ITEMS];
    load_tile<THREADS, set_shape<KEY>::ITEMS>(keys, place.i, place.j, tile);
    wait_for_elements<KEY>();
    const uint32_t taken = take_part(params, keys, place, tile, codes);
    const uint32_t all = place_taken(params.chain, number, taken, codes, tile, shared);
    const uint64_t first = shared.before;
    const uint64_t room =
        params.keys.out != NULL && first < params.capacity ? params.capacity - first : 0;
    const uint32_t written = all < room ? all : (uint32_t)room;
    Bits *const out = (Bits *)params.keys.out + (written > 0 ? first : 0);
#pragma unroll 4
    for (uint32_t k = threadIdx.x; k < written; k += THREADS)
        out[k] = keys.key(tile.codes[k]);
    if (threadIdx.x == 0 && number * set_shape<KEY>::TILE + tile.count == keys.n + keys.n2)
        tell_count(params, first + all);
}

template <typename KEY>
static __global__ void __launch_bounds__(set_shape<KEY>::ALL_THREADS,
                                         BLOCKS_HELD(set_shape<KEY>::ALL_THREADS,
                                                     set_shape<KEY>::BLOCKS))
    set_tiles(const __grid_constant__ set_at_lengths params)
{
    typedef set_shape<KEY> S;
    typedef typename KEY::Bits Bits;
    extern __shared__ __align__(16) unsigned char codes[];
    __shared__ set_shared<KEY> shared;
    const unsigned lane = threadIdx.x % 32;
    const bool searches = threadIdx.x >= S::THREADS;
    wait_for_previous_kernel();
    const merge_keys<KEY> keys = params.template keys_there<KEY>();
    const size_t n = keys.n + keys.n2, tiles = n / S::TILE + (n % S::TILE != 0);
    if (threadIdx.x == 0) {
        shared.epoch = tile_chain_begin(params.chain);
        shared.before = 0;
    }
    if (searches && blockIdx.x < tiles)
        find_tile(keys, 0, 0, (size_t)blockIdx.x * S::TILE, lane, &shared.places[0]);
    __syncthreads();
    if (tiles == 0 && blockIdx.x == 0 && threadIdx.x == 0)
        tell_count(params, 0);
    unsigned turn = 0;
#pragma unroll 1
    for (size_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        const set_place &place = shared.places[turn];
        const size_t left = n - number * S::TILE;
        if (!searches) {
            const merge_tile<KEY> tile = {(Bits *)codes, place.of_a,
                                          left < S::TILE ? (unsigned)left : S::TILE};
            write_set(params, keys, number, place, tile, shared);
        } else if (number + gridDim.x < tiles) {
            find_tile(keys, place.i, place.j, (size_t)gridDim.x * S::TILE, lane,
                      &shared.places[turn ^ 1]);
        }
        turn ^= 1;
        __syncthreads();
    }
    tile_chain_end(params.chain, shared.epoch);
}

#endif
