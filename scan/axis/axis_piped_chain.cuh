/*
 * How the tiles of axis_piped.cuh are divided, what they publish of their columns, and what comes before them.
 *
 * The warps that look back divide the tiles; a lane has a column, or several have one and divide them further. Where
 * blocks return to their columns (their number is a multiple of that of the sets of columns), a block keeps what
 * comes before its own last tile, and adds the sums of the tiles since. Those are as many as blocks, with the words
 * of all columns each: more than one warp reads in a trip to L2. Elsewhere the first of the warps waits for the tile
 * before, and publishes all there is through its own.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PIPED_CHAIN_CUH
#define PARSCAN_SCAN_AXIS_AXIS_PIPED_CHAIN_CUH

#include "scan/axis/axis_stage.cuh"

/* Up to so many sets of columns blocks return to their columns. */
#define AXIS_RETURNING_SETS 44u

/* Elements that the pipeline takes: in narrow rows; and in columns, which it copies by words. */
template <typename S>
static constexpr bool is_piped()
{
    return sizeof(typename S::In) == sizeof(typename S::Out) && sizeof(typename S::Out) <= 8 &&
           (sizeof(typename S::T) == sizeof(typename S::Out) || is_run<typename S::Out>::value);
}
template <typename S>
static constexpr bool has_piped_columns()
{
    return is_piped<S>() && sizeof(typename S::Out) >= 4 && !is_run<typename S::Out>::value;
}

/* Numbers of warps, and of stages. */
template <unsigned SIZE, unsigned SCANNERS_ = AXIS_PIPED_SCANNERS, unsigned REDUCERS_ = 2,
          unsigned READERS_ = 3, unsigned STAGES_ = AXIS_PIPED_STAGES(SIZE)>
struct piped_shape {
    enum : unsigned {
        SCANNERS = SCANNERS_,
        REDUCERS = REDUCERS_,
        READERS = READERS_, /* warps that look back */
        STAGES = STAGES_,
        ROWS = AXIS_ROWS(SIZE, SIZE),
        THREADS = (SCANNERS + REDUCERS + READERS + 1) * 32,
        PIECES = SCANNERS * 32,
        COLUMNS = SIZE < 4 ? 32 : AXIS_PIPED_ROW_BYTES / SIZE, /* the most of a tile */
        STAGE_BYTES = PIECES * ROWS * SIZE + 32,
        SHARED_BYTES = STAGES * STAGE_BYTES
    };
};

template <typename T, typename SHAPE>
struct piped_shared {
    T sums[SHAPE::STAGES][SHAPE::PIECES];
    T totals[SHAPE::STAGES][32], before[SHAPE::STAGES][32]; /* of columns */
    T parts[2][SHAPE::READERS][32]; /* of sums that several warps read, of tiles by turns */
};

template <typename S, bool IN_COLUMNS, typename OPERATOR, typename SHAPE>
struct piped_chain {
    typedef typename S::T T;
    enum : unsigned {
        WORDS = tile_words<T>::count,
        AT_ONCE = 22 / WORDS /* tiles that a lane has in flight */
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
        tile.depth = (uint32_t)index / sets;
        tile.set = (uint32_t)index - (uint32_t)tile.depth * sets;
        tile.phase = tile.depth * params.plan.tile_rows;
        tile.first_row = IN_COLUMNS ? tile.phase : tile.set * params.n + tile.phase;
        const size_t rest = params.n - tile.phase;
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

    /* The sum of what the tiles from `from` to end - 1 of a set have published of each column, for lanes below
       width(): lanes that have one column divide the tiles. */
    __device__ __forceinline__ T read_tiles(uint32_t from, uint32_t end, size_t set, uint32_t epoch,
                                            unsigned lane) const
    {
        const unsigned divided = 32 / width();
        const unsigned part = lane / width(), column = lane - part * width();
        const unsigned all = part < divided ? end - from : 0;
        T sum = identity(op);
#pragma unroll 1
        for (unsigned at = part; at < all; at += AT_ONCE * divided) {
            const size_t first = ((from + at) * params.plan.sets + set) * width() + column;
            const unsigned next = divided * (unsigned)params.plan.sets * width();
            uint64_t words[AT_ONCE][WORDS];
            bool missing[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                missing[k] = at + k * divided < all;
            status_await_tiles(
                params.chain, epoch, [=](unsigned k) { return first + k * next; }, missing, words);
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                if (at + k * divided < all)
                    sum = combine(op, sum, status_aggregate<T>(words[k]));
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

    /* A reader's part of the sum that comes before a tile, from what is known on: of the tiles since the block's own
       last one, or what the tile before tells. */
    __device__ __forceinline__ T read_part(size_t known, size_t index, unsigned reader,
                                           uint32_t epoch, unsigned lane) const
    {
        const axis_tile tile = tile_at(index);
        const uint32_t end = (uint32_t)tile.depth;
        uint32_t from = (uint32_t)tile_at(known).depth;
        if (!returns())
            from = end == 0 ? 0 : end - 1;
        const uint32_t each = (end - from + SHAPE::READERS - 1) / SHAPE::READERS;
        from = end - from < reader * each ? end : from + reader * each;
        return read_tiles(from, end - from < each ? end : from + each, tile.set, epoch, lane);
    }

    /* What comes before a tile in a lane's column, of what is known and the readers' parts. */
    __device__ __forceinline__ T join_parts(T before, size_t index, unsigned turn, unsigned stage,
                                            uint32_t epoch, unsigned lane) const
    {
        T sum = shared.parts[turn][0][lane];
#pragma unroll
        for (unsigned r = 1; r < SHAPE::READERS; r++)
            sum = combine(op, sum, (T)shared.parts[turn][r][lane]);
        if (returns())
            before = combine(op, before, sum);
        else
            before = tile_at(index).depth == 0 ? params.start : sum;
        if (lane < width()) {
            if (!returns())
                tile_publish(params.chain, epoch, index * width() + lane,
                             combine(op, before, (T)shared.totals[stage][lane]));
            shared.before[stage][lane] = before;
        }
        return before;
    }
};

#endif
