/*
 * The kernels of the rounds of a sort by columns (sort_columns_bits.cuh has the bits of rows). A warp has a share of
 * the rows, so that rows with equal keys are listed in their order without a barrier of the block: it
 * counts them, one block scans the counts of all warps, and the warp reads its share again. If the last bits are
 * first, all rows are listed as they are.
 */
#ifndef PARSCAN_APPS_SORT_COLUMNS_KERNELS_CUH
#define PARSCAN_APPS_SORT_COLUMNS_KERNELS_CUH

#include "apps/sort/sort_columns_bits.cuh"
#include "scan/cuda/block_prefix.cuh"

enum { ROUND_THREADS = 1024 };

/* ---- rows with equal keys ---- */

/* The rows begin to end - 1 of a warp, of n. */
struct lister_share {
    size_t begin, end;
};

static __device__ __forceinline__ lister_share share_of_warp(size_t n, unsigned listers,
                                                             unsigned lister)
{
    const size_t length = ((n + listers - 1) / listers + 31) / 32 * 32;
    const size_t begin = lister * length < n ? lister * length : n;
    return {begin, n - begin < length ? n : begin + length};
}

/* A key that is equal to a neighbour is tied; the first one of a group is its head. */
struct tie {
    bool tied, head;
};

template <typename KEY>
static __device__ __forceinline__ tie tie_at(const KEY *keys, size_t i, size_t n, size_t end)
{
    if (i >= end)
        return {false, false};
    const KEY key = keys[i];
    const bool before = i > 0 && keys[i - 1] == key, after = i + 1 < n && keys[i + 1] == key;
    return {before || after, after && !before};
}

static __device__ __forceinline__ unsigned lister_of_warp()
{
    return (unsigned)((blockIdx.x * COLUMN_THREADS + threadIdx.x) / 32);
}

template <typename KEY>
static __global__ void __launch_bounds__(COLUMN_THREADS, BLOCKS_HELD(COLUMN_THREADS, 4))
    count_ties(const __grid_constant__ columns_at_length params)
{
    const unsigned lister = lister_of_warp(), lane = threadIdx.x % 32;
    const KEY *const keys = (const KEY *)params.sorted;
    wait_for_previous_kernel();
    if (lister >= params.listers)
        return;
    const size_t n = params.state->n;
    const lister_share share = share_of_warp(n, params.listers, lister);
    if (params.state->last_first) {
        if (lane == 0)
            params.state->counts[lister] = lister_count{share.end - share.begin, 0};
        return;
    }
    uint64_t rows = 0, groups = 0;
#pragma unroll 4
    for (size_t i = share.begin + lane; i < share.end; i += 32) {
        const tie found = tie_at(keys, i, n, share.end);
        rows += found.tied;
        groups += found.head;
    }
    rows = warp_scan(parscan_operator_SUM(), rows, lane);
    groups = warp_scan(parscan_operator_SUM(), groups, lane);
    if (lane == 31)
        params.state->counts[lister] = lister_count{rows, groups};
}

/* By the block: turns the counts of a thread's warps into what is before them, and returns what is in
   all. `which` takes the rows, or the groups. */
template <typename WHICH>
static __device__ __forceinline__ uint64_t scan_counts(const columns_params &params, uint64_t *sums,
                                                       WHICH which)
{
    const unsigned each = (params.listers + ROUND_THREADS - 1) / ROUND_THREADS;
    const unsigned begin = threadIdx.x * each, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    lister_count *const counts = params.state->counts;
    uint64_t own = 0;
    for (unsigned k = begin; k < begin + each && k < params.listers; k++)
        own += which(counts[k]);
    uint64_t through = prefix_in_warp(own, sums, warp, lane);
    __syncthreads();
    through = with_warps_before(through, sums, warp);
    uint64_t all = 0;
    for (unsigned w = 0; w < ROUND_THREADS / 32; w++)
        all += sums[w];
    uint64_t before = through - own;
    for (unsigned k = begin; k < begin + each && k < params.listers; k++) {
        const uint64_t count = which(counts[k]);
        which(counts[k]) = before;
        before += count;
    }
    __syncthreads(); /* the sums are used again */
    return all;
}

/* The bits of the next key. By one thread. */
static __device__ __forceinline__ void choose_next_bits(const columns_params &params,
                                                        uint64_t groups)
{
    if (params.state->last_first)
        choose_last_bits(params, params.room);
    else
        choose_bits(params, params.room - bits_of_numbers(groups));
}

/* One block. Without bits for another key no row is listed. */
static __global__ void __launch_bounds__(ROUND_THREADS)
    begin_round(const __grid_constant__ columns_at_length params)
{
    __shared__ uint64_t sums[ROUND_THREADS / 32];
    wait_for_previous_kernel();
    const uint64_t rows =
        scan_counts(params, sums, [](lister_count &count) -> uint64_t & { return count.rows; });
    const uint64_t groups =
        scan_counts(params, sums, [](lister_count &count) -> uint64_t & { return count.groups; });
    if (threadIdx.x != 0)
        return;
    columns_state *const state = params.state;
    state->before = state->n;
    state->n = 0;
    if (rows == 0)
        return;
    choose_next_bits(params, groups);
    if (state->key.bits > 0)
        state->n = rows;
}

template <typename INDEX>
static __device__ __forceinline__ void list_row(const columns_params &params, const column_key &key,
                                                size_t from, size_t to, uint64_t group)
{
    const INDEX place =
        params.places_in != NULL ? ((const INDEX *)params.places_in)[from] : (INDEX)from;
    const INDEX row = ((const INDEX *)params.order)[place];
    const size_t rows[1] = {row};
    uint64_t keys[1] = {key.bits < 64 ? group << key.bits : 0};
    keys_of_rows(params, key, rows, keys);
    ((INDEX *)params.places_out)[to] = place;
    ((INDEX *)params.rows)[to] = row;
    ((uint64_t *)params.keys)[to] = keys[0];
}

template <typename KEY, typename INDEX>
static __global__ void __launch_bounds__(COLUMN_THREADS, BLOCKS_HELD(COLUMN_THREADS, 4))
    list_ties(const __grid_constant__ columns_at_length params)
{
    __shared__ column_key key;
    const unsigned lister = lister_of_warp(), lane = threadIdx.x % 32;
    const KEY *const keys = (const KEY *)params.sorted;
    wait_for_previous_kernel();
    load_key(key, params.state->key);
    if (lister >= params.listers || params.state->n == 0)
        return;
    const size_t n = params.state->before;
    const lister_share share = share_of_warp(n, params.listers, lister);
    lister_count at = params.state->counts[lister];
    if (params.state->last_first) { /* at.rows is share.begin */
        for (size_t i = share.begin + lane; i < share.end; i += 32)
            list_row<INDEX>(params, key, i, i, 0);
        return;
    }
    for (size_t base = share.begin; base < share.end; base += 32) {
        const tie found = tie_at(keys, base + lane, n, share.end);
        const unsigned tied = __ballot_sync(~0u, found.tied);
        const unsigned heads = __ballot_sync(~0u, found.head);
        const unsigned below = (1u << lane) - 1;
        if (found.tied)
            list_row<INDEX>(params, key, base + lane, at.rows + __popc(tied & below),
                            at.groups + __popc(heads & (below << 1 | 1)) - 1);
        at.rows += __popc(tied);
        at.groups += __popc(heads);
    }
}

template <typename INDEX>
static __global__ void __launch_bounds__(COLUMN_THREADS, BLOCKS_HELD(COLUMN_THREADS, 4))
    return_rows(const __grid_constant__ columns_at_length params)
{
    wait_for_previous_kernel();
    const size_t n = params.state->n, step = (size_t)gridDim.x * COLUMN_THREADS;
    for (size_t j = (size_t)blockIdx.x * COLUMN_THREADS + threadIdx.x; j < n; j += step)
        ((INDEX *)params.order)[((const INDEX *)params.places_out)[j]] =
            ((const INDEX *)params.rows)[j];
}

template <typename KEY, typename INDEX>
static __global__ void __launch_bounds__(COLUMN_THREADS, BLOCKS_HELD(COLUMN_THREADS, 4))
    mark_heads(const __grid_constant__ columns_at_length params)
{
    wait_for_previous_kernel();
    const KEY *const keys = (const KEY *)params.sorted;
    const size_t n = params.state->n, step = (size_t)gridDim.x * COLUMN_THREADS;
    for (size_t j = (size_t)blockIdx.x * COLUMN_THREADS + threadIdx.x; j < n; j += step) {
        const size_t place = params.marked != NULL ? ((const INDEX *)params.marked)[j] : j;
        params.heads[place] = j == 0 || keys[j] != keys[j - 1];
    }
}

#endif
