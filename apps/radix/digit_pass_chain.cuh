/*
 * The chain's warps of a digit pass (digit_pass_kernels.cuh): counts of a tile become places, and prefixes over tiles.
 */
#ifndef PARSCAN_APPS_RADIX_DIGIT_PASS_CHAIN_CUH
#define PARSCAN_APPS_RADIX_DIGIT_PASS_CHAIN_CUH

#include "apps/radix/digit_groups.cuh"
#include "apps/radix/digit_tile_kernels.cuh"
#include "scan/cuda/block_prefix.cuh"

/* The number of keys in the tile with a digit below this thread's two. */
template <typename S>
static __device__ __forceinline__ uint32_t digits_before(digit_pass_shared<S> &shared,
                                                         uint32_t both, unsigned pair)
{
    const unsigned lane = pair % 32, warp = pair / 32;
    const uint32_t through = prefix_in_warp(both, shared.warp_sums, warp, lane);
    warps_sync(GROUP_CHAIN, S::PAIRS);
    return with_warps_before(through, shared.warp_sums, warp) - both;
}

/* The last places where the tile's elements of this thread's digits may begin, `counts` of each. The digits were
   counted in an earlier read of the keys. If the keys have changed since, the elements stay in the output
   all the same. Votes count what is missing in the last tile as elements of the last digit. */
template <typename S>
static __device__ __forceinline__ void
find_last(const digit_pass_params<S> &params, const digit_pass_shared<S> &shared, size_t tile,
          unsigned pair, const uint32_t (&counts)[2], uint64_t (&last)[2])
{
    const size_t n = shared.n, tiles = shared.tiles;
#pragma unroll
    for (unsigned k = 0; k < 2; k++) {
        uint32_t count = counts[k];
        if (S::METHOD == RANK_BY_VOTES && !S::PIECED && !S::Key::HAS_ABSENT && tile + 1 == tiles &&
            2 * pair + k == params.digit(params.beyond))
            count -= (uint32_t)(tiles * S::TILE - n);
        last[k] = S::METHOD == RANK_BY_COUNTS ? opaque(n - count) : n - count;
    }
}

/* Adds what the rows of all ranking warps count of this thread's digits. */
template <typename S>
static __device__ __forceinline__ void sum_rows(const digit_pass_shared<S> &shared, unsigned pair,
                                                uint32_t (&sums)[2])
{
#pragma unroll
    for (unsigned w = 0; w < S::RANKERS; w++) {
        const uint2 counts = ((const uint2 *)shared.rows[w])[pair];
        sums[0] += counts.x;
        sums[1] += counts.y;
    }
}

/* Turns the counts of this thread's digits in the rows into places in the tile, from `local` on. */
template <typename S>
static __device__ __forceinline__ void place_rows(digit_pass_shared<S> &shared, unsigned pair,
                                                  uint32_t local, const uint32_t (&sums)[2])
{
    uint2 place = make_uint2(local, local + sums[0]);
#pragma unroll
    for (unsigned w = 0; w < S::RANKERS; w++) { /* read again, since registers are short */
        const uint2 counts = ((const uint2 *)shared.rows[w])[pair];
        ((uint2 *)shared.rows[w])[pair] = place;
        place.x += counts.x;
        place.y += counts.y;
    }
}

/* *known becomes the prefix through the tile, which is published where look-backs read it. */
template <typename S>
static __device__ __forceinline__ void
chain_digits(const digit_pass_params<S> &params, const digit_chain<S::PAIRS> &digits, size_t tile,
             unsigned pair, const uint32_t (&sums)[2], digit_prefix *known)
{
    const unsigned AT_ONCE = S::AT_ONCE;
    const bool in_groups = S::GROUPED && params.in_groups;
    if (in_groups)
        *known = digit_group_prefix<AT_ONCE>(digits, (uint32_t)tile, pair, sums);
    else
        digit_look_back<AT_ONCE>(digits, tile, pair, known);
    known->before[0] += sums[0];
    known->before[1] += sums[1];
    if (!in_groups) {
        const uint32_t through[2] = {(uint32_t)known->before[0], (uint32_t)known->before[1]};
        digits.publish(tile, pair, through, DIGIT_WORD_INCLUSIVE);
    }
    /* Later tiles wait for what was published, so nothing that follows comes before it. */
    __syncwarp();
}

/* Where the tile's elements of this thread's digits go, less their places in the tile: addresses of keys, or
   indices where there are values. */
template <typename S>
static __device__ __forceinline__ void
store_targets(uint64_t *to, unsigned pair, uint64_t base, const uint64_t (&first)[2],
              const uint64_t (&last)[2], const uint32_t (&sums)[2], uint32_t local)
{
    const unsigned unit = S::HAS_VALUES ? 1 : sizeof(typename S::Bits);
    to[2 * pair] = base + ((first[0] < last[0] ? first[0] : last[0]) - local) * unit;
    to[2 * pair + 1] = base + ((first[1] < last[1] ? first[1] : last[1]) - sums[0] - local) * unit;
}

template <typename S>
static __device__ __forceinline__ void chain_tiles(const digit_pass_params<S> &params,
                                                   digit_pass_shared<S> &shared)
{
    const unsigned pair = threadIdx.x - S::RANKING;
    const digit_chain<S::PAIRS> digits = params.chain;
    const uint64_t base = S::HAS_VALUES ? 0 : (uint64_t)params.keys[params.pass->to];
    const sort_piece *piece = params.pieces;
    uint64_t begin[2];
    if (!S::PIECED)
        memcpy(begin, &params.pass->begin[2 * pair], sizeof begin);
    digit_prefix known = {};
    const uint32_t tiles = shared.tiles;
    unsigned turn = 0;
#pragma unroll 1
    for (size_t tile = shared.block; tile < tiles; tile += gridDim.x) {
        uint32_t sums[2] = {};
        if constexpr (S::PIECED) {
            piece = piece_of(piece, tile);
            memcpy(begin, params.begins + piece->bucket * SORT_PASSES * SORT_DIGITS + 2 * pair,
                   sizeof begin);
        }
        warps_sync(GROUP_COUNTED, S::THREADS);
        if (S::PIECED && pair == 0 && tile + gridDim.x < tiles)
            set_span(piece_of(piece, tile + gridDim.x), tile + gridDim.x, shared);
        sum_rows(shared, pair, sums);
        digits.publish(tile, pair, sums, 0);
        const uint32_t local = digits_before(shared, sums[0] + sums[1], pair);
        if (S::Key::HAS_ABSENT && pair == S::PAIRS - 1)
            shared.present = local + sums[0] + sums[1];
        place_rows(shared, pair, local, sums);
        warps_arrive(GROUP_PLACED, S::THREADS);
        chain_digits(params, digits, tile, pair, sums, &known);
        uint64_t last[2];
        find_last(params, shared, tile, pair, sums, last);
        const uint64_t first[2] = {begin[0] + known.before[0] - sums[0],
                                   begin[1] + known.before[1] - sums[1]};
        store_targets<S>(shared.to[turn], pair, base, first, last, sums, local);
        turn = S::TURNS - 1 - turn;
        warps_arrive(GROUP_KNOWN, S::THREADS);
    }
}

#endif
