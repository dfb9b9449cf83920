/*
 * Scans down columns in one pass over memory, by warps with roles (scan/cuda/tile_pipeline.cuh). A tile is some
 * rows of some columns in a stage of shared memory, row after row; a piece of it is ROWS rows of one column. Piece p
 * is in column p % width, so that threads side by side read neighbouring elements: element j of piece p is at
 * p + p / width * (ROWS - 1) * width + j * width, and ROWS is one more than a multiple of the banks, so no two
 * threads of a warp read from one bank.
 *
 *   COLUMNS   rows of 128 bytes of long rows, by asynchronous copies of a warp; results are stored from registers
 *   else      whole rows, which are short, of an array without gaps, by bulk copies; results go through the stage.
 *             All columns along n, for one place along outer, are a set.
 *
 * The reducing warps sum the pieces; the first of them replaces the sums by what comes before each piece in its
 * tile, and publishes the tile's sum of each column (axis_piped_chain.cuh).
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_PIPED_CUH
#define PARSCAN_SCAN_AXIS_AXIS_PIPED_CUH

#include "scan/axis/axis_piped_chain.cuh"

template <typename S, bool IN_COLUMNS, typename OPERATOR, typename SHAPE>
struct piped_steps : piped_chain<S, IN_COLUMNS, OPERATOR, SHAPE> {
    typedef piped_chain<S, IN_COLUMNS, OPERATOR, SHAPE> base;
    using base::columns_of;
    using base::op;
    using base::params;
    using base::shared;
    using base::tile_at;
    using base::width;
    typedef typename S::T T;
    typedef typename S::In In;
    typedef typename S::Out Out;
    enum : unsigned {
        SCANNERS = SHAPE::SCANNERS,
        REDUCERS = SHAPE::REDUCERS,
        MOST_STAGES = SHAPE::STAGES,
        SOURCES = 1,
        STORES_IN_STAGES = !IN_COLUMNS,
        ROWS = SHAPE::ROWS
    };
    unsigned char *memory;

    __device__ __forceinline__ size_t tiles() const { return params.plan.sets * params.plan.tiles; }
    __device__ __forceinline__ unsigned stages() const { return SHAPE::STAGES; }
    __device__ __forceinline__ unsigned loads() const { return 2; }
    __device__ __forceinline__ const tile_chain &chain() const { return params.chain; }
    __device__ __forceinline__ void prepare(unsigned, unsigned) const {}

    __device__ __forceinline__ unsigned char *stage_at(unsigned stage) const
    {
        return memory + stage * SHAPE::STAGE_BYTES;
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
        piece.begins = tile.phase + first == 0;
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
                sum = combine(op, sum, value_of<T>(op, x[j]));
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
static constexpr unsigned prefix_warps<piped_steps<S, IN_COLUMNS, OPERATOR, SHAPE>> =
    SHAPE::READERS;
template <typename S, bool IN_COLUMNS, typename OPERATOR, typename SHAPE>
static constexpr unsigned prefixing_lanes<piped_steps<S, IN_COLUMNS, OPERATOR, SHAPE>> = 32;

/* By the warps that look back: each reads its part, the first one joins them. */
template <typename S, bool IN_COLUMNS, typename OPERATOR, typename SHAPE>
static __device__ __forceinline__ void
learn_prefixes(const piped_steps<S, IN_COLUMNS, OPERATOR, SHAPE> &pass,
               pipeline_barriers<SHAPE::STAGES> &barriers, unsigned long long entered,
               unsigned lane)
{
    const unsigned reader = threadIdx.x / 32 - 1;
    typename S::T before = pass.params.start;
    size_t known = 0; /* `before` is what comes before this tile */
    unsigned turn = 0;
    if (reader == 0 && lane == 0) {
        barriers.epoch = tile_chain_epoch(pass.chain(), entered);
        barrier_arrive(&barriers.begun);
    }
    __syncwarp();
    barrier_wait(&barriers.begun, 0);
    const uint32_t epoch = barriers.epoch;
#pragma unroll 1
    for (tile_walk walk; walk.tile < pass.tiles(); walk.next(pass.stages()), turn ^= 1) {
        barrier_wait(&barriers.reduced[walk.stage], walk.parity);
        pass.shared.parts[turn][reader][lane] =
            pass.read_part(known, walk.tile, reader, epoch, lane);
        known = walk.tile;
        warps_sync<SHAPE::READERS>(3);
        if (reader != 0)
            continue;
        before = pass.join_parts(before, walk.tile, turn, walk.stage, epoch, lane);
        barrier_arrive(&barriers.prefixed[walk.stage]); /* each lane has stored a column's */
    }
}

template <typename S, bool IN_COLUMNS, typename OPERATOR, typename SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS, 1)
    axis_piped(const __grid_constant__ axis_params<S> params)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ piped_shared<typename S::T, SHAPE> shared;
    static_assert(SHAPE::SHARED_BYTES + sizeof shared + sizeof(pipeline_barriers<SHAPE::STAGES>) <=
                      AXIS_PIPED_BYTES,
                  "the block must fit shared memory");
    run_pass<true>(piped_steps<S, IN_COLUMNS, OPERATOR, SHAPE>{
        {params, shared, operator_of<OPERATOR>(params)}, stages});
}

#endif
