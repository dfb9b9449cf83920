/*
 * The reproducible scan on CUDA: evaluates the tree of tree.h in one pass over memory.
 *
 * A warp has a tile of the tree, in registers: lane l holds the elements l, 32 + l, 64 + l, ... So
 * a row of 16 lies in half a warp; loads and stores are coalesced at any alignment, in both directions
 * and from a narrower type. Rows are scanned by shuffles, their sums by Kogge-Stone on four registers
 * a lane.
 *
 * A block has WARPS tiles of the tree side by side, a power of two: together they are a node of the
 * tree over tiles, whose sum is what the block publishes (tile_prefix.cuh). 32 of these blocks' tiles
 * are a node again. Every block counts all of these larger nodes in a binary counter of its own
 * (tile_tree). What stands before a tile is then, from the last to the first, what stands of the tiles
 * in its block, of the blocks in its 32, and in the counter.
 *
 * Before a block waits for the others it has its next tile brought to L2, so memory stays busy.
 */
#ifndef PARSCAN_SCAN_REPRODUCIBLE_KERNELS_CUH
#define PARSCAN_SCAN_REPRODUCIBLE_KERNELS_CUH

#include "scan/block/block_cuda.h"

#include "scan/reproducible/tree.h"
#include "scan/single_pass/tile_prefix.cuh"

#ifndef PREFETCH
#define PREFETCH 1
#endif
#define TREE_ITEMS (TREE_TILE / 32)      /* elements of a lane */
#define LANE_ROWS (TILE_ROWS / 32)       /* row sums of a lane */
#define ROWS_AT_ONCE (32 / ROW)          /* rows that an element of each lane covers */

template <typename In_, typename T_, unsigned WARPS_, unsigned BLOCKS_>
struct tree_shape {
    typedef In_ In;
    typedef T_ T;
    enum : unsigned {
        WARPS = WARPS_,   /* below 32 */
        BLOCKS = BLOCKS_, /* that a multiprocessor is to hold */
        THREADS = WARPS * 32,
        TILE = WARPS * TREE_TILE
    };
};

template <typename S>
struct tree_call {
    const typename S::In *in; /* the first element in the order of combination */
    typename S::T *out;
    size_t n;
    typename S::T start; /* init, or the identity */
    typename S::T first; /* the first element of an exclusive scan, the reduction of nothing */
    bool exclusive, reduces;
    bool keeps; /* the first element of an inclusive scan is the input's */
    tile_chain chain;
};

template <typename S>
struct tree_shared {
    typename S::T rows[S::WARPS][TILE_ROWS];
    typename S::T sums[S::WARPS], before[S::WARPS + 1];
    tile_tree<typename S::T> tree; /* over 32 tiles of a block each */
    uint32_t tag;
};

/* Elements of a tile of the tree that the array has. */
static __device__ __forceinline__ unsigned tree_tile_size(size_t n, size_t begin)
{
    const size_t rest = n > begin ? n - begin : 0;
    return rest < TREE_TILE ? (unsigned)rest : TREE_TILE;
}

/* A tile of n elements, filled up with identities. STEP: 1, or -1 in reverse. */
template <int STEP, typename In, typename T, typename OPERATOR>
static __device__ __forceinline__ void load_elements(OPERATOR op, const In *in, unsigned n,
                                                     unsigned lane, T (&x)[TREE_ITEMS])
{
    in += STEP * (int)lane;
#pragma unroll
    for (unsigned k = 0; k < TREE_ITEMS; k++) {
        x[k] = identity(op);
        if (k * 32 + lane < n)
            x[k] = (T)__ldcs(in + STEP * (int)(k * 32));
    }
}

/* Sklansky's network on every row. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ void scan_rows(OPERATOR op, unsigned lane, T (&x)[TREE_ITEMS])
{
#pragma unroll
    for (unsigned s = 1; s < ROW; s *= 2) {
#pragma unroll
        for (unsigned k = 0; k < TREE_ITEMS; k++) {
            const T before = warp_shuffle(x[k], lane / s * s - 1);
            if (lane & s)
                x[k] = combine(op, before, x[k]);
        }
    }
}

/* Kogge-Stone; lane l has the sums of the rows l, 32 + l, ... */
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

/* Scans the rows of a tile in place and then their sums; the tile's goes to *sum. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ void scan_locally(OPERATOR op, unsigned n, unsigned lane, T *rows,
                                                    T (&x)[TREE_ITEMS], T (&sums)[LANE_ROWS],
                                                    T *sum)
{
    scan_rows(op, lane, x);
    if (lane % ROW == ROW - 1) {
#pragma unroll
        for (unsigned k = 0; k < TREE_ITEMS; k++)
            rows[k * ROWS_AT_ONCE + lane / ROW] = x[k];
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

/* What stands of the values of the lanes 0 to count - 1 in a binary counter, count < 32, and then
   `after`. Lanes may have different counts. */
template <typename T, typename OPERATOR>
static __device__ __forceinline__ T standing_sum(OPERATOR op, T value, unsigned count, T after)
{
#pragma unroll
    for (unsigned level = 0; level < 5; level++) {
        /* value is the sum of 2^level lanes, at every 2^level-th. */
        const T block = warp_shuffle(value, ((count >> level) - 1) << level);
        if (count >> level & 1)
            after = combine(op, block, after);
        value = combine(op, value, warp_shuffle_down(value, 1u << level));
    }
    return after;
}

/* Counts the 32 tiles of blocks that have come to stand before `tile`, and returns what stands before
   tile `lane` of the tree in it; `sum` is that tile's. */
template <typename S, typename OPERATOR>
static __device__ __forceinline__ typename S::T
learn_prefixes(OPERATOR op, const tree_call<S> &call, tree_shared<S> &shared, size_t tile,
               typename S::T sum, unsigned lane)
{
    typedef typename S::T T;
    const unsigned GROUPS = tile_rows<T>::count;
    T before = standing_sum(op, sum, lane, (T)identity(op));
#pragma unroll 1
    for (size_t from = shared.tree.tiles * 32; from < tile; from += 32 * GROUPS) {
        T aggregates[GROUPS];
#pragma unroll
        for (T &aggregate : aggregates)
            aggregate = identity(op);
        tile_read(call.chain, shared.tag, from, tile, lane, aggregates);
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            const size_t begin = from + g * 32;
            if (begin + 32 <= tile) {
                const T node = warp_reduce(op, aggregates[g]);
                if (lane == 0)
                    tile_tree_add(op, &shared.tree, node);
            } else if (begin < tile) {
                before = standing_sum(op, aggregates[g], (unsigned)(tile - begin), before);
            }
        }
    }
    __syncwarp();
    return tile_tree_sum(op, &shared.tree, call.start, before);
}

/* Adds what comes before to the rows that scan_locally() left, and stores them. */
template <int STEP, typename S, typename OPERATOR>
static __device__ __forceinline__ void
store_elements(OPERATOR op, const tree_call<S> &call, size_t begin, unsigned n, unsigned lane,
               typename S::T before, typename S::T *rows, const typename S::T (&x)[TREE_ITEMS],
               const typename S::T (&sums)[LANE_ROWS])
{
    typedef typename S::T T;
    T *const out = call.out + STEP * (ptrdiff_t)(begin + lane);
    /* The sums become what comes before the next row. */
#pragma unroll
    for (unsigned j = 0; j < LANE_ROWS; j++)
        if (j * 32 + lane + 1 < TILE_ROWS)
            rows[j * 32 + lane + 1] = combine(op, before, sums[j]);
    if (lane == 0)
        rows[0] = before;
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < TREE_ITEMS; k++) {
        const T start = rows[k * ROWS_AT_ONCE + lane / ROW];
        T y = combine(op, start, x[k]);
        if (call.exclusive) {
            const T previous = warp_shuffle_up(y, 1);
            y = lane % ROW == 0 ? start : previous;
        }
        if (k == 0 && begin + lane == 0 && (call.exclusive || call.keeps))
            y = call.exclusive ? call.first : x[0];
        if (k * 32 + lane < n)
            __stcs(out + STEP * (int)(k * 32), y);
    }
}

/* A whole tile that this warp will load next. */
template <int STEP, typename In>
static __device__ __forceinline__ void prefetch_elements(const In *in, unsigned lane)
{
    const char *const lowest = (const char *)(STEP > 0 ? in : in - (TREE_TILE - 1));
#pragma unroll
    for (unsigned byte = 0; byte < TREE_TILE * sizeof(In); byte += 32 * 128)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(lowest + byte + lane * 128));
}

template <typename S, int STEP, typename OPERATOR>
static __global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    tree_scan(const __grid_constant__ tree_call<S> call)
{
    typedef typename S::T T;
    const OPERATOR op = OPERATOR();
    __shared__ tree_shared<S> shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        shared.tag = tile_chain_begin(call.chain);
        shared.tree.tiles = 0;
    }
    __syncthreads();
    const size_t tiles = (call.n + S::TILE - 1) / S::TILE;
    const size_t stride = (size_t)gridDim.x * S::TILE;
    /* Of a reduction, only the sum of all is asked for: what stands after the last tile. */
    const bool last = (tiles - 1 - blockIdx.x) % gridDim.x == 0;
    size_t begin = (size_t)blockIdx.x * S::TILE + warp * TREE_TILE;
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, begin += stride) {
        const unsigned n = tree_tile_size(call.n, begin);
        T x[TREE_ITEMS], sums[LANE_ROWS];
        load_elements<STEP>(op, call.in + STEP * (ptrdiff_t)begin, n, lane, x);
        scan_locally(op, n, lane, shared.rows[warp], x, sums, &shared.sums[warp]);
        if (PREFETCH && tree_tile_size(call.n, begin + stride) == TREE_TILE)
            prefetch_elements<STEP>(call.in + STEP * (ptrdiff_t)(begin + stride), lane);
        __syncthreads();
        if (warp == 0) {
            T sum = identity(op);
            if (lane < S::WARPS)
                sum = shared.sums[lane];
            const T node = warp_reduce(op, sum);
            if (lane == 0)
                tile_publish(call.chain, shared.tag, tile, node);
            if (!call.reduces || last) {
                const T before = learn_prefixes(op, call, shared, tile, sum, lane);
                if (lane <= S::WARPS)
                    shared.before[lane] = before;
            }
        }
        __syncthreads();
        if (!call.reduces)
            store_elements<STEP>(op, call, begin, n, lane, shared.before[warp], shared.rows[warp],
                                 x, sums);
    }
    if (call.reduces && last && threadIdx.x == 0)
        *call.out = call.n == 0
                        ? call.first
                        : shared.before[(call.n - (tiles - 1) * S::TILE - 1) / TREE_TILE + 1];
    tile_chain_end(call.chain, shared.tag);
}

#endif
