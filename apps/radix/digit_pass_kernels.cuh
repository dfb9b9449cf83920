/*
 * One pass of a radix sort on CUDA: each element moves to its digit's part of the output, in the
 * order of the input. The array is read once and written once.
 *
 * A block has two kinds of warps. The ranking warps hold the keys of a tile in registers and count
 * their digits, each warp in its own row of counters. They then put the tile in order in shared
 * memory and write it out digit by digit, while they load the keys of the next tile. The chain's
 * warps have two digits a lane. As soon as the counts are complete, they publish them, turn them
 * into places in the tile, and look back over the tiles of other blocks while the ranking warps
 * rank. So the look-back overlaps the ranking, and inclusive prefixes are published early, which
 * keeps look-backs short. Where each block has one small tile, ranked by votes, prefixes come from
 * groups of tiles (digit_groups.cuh).
 *
 * The barriers of a tile, and what each of them orders in shared memory:
 *
 *   COUNTED   Ranking warps arrive, the chain waits. The tile's counts are in the rows. The
 *             previous tile has been written out, so the chain may overwrite `to`, `present` and
 *             `warp_sums`.
 *   PLACED    The chain arrives, ranking warps wait for it and for each other. The rows hold
 *             places. All ranking warps have written out the previous tile, so its keys and
 *             values may be overwritten.
 *   KNOWN     The chain arrives, ranking warps wait for it and for each other. `to` is the tile's,
 *             and all keys and values of the tile are in order.
 *   CHAIN     The chain's warps wait for each other: `warp_sums` is complete.
 *   REPAIRED  Ranking warps wait for each other while they repair a tile.
 *
 * Keys with the same digit must keep their order, also where a warp counts them at once. Votes find
 * the order, but take about 32 instructions for the 8 bits of 32 keys, half the time of a pass.
 * They are not needed where the keys have no values and all their bits are sorted by: then keys
 * with the same digit are ordered by the bits below the digit, which the earlier passes have put in
 * order. In that case the value that a counter's atomic addition returns serves as the rank, in
 * whatever order the hardware serves the lanes (so far it was always the order of the lanes). As
 * the tile is written, each key is compared with the one before it. A tile that is out of order is
 * put in order and written again. Few keys are ranked by votes all the same: where a block has one
 * tile, a pass is mostly waits, and by votes there are fewer.
 *
 * With values the same is done where a block has the shared memory: what is put in order beside the
 * keys is the index that an element had in the tile, which also tells whether two elements with the
 * same digit have kept their order. The values wait in shared memory as they came, by a bulk copy
 * that starts a tile ahead, and are picked up by their indices as the tile is written.
 *
 * Source: A. Adinets, D. Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs,
 * 2022.
 */
#ifndef PARSCAN_APPS_RADIX_DIGIT_PASS_KERNELS_CUH
#define PARSCAN_APPS_RADIX_DIGIT_PASS_KERNELS_CUH

#include "apps/radix/digit_pass_chain.cuh"
#include "apps/radix/digit_rank_kernels.cuh"
#include "apps/radix/digit_tile_kernels.cuh"

/* Writes keys and values to their places in the tile, ranked by votes. */
template <typename S>
static __device__ __forceinline__ void
order_by_votes(const ranker<S> &at, const typename S::Bits (&keys)[S::ITEMS],
               const typename S::AnyValue (&values)[S::ITEMS])
{
    /* The digits are computed again, since there are no registers to keep them in since the
       count. */
    digit_of<typename S::Key> digit = at.params.digit;
    digit.low = opaque(digit.low);
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i += S::MATCHED) {
        unsigned digits[S::MATCHED], places[S::MATCHED];
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++)
            digits[k] = digit.unless_absent(keys[i + k]);
        rank_by_votes<S>(at.row(), at.masks(), at.lane(), digits, places);
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++) {
            if (is_absent<typename S::Key>(keys[i + k]))
                continue;
            at.shared.keys()[places[k]] = keys[i + k];
            if (S::HAS_VALUES)
                at.shared.values[0][places[k]] = values[i + k];
        }
    }
}

/* Adds each key to its digit's counter and keeps what the counter was before: two ranks in a
   word. */
template <typename S>
static __device__ __forceinline__ void take_ranks(const ranker<S> &at,
                                                  const typename S::Bits (&keys)[S::ITEMS],
                                                  uint32_t (&ranks)[S::ITEMS / 2])
{
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        const unsigned four = at.params.digit.template times<2>(keys[i]);
        const uint32_t rank = atomicAdd(counter_of(at.row(), four), 1u);
        ranks[i / 2] = i % 2 == 0 ? rank : __byte_perm(ranks[i / 2], rank, 0x5410);
    }
}

/* The same where many keys have one digit, or where some keys are missing. A missing key gets no
   rank: nothing ensures that it would come after the existing keys with the same digit. */
template <typename S>
static __device__ __forceinline__ void
take_ranks_beside(const ranker<S> &at, size_t tile, unsigned frequent,
                  const typename S::Bits (&keys)[S::ITEMS], uint32_t (&ranks)[S::ITEMS / 2])
{
    const unsigned count = at.count(tile);
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        const uint32_t rank =
            count_beside(at.row(), at.lane(), at.params.digit.template times<2>(keys[i]), frequent,
                         at.holds(count, i));
        ranks[i / 2] = i % 2 == 0 ? rank : __byte_perm(ranks[i / 2], rank, 0x5410);
    }
}

template <bool WHOLE, typename S>
static __device__ __forceinline__ void order_by_counts(const ranker<S> &at, size_t tile,
                                                       const typename S::Bits (&keys)[S::ITEMS],
                                                       const uint32_t (&ranks)[S::ITEMS / 2])
{
    digit_of<typename S::Key> digit = at.params.digit;
    digit.low = opaque(digit.low);
    const unsigned count = WHOLE ? S::TILE : at.count(tile);
#pragma unroll
    for (unsigned i = 0; i < S::ITEMS; i++) {
        const uint32_t rank = i % 2 == 0 ? ranks[i / 2] & 0xffff : ranks[i / 2] >> 16;
        const uint32_t place = *counter_of(at.row(), digit.template times<2>(keys[i])) + rank;
        if (WHOLE || at.holds(count, i)) {
            at.shared.keys()[place] = keys[i];
            if (S::INDEXED)
                at.shared.indices()[place] = (uint16_t)(at.place() + i * 32);
        }
    }
}

template <typename S>
static __device__ __forceinline__ void count_keys_of_tile(const ranker<S> &at, size_t tile,
                                                          const typename S::Bits (&keys)[S::ITEMS],
                                                          uint32_t (&ranks)[S::ITEMS / 2])
{
    static_assert(32 * S::ITEMS < 65536, "ranks in a warp have 16 bits");
    if (S::METHOD == RANK_BY_VOTES) {
        const unsigned count = S::PIECED ? at.count(tile) : S::TILE;
#pragma unroll
        for (unsigned i = 0; i < S::ITEMS; i++)
            if (!is_absent<typename S::Key>(keys[i]) && (!S::PIECED || at.holds(count, i)))
                atomicAdd(counter_of(at.row(), at.params.digit.template times<2>(keys[i])), 1u);
    } else {
        const unsigned frequent = frequent_digit(at.params.digit.template times<2>(keys[0]));
        if (frequent == NO_DIGIT && at.is_whole(tile))
            take_ranks(at, keys, ranks);
        else
            take_ranks_beside(at, tile, frequent, keys, ranks);
    }
}

template <typename S>
static __device__ __forceinline__ void rank_tiles(const ranker<S> &at)
{
    typename S::Bits keys[S::ITEMS];
    typename S::AnyValue values[S::ITEMS];
    uint32_t ranks[S::ITEMS / 2];
    uint32_t parities = 0;
    unsigned turn = 0;
    size_t tile = at.shared.block;
    clear_row(at.row(), at.lane());
    if (S::MASKED > 0)
        clear_row(at.masks(), at.lane());
    __syncwarp();
    load_keys(at, tile, keys);
    if (S::INDEXED)
        request_values(at, tile, turn);
#pragma unroll 1
    for (; tile < at.tiles(); tile += gridDim.x) {
        if (at.shared.work.encodes)
            encode_keys(at, tile, keys);
        count_keys_of_tile(at, tile, keys, ranks);
        warps_arrive(GROUP_COUNTED, S::THREADS);
        if (S::PREFETCHES)
            prefetch_keys(at, tile + gridDim.x);
        if (S::HAS_VALUES && !S::INDEXED)
            load_values(at, tile, values);
        warps_sync(GROUP_PLACED, S::THREADS);
        if constexpr (S::METHOD == RANK_BY_VOTES) {
            order_by_votes(at, keys, values);
        } else {
            if (at.shared.disordered)
                repair_tile(at.params, at.shared, tile - gridDim.x, 1 - turn);
            if (at.is_whole(tile))
                order_by_counts<true>(at, tile, keys, ranks);
            else
                order_by_counts<false>(at, tile, keys, ranks);
        }
        load_keys(at, tile + gridDim.x, keys);
        __syncwarp();
        clear_row(at.row(), at.lane());
        warps_sync(GROUP_KNOWN, S::THREADS);
        if (S::INDEXED) {
            request_values(at, tile + gridDim.x, 1 - turn);
            await_values(at, tile, turn, &parities);
        }
        write_tile(at, tile, turn);
        turn = S::TURNS - 1 - turn;
    }
    if constexpr (S::METHOD == RANK_BY_COUNTS) {
        warps_sync(GROUP_REPAIRED, S::RANKING);
        if (at.shared.disordered)
            repair_tile(at.params, at.shared, tile - gridDim.x, 1 - turn);
    }
}

/* Copies the values without a pass, where all elements have the same bin. */
template <typename S>
static __device__ __forceinline__ void copy_values(const digit_pass_params<S> &params)
{
    typedef typename S::AnyValue Value;
    const unsigned AT_ONCE = 8;
    const Value *const from = (const Value *)params.values[params.pass->from];
    Value *const to = (Value *)params.values[params.pass->to];
    const size_t n = params.pass->n, step = (size_t)gridDim.x * S::THREADS;
#pragma unroll 1
    for (size_t at = (size_t)blockIdx.x * S::THREADS + threadIdx.x; at < n; at += step * AT_ONCE) {
        Value values[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (at + k * step < n)
                values[k] = params.indices ? (Value)(at + k * step) : __ldcs(from + at + k * step);
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (at + k * step < n)
                to[at + k * step] = values[k];
    }
    if (blockIdx.x == 0 && threadIdx.x == 0 && n > 0 && params.bins.from == OFFSETS_OF_TILES)
        as_given<typename S::Bits>(params.bins.size, params.keys[params.pass->from], [&](auto *in) {
            const typename S::Bits bin = *in;
            if (bin < params.bins.count) /* it may have changed since it was counted */
                set_offset(params.bins, bin, 0);
        });
}

template <typename S>
static __device__ __forceinline__ digit_pass_work<S> work_of(const digit_pass_params<S> &params)
{
    typedef typename S::AnyValue Value;
    const sort_pass &pass = *params.pass;
    const bool first = pass.first != 0, last = pass.last != 0;
    digit_pass_work<S> work;
    work.keys_in = params.keys[pass.from];
    work.keys_out = params.drops_keys && last ? NULL : params.keys[pass.to];
    work.values_in = (const Value *)params.values[pass.from];
    work.values_out = (Value *)params.values[pass.to];
    work.flip = last || S::Key::IS_MAPPED ? params.flip : 0;
    work.encodes = first;
    work.decodes = last;
    work.makes_indices = params.indices && first;
    work.emits = S::Key::HAS_ABSENT && params.bins.from == OFFSETS_OF_TILES && last;
    return work;
}

/* The elements and tiles that there are: only the device may know them. */
template <typename S>
static __device__ __forceinline__ void set_tiles(const digit_pass_params<S> &params,
                                                 digit_pass_shared<S> &shared)
{
    const size_t n = params.pass->n;
    shared.n = n;
    shared.whole = (uint32_t)(n / S::TILE);
    shared.tiles =
        S::PIECED ? (uint32_t)params.tiles : shared.whole + (n > (size_t)shared.whole * S::TILE);
}

template <typename S>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    digit_pass(const __grid_constant__ digit_pass_params<S> params)
{
    extern __shared__ __align__(16) unsigned char stage[];
    digit_pass_shared<S> &shared = *(digit_pass_shared<S> *)stage;
    wait_for_previous_kernel();
    if (!params.pass->active || (params.nans != NULL && (*params.nans != 0) != params.takes_nans))
        return;
    if constexpr (S::Key::HAS_ABSENT) {
        if (params.pass->copies) {
            copy_values(params);
            return;
        }
    }
    if (threadIdx.x == 0) {
        init_groups<S>();
        shared.work = work_of(params);
        shared.block = params.tiles_taken == NULL ? blockIdx.x : atomicAdd(params.tiles_taken, 1u);
        shared.disordered = 0;
        set_tiles(params, shared);
        if (S::PIECED && shared.block < params.tiles)
            set_span(piece_of(params.pieces, shared.block), shared.block, shared);
        /* No code has a lower rank. */
        shared.keys()[-1] = S::Key::IS_FLOAT ? params.flip : (typename S::Bits)0;
        if (S::INDEXED) {
            shared.indices()[-1] = 0;
#if __CUDA_ARCH__ >= 900
            for (unsigned turn = 0; turn < S::TURNS; turn++)
                barrier_init(&shared.landed[turn], 1);
            barriers_are_initialised();
#endif
        }
        if constexpr (S::Key::HAS_ABSENT)
            shared.keys()[-1] = S::Key::ABSENT; /* equals no bin */
    }
    __syncthreads();
    if (threadIdx.x < S::RANKING)
        rank_tiles(ranker<S>{params, shared});
    else
        chain_tiles(params, shared);
}

#endif
