/*
 * How the tiles of axis_piped.cuh are divided, what they publish of their columns, and what comes before them.
 *
 * A lane of the prefix warp has a column, or several have one and divide the tiles. Where blocks return to their
 * columns (their number is a multiple of that of the sets of columns), a block keeps what comes before its own last
 * tile, and adds the sums of the tiles since. Those are as many as blocks, with the words of all columns each: more
 * than a warp reads in one trip to L2. So the last tile of each group of tiles publishes the group's sums, too.
 * Elsewhere the prefix warp waits for the tile before, and publishes all there is through its own.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PIPED_CHAIN_CUH
#define PARSCAN_SCAN_AXIS_AXIS_PIPED_CHAIN_CUH

#include "scan/axis/axis_stage.cuh"

/* Up to so many sets of columns blocks return to their columns. */
#define AXIS_RETURNING_SETS 44u

/* Elements that the pipeline takes. */
template <typename S>
static constexpr bool is_piped()
{
    return sizeof(typename S::In) == sizeof(typename S::Out) &&
           sizeof(typename S::T) == sizeof(typename S::Out) && sizeof(typename S::Out) >= 4;
}

/* Numbers of warps, and of stages. */
template <unsigned SIZE, unsigned SCANNERS_ = AXIS_PIPED_SCANNERS, unsigned REDUCERS_ = 4,
          unsigned STAGES_ = AXIS_PIPED_STAGES(SIZE)>
struct piped_shape {
    enum : unsigned {
        SCANNERS = SCANNERS_,
        REDUCERS = REDUCERS_,
        STAGES = STAGES_,
        ROWS = AXIS_ROWS(SIZE, SIZE),
        THREADS = (SCANNERS + REDUCERS + 2) * 32,
        PIECES = SCANNERS * 32,
        COLUMNS = AXIS_PIPED_ROW_BYTES / SIZE, /* the most of a tile */
        STAGE_BYTES = PIECES * ROWS * SIZE + 32,
        SHARED_BYTES = STAGES * STAGE_BYTES
    };
};

template <typename T, typename SHAPE>
struct piped_shared {
    T sums[SHAPE::STAGES][SHAPE::PIECES];
    T totals[SHAPE::STAGES][32], before[SHAPE::STAGES][32]; /* of columns */
};

/* What a look-back reads: tiles from first_tile on, groups of tiles from first_group on, tiles from last_tile on. */
struct piped_span {
    uint32_t first_tile, first_group, last_tile, head, groups, tail;
};

template <typename S, bool IN_COLUMNS, typename OPERATOR, typename SHAPE>
struct piped_chain {
    typedef typename S::T T;
    /* A lane's column, and where scan() will read it. */
    struct prefix {
        T value;
        unsigned stage;
    };
    enum : unsigned {
        WORDS = tile_words<T>::count,
        AT_ONCE = 16 / WORDS /* tiles that a lane of the prefix warp has in flight */
    };
    const axis_params<S> &params;
    piped_shared<T, SHAPE> &shared;
    OPERATOR op;

    __device__ __forceinline__ unsigned width() const
    {
        return IN_COLUMNS ? (unsigned)SHAPE::COLUMNS : params.plan.width;
    }
    __device__ __forceinline__ bool returns() const { return gridDim.x % params.plan.sets == 0; }

    /* There are fewer than 2^32 tiles. */
    __device__ __forceinline__ axis_tile tile_at(size_t index) const
    {
        const uint32_t sets = (uint32_t)params.plan.sets;
        axis_tile tile = {};
        tile.index = index;
        tile.depth = IN_COLUMNS ? (uint32_t)index / sets : index;
        tile.set = IN_COLUMNS ? (uint32_t)index - (uint32_t)tile.depth * sets : 0;
        tile.first_row = tile.depth * params.plan.tile_rows;
        const size_t rest = params.n - tile.first_row;
        tile.rows = (unsigned)(rest < params.plan.tile_rows ? rest : params.plan.tile_rows);
        return tile;
    }

    /* The columns of a tile, fewer than its width in the last set. */
    __device__ __forceinline__ unsigned columns_of(const axis_tile &tile) const
    {
        const size_t rest = params.outer * params.inner - tile.set * width();
        return rest < width() ? (unsigned)rest : width();
    }

    /* Sums of pieces become what comes before them in the tile: `divided` lanes of a column have some of its
       pieces each. */
    __device__ __forceinline__ void publish(unsigned stage, size_t index, uint32_t epoch,
                                            unsigned lane) const
    {
        const unsigned divided = 32 / width(), groups = SHAPE::PIECES / width();
        const unsigned part = lane / width(), column = lane - part * width();
        const unsigned each = (groups + divided - 1) / divided, first = part * each;
        const unsigned end = part >= divided ? 0 : (first + each < groups ? first + each : groups);
        T sum = identity(op);
#pragma unroll 4
        for (unsigned g = first; g < end; g++)
            sum = combine(op, sum, shared.sums[stage][g * width() + column]);
#pragma unroll 1
        for (unsigned by = 1; by < divided; by *= 2) {
            const T earlier = warp_shuffle_up(sum, by * width());
            if (part >= by)
                sum = combine(op, earlier, sum);
        }
        T before = warp_shuffle_up(sum, width());
        if (part == 0)
            before = identity(op);
        if (part + 1 == divided) {
            shared.totals[stage][column] = sum;
            if (returns())
                tile_publish(params.chain, epoch, index * width() + column, sum);
        }
#pragma unroll 4
        for (unsigned g = first; g < end; g++) {
            const T x = shared.sums[stage][g * width() + column];
            shared.sums[stage][g * width() + column] = before;
            before = combine(op, before, x);
        }
    }

    __device__ __forceinline__ prefix first() const
    {
        return prefix{params.start, 0};
    }

    /* The status words of a column: of tiles, and after all of those of groups of tiles. */
    __device__ __forceinline__ size_t word_of(bool of_group, uint32_t at, size_t set,
                                              unsigned column) const
    {
        const size_t before = of_group ? params.plan.sets * params.plan.tiles : 0;
        return (before + at * params.plan.sets + set) * width() + column;
    }

    /* The sum of what some tiles of a set have published of each column, for lanes below width(): lanes that
       have one column divide the tiles. */
    __device__ __forceinline__ T read_tiles(const piped_span &span, size_t set, uint32_t epoch,
                                            unsigned lane) const
    {
        const unsigned divided = 32 / width();
        const unsigned part = lane / width(), column = lane - part * width();
        const unsigned all = part < divided ? span.head + span.groups + span.tail : 0;
        T sum = identity(op);
#pragma unroll 1
        for (unsigned from = part; from < all; from += AT_ONCE * divided) {
            uint64_t words[AT_ONCE][WORDS];
            bool missing[AT_ONCE], any;
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                missing[k] = from + k * divided < all;
            do {
                any = false;
#pragma unroll
                for (unsigned k = 0; k < AT_ONCE; k++) {
                    const unsigned at = from + k * divided;
                    const bool of_group = at >= span.head && at < span.head + span.groups;
                    status_load_tile(
                        params.chain,
                        word_of(of_group,
                                at + (at < span.head ? span.first_tile
                                      : of_group     ? span.first_group - span.head
                                                     : span.last_tile - span.head - span.groups),
                                set, column),
                        missing[k], words[k]);
                }
#pragma unroll
                for (unsigned k = 0; k < AT_ONCE; k++) {
                    missing[k] = missing[k] && !status_is_of(epoch, words[k]);
                    any = any || missing[k];
                }
            } while (any);
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                if (from + k * divided < all) {
                    uint32_t values[WORDS];
                    T value;
#pragma unroll
                    for (unsigned w = 0; w < WORDS; w++)
                        values[w] = (uint32_t)words[k][w];
                    memcpy(&value, values, sizeof value);
                    sum = combine(op, sum, value);
                }
        }
        __syncwarp();
#pragma unroll 1
        for (unsigned by = 1; by < divided; by *= 2) {
            const T later = warp_shuffle_down(sum, by * width());
            if (part % (2 * by) == 0 && part + by < divided)
                sum = combine(op, sum, later);
        }
        return sum;
    }

    /* The tiles from `from` to end - 1 of a set, in whole groups where there are any. */
    __device__ __forceinline__ piped_span span_of(uint32_t from, uint32_t end) const
    {
        const uint32_t each = params.plan.group;
        piped_span span = {from, 0, end, end - from, 0, 0};
        if (each == 0)
            return span;
        const uint32_t first = (from + each - 1) / each, last = end / each;
        if (first >= last)
            return span;
        return piped_span{
            from, first, last * each, first * each - from, last - first, end - last * each};
    }

    /* If a tile is the last one of its group, publishes the group's sums. */
    __device__ __forceinline__ void publish_group(const axis_tile &tile, unsigned stage,
                                                  uint32_t epoch, unsigned lane) const
    {
        const uint32_t each = params.plan.group, depth = (uint32_t)tile.depth;
        if (each == 0 || depth % each != each - 1)
            return;
        const piped_span others = {depth - (each - 1), 0, 0, each - 1, 0, 0};
        const T sum = read_tiles(others, tile.set, epoch, lane);
        if (lane < width())
            tile_publish(params.chain, epoch, word_of(true, depth / each, tile.set, lane),
                         combine(op, sum, (T)shared.totals[stage][lane]));
    }

    __device__ __forceinline__ void advance(prefix &before, size_t known, size_t index,
                                            uint32_t epoch, unsigned lane) const
    {
        const axis_tile tile = tile_at(index);
        const uint32_t depth = (uint32_t)tile.depth;
        const bool own = lane < width();
        if (returns()) {
            publish_group(tile, before.stage, epoch, lane);
            before.value = combine(
                op, before.value,
                read_tiles(span_of((uint32_t)tile_at(known).depth, depth), tile.set, epoch, lane));
        } else {
            const piped_span previous = {depth - 1, 0, 0, 1, 0, 0};
            before.value = depth == 0 ? params.start : read_tiles(previous, tile.set, epoch, lane);
            if (own)
                tile_publish(params.chain, epoch, index * width() + lane,
                             combine(op, before.value, (T)shared.totals[before.stage][lane]));
        }
        if (own)
            shared.before[before.stage][lane] = before.value;
        before.stage = before.stage + 1 < SHAPE::STAGES ? before.stage + 1 : 0;
    }
    /* advance() has done it, lane by lane. */
    __device__ __forceinline__ void keep(unsigned, const prefix &) const {}
};

#endif
