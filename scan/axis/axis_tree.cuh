/*
 * Reproducible sums along an axis: each line has the tree of scan/reproducible/tree.h to itself, and its tiles.
 * A block has the same tile of `width` lines, a thread one row of 16 elements of it in registers. Lines of one
 * tile are done then. Otherwise there are three kernels: the sums of all tiles, what comes before each tile in
 * its line (a warp counts the tiles of a line), and the scan of the tiles. So a scan reads its input twice, a
 * reduction once.
 */
#ifndef PARSCAN_SCAN_AXIS_AXIS_TREE_CUH
#define PARSCAN_SCAN_AXIS_AXIS_TREE_CUH

#include "scan/axis/axis_params.cuh"
#include "scan/reproducible/reproducible_kernels.cuh"

#define AXIS_TREE_THREADS 1024u
#define AXIS_COUNTERS 8u /* warps of a block that count tiles */

template <typename S>
struct axis_tree_params : axis_params<S> {
    typename S::T *sums; /* of each tile, line by line; then what comes before it */
    bool only_sums;      /* the first kernel of three */
    bool reduces;
};

template <typename T>
struct axis_tree_room {
    T sums[AXIS_TREE_THREADS];
};

template <typename T>
struct axis_tree_counters {
    tile_tree<T> trees[AXIS_COUNTERS];
};

/* Where a thread works: row `row` of its block's line `line`. The row before it is `step` threads before. */
struct axis_tree_place {
    unsigned line, row, step;
};

template <typename S>
static __device__ __forceinline__ axis_tree_place tree_place(const axis_tree_params<S> &params)
{
    const axis_plan &plan = params.plan;
    if (plan.rows_near)
        return axis_tree_place{threadIdx.x / plan.rows, threadIdx.x % plan.rows, 1};
    return axis_tree_place{threadIdx.x % plan.width, threadIdx.x / plan.width, plan.width};
}

/* Sklansky's network over a row. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ void scan_row(OPERATOR op, T (&x)[ROW])
{
#pragma unroll
    for (unsigned s = 1; s < ROW; s *= 2)
#pragma unroll
        for (unsigned e = s; e < ROW; e++)
            if (e & s)
                x[e] = combine(op, x[e / s * s - 1], x[e]);
}

/* Kogge-Stone over the sums of a line's rows. By all threads. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ T scan_sums_of_rows(OPERATOR op, const axis_tree_place &place,
                                                      unsigned rows, T sum, T *sums)
{
    sums[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (unsigned stride = 1; stride < rows; stride *= 2) {
        T before = identity(op);
        if (place.row >= stride)
            before = sums[threadIdx.x - stride * place.step];
        __syncthreads();
        if (place.row >= stride)
            sum = combine(op, before, sum);
        sums[threadIdx.x] = sum;
        __syncthreads();
    }
    return sum;
}

/* The sum of a tile: what the line is so far if it has no other, else the first kernel's result. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void keep_sum(OPERATOR op, const axis_tree_params<S> &params,
                                                size_t q, size_t tile, typename S::T sum)
{
    typedef typename S::Out Out;
    const char *in;
    char *out;
    if (params.plan.tiles > 1) {
        params.sums[q * params.plan.tiles + tile] = sum;
        return;
    }
    find_line(params, q, &in, &out);
    *(Out *)out = params.n == 1 && params.keeps
                      ? copied<Out, typename S::T>(load_at<typename S::In>(in))
                      : rounded<Out>(combine(op, params.start, sum));
}

/* Stores a thread's row. before: init, the tiles and the rows before it. x: the scanned row. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void
store_row(OPERATOR op, const axis_tree_params<S> &params, bool begins, unsigned count, char *out,
          typename S::In kept, typename S::T before, const typename S::T (&x)[ROW])
{
    typedef typename S::Out Out;
    typedef typename S::T T;
#pragma unroll
    for (unsigned e = 0; e < ROW; e++, out += params.out.n) {
        if (e >= count)
            break;
        Out y = rounded<Out>(params.exclusive
                                 ? e == 0 ? before : combine(op, before, x[e > 0 ? e - 1 : 0])
                                 : combine(op, before, x[e]));
        if (e == 0 && begins && params.exclusive)
            y = params.first;
        else if (e == 0 && begins && params.keeps)
            y = copied<Out, T>(kept);
        *(Out *)out = y;
    }
}

template <typename S, typename OPERATOR>
static __device__ __forceinline__ void
take_tree_tile(OPERATOR op, const axis_tree_params<S> &params, size_t set, size_t tile, void *room)
{
    typedef typename S::T T;
    const axis_plan &plan = params.plan;
    const axis_tree_place place = tree_place(params);
    const size_t q = set * plan.width + place.line, begin = tile * TREE_TILE + place.row * ROW;
    const bool has_line =
        place.line < plan.width && place.row < plan.rows && q < params.outer * params.inner;
    const size_t rest = has_line && begin < params.n ? params.n - begin : 0;
    const unsigned count = rest < ROW ? (unsigned)rest : ROW;
    const size_t left = params.n - tile * TREE_TILE;
    const unsigned last = (unsigned)((left < TREE_TILE ? left : TREE_TILE) - 1) / ROW;
    const char *in = NULL;
    char *out = NULL;
    typename S::In kept = {};
    T x[ROW], *const sums = (T *)room;
    if (count > 0) {
        find_line(params, q, &in, &out);
        in += (int64_t)begin * params.in.n;
        kept = load_at<typename S::In>(in);
    }
#pragma unroll
    for (unsigned e = 0; e < ROW; e++, in += params.in.n) {
        x[e] = identity(op);
        if (e < count)
            x[e] = widened<T>(load_at<typename S::In>(in));
    }
    scan_row(op, x);
    const T sum = scan_sums_of_rows(op, place, plan.rows, x[ROW - 1], sums);
    if (params.reduces || params.only_sums) {
        if (has_line && place.row == last)
            keep_sum(op, params, q, tile, sum);
        return;
    }
    if (count == 0)
        return;
    T before = plan.tiles > 1 ? params.sums[q * plan.tiles + tile] : params.start;
    if (place.row > 0)
        before = combine(op, before, sums[threadIdx.x - place.step]);
    store_row(op, params, begin == 0, count, out + (int64_t)begin * params.out.n, kept, before, x);
}

template <typename S, typename OPERATOR>
static __global__ void __launch_bounds__(AXIS_TREE_THREADS)
    axis_tree_tiles(const __grid_constant__ axis_tree_params<S> params)
{
    __shared__ axis_tree_room<typename S::T> room;
    const axis_plan &plan = params.plan;
    wait_for_previous_kernel();
#pragma unroll 1
    for (size_t k = blockIdx.x; k < plan.sets * plan.tiles; k += gridDim.x) {
        take_tree_tile(OPERATOR(), params, k % plan.sets, k / plan.sets, room.sums);
        __syncthreads();
    }
}

/* What comes before each tile of a line, by a warp, or the reduction of the line. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void count_tiles(OPERATOR op, const axis_tree_params<S> &params,
                                                   size_t q, unsigned lane,
                                                   tile_tree<typename S::T> &tree)
{
    typedef typename S::T T;
    const size_t tiles = params.plan.tiles;
    T *const sums = params.sums + q * tiles;
    if (lane == 0)
        tree.tiles = 0;
    __syncwarp();
#pragma unroll 1
    for (size_t from = 0;; from += 32) {
        T sum = identity(op);
        if (from + lane < tiles)
            sum = sums[from + lane];
        const T in_group = standing_sum(op, sum, lane, (T)identity(op));
        const T before = tile_tree_sum(op, &tree, params.start, in_group);
        if (from + lane < tiles && !params.reduces)
            sums[from + lane] = before;
        if (from + lane == tiles && params.reduces) {
            const char *in;
            char *out;
            find_line(params, q, &in, &out);
            *(typename S::Out *)out = rounded<typename S::Out>(before);
        }
        if (from + 32 > tiles)
            return;
        const T node = warp_reduce(op, sum);
        __syncwarp();
        if (lane == 0)
            tile_tree_add(op, &tree, node);
        __syncwarp();
    }
}

template <typename S, typename OPERATOR>
static __global__ void __launch_bounds__(AXIS_COUNTERS * 32)
    axis_tree_counts(const __grid_constant__ axis_tree_params<S> params)
{
    __shared__ axis_tree_counters<typename S::T> counters;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    wait_for_previous_kernel();
#pragma unroll 1
    for (size_t q = (size_t)blockIdx.x * AXIS_COUNTERS + warp; q < params.outer * params.inner;
         q += (size_t)gridDim.x * AXIS_COUNTERS)
        count_tiles(OPERATOR(), params, q, lane, counters.trees[warp]);
}

#endif
