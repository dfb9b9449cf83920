/*
 * Scans along an axis in tiles: some columns, and rows one after the other. A thread has ROWS rows of one column
 * in registers, and neighbouring threads have neighbouring columns: thread t is in column t % width.
 *
 *   COLUMNS   the rows of a tile are those of its lines. A thread reads its elements where they are, by any
 *             strides.
 *   STAGED    rows are so short that threads side by side would read pieces of many. So a tile is a contiguous
 *             part of an array without gaps, copied to shared memory and back in whole lines. Its rows are those
 *             of all lines after each other, with lines that begin and end within the tile. Element (row, column)
 *             of the tile is at row * width + column. ROWS is one more than a multiple of 32 (of 16 for 8
 *             bytes), so thread t reads at t modulo the banks.
 *
 * The threads of a column combine their sums by Kogge-Stone, and the tile gets what comes before it by
 * axis_look_back.cuh. Meanwhile the next one comes to the other stage, where there is shared memory for two, or else
 * to L2.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_TILES_CUH
#define PARSCAN_SCAN_AXIS_AXIS_TILES_CUH

#include "scan/axis/axis_look_back.cuh"
#include "scan/axis/axis_stage.cuh"

template <typename S>
struct axis_shared {
    typename S::T sums[2][AXIS_THREADS];
    bool begun[2][AXIS_THREADS]; /* a line begins in the elements of the sum */
    typename S::T totals[S::MOST_COLUMNS];
    typename S::X through[S::MOST_COLUMNS], before[S::MOST_COLUMNS];
    axis_tile tiles[2]; /* this one and the next; there are no registers left for them */
    uint32_t epoch;
    uint64_t full[2]; /* mbarriers of the stages, where there are bulk copies */
};

template <typename S>
static __device__ __forceinline__ void find_piece(const axis_params<S> &params,
                                                  const axis_tile &tile, const axis_piece &piece,
                                                  const char **in, char **out)
{
    const size_t row = tile.first_row + piece.group * params.plan.rows;
    find_line(params, tile.set * params.plan.width + piece.column, in, out);
    *in += (int64_t)row * params.in.n;
    *out += (int64_t)row * params.out.n;
}

template <typename S>
static __device__ __forceinline__ void
load_piece(const axis_params<S> &params, const axis_tile &tile, const axis_piece &piece,
           unsigned char *stage, uint64_t *full, unsigned parity, typename S::In (&x)[S::ROWS])
{
    if (params.plan.variant == AXIS_STAGED) {
        load_staged_piece(params, tile, piece, stage, full, parity, x);
        return;
    }
    const char *in;
    char *out;
    if (piece.count == 0)
        return;
    find_piece(params, tile, piece, &in, &out);
#pragma unroll
    for (unsigned j = 0; j < S::ROWS; j++, in += params.in.n)
        if (j < piece.count)
            x[j] = load_element(params, in);
}

/* Brings the block's next tile to L2. */
template <typename S>
static __device__ __forceinline__ void prefetch_tile(const axis_params<S> &params, size_t index)
{
    if (index >= params.plan.sets * params.plan.tiles)
        return;
    const axis_tile tile = tile_of(params, index);
    if (params.plan.variant == AXIS_STAGED) {
#pragma unroll
        for (unsigned k = 0; k < S::ARRAYS; k++) {
            const tile_source source =
                staged_source<typename S::Element>(params, input_array(params, k), tile, NULL);
            if (threadIdx.x == 0 && whole_bytes(source) != 0)
                prefetch_bulk(source.from + source.bytes.whole_begin, whole_bytes(source));
        }
        return;
    }
    const char *in;
    char *out;
    find_line(params, tile.set * params.plan.width, &in, &out);
    for (unsigned row = threadIdx.x; row < tile.rows; row += blockDim.x)
#pragma unroll
        for (unsigned k = 0; k < S::ARRAYS; k++)
            prefetch_line(in + (input_array(params, k) - params.in.first) +
                          (int64_t)(tile.first_row + row) * params.in.n);
}

/* The sums of the thread's elements since the last one that begins a line. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T sum_piece(OPERATOR op, const axis_params<S> &params,
                                                          const axis_piece &piece,
                                                          const typename S::In (&x)[S::ROWS])
{
    typename S::T sum = identity(op);
#pragma unroll
    for (unsigned j = 0; j < S::ROWS; j++)
        if (j < piece.count)
            sum = advance_line(op, params, piece.begins >> j & 1, sum, x[j]);
    return sum;
}

/* Scans the sums of the threads of each column. Returns which of the two arrays has them. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ unsigned scan_groups(OPERATOR op, const axis_params<S> &params,
                                                       const axis_piece &piece, typename S::T sum,
                                                       axis_shared<S> &shared)
{
    const unsigned width = params.plan.width, groups = blockDim.x / width, t = threadIdx.x;
    bool begun = piece.begins != 0;
    unsigned from = 0;
    shared.sums[0][t] = sum;
    shared.begun[0][t] = begun;
    __syncthreads();
#pragma unroll 1
    for (unsigned stride = 1; stride < groups; stride *= 2, from ^= 1) {
        if (piece.group >= stride) {
            if (!begun)
                sum = combine(op, shared.sums[from][t - stride * width], sum);
            begun = begun || shared.begun[from][t - stride * width];
        }
        shared.sums[from ^ 1][t] = sum;
        shared.begun[from ^ 1][t] = begun;
        __syncthreads();
    }
    return from;
}

/* Tells later tiles the sums of this one, and learns what comes before it: shared.before. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void chain_tile(OPERATOR op, const axis_params<S> &params,
                                                  const axis_tile &tile, unsigned sums,
                                                  axis_shared<S> &shared, axis_window &window)
{
    typedef typename S::T T;
    typedef typename S::X X;
    const axis_plan &plan = params.plan;
    const unsigned width = plan.width, last = (blockDim.x / width - 1) * width;
    const unsigned parts = axis_parts<T>(width);
    const bool returns = gridDim.x % plan.sets == 0; /* the block, to the same columns */
    if (tile.continues) {
        for (unsigned c = threadIdx.x; c < width; c += blockDim.x)
            shared.totals[c] = shared.sums[sums][last + c];
        __syncthreads();
        if (returns)
            axis_publish(params.chain, shared.epoch, tile.index, parts, width, shared.totals);
    }
    if (tile.depth != 0 && returns)
        axis_look_back<T>(op, params.chain, shared.epoch, tile.index, plan.sets, tile.depth,
                          tile.index < gridDim.x ? 0 : gridDim.x / plan.sets, parts, width, window,
                          shared.sums[sums ^ 1], shared.through, shared.before);
    else if (tile.depth != 0)
        axis_follow(params.chain, shared.epoch, tile.index - plan.sets, parts, width, window,
                    shared.before);
    if (!tile.continues)
        return;
    for (unsigned c = threadIdx.x; c < width; c += blockDim.x)
        shared.through[c] = tile.begins ? whole<X>(op, shared.totals[c])
                                        : advance(op, shared.before[c], shared.totals[c]);
    __syncthreads();
    if (!returns)
        axis_publish(params.chain, shared.epoch, tile.index, parts, width, shared.through);
}

/* What comes before the thread's elements, if the first one does not begin a line. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::X
before_piece(OPERATOR op, const axis_params<S> &params, const axis_piece &piece, unsigned sums,
             const axis_shared<S> &shared)
{
    const unsigned before = threadIdx.x - params.plan.width;
    if (piece.group == 0)
        return shared.before[piece.column];
    if (shared.begun[sums][before])
        return whole<typename S::X>(op, shared.sums[sums][before]);
    return advance(op, shared.before[piece.column], shared.sums[sums][before]);
}

template <typename S, typename OPERATOR>
static __device__ __forceinline__ void store_piece(OPERATOR op, const axis_params<S> &params,
                                                   const axis_tile &tile, const axis_piece &piece,
                                                   typename S::X sum, unsigned char *stage,
                                                   const typename S::In (&x)[S::ROWS])
{
    typedef typename S::Out Out;
    const auto each = [&](auto store) {
#pragma unroll
        for (unsigned j = 0; j < S::ROWS; j++) {
            if (j >= piece.count)
                break;
            const bool begins = piece.begins >> j & 1;
            const typename S::X before = sum;
            sum = advance_line(op, params, begins, sum, x[j]);
            store(result_of(op, params, begins, before, sum, x[j]));
        }
    };
    if (params.plan.variant == AXIS_STAGED) {
        const tile_source source = staged_source<Out>(params, params.out.first, tile, stage);
        int step;
        Out *to = staged_elements<Out>(params, tile, piece, source, &step);
        each([&](Out y) {
            *to = y;
            to += step;
        });
        __syncthreads();
        store_stage<Out>(source, threadIdx.x, blockDim.x);
        return;
    }
    const char *in;
    char *out;
    if (piece.count == 0)
        return;
    find_piece(params, tile, piece, &in, &out);
    each([&](Out y) {
        *(Out *)out = y;
        out += params.out.n;
    });
}

template <typename S, typename OPERATOR>
static __global__ void __launch_bounds__(AXIS_THREADS, 2)
    axis_tiles(const __grid_constant__ axis_params<S> params)
{
    extern __shared__ __align__(128) unsigned char stages[];
    __shared__ axis_shared<S> shared;
    const size_t tiles = params.plan.sets * params.plan.tiles;
    const bool staged = params.plan.variant == AXIS_STAGED, ahead = params.stages == 2;
    wait_for_previous_kernel();
    const OPERATOR op = operator_of<OPERATOR>(params);
    if (params.plan.chained && threadIdx.x == 0)
        shared.epoch = tile_chain_begin(params.chain);
    if (threadIdx.x == 0) {
        shared.tiles[0] = tile_of(params, blockIdx.x);
        if constexpr (is_compiled<true>())
            if (staged) {
                barrier_init(&shared.full[0], 1);
                barrier_init(&shared.full[1], 1);
                barriers_are_initialised();
            }
    }
    __syncthreads();
    if (ahead && blockIdx.x < tiles)
        begin_stage(params, shared.tiles[0], stages, &shared.full[0]);
    unsigned turn = 0;
#pragma unroll 1
    for (size_t index = blockIdx.x; index < tiles; index += gridDim.x, turn++) {
        const axis_tile &tile = shared.tiles[turn % 2];
        const unsigned at = ahead ? turn % 2 : 0, parity = (ahead ? turn / 2 : turn) % 2;
        unsigned char *const stage = stages + at * params.stage_bytes;
        const bool more = index + gridDim.x < tiles;
        if (threadIdx.x == 0 && more)
            shared.tiles[(turn + 1) % 2] = tile_of(params, index + gridDim.x);
        const axis_piece piece = piece_of(params, tile);
        typename S::In x[S::ROWS];
        if (staged && !ahead)
            begin_stage(params, tile, stage, &shared.full[0]);
        load_piece(params, tile, piece, stage, &shared.full[at], parity, x);
        /* The other stage is free, since the tile before has been stored; and the next tile is known. */
        if (ahead && more)
            begin_stage(params, shared.tiles[(turn + 1) % 2],
                        stages + (1 - at) * params.stage_bytes, &shared.full[1 - at]);
        const unsigned sums =
            scan_groups(op, params, piece, sum_piece(op, params, piece, x), shared);
        if (!ahead && more)
            prefetch_tile(params, index + gridDim.x);
        if (params.plan.chained)
            chain_tile(op, params, tile, sums, shared, *(axis_window *)stage);
        store_piece(op, params, tile, piece, before_piece(op, params, piece, sums, shared), stage,
                    x);
        if constexpr (is_compiled<true>())
            if (staged)
                fence_async_proxy();
        __syncthreads();
    }
    if (params.plan.chained)
        tile_chain_end(params.chain, shared.epoch);
}

#endif
