/*
 * One pass of a radix sort on CUDA: every element goes to where its digit's elements go, in one
 * read and one write of the array.
 *
 * A block has warps of two kinds. Rankers hold the keys of a tile in registers, warp after warp,
 * and count their digits in a row of counters a warp; then rank them, 32 at a time, by match masks
 * made of votes, order the tile in shared memory and write it out digit by digit, while the keys of
 * the next tile are on their way. The chain's warps have two digits a lane: as soon as the counts
 * are there they publish them, turn them into places in the tile, and look back over other blocks'
 * tiles while the rankers rank. So a look-back has the time of the ranking, and inclusive prefixes
 * come early, which is what keeps look-backs short.
 *
 * 8 bits by votes cost about 32 instructions for 32 keys, half of all that a pass takes:
 * instructions of the integer pipe are what limits, then shared memory (bench/NOTES.md).
 *
 * Source: A. Adinets, D. Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs,
 * 2022.
 */
#ifndef PARSCAN_APPS_SORT_DIGIT_PASS_KERNELS_CUH
#define PARSCAN_APPS_SORT_DIGIT_PASS_KERNELS_CUH

#include "apps/sort/digit_pass_shape.cuh"
#include "scan/single_pass/pipeline.cuh"

enum { GROUP_COUNTED = 1, GROUP_PLACED = 2, GROUP_KNOWN = 3, GROUP_CHAIN = 4 };

/* The lanes that have the same digit. */
static __device__ __forceinline__ unsigned match_by_votes(unsigned digit)
{
    unsigned same = 0xffffffffu;
#pragma unroll
    for (unsigned b = 0; b < SORT_DIGIT_BITS; b++)
        same = lanes_that_agree(digit, 1u << b, same);
    return same;
}

static __device__ __forceinline__ unsigned match_by_masks(uint32_t *masks, unsigned digit,
                                                          unsigned lane)
{
    atomicOr(masks + digit, 1u << lane);
    __syncwarp();
    const unsigned same = masks[digit];
    __syncwarp();
    if (31 - __clz((int)same) == (int)lane)
        masks[digit] = 0;
    __syncwarp();
    return same;
}

static __device__ __forceinline__ void clear_row(uint32_t *row, unsigned lane)
{
#pragma unroll
    for (unsigned d = 0; d < SORT_DIGITS; d += 128)
        *(uint4 *)(row + d + 4 * lane) = make_uint4(0, 0, 0, 0);
}

/* What a ranker goes by. */
template <typename S>
struct ranker {
    const digit_pass_call<S> &call;
    digit_pass_shared<S> &shared;
    typename S::Bits *staged;
    typename S::AnyValue *staged_values;
    uint32_t *row, *masks; /* of the warp */
    unsigned from, to;     /* places */
    bool encodes, decodes, numbers, drops;
    unsigned lane, part; /* the lane's first element in a tile */

    __device__ bool is_whole(size_t tile) const
    {
        return tile + 1 < call.tiles || call.n % S::TILE == 0;
    }
    __device__ size_t first(size_t tile) const { return tile * S::TILE + part; }
};

/* Key i of a lane is element i * 32 + lane of its warp's part. */
template <typename S>
static __device__ __forceinline__ void load_keys(const ranker<S> &at, size_t tile,
                                                 typename S::Bits (&keys)[S::ITEMS])
{
    if (tile >= at.call.tiles)
        return;
    const size_t first = at.first(tile);
    const typename S::Bits *const source = at.call.keys[at.from] + first;
    if (at.is_whole(tile)) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            keys[i] = __ldcs(source + i * 32);
    } else {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            keys[i] = first + i * 32 < at.call.n ? __ldcs(source + i * 32) : at.call.beyond;
    }
}

/* Keys as they are given become codes; what stands for keys that are not there is one. */
template <typename S>
static __device__ __forceinline__ void encode_keys(const ranker<S> &at, size_t tile,
                                                   typename S::Bits (&keys)[S::ITEMS])
{
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++)
        if (at.first(tile) + i * 32 < at.call.n)
            keys[i] = S::Key::encode(keys[i]);
}

template <typename S>
static __device__ __forceinline__ void load_values(const ranker<S> &at, size_t tile,
                                                   typename S::AnyValue (&values)[S::ITEMS])
{
    typedef typename S::AnyValue Value;
    const size_t first = at.first(tile);
    const Value *const source = (const Value *)at.call.values[at.from] + first;
    if (at.numbers) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            values[i] = (Value)(first + i * 32);
    } else if (at.is_whole(tile)) {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            values[i] = __ldcs(source + i * 32);
    } else {
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            values[i] = first + i * 32 < at.call.n ? __ldcs(source + i * 32) : (Value)0;
    }
}

/* Each key's place in the tile, of MATCHED keys that have these digits. */
template <typename S>
static __device__ __forceinline__ void
rank_keys(const ranker<S> &at, const unsigned (&digits)[S::MATCHED], unsigned (&places)[S::MATCHED])
{
    unsigned same[S::MATCHED], old[S::MATCHED];
#pragma unroll
    for (unsigned k = 0; k < S::MATCHED; k++)
        same[k] = (int)k < (int)S::MASKED ? match_by_masks(at.masks, digits[k], at.lane)
                                          : match_by_votes(digits[k]);
#pragma unroll
    for (unsigned k = 0; k < S::MATCHED; k++) {
        old[k] = 0;
        if (31 - __clz((int)same[k]) == (int)at.lane)
            old[k] = atomicAdd(at.row + digits[k], (unsigned)__popc(same[k]));
        __syncwarp(); /* the next key's leader is another lane */
    }
#pragma unroll
    for (unsigned k = 0; k < S::MATCHED; k++)
        places[k] = __shfl_sync(0xffffffffu, old[k], 31 - __clz((int)same[k])) +
                    __popc(same[k] & ((1u << at.lane) - 1));
}

/* Keys and values go to their places in the tile. */
template <typename S>
static __device__ __forceinline__ void order_tile(const ranker<S> &at,
                                                  const typename S::Bits (&keys)[S::ITEMS],
                                                  const typename S::AnyValue (&values)[S::ITEMS])
{
    /* Digits that were counted are not kept: there are no registers for them. */
    digit_of<typename S::Key> digit = at.call.digit;
    digit.low = forgotten(digit.low);
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i += S::MATCHED) {
        unsigned digits[S::MATCHED], places[S::MATCHED];
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++)
            digits[k] = digit(keys[i + k]);
        rank_keys(at, digits, places);
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++) {
            at.staged[places[k]] = keys[i + k];
            if (S::HAS_VALUES)
                at.staged_values[places[k]] = values[i + k];
        }
    }
}

/* One element of the tile in order; thread t has the elements t, t + RANKING, ... */
template <typename S>
static __device__ __forceinline__ void write_element(const ranker<S> &at, unsigned i)
{
    typedef typename S::AnyValue Value;
    const unsigned place = i * S::RANKING + threadIdx.x;
    const typename S::Bits key = at.staged[place];
    const uint64_t to = at.shared.to[at.call.digit(key)];
    if (!at.drops)
        (at.call.keys[at.to] + threadIdx.x + to)[i * S::RANKING] =
            S::Key::coded && at.decodes ? S::Key::decode(key) : key;
    if (S::HAS_VALUES)
        ((Value *)at.call.values[at.to] + threadIdx.x + to)[i * S::RANKING] =
            at.staged_values[place];
}

template <typename S>
static __device__ __forceinline__ void write_tile(const ranker<S> &at, size_t tile)
{
    if (at.is_whole(tile)) {
#pragma unroll 4 /* the keys of the next tile have the registers */
        for (unsigned i = 0; i < S::ITEMS; i++)
            write_element(at, i);
    } else {
        const unsigned count = (unsigned)(at.call.n - tile * S::TILE);
#pragma unroll 1
        for (unsigned i = 0; i * S::RANKING + threadIdx.x < count; i++)
            write_element(at, i);
    }
}

template <typename S>
static __device__ __forceinline__ void rank_tiles(const ranker<S> &at)
{
    typename S::Bits keys[S::ITEMS];
    typename S::AnyValue values[S::ITEMS];
    load_keys(at, blockIdx.x, keys);
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < at.call.tiles; tile += gridDim.x) {
        if (S::Key::coded && at.encodes)
            encode_keys(at, tile, keys);
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            atomicAdd(at.row + at.call.digit(keys[i]), 1u);
        __syncwarp();
        group_arrive(GROUP_COUNTED, S::THREADS);
        if (S::HAS_VALUES)
            load_values(at, tile, values);
        group_sync(GROUP_PLACED, S::THREADS);
        order_tile(at, keys, values);
        load_keys(at, tile + gridDim.x, keys);
        __syncwarp();
        clear_row(at.row, at.lane);
        group_sync(GROUP_KNOWN, S::THREADS);
        write_tile(at, tile);
    }
}

template <typename S>
static __device__ __forceinline__ ranker<S>
ranker_of(const digit_pass_call<S> &call, digit_pass_shared<S> &shared, unsigned char *stage)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const sort_pass &pass = *call.pass;
    uint32_t *const masks = shared.masks[S::MASKED > 0 ? warp : 0];
    clear_row(shared.rows[warp], lane);
    if (S::MASKED > 0)
        clear_row(masks, lane);
    __syncwarp();
    return {call,
            shared,
            (typename S::Bits *)(stage + digit_pass_bytes<S>::values),
            (typename S::AnyValue *)stage,
            shared.rows[warp],
            masks,
            pass.from,
            pass.to,
            pass.first != 0,
            pass.last != 0,
            call.numbers && pass.first,
            call.drops_keys && pass.last,
            lane,
            warp * 32 * S::ITEMS + lane};
}

/* What all digits before this thread's two have in the tile. */
template <typename S>
static __device__ __forceinline__ uint32_t digits_before(digit_pass_shared<S> &shared,
                                                         uint32_t both, unsigned pair)
{
    const unsigned lane = pair % 32, warp = pair / 32;
    uint32_t sum = both;
#pragma unroll
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const uint32_t before = __shfl_up_sync(0xffffffffu, sum, delta);
        if (lane >= delta)
            sum += before;
    }
    if (lane == 31)
        shared.warp_sums[warp] = sum;
    group_sync(GROUP_CHAIN, S::PAIRS);
    for (unsigned w = 0; w < warp; w++)
        sum += shared.warp_sums[w];
    return sum - both;
}

template <typename S>
static __device__ __forceinline__ void chain_tiles(const digit_pass_call<S> &call,
                                                   digit_pass_shared<S> &shared)
{
    const unsigned AT_ONCE = 4, pair = threadIdx.x - S::RANKING;
    const digit_chain<S::PAIRS> digits = {call.chain, shared.tag, call.rows};
    const uint64_t begin[2] = {call.pass->begin[2 * pair], call.pass->begin[2 * pair + 1]};
    digit_prefix known = {};
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < call.tiles; tile += gridDim.x) {
        uint32_t sums[2] = {};
        group_sync(GROUP_COUNTED, S::THREADS);
#pragma unroll
        for (unsigned w = 0; w < S::RANKERS; w++) {
            const uint2 counts = ((const uint2 *)shared.rows[w])[pair];
            sums[0] += counts.x;
            sums[1] += counts.y;
        }
        digits.publish(tile, pair, sums, 0);
        const uint32_t local = digits_before(shared, sums[0] + sums[1], pair);
        uint2 place = make_uint2(local, local + sums[0]);
#pragma unroll
        for (unsigned w = 0; w < S::RANKERS; w++) { /* read again: registers are short */
            const uint2 counts = ((const uint2 *)shared.rows[w])[pair];
            ((uint2 *)shared.rows[w])[pair] = place;
            place.x += counts.x;
            place.y += counts.y;
        }
        group_arrive(GROUP_PLACED, S::THREADS);
        digit_look_back<AT_ONCE>(digits, tile, pair, &known);
        known.before[0] += sums[0];
        known.before[1] += sums[1];
        const uint32_t through[2] = {(uint32_t)known.before[0], (uint32_t)known.before[1]};
        digits.publish(tile, pair, through, DIGIT_WORD_INCLUSIVE);
        shared.to[2 * pair] = begin[0] + known.before[0] - sums[0] - local;
        shared.to[2 * pair + 1] = begin[1] + known.before[1] - sums[1] - sums[0] - local;
        __syncwarp();
        group_arrive(GROUP_KNOWN, S::THREADS);
    }
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    digit_pass(const __grid_constant__ digit_pass_call<S> call)
{
    extern __shared__ __align__(16) unsigned char stage[];
    digit_pass_shared<S> &shared =
        *(digit_pass_shared<S> *)(stage + digit_pass_bytes<S>::values + digit_pass_bytes<S>::keys);
    if (!call.pass->active)
        return;
    if (threadIdx.x == 0)
        shared.tag = tile_chain_begin(call.chain);
    __syncthreads();
    if (threadIdx.x < S::RANKING)
        rank_tiles(ranker_of(call, shared, stage));
    else
        chain_tiles(call, shared);
    tile_chain_end(call.chain, shared.tag);
}

#endif
