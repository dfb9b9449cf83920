/*
 * A segmented scan or reduction of few elements by offsets on CUDA, in one launch. The first blocks
 * of the grid, the finders, have some segments each. A warp does a short segment alone. The finder's
 * long segments are put in a row. If the row has up to a tile of elements, it is cut into pieces for
 * the finder's warps. A longer row is cut into tiles for the tile blocks, which are the last blocks
 * of the grid; they cut their tiles into pieces in the same way.
 *
 * A finder publishes how many tiles its row has, as soon as it has read its offsets. Tile blocks
 * wait for these numbers: tile block t has the t-th tile of all. A tile publishes the sum of a
 * segment that goes on in the next tile, or else what nobody reads, and looks back for one that started
 * before (tile_prefix.cuh). So no block waits for ever, also if another kernel changes the offsets between
 * the reads of two blocks. In a block one warp reads them for all.
 *
 * Forward progress. A finder waits for no other block, and a tile block only for blocks before it in
 * the grid. So the launch need not be cooperative (launch_chain.cuh). In whatever order a device
 * starts blocks, the grid ends if the device has no other work: it holds more blocks at once than
 * there are tile blocks, so there is always room for a finder, and for a tile block that others wait
 * for.
 */
#ifndef PARSCAN_APPS_SEGMENTED_DIRECT_CUH
#define PARSCAN_APPS_SEGMENTED_DIRECT_CUH

#include "apps/segmented/segmented_direct_runs.cuh"
#include "scan/cuda/block_prefix.cuh"
#include "scan/cuda/launch.cuh"

/* In a finder of few segments, whose other warps have nothing to do, a segment is long that has more
   than a warp has in flight, or twice that, in place of DIRECT_LONG. So many segments are few;
   measured. */
#define DIRECT_LONG_OF_FEW (32 * DIRECT_ROWS)
#define DIRECT_FEW(T) (sizeof(T) > 4 ? DIRECT_FEW_WIDE : 1u)
#define DIRECT_NONE UINT32_MAX /* where an offset is wrong, and after the last segment */

template <typename T>
struct direct_shared {
    uint32_t begins[DIRECT_EACH],
        lengths[DIRECT_EACH]; /* of segments; a start may be DIRECT_NONE */
    T sums[DIRECT_MOST_PIECES];
    T before; /* what comes before the tile in its first segment */
    uint32_t epoch;
    uint32_t counts[DIRECT_WARPS]; /* tiles of 32 finders */
    uint32_t finder, number; /* which finder's tile a tile block has, and which of its tiles */
};

/* Returns whether the offsets of a segment are right. `tells`: leaves an error if not. */
static __device__ __forceinline__ bool read_segment(const segment_offsets &offsets,
                                                    uint32_t segment, bool tells, direct_run &run)
{
    const uint64_t *const wide = (const uint64_t *)offsets.data;
    const uint32_t *const narrow = (const uint32_t *)offsets.data;
    const size_t begin = offsets.wide ? wide[segment] : narrow[segment];
    const size_t end = offsets.wide ? wide[segment + 1] : narrow[segment + 1];
    const bool wrong_first = segment == 0 && offset_is_wrong(offsets, 0, begin, 0);
    const bool wrong = wrong_first || offset_is_wrong(offsets, segment + 1, end, begin);
    if (wrong && tells)
        leave_error(offsets, wrong_first ? 0 : segment + 1);
    run = direct_run{(uint32_t)begin, (uint32_t)(end - begin)};
    return !wrong;
}

/* By one thread of all. Without segments nobody has read the only offset. */
static __device__ __forceinline__ void end_segments(const segment_offsets &offsets)
{
    const size_t first = offsets.count > 0 ? 0
                         : offsets.wide    ? *(const uint64_t *)offsets.data
                                           : *(const uint32_t *)offsets.data;
    if (offsets.count == 0 && offset_is_wrong(offsets, 0, first, 0))
        leave_error(offsets, 0);
    if (offsets.number != NULL)
        *offsets.number = offsets.count;
}

template <typename OPERATOR, typename In, typename T, typename Out>
static __device__ __forceinline__ void
store_reduced(OPERATOR op, const direct_params<In, T, Out> &params, uint32_t segment, T sum)
{
    params.out[segment] =
        rounded<Out>(params.keeps ? sum : combine(op, params.start_of_segment(), sum));
}

/* Stores the result of a segment of any length, by one thread. The result of one element is the element, to the
   bit. */
template <typename OPERATOR, typename In, typename T, typename Out>
static __device__ __forceinline__ void store_segment(OPERATOR op,
                                                     const direct_params<In, T, Out> &params,
                                                     uint32_t number, direct_run segment, T sum)
{
    if (segment.length == 0)
        params.out[number] = rounded<Out>(params.of_empty_segment());
    else
        store_reduced(op, params, number,
                      segment.length == 1 ? widened<T>(params.in[segment.begin]) : sum);
}

/* A block's part of the work. */
template <bool SCANS, typename OPERATOR, typename In, typename T, typename Out>
struct direct_block {
    /* A reduction has at most 64 tiles. With more rows it would spill registers. */
    static const unsigned LOOK_BACK_ROWS = SCANS ? tile_rows<T>::count : 2;

    const direct_params<In, T, Out> &params;
    direct_shared<T> &shared;
    unsigned lane, warp;

    /* What the block's warps share: a row of long segments, or a tile of one, which may start or
       end within a segment. Lane w has a run of segment `first` + w, or an empty one. */
    struct row {
        uint32_t first;
        direct_run run;
        bool begins, ends; /* the run starts and ends with its segment */
        uint32_t tiles;    /* tiles from the segment's first one to this one, without it */
    };

    __device__ __forceinline__ direct_prefix<T> start() const
    {
        return {params.start_of_segment(), !params.keeps};
    }

    __device__ __forceinline__ bool is_finder() const { return blockIdx.x < params.finders; }

    __device__ __forceinline__ bool has_tile_blocks() const { return params.finders < gridDim.x; }

    /* Whether a segment of a finder is too long for a warp. */
    __device__ __forceinline__ bool is_long(direct_run segment) const
    {
        return segment.length > (params.each <= DIRECT_FEW(T) ? DIRECT_LONG_OF_FEW : DIRECT_LONG);
    }

    __device__ __forceinline__ uint32_t tiles_of(uint32_t length) const
    {
        return length > params.tile ? (length - 1) / params.tile + 1 : 0;
    }

    /* Scans or reduces a segment by a warp. */
    __device__ __forceinline__ void do_short(uint32_t number, direct_run segment) const
    {
        const OPERATOR op = OPERATOR();
        if constexpr (SCANS) {
            scan_by_warp(op, params, segment, start(), lane);
        } else {
            const T sum = reduce_by_warp<T>(op, params.in + segment.begin, segment.length, lane);
            if (lane == 0)
                store_segment(op, params, number, segment, sum);
        }
    }

    /* Does the short segments of a finder. */
    __device__ __forceinline__ void do_short_ones() const
    {
#pragma unroll 1
        for (unsigned w = warp; w < params.each; w += DIRECT_WARPS) {
            const direct_run segment = {shared.begins[w], shared.lengths[w]};
            if (segment.begin != DIRECT_NONE && !is_long(segment))
                do_short(blockIdx.x * params.each + w, segment);
        }
    }

    /* The first piece of a warp. A finder's first pieces go to the warps without a segment of their
       own. */
    __device__ __forceinline__ unsigned first_piece() const
    {
        return is_finder() ? (warp - params.each) % DIRECT_WARPS : warp;
    }

    /* Reads the segments of a finder. Returns the row of its long ones; an empty one if it is cut into
       tiles. */
    __device__ __forceinline__ row find() const
    {
        const parscan_operator_SUM add;
        const uint32_t first = blockIdx.x * params.each;
        /* The last warp has the fewest segments. */
        const bool publishes = has_tile_blocks() && threadIdx.x == DIRECT_THREADS - 32;
        const unsigned long long entered = publishes ? tile_chain_enter(params.chain) : 0;
#pragma unroll
        for (unsigned w = warp; w < DIRECT_EACH; w += DIRECT_WARPS) {
            direct_run segment = {DIRECT_NONE, 0};
            if (w < params.each && first + w < params.offsets.count &&
                !read_segment(params.offsets, first + w, lane == 0, segment))
                segment = {DIRECT_NONE, 0};
            if (lane == 0) {
                shared.begins[w] = segment.begin;
                shared.lengths[w] = segment.length;
            }
        }
        __syncthreads();
        direct_run run = {shared.begins[lane], shared.lengths[lane]};
        if (!is_long(run))
            run.length = 0;
        const uint32_t all = warp_shuffle(warp_scan(add, run.length, lane), 31);
        if (publishes) {
            shared.epoch = tile_chain_epoch(params.chain, entered);
            tile_publish(params.chain, shared.epoch, blockIdx.x, tiles_of(all));
        }
        if (all > params.tile)
            run.length = 0;
        return {first, run, true, true, 0};
    }

    /* Finds out which tile a tile block has: shared.finder and shared.number. Returns false if it has
       none. */
    __device__ __forceinline__ bool find_tile() const
    {
        const uint32_t mine = blockIdx.x - params.finders;
        if (threadIdx.x == 0) {
            shared.epoch = tile_chain_begin(params.chain);
            shared.finder = DIRECT_NONE;
        }
        __syncthreads();
        uint32_t tiles = 0;
        if (threadIdx.x < params.finders)
            tiles = tile_wait<uint32_t>(params.chain, shared.epoch, threadIdx.x);
        if (__syncthreads_or(tiles != 0) == 0)
            return false;
        const uint32_t through = prefix_in_warp(tiles, shared.counts, warp, lane);
        __syncthreads();
        const uint32_t before = with_warps_before(through - tiles, shared.counts, warp);
        if (before <= mine && mine - before < tiles) {
            shared.finder = threadIdx.x;
            shared.number = mine - before;
        }
        __syncthreads();
        return shared.finder != DIRECT_NONE;
    }

    /* Returns a tile block's tile. */
    __device__ __forceinline__ row tile() const
    {
        const parscan_operator_SUM add;
        const uint32_t first = shared.finder * params.each;
        direct_run segment = {0, 0};
        if (warp == 0) {
            if (lane >= params.each || first + lane >= params.offsets.count ||
                !read_segment(params.offsets, first + lane, false, segment) || !is_long(segment))
                segment.length = 0;
            shared.begins[lane] = segment.begin;
            shared.lengths[lane] = segment.length;
        }
        __syncthreads();
        segment = {shared.begins[lane], shared.lengths[lane]};
        const uint32_t end = warp_scan(add, segment.length, lane), begin = end - segment.length;
        const uint32_t tile_begin = shared.number * params.tile,
                       tile_end = tile_begin + params.tile;
        const uint32_t from = begin > tile_begin ? begin : tile_begin;
        const uint32_t to = end < tile_end ? end : tile_end;
        if (from >= to)
            return {first, {0, 0}, true, true, 0};
        return {first, segment.part(from - begin, to - begin, SCANS && params.reverse),
                from == begin, to == end, shared.number - begin / params.tile};
    }

    /* The status words of the tiles' sums. */
    __device__ __forceinline__ tile_chain chain_of_sums() const
    {
        tile_chain sums = params.chain;
        sums.status += (params.finders + 1) / 2 * 2;
        return sums;
    }

    /* Publishes anything for a tile block in whose tile no segment goes on. */
    __device__ __forceinline__ void publish_nothing(const row &mine) const
    {
        const bool goes_on = __any_sync(0xffffffffu, mine.run.length != 0 && !mine.ends);
        const T nothing = identity(OPERATOR());
        if (threadIdx.x == 0 && !goes_on)
            tile_publish(chain_of_sums(), shared.epoch, blockIdx.x - params.finders, nothing);
    }

    /* Publishes the sum of run w if its segment goes on in the next tile. Stores the result of a
       reduction if the segment ends here. For a scan shared.before becomes what comes before the
       tile in a segment that started before. */
    __device__ __forceinline__ void join(const row &mine, const direct_pieces &pieces,
                                         unsigned w) const
    {
        const OPERATOR op = OPERATOR();
        const uint32_t tile = blockIdx.x - params.finders;
        const bool begins = __ballot_sync(0xffffffffu, mine.begins) >> w & 1;
        const bool ends = __ballot_sync(0xffffffffu, mine.ends) >> w & 1;
        if (warp_shuffle(mine.run.length, w) == 0 || (SCANS && begins && ends))
            return;
        T sum = combine_pieces(op, shared.sums, warp_shuffle(pieces.before, w),
                               warp_shuffle(pieces.through, w), lane);
        const tile_chain sums = chain_of_sums();
        if (!ends && lane == 0)
            tile_publish(sums, shared.epoch, tile, sum);
        if (!begins && (SCANS || ends)) {
            const T before = tile_look_back<OPERATOR, T, LOOK_BACK_ROWS>(
                op, sums, shared.epoch, tile - warp_shuffle(mine.tiles, w), tile, lane);
            sum = combine(op, before, sum);
            if (SCANS && lane == 0)
                shared.before = before;
        }
        if (!SCANS && ends && lane == 0)
            store_reduced(op, params, mine.first + w, sum);
    }

    /* Reduces the pieces of what the block's warps share, and joins their sums. */
    __device__ __forceinline__ void reduce_pieces(const row &mine,
                                                  const direct_pieces &pieces) const
    {
        pieces.for_each(SCANS && params.reverse, first_piece(),
                        [&](unsigned, uint32_t p, uint32_t, direct_run piece) {
                            const T sum = reduce_by_warp<T>(OPERATOR(), params.in + piece.begin,
                                                            piece.length, lane);
                            if (lane == 0)
                                shared.sums[p] = sum;
                        });
        __syncthreads();
        if (SCANS && is_finder())
            return;
#pragma unroll 1
        for (unsigned w = warp; w < params.each; w += DIRECT_WARPS)
            join(mine, pieces, w);
        if (SCANS)
            __syncthreads();
    }

    __device__ __forceinline__ void scan_pieces(const row &mine, const direct_pieces &pieces) const
    {
        const OPERATOR op = OPERATOR();
        pieces.for_each(params.reverse, first_piece(),
                        [&](unsigned w, uint32_t p, uint32_t first, direct_run piece) {
                            direct_prefix<T> before = start();
                            if (!(__ballot_sync(0xffffffffu, mine.begins) >> w & 1))
                                before = {before.join(op, shared.before), true};
                            if (p != first) {
                                const T sum = combine_pieces(op, shared.sums, first, p, lane);
                                before = {before.join(op, warp_shuffle(sum, 0)), true};
                            }
                            scan_by_warp(op, params, piece, before, lane);
                        });
    }

    __device__ __forceinline__ void run() const
    {
        row mine = {};
        if (is_finder())
            mine = find();
        else if (find_tile())
            mine = tile();
        if (!is_finder())
            publish_nothing(mine);
        const bool shares = __any_sync(0xffffffffu, mine.run.length != 0);
        if (shares)
            reduce_pieces(mine, direct_pieces(mine.run, lane));
        if (is_finder())
            do_short_ones();
        if constexpr (SCANS) {
            if (shares)
                scan_pieces(mine, direct_pieces(mine.run, lane));
        }
        if (has_tile_blocks()) {
            __syncthreads();
            tile_chain_end(params.chain, shared.epoch);
        }
        if (blockIdx.x == 0 && threadIdx.x == 0)
            end_segments(params.offsets);
    }
};

template <typename In, typename T, typename OPERATOR, bool SCANS, typename Out>
static __global__ void __launch_bounds__(DIRECT_THREADS, BLOCKS_HELD(DIRECT_THREADS, SCANS ? 2 : 3))
    segments_directly(const __grid_constant__ direct_params<In, T, Out> given)
{
    __shared__ direct_shared<T> shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    direct_params<In, T, Out> params = given;
    params.offsets = at_their_lengths(given.offsets);
    params.offsets.n = (uint32_t)params.offsets.n; /* few: registers of 32 bits */
    params.offsets.count = (uint32_t)params.offsets.count;
    wait_for_previous_kernel();
    direct_block<SCANS, OPERATOR, In, T, Out>{params, shared, lane, warp}.run();
}

#endif
