/*
 * Scans down columns in one pass over memory, by warps with roles (scan/cuda/tile_pipeline.cuh). A tile is some
 * rows of some columns in a stage of shared memory, row after row; a piece of it is ROWS rows of one column. Piece p
 * is in column p % width, so that threads side by side read neighbouring elements: element j of piece p is at
 * p + p / width * (ROWS - 1) * width + j * width, and ROWS is one more than a multiple of the banks, so no two
 * threads of a warp read from one bank.
 *
 *   COLUMNS   rows of 128 bytes of long rows, by asynchronous copies of a warp; results are stored from registers
 *   else      whole rows, which are short, of an array without gaps, by bulk copies; results go through the stage
 *
 * The reducing warps sum the pieces; the first of them replaces the sums by what comes before each piece in its
 * tile, and publishes the tile's sum of each column. A lane of the prefix warp has a column, or several have one
 * and divide the tiles. Where the blocks do not return to their columns (the number of blocks is no multiple of
 * that of the sets of columns), the prefix warp waits for the tile before, and publishes all there is through its own.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PIPED_CUH
#define PARSCAN_SCAN_AXIS_AXIS_PIPED_CUH

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
          unsigned STAGES_ = AXIS_PIPED_STAGES(SIZE), unsigned LOADS_ = 2, bool BULK_ROWS_ = false>
struct piped_shape {
    enum : unsigned {
        SCANNERS = SCANNERS_,
        REDUCERS = REDUCERS_,
        STAGES = STAGES_,
        LOADS = LOADS_, /* tiles that are loaded at once */
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
struct piped_steps {
    typedef typename S::T T;
    typedef typename S::In In;
    typedef typename S::Out Out;
    /* A lane's column, and where scan() will read it. */
    struct prefix {
        T value;
        unsigned stage;
    };
    enum : unsigned {
        SCANNERS = SHAPE::SCANNERS,
        REDUCERS = SHAPE::REDUCERS,
        MOST_STAGES = SHAPE::STAGES,
        SOURCES = 1,
        STORES_IN_STAGES = !IN_COLUMNS,
        ROWS = SHAPE::ROWS,
        WORDS = tile_words<T>::count,
        AT_ONCE = 16 / WORDS /* tiles that a lane of the prefix warp has in flight */
    };
    const axis_params<S> &params;
    piped_shared<T, SHAPE> &shared;
    unsigned char *memory;
    OPERATOR op;

    __device__ __forceinline__ size_t tiles() const { return params.plan.sets * params.plan.tiles; }
    __device__ __forceinline__ unsigned stages() const { return SHAPE::STAGES; }
    __device__ __forceinline__ unsigned loads() const { return SHAPE::LOADS; }
    __device__ __forceinline__ const tile_chain &chain() const { return params.chain; }
    __device__ __forceinline__ void prepare(unsigned, unsigned) const {}

    __device__ __forceinline__ unsigned width() const
    {
        return IN_COLUMNS ? (unsigned)SHAPE::COLUMNS : params.plan.width;
    }
    __device__ __forceinline__ bool returns() const { return gridDim.x % params.plan.sets == 0; }
    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        return memory + stage * SHAPE::STAGE_BYTES;
    }

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

    __device__ __forceinline__ tile_source source(unsigned, unsigned stage, size_t index) const
    {
        return staged_source<In>(params, params.in.first, tile_at(index), stage_at(stage));
    }

    __device__ __forceinline__ void load_ends(unsigned stage, size_t index, unsigned thread,
                                              unsigned threads) const
    {
        ::load_ends<In>(source(0, stage, index), thread, threads);
    }

    /* COLUMNS: copies a tile in units of UNIT bytes, a warp's side by side. */
    template <unsigned UNIT>
    __device__ __forceinline__ void load_rows(unsigned stage, const axis_tile &tile,
                                              unsigned lane) const
    {
        const unsigned EACH = AXIS_PIPED_ROW_BYTES / UNIT, AT_ONCE = 32 / EACH;
        const char *from;
        char *out;
        find_line(params, tile.set * width(), &from, &out);
        from += (int64_t)(tile.first_row + lane / EACH) * params.in.n + lane % EACH * UNIT;
        unsigned char *to = stage_at(stage) + lane * UNIT;
        if (lane % EACH * UNIT >= columns_of(tile) * sizeof(In))
            return;
#pragma unroll 4
        for (unsigned row = lane / EACH; row < tile.rows; row += AT_ONCE) {
            if constexpr (UNIT == 16)
                copy_piece(to, from);
            else
                copy_unit<UNIT>(to, from);
            to += 32 * UNIT;
            from += (int64_t)AT_ONCE * params.in.n;
        }
    }

    /* A piece of a tile, and its first element in a stage that has the tile from byte `begin` on. */
    __device__ __forceinline__ axis_piece piece_at(const axis_tile &tile, unsigned p) const
    {
        axis_piece piece;
        piece.group = p / width();
        piece.column = p - piece.group * width();
        const unsigned first = piece.group * ROWS;
        piece.count = first < tile.rows ? tile.rows - first : 0;
        piece.count = piece.count < ROWS ? piece.count : ROWS;
        if (p >= SHAPE::PIECES / width() * width())
            piece.count = 0;
        piece.begins = tile.first_row + first == 0;
        return piece;
    }
    template <typename Element>
    __device__ __forceinline__ Element *elements(const axis_tile &tile, const axis_piece &piece,
                                                 unsigned stage, const char *array) const
    {
        int step;
        if (IN_COLUMNS)
            return (Element *)stage_at(stage) + piece.group * (ROWS * width()) + piece.column;
        return staged_elements<Element>(
            params, tile, piece, staged_source<Element>(params, array, tile, stage_at(stage)),
            &step);
    }
    __device__ __forceinline__ int step() const
    {
        return !IN_COLUMNS && params.backwards ? -(int)width() : (int)width();
    }

    /* Takes the elements of a piece; WHOLE: it has all rows. */
    template <bool WHOLE>
    __device__ __forceinline__ void take(const axis_piece &piece, const In *from,
                                         In (&x)[ROWS]) const
    {
#pragma unroll
        for (unsigned j = 0; j < ROWS; j++, from += step())
            if (WHOLE || j < piece.count)
                x[j] = *from;
    }
    template <bool WHOLE>
    __device__ __forceinline__ T sum_of(const axis_piece &piece, const In *from) const
    {
        In x[ROWS];
        T sum = identity(op);
        take<WHOLE>(piece, from, x);
#pragma unroll
        for (unsigned j = 0; j < ROWS; j++)
            if (WHOLE || j < piece.count)
                sum = combine(op, sum, widened<T>(x[j]));
        return sum;
    }

    template <typename Event>
    __device__ __forceinline__ void reduce(unsigned stage, size_t index, Event landed,
                                           unsigned reducer, unsigned lane) const
    {
        const axis_tile tile = tile_at(index);
        landed.wait();
#pragma unroll 1
        for (unsigned p = reducer * 32 + lane; p < SHAPE::PIECES; p += REDUCERS * 32) {
            const axis_piece piece = piece_at(tile, p);
            const In *const from = elements<In>(tile, piece, stage, params.in.first);
            shared.sums[stage][p] =
                piece.count == ROWS ? sum_of<true>(piece, from) : sum_of<false>(piece, from);
        }
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

    template <bool WHOLE, typename STORE>
    __device__ __forceinline__ void scan_piece(const axis_piece &piece, T sum, const In (&x)[ROWS],
                                               STORE store) const
    {
#pragma unroll
        for (unsigned j = 0; j < ROWS; j++) {
            if (!WHOLE && j >= piece.count)
                break;
            const bool begins = j == 0 && piece.begins;
            const T before = sum;
            sum = advance_line(op, params, begins, sum, x[j]);
            store(result_of(op, params, begins, before, sum, x[j]));
        }
    }

    template <bool WHOLE, typename Event>
    __device__ __forceinline__ void scan_in(unsigned stage, const axis_tile &tile, Event prefixed,
                                            unsigned p) const
    {
        const axis_piece piece = piece_at(tile, p);
        In x[ROWS];
        take<WHOLE>(piece, elements<In>(tile, piece, stage, params.in.first), x);
        const T local = shared.sums[stage][p];
        prefixed.wait_late();
        const T before = combine(op, (T)shared.before[stage][piece.column], local);
        if constexpr (IN_COLUMNS) {
            const char *in;
            char *out;
            find_line(params, tile.set * width(), &in, &out);
            out += (int64_t)(tile.first_row + piece.group * ROWS) * params.out.n;
            Out *to = (Out *)out + piece.column;
            if (piece.column >= columns_of(tile))
                return;
            scan_piece<WHOLE>(piece, before, x, [&](Out y) {
                *to = y;
                to = (Out *)((char *)to + params.out.n);
            });
        } else {
            const tile_source to =
                staged_source<Out>(params, params.out.first, tile, stage_at(stage));
            Out *at = elements<Out>(tile, piece, stage, params.out.first);
            /* Results come to where elements were, unless the arrays lie otherwise. */
            if (to.bytes.begin != source(0, stage, tile.index).bytes.begin)
                warps_sync<SCANNERS>(2);
            scan_piece<WHOLE>(piece, before, x, [&](Out y) {
                *at = y;
                at += step();
            });
            warps_sync<SCANNERS>(2);
            store_stage<Out>(to, p, SHAPE::PIECES);
        }
    }

    template <typename Event>
    __device__ __forceinline__ void scan(unsigned stage, size_t index, Event prefixed,
                                         unsigned part, unsigned lane) const
    {
        const axis_tile tile = tile_at(index);
        const unsigned p = part * 32 + lane, used = SHAPE::PIECES / width() * width();
        if (tile.rows == params.plan.tile_rows && (part + 1) * 32 <= used)
            scan_in<true>(stage, tile, prefixed, p);
        else
            scan_in<false>(stage, tile, prefixed, p);
    }
};

/* COLUMNS: the most bytes that may be copied at once, so that each copy is aligned and has columns that are there. */
template <typename S>
static __host__ __device__ __forceinline__ unsigned axis_unit(const axis_params<S> &params,
                                                              size_t size)
{
    const uintptr_t all = (uintptr_t)params.in.first | (uintptr_t)params.in.outer |
                          (uintptr_t)params.in.n | params.inner * size;
    return all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : 4;
}

/* Rows of columns are not contiguous: the warp's lanes copy them. */
template <typename S, typename OPERATOR, typename SHAPE>
static __device__ __forceinline__ void
load_in_bulk(const piped_steps<S, true, OPERATOR, SHAPE> &pass, unsigned stage, size_t index,
             uint64_t *full, unsigned lane)
{
    const axis_tile tile = pass.tile_at(index);
    if (pass.params.unit == 16)
        pass.template load_rows<16>(stage, tile, lane);
    else if (pass.params.unit == 8)
        pass.template load_rows<8>(stage, tile, lane);
    else
        pass.template load_rows<4>(stage, tile, lane);
    copies_arrive(full);
}

template <typename S, bool IN_COLUMNS, typename OPERATOR, typename SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS, 1)
    axis_piped(const __grid_constant__ axis_params<S> params)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ piped_shared<typename S::T, SHAPE> shared;
    static_assert(SHAPE::SHARED_BYTES + sizeof shared + sizeof(pipeline_barriers<SHAPE::STAGES>) <=
                      232448,
                  "the block must fit shared memory");
    run_pass<true>(piped_steps<S, IN_COLUMNS, OPERATOR, SHAPE>{params, shared, stages, OPERATOR()});
}

#endif
