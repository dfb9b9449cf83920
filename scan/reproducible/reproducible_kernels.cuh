/*
 * The reproducible scan on CUDA. It evaluates the tree of tree.h in one pass over memory.
 *
 * A warp keeps a tile of the tree in registers, as vectors of LANE elements: lane l has the vectors
 * l, 32 + l, 64 + l, ... Rows are scanned in the lanes and then by shuffles. The sums of the rows
 * are scanned by Kogge-Stone, with four registers for each lane. With LANE = 1, loads and stores
 * are coalesced at any alignment, in both directions. With vectors of 16 bytes, which must be
 * aligned in memory, there are fewer shuffles.
 *
 * A block has WARPS tiles of the tree side by side, and WARPS is a power of two. So together they
 * are one node of the tree over tiles. The block publishes the node's sum (tile_prefix.cuh). 32
 * such nodes are again one node. Every block counts these larger nodes in a binary counter of its
 * own (tile_tree). So the prefix of a tile of the tree has three parts, here from the last to the
 * first: the tiles of the tree before it in its block's tile, the blocks' tiles before that in its
 * group of 32, and the counter.
 *
 * Before a block waits for others, it prefetches its next tile to L2, so that memory stays busy.
 */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_KERNELS_CUH
#define PARSCAN_SCAN_REPRODUCIBLE_KERNELS_CUH

#include "scan/cuda/half.cuh"
#include "scan/cuda/operators.cuh"

#include "scan/cuda/pipeline.cuh"
#include "scan/cuda/tile_prefix.cuh"
#include "scan/reproducible/tree_params.cuh"

#define LANE_ROWS (TILE_ROWS / 32) /* the number of row sums of a lane */

/* A lane's elements in a tile of the tree. */
template <typename S>
struct tree_elements {
    typename S::T at[S::VECTORS][S::LANE];
};

template <typename S>
struct tree_shared {
    typename S::T rows[S::WARPS][TILE_ROWS];
    typename S::T sums[S::WARPS], before[S::WARPS + 1];
    tile_tree<typename S::T> tree; /* each of its leaves is 32 tiles of a block */
    uint32_t epoch;
};

/* How many elements of a tile of the tree the array has. */
static __device__ __forceinline__ unsigned tree_tile_size(size_t n, size_t begin)
{
    const size_t rest = n > begin ? n - begin : 0;
    return rest < TREE_TILE ? (unsigned)rest : TREE_TILE;
}

/* Loads one element. */
template <typename T, typename In>
static __device__ __forceinline__ T load_element(const In *from)
{
    if constexpr (is_stored<In>::value)
        return widened<T>(In{__ldcs(&from->bits)});
    else
        return (T)__ldcs(from);
}

/* Loads a tile of n elements and fills it up with identities. step: 1, or -1 in reverse. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void load_elements(OPERATOR op, const typename S::In *in,
                                                     int step, unsigned n, unsigned lane,
                                                     tree_elements<S> &x)
{
    typedef typename S::In In;
    in += step * (int)(lane * S::LANE);
    if (S::LANE > 1 && n == TREE_TILE) {
#pragma unroll
        for (unsigned v = 0; v < S::VECTORS; v++) {
            const In *const from = in + v * 32 * S::LANE;
            __align__(16) In raw[S::LANE];
            if (sizeof raw == 16)
                *(uint4 *)raw = __ldcs((const uint4 *)from);
            else if (sizeof raw == 8)
                *(uint2 *)raw = __ldcs((const uint2 *)from);
            else
                *(uint32_t *)raw = __ldcs((const uint32_t *)from);
            widen_all(raw, x.at[v]);
        }
        return;
    }
#pragma unroll
    for (unsigned v = 0; v < S::VECTORS; v++)
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++) {
            x.at[v][e] = identity(op);
            if ((v * 32 + lane) * S::LANE + e < n)
                x.at[v][e] = load_element<typename S::T>(in + step * (int)(v * 32 * S::LANE + e));
        }
}

/* Scans every row by Sklansky's network: first in each vector, then from vector to vector. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void scan_rows(OPERATOR op, unsigned lane, tree_elements<S> &x)
{
    typedef typename S::T T;
#pragma unroll
    for (unsigned s = 1; s < S::LANE; s *= 2)
#pragma unroll
        for (unsigned v = 0; v < S::VECTORS; v++)
#pragma unroll
            for (unsigned e = s; e < S::LANE; e++)
                if (e & s)
                    x.at[v][e] = combine(op, x.at[v][e / s * s - 1], x.at[v][e]);
#pragma unroll
    for (unsigned s = 1; s < S::SPAN; s *= 2)
#pragma unroll
        for (unsigned v = 0; v < S::VECTORS; v++) {
            const T before = warp_shuffle(x.at[v][S::LANE - 1], lane / s * s - 1);
            if (lane & s)
#pragma unroll
                for (T &each : x.at[v])
                    each = combine(op, before, each);
        }
}

/* Scans the row sums by Kogge-Stone. Lane l has the sums of the rows l, 32 + l, ... */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ void scan_row_sums(OPERATOR op, unsigned lane,
                                                     T (&sums)[LANE_ROWS])
{
#pragma unroll
    for (unsigned stride = 1; stride < 32; stride *= 2) {
        T rotated[LANE_ROWS];
#pragma unroll
        for (unsigned j = 0; j < LANE_ROWS; j++)
            rotated[j] = warp_shuffle(sums[j], (lane - stride) % 32);
#pragma unroll
        for (unsigned j = 0; j < LANE_ROWS; j++) {
            if (lane >= stride)
                sums[j] = combine(op, rotated[j], sums[j]);
            else if (j > 0)
                sums[j] = combine(op, rotated[j - 1], sums[j]);
        }
    }
#pragma unroll
    for (unsigned stride = 1; stride < LANE_ROWS; stride *= 2)
#pragma unroll
        for (unsigned j = LANE_ROWS; j-- > stride;)
            sums[j] = combine(op, sums[j - stride], sums[j]);
}

/* Scans the rows of a tile in place, and then their sums. *sum gets the sum of the tile. */
template <typename S, typename T, typename OPERATOR>
static __device__ __forceinline__ void scan_locally(OPERATOR op, unsigned n, unsigned lane, T *rows,
                                                    tree_elements<S> &x, T (&sums)[LANE_ROWS],
                                                    T *sum)
{
    scan_rows(op, lane, x);
    __syncwarp(); /* all lanes have read what the tile before left in `rows` */
    if (lane % S::SPAN == S::SPAN - 1) {
#pragma unroll
        for (unsigned v = 0; v < S::VECTORS; v++)
            rows[v * S::ROWS_AT_ONCE + lane / S::SPAN] = x.at[v][S::LANE - 1];
    }
    __syncwarp();
#pragma unroll
    for (unsigned j = 0; j < LANE_ROWS; j++)
        sums[j] = rows[j * 32 + lane];
    scan_row_sums(op, lane, sums);
    const unsigned last = n > 0 ? (n - 1) / ROW : 0;
#pragma unroll
    for (unsigned j = 0; j < LANE_ROWS; j++)
        if (j * 32 + lane == last)
            *sum = sums[j];
}

/* Combines the values of the lanes 0 to count - 1, count < 32, as a binary counter groups them
   (tree.h), and then `after`. Lanes may have different counts. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ T standing_sum(OPERATOR op, T value, unsigned count, T after)
{
#pragma unroll
    for (unsigned level = 0; level < 5; level++) {
        /* In every 2^level-th lane, value is the sum of 2^level lanes. */
        const T block = warp_shuffle(value, ((count >> level) - 1) << level);
        if (count >> level & 1)
            after = combine(op, block, after);
        value = combine(op, value, warp_shuffle_down(value, 1u << level));
    }
    return after;
}

/* Adds to the counter, in groups of 32, the blocks' tiles before `tile` that it lacks. Each lane
   returns the prefix of tile `lane` of the tree in the block's tile; `sum` is the sum of that tile
   of the tree. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
learn_prefixes(OPERATOR op, const tree_params<S> &params, tree_shared<S> &shared, size_t tile,
               typename S::T sum, unsigned lane)
{
    typedef typename S::T T;
    const unsigned GROUPS = tile_rows<T>::count;
    T before = standing_sum(op, sum, lane, (T)identity(op)), rest = identity(op);
#pragma unroll 1
    for (size_t from = shared.tree.tiles * 32; from < tile; from += 32 * GROUPS) {
        T aggregates[GROUPS];
#pragma unroll
        for (T &aggregate : aggregates)
            aggregate = identity(op);
        tile_read(params.chain, shared.epoch, from, tile, lane, aggregates);
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            const size_t begin = from + g * 32;
            if (begin + 32 <= tile) {
                const T node = warp_reduce(op, aggregates[g]);
                if (lane == 0)
                    tile_tree_add(op, &shared.tree, node);
            } else if (begin < tile) {
                rest = aggregates[g];
            }
        }
    }
    __syncwarp();
    before = standing_sum(op, rest, (unsigned)(tile % 32), before);
    return tile_tree_sum(op, &shared.tree, params.start, before);
}

/* Stores one element. */
template <typename Out>
static __device__ __forceinline__ void store_element(Out *to, Out x)
{
    if constexpr (is_stored<Out>::value)
        __stcs(&to->bits, x.bits);
    else
        __stcs(to, x);
}

/* Stores vector v of a lane, in a tile of n elements. y is aligned to 16 bytes. */
template <typename S>
static __device__ __forceinline__ void store_vector(typename S::Out *out, int step, unsigned v,
                                                    unsigned n, unsigned lane,
                                                    const typename S::Out (&y)[S::LANE])
{
    if (S::LANE > 1 && n == TREE_TILE) {
        __stcs((uint4 *)(out + v * 32 * S::LANE), *(const uint4 *)y);
        return;
    }
#pragma unroll
    for (unsigned e = 0; e < S::LANE; e++)
        if ((v * 32 + lane) * S::LANE + e < n)
            store_element(out + step * (int)(v * 32 * S::LANE + e), y[e]);
}

/* Adds the prefixes of the rows to what scan_locally() left, and stores the results. `kept`: what the
   first one is, if an inclusive scan copies it. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ void
store_elements(OPERATOR op, const tree_params<S> &params, size_t begin, unsigned n, unsigned lane,
               typename S::T before, typename S::T *rows, const tree_elements<S> &x,
               const typename S::T (&sums)[LANE_ROWS], typename S::Out kept)
{
    typedef typename S::T T;
    typedef typename S::Out Out;
    const int step = S::LANE == 1 ? params.step : 1;
    Out *const out = params.out + step * (ptrdiff_t)(begin + lane * S::LANE);
    /* rows[r] becomes the prefix of row r. */
#pragma unroll
    for (unsigned j = 0; j < LANE_ROWS; j++)
        if (j * 32 + lane + 1 < TILE_ROWS)
            rows[j * 32 + lane + 1] = combine(op, before, sums[j]);
    if (lane == 0)
        rows[0] = before;
    __syncwarp();
#pragma unroll
    for (unsigned v = 0; v < S::VECTORS; v++) {
        const T start = rows[v * S::ROWS_AT_ONCE + lane / S::SPAN];
        __align__(16) T y[S::LANE];
#pragma unroll
        for (unsigned e = 0; e < S::LANE; e++)
            y[e] = combine(op, start, x.at[v][e]);
        if (params.exclusive) {
            const T previous = warp_shuffle_up(y[S::LANE - 1], 1);
#pragma unroll
            for (unsigned e = S::LANE; --e > 0;)
                y[e] = y[e - 1];
            y[0] = lane % S::SPAN == 0 ? start : previous;
        }
        if (v == 0 && begin + lane == 0 && (params.exclusive || params.keeps))
            y[0] = params.exclusive ? params.first : x.at[0][0];
        if constexpr (is_stored<Out>::value) {
            __align__(16) Out results[S::LANE];
            round_all(y, results);
            if (v == 0 && begin + lane == 0 && !params.exclusive && params.keeps)
                results[0] = kept;
            store_vector<S>(out, step, v, n, lane, results);
        } else {
            store_vector<S>(out, step, v, n, lane, y);
        }
    }
}

/* Prefetches a whole tile that this warp will load next. */
template <typename In>
static __device__ __forceinline__ void prefetch_elements(const In *in, int step, unsigned lane)
{
    const char *const lowest = (const char *)(step > 0 ? in : in - (TREE_TILE - 1));
#pragma unroll
    for (unsigned byte = 0; byte < TREE_TILE * sizeof(In); byte += 32 * 128)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(lowest + byte + lane * 128));
}

/* READS: it reads a length or an init in device memory. There are no registers left for that, so that there
   are two kernels. */
template <typename S, typename OPERATOR, bool READS>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    tree_kernel(const __grid_constant__ tree_params<S> given)
{
    typedef typename S::T T;
    tree_params<S> params = READS ? at_its_length(given) : given;
    if (READS)
        params.n = uniform(params.n);
    const OPERATOR op = OPERATOR();
    __shared__ tree_shared<S> shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    wait_for_previous_kernel();
    if (READS && params.init.at != nullptr)
        params.start = params.first = read_scalar<T>(params.init);
    if (threadIdx.x == 0) {
        shared.epoch = tile_chain_begin(params.chain);
        shared.tree.tiles = 0;
    }
    __syncthreads();
    const int step = S::LANE == 1 ? params.step : 1;
    const size_t tiles = (params.n + S::TILE - 1) / S::TILE;
    const size_t stride = (size_t)gridDim.x * S::TILE;
    /* A reduction needs only the sum of all elements: the prefix after the last tile. */
    const bool last = (tiles == 0 ? 0 : tiles - 1) % gridDim.x == blockIdx.x;
    size_t begin = (size_t)blockIdx.x * S::TILE + warp * TREE_TILE;
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, begin += stride) {
        const unsigned n = tree_tile_size(params.n, begin);
        tree_elements<S> x;
        T sums[LANE_ROWS];
        typename S::Out kept = {};
        if (is_stored<typename S::Out>::value && begin + lane == 0)
            kept = copied<typename S::Out, T>(params.in[0]);
        load_elements(op, params.in + step * (ptrdiff_t)begin, step, n, lane, x);
        scan_locally(op, n, lane, shared.rows[warp], x, sums, &shared.sums[warp]);
        if (tree_tile_size(params.n, begin + stride) == TREE_TILE)
            prefetch_elements(params.in + step * (ptrdiff_t)(begin + stride), step, lane);
        __syncthreads();
        if (warp == 0) {
            T sum = identity(op);
            if (lane < S::WARPS)
                sum = shared.sums[lane];
            const T node = warp_reduce(op, sum);
            if (lane == 0)
                tile_publish(params.chain, shared.epoch, tile, node);
            if (!params.reduces || last) {
                const T before = learn_prefixes(op, params, shared, tile, sum, lane);
                if (lane <= S::WARPS)
                    shared.before[lane] = before;
            }
        }
        __syncthreads();
        if (!params.reduces)
            store_elements(op, params, begin, n, lane, shared.before[warp], shared.rows[warp], x,
                           sums, kept);
    }
    if (params.reduces && last && threadIdx.x == 0)
        *params.out = rounded<typename S::Out>(
            params.n == 0 ? params.first
                          : shared.before[(params.n - (tiles - 1) * S::TILE - 1) / TREE_TILE + 1]);
    tile_chain_end(params.chain, shared.epoch);
}

#endif
