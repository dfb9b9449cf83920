/*
 * Reproducible scans and reductions of elements of a caller: the tree of scan/reproducible/tree.h, as the CPU engine
 * evaluates it (scan/custom/custom_tree_cpu.c). A block has a tile of the tree at a time, a thread a row of it.
 *
 *     custom_tree_sums     the sum of each tile, and of each 2^k tiles that begin at a multiple of 2^k: the nodes. Whoever
 *                          is the second to finish a half of a node makes the node (add_to_nodes())
 *     custom_tree_scan     each tile anew, after what comes before it: the nodes that a binary counter would have then
 *     custom_tree_result   of a reduction: the nodes of all whole tiles, and the rest
 *
 * What is not there is left out: maybe<E>, whether there is an identity or not.
 */
#ifndef PARSCAN_SCAN_RUNTIME_CUSTOM_TREE_CUH
#define PARSCAN_SCAN_RUNTIME_CUSTOM_TREE_CUH

#include "scan/reproducible/tree_carry.h"
#include "scan/runtime/custom_call.cuh"

/* The tree's numbers, as constants: macros of theirs would reach the caller's text. */
enum : unsigned {
    TREE_ROW = ROW,
    TREE_THREADS = TILE_ROWS,
    TREE_ELEMENTS = TREE_TILE,
    TREE_LEVELS = 64
};
#undef ROW
#undef TILE_ROWS
#undef TREE_TILE
static_assert(TREE_THREADS == CUSTOM_TREE_THREADS && TREE_LEVELS <= TREE_THREADS, "a thread a row");

template <typename CALLER>
struct tree_room {
    typedef maybe<typename CALLER::E> T;
    T rows[2][TREE_THREADS];
    T nodes[TREE_LEVELS];
    T before;
};

/* Without an identity that would stand for nothing. */
template <typename CALLER>
static __device__ __forceinline__ maybe<typename CALLER::E> add(const maybe<typename CALLER::E> &a,
                                                                const maybe<typename CALLER::E> &b)
{
    return combine(custom_operator<CALLER, true>(), a, b);
}

/* Results of a block's rows: a warp stores its own one after another, not each lane its row. The rows lie so that lanes
   have different banks. Elements of more than 16 bytes are stored directly: they fill sectors of memory. */
template <typename CALLER>
struct tree_stage {
    static const bool USED = CALLER::SIZE <= 16;
    typename CALLER::E rows[TREE_THREADS / 32][USED ? 32 * (TREE_ROW + 1) : 1];
};

/* A row: its elements, of which there are `count`, scanned by Sklansky's network. */
template <typename CALLER>
struct tree_row {
    typedef typename CALLER::E E;
    E x[TREE_ROW];
    unsigned count;

    /* Place k of the array in the order of combination. */
    static __device__ __forceinline__ size_t place_of(const custom_call &call, size_t n, size_t k)
    {
        return call.reverse != 0 ? n - 1 - k : k;
    }
    __device__ __forceinline__ tree_row(const custom_call &call, size_t n, size_t first)
        : count(first >= n             ? 0
                : n - first < TREE_ROW ? (unsigned)(n - first)
                                       : TREE_ROW)
    {
#pragma unroll
        for (unsigned k = 0; k < TREE_ROW; k++)
            if (k < count)
                x[k] = fetch_element<CALLER>(call.in, place_of(call, n, first + k));
#pragma unroll
        for (unsigned s = 1; s < TREE_ROW; s *= 2)
#pragma unroll
            for (unsigned k = s; k < TREE_ROW; k++)
                if ((k & s) != 0 && k < count)
                    x[k] = CALLER::combine(x[k / s * s - 1], x[k]);
    }
    __device__ __forceinline__ maybe<E> sum() const
    {
        maybe<E> last;
        last.there = 0;
#pragma unroll
        for (unsigned k = 0; k < TREE_ROW; k++)
            if (k + 1 == count)
                last = x[k];
        return last;
    }
    /* Result k: before: all that comes before the row; start: what an exclusive scan has where there is nothing. */
    __device__ __forceinline__ E result(const custom_call &call, unsigned k, const maybe<E> &before,
                                        const E &start) const
    {
        maybe<E> y = before;
        if (call.exclusive == 0)
            y = add<CALLER>(before, x[k]);
        else if (k > 0)
            y = add<CALLER>(before, x[k - 1]);
        return y.there != 0 ? y.value : start;
    }
    __device__ __forceinline__ void store(const custom_call &call, size_t n, size_t first,
                                          const maybe<E> &before, const E &start,
                                          tree_stage<CALLER> &stage) const
    {
        if constexpr (!tree_stage<CALLER>::USED) {
#pragma unroll
            for (unsigned k = 0; k < TREE_ROW; k++)
                if (k < count)
                    put_element<CALLER>(call.out, place_of(call, n, first + k),
                                        result(call, k, before, start));
        } else {
            const unsigned lane = threadIdx.x % 32;
            E *const own = stage.rows[threadIdx.x / 32];
#pragma unroll
            for (unsigned k = 0; k < TREE_ROW; k++)
                if (k < count)
                    own[lane * (TREE_ROW + 1) + k] = result(call, k, before, start);
            __syncwarp();
            const size_t begin = first - lane * TREE_ROW;
#pragma unroll
            for (unsigned j = lane; j < 32 * TREE_ROW; j += 32)
                if (begin + j < n)
                    put_element<CALLER>(call.out, place_of(call, n, begin + j),
                                        own[j + j / TREE_ROW]);
        }
    }
};

/* Scans the sums of a tile's rows by Kogge-Stone. By all threads; returns which of room.rows has them then. */
template <typename CALLER>
static __device__ __forceinline__ unsigned scan_row_sums(tree_room<CALLER> &room,
                                                         maybe<typename CALLER::E> sum)
{
    unsigned from = 0;
    room.rows[0][threadIdx.x] = sum;
    __syncthreads();
#pragma unroll 1
    for (unsigned stride = 1; stride < TREE_THREADS; stride *= 2) {
        if (threadIdx.x >= stride)
            sum = add<CALLER>(room.rows[from][threadIdx.x - stride], sum);
        from = 1 - from;
        room.rows[from][threadIdx.x] = sum;
        __syncthreads();
    }
    return from;
}

template <typename CALLER>
static __device__ __forceinline__ typename CALLER::E read_node(const custom_tree &given, size_t at)
{
    return read_units<unit_of_caller<CALLER>(), typename CALLER::E>((const char *)given.nodes +
                                                                    at * CALLER::SIZE);
}
template <typename CALLER>
static __device__ __forceinline__ void write_node(const custom_tree &given, size_t at,
                                                  const typename CALLER::E &x)
{
    write_units<unit_of_caller<CALLER>()>((char *)given.nodes + at * CALLER::SIZE, x);
}

/* Nodes of one level stand one after another; each level has half as many as the one before, from given.tiles on. The
   sum of a tile is given; where this thread is the second of two, it goes on with both. */
template <typename CALLER>
static __device__ __forceinline__ void add_to_nodes(const custom_tree &given, size_t tile,
                                                    typename CALLER::E sum)
{
    size_t level = 0, width = given.tiles, k = tile;
#pragma unroll 1
    for (;;) {
        const size_t above = level + width;
        write_node<CALLER>(given, level + k, sum);
        if (k / 2 >= width / 2)
            return;
        __threadfence();
        if (atomicAdd(given.halves + (above - given.tiles + k / 2), 1u) == 0)
            return;
        __threadfence();
        const typename CALLER::E other = read_node<CALLER>(given, level + (k ^ 1));
        sum = k % 2 != 0 ? CALLER::combine(other, sum) : CALLER::combine(sum, other);
        level = above;
        width /= 2;
        k /= 2;
    }
}

/* Init and the first `tiles` tiles, and `after`. By all threads; thread 0 has the result. */
template <typename CALLER>
static __device__ __forceinline__ maybe<typename CALLER::E>
sum_before(const custom_tree &given, size_t tiles, maybe<typename CALLER::E> after,
           tree_room<CALLER> &room)
{
    typedef maybe<typename CALLER::E> T;
    size_t level = 0;
    if (threadIdx.x < TREE_LEVELS && (tiles >> threadIdx.x & 1) != 0) {
        for (unsigned k = 0; k < threadIdx.x; k++)
            level += given.tiles >> k;
        room.nodes[threadIdx.x] = T(read_node<CALLER>(given, level + (tiles >> threadIdx.x) - 1));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (unsigned k = 0; k < TREE_LEVELS && tiles >> k != 0; k++)
            if ((tiles >> k & 1) != 0)
                after = add<CALLER>(room.nodes[k], after);
        if (given.call.has_init != 0)
            after = add<CALLER>(
                T((typename CALLER::E)start_of<CALLER, typename combined_type<CALLER>::T>(
                    given.call)),
                after);
    }
    return after;
}

template <typename CALLER>
static __device__ __forceinline__ void custom_tree_sums(const custom_tree &given)
{
    __shared__ tree_room<CALLER> room;
    wait_for_previous_kernel();
    const size_t n = elements_of(given.call), tiles = (n + TREE_ELEMENTS - 1) / TREE_ELEMENTS;
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const size_t first = tile * TREE_ELEMENTS + threadIdx.x * TREE_ROW;
        const tree_row<CALLER> row(given.call, n, first);
        const unsigned scanned = scan_row_sums(room, row.sum());
        /* The row with the tile's last element. */
        if (row.count != 0 && (threadIdx.x + 1 == TREE_THREADS || first + TREE_ROW >= n))
            add_to_nodes<CALLER>(given, tile, room.rows[scanned][threadIdx.x].value);
        __syncthreads();
    }
}

template <typename CALLER>
static __device__ __forceinline__ void custom_tree_scan(const custom_tree &given)
{
    typedef maybe<typename CALLER::E> T;
    __shared__ tree_room<CALLER> room;
    __shared__ tree_stage<CALLER> stage;
    wait_for_previous_kernel();
    const size_t n = elements_of(given.call), tiles = (n + TREE_ELEMENTS - 1) / TREE_ELEMENTS;
    typename CALLER::E start;
    if (given.call.exclusive != 0)
        start = (typename CALLER::E)start_of<CALLER, typename combined_type<CALLER>::T>(given.call);
#pragma unroll 1
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const size_t first = tile * TREE_ELEMENTS + threadIdx.x * TREE_ROW;
        const tree_row<CALLER> row(given.call, n, first);
        T nothing;
        nothing.there = 0;
        const T sum = sum_before<CALLER>(given, tile, nothing, room);
        if (threadIdx.x == 0)
            room.before = sum;
        const unsigned scanned = scan_row_sums(room, row.sum());
        T before = room.before;
        if (threadIdx.x > 0)
            before = add<CALLER>(before, room.rows[scanned][threadIdx.x - 1]);
        row.store(given.call, n, first, before, start, stage);
        __syncthreads();
    }
}

/* By one block. */
template <typename CALLER>
static __device__ __forceinline__ void custom_tree_result(const custom_tree &given)
{
    typedef maybe<typename CALLER::E> T;
    __shared__ tree_room<CALLER> room;
    wait_for_previous_kernel();
    const size_t n = elements_of(given.call), whole = n / TREE_ELEMENTS;
    T rest;
    rest.there = 0;
    if (n % TREE_ELEMENTS != 0)
        rest = T(read_node<CALLER>(given, whole));
    const T sum = sum_before<CALLER>(given, whole, rest, room);
    if (threadIdx.x == 0 && (sum.there != 0 || CALLER::HAS_IDENTITY))
        put_element<CALLER>(
            given.call.out, 0,
            sum.there != 0
                ? sum.value
                : (typename CALLER::E)start_of<CALLER, typename combined_type<CALLER>::T>(
                      given.call));
}

#endif
