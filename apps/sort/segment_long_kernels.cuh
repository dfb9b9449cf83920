/*
 * Sorts the segments that fit no tile in the launch that finds them, because the host cannot know
 * whether there are any, and more launches would take longer than the sort of a short array. Each
 * is sorted by the block that finds it, or all of them by all blocks together.
 *
 * Together: the elements of all long segments, one segment after another, are divided evenly. Each
 * block has a share, and handles its part of each segment in it. For each digit a block counts its
 * parts' elements, and moves them between spare arrays, ranked by votes. Where a part is not the
 * whole segment, its counts are left in device memory for the other blocks.
 */
#ifndef PARSCAN_APPS_SORT_SEGMENT_LONG_KERNELS_CUH
#define PARSCAN_APPS_SORT_SEGMENT_LONG_KERNELS_CUH

#include <cooperative_groups.h>

#include "apps/radix/digit_rank_kernels.cuh"
#include "apps/radix/digit_tile_kernels.cuh"
#include "apps/sort/segment_tile_shape.cuh"

/* A segment and its elements, as counted in list.taken. */
static __device__ __forceinline__ unsigned long long count_of_one(uint64_t length)
{
    return (1ull << SORT_COUNT_BITS) | length;
}

/* Lists a long segment after those in `taken`, which are listed from index `first` on. */
static __device__ __forceinline__ void list_segment(const segment_list &list, size_t first,
                                                    uint64_t begin, uint64_t taken)
{
    const size_t number = first + (size_t)(taken >> SORT_COUNT_BITS);
    if (number >= list.room)
        return; /* wrong offsets: segments overlap, and the sum of lengths overflowed */
    list.begins[number] = begin;
    list.starts[number] = taken & (((uint64_t)1 << SORT_COUNT_BITS) - 1);
}

/* Lists a long segment in the block's list, for all blocks. Called by one thread. */
template <typename KEY>
static __device__ __forceinline__ void
list_for_all(const segment_params<KEY> &params, uint64_t *taken, uint64_t begin, uint64_t length)
{
    list_segment(params.list, (size_t)blockIdx.x * params.most_listed, begin, *taken);
    *taken += count_of_one(length);
}

/* The elements first to last - 1 of a long segment, which are in a block's share. */
struct long_part {
    size_t begin; /* of the segment in the array */
    unsigned length, first, last;
    unsigned from, to;      /* the blocks that have parts of the segment */
    bool begins_in_a_share; /* after the start of the share of block `from` */

    __device__ bool is_whole() const { return from == to; }
    /* The row of a block's counts: the first for its share's first part, the second for its last
       one. */
    __device__ unsigned row(unsigned block) const
    {
        return 2 * block + (block == from && begins_in_a_share);
    }
};

/* Parts that are looked up once, not in each pass. */
#define SORT_PARTS_HELD 32u

template <typename S>
struct long_segments_shared {
    union {
        alignas(16) uint32_t rows[S::WARPS][SORT_DIGITS];
        uint32_t sums[S::WARPS / 2][2][SORT_DIGITS]; /* of other blocks' counts */
    };
    uint32_t warp_sums[SORT_DIGITS / 32];
    uint32_t digit_starts[SORT_DIGITS];
    uint32_t ends[SORT_BLOCKS_TOGETHER]; /* the long elements of a block and all before */
    long_part parts[SORT_PARTS_HELD];    /* the first parts of this block's share */
};
/* What a block works on. */
template <typename S>
struct long_sorter {
    typedef typename S::Bits Bits;
    const segment_params<typename S::Key> &params;
    long_segments_shared<S> &shared;
    unsigned share, end; /* the elements in a share; in all of them */
    unsigned held;       /* the parts in shared memory */
    unsigned pass;

    __device__ unsigned lane() const { return threadIdx.x % 32; }
    __device__ uint32_t *row() const { return shared.rows[threadIdx.x / 32]; }
    __device__ Bits *keys(const long_part &part, unsigned turn) const
    {
        return params.spare_keys[turn % 2] + part.begin;
    }
    __device__ uint32_t *indices(const long_part &part, unsigned turn) const
    {
        return params.spare_indices[turn % 2] + part.begin;
    }
    __device__ unsigned digit(Bits key) const { return params.digit[pass](key); }
};

/* The part of a block's share that starts with element `at` of all. */
template <typename S>
static __device__ __forceinline__ long_part part_at(const long_sorter<S> &sorter, unsigned at)
{
    const segment_list &list = sorter.params.list;
    unsigned block = 0, low = 0;
    for (unsigned step = SORT_BLOCKS_TOGETHER / 2; step > 0; step /= 2)
        block += sorter.shared.ends[block + step - 1] <= at ? step : 0;
    const unsigned before = block > 0 ? sorter.shared.ends[block - 1] : 0;
    const uint64_t *const starts = list.starts + (size_t)block * sorter.params.most_listed;
    unsigned high = (unsigned)(list.taken[block] >> SORT_COUNT_BITS);
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        if (before + starts[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    const bool is_last = low + 1 == (unsigned)(list.taken[block] >> SORT_COUNT_BITS);
    const unsigned start = before + (unsigned)starts[low];
    const unsigned end = is_last ? sorter.shared.ends[block] : before + (unsigned)starts[low + 1];
    const unsigned mine = (blockIdx.x + 1) * sorter.share; /* the end of this block's share */
    long_part part;
    part.begin = list.begins[(size_t)block * sorter.params.most_listed + low];
    part.length = end - start;
    part.first = at - start;
    part.last = (mine < end ? mine : end) - start;
    part.from = start / sorter.share;
    part.to = (end - 1) / sorter.share;
    part.begins_in_a_share = start % sorter.share != 0;
    return part;
}

/* Calls f(part) for each part of the block's share. */
template <typename S, typename Function>
static __device__ __forceinline__ void for_each_part(const long_sorter<S> &sorter, Function f)
{
    const uint64_t begin = (uint64_t)blockIdx.x * sorter.share, next = begin + sorter.share;
    const unsigned end = next < sorter.end ? (unsigned)next : sorter.end;
    unsigned at = begin < end ? (unsigned)begin : end;
    for (unsigned k = 0; at < end; k++) {
        const long_part part = k < sorter.held ? sorter.shared.parts[k] : part_at(sorter, at);
        f(part);
        at += part.last - part.first;
    }
}

/* Looks up the first parts of the block's share. Called by the whole block. */
template <typename S>
static __device__ __forceinline__ void hold_parts(long_sorter<S> &sorter)
{
    unsigned found = 0;
    for_each_part(sorter, [&](const long_part &part) {
        if (threadIdx.x == 0 && found < SORT_PARTS_HELD)
            sorter.shared.parts[found] = part;
        found++;
    });
    __syncthreads();
    sorter.held = found < SORT_PARTS_HELD ? found : SORT_PARTS_HELD;
}

/* Copies a part's keys as codes, and its values if they are in the way of the output. */
template <typename S>
static __device__ __forceinline__ void collect_part(const long_sorter<S> &sorter,
                                                    const long_part &part)
{
    const segment_params<typename S::Key> &params = sorter.params;
    for (unsigned at = part.first + threadIdx.x; at < part.last; at += S::THREADS) {
        const size_t from = part.begin + at;
        sorter.keys(part, 0)[at] = S::Key::encode(params.keys_in[from], params.flip);
        if (params.value_size == 0)
            continue;
        sorter.indices(part, 0)[at] = at;
        if (params.spare_values == NULL)
            continue;
        if (params.value_size == 4)
            ((uint32_t *)params.spare_values)[from] = ((const uint32_t *)params.values_in)[from];
        else
            ((uint64_t *)params.spare_values)[from] = ((const uint64_t *)params.values_in)[from];
    }
}

/* Returns how many elements of the part have this thread's digit. */
template <typename S>
static __device__ __forceinline__ uint32_t count_part(const long_sorter<S> &sorter,
                                                      const long_part &part)
{
    const unsigned AT_ONCE = 8;
    const typename S::Bits *const source = sorter.keys(part, sorter.pass);
    __syncthreads();
    clear_row(sorter.row(), sorter.lane());
    __syncwarp();
    for (unsigned at = part.first + threadIdx.x; at < part.last; at += AT_ONCE * S::THREADS) {
        typename S::Bits keys[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            keys[k] = at + k * S::THREADS < part.last ? source[at + k * S::THREADS] : 0;
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (at + k * S::THREADS < part.last)
                atomicAdd(sorter.row() + sorter.digit(keys[k]), 1u);
    }
    __syncthreads();
    uint32_t count = 0;
    if (threadIdx.x < SORT_DIGITS)
        for (unsigned w = 0; w < S::WARPS; w++)
            count += sorter.shared.rows[w][threadIdx.x];
    return count;
}

/* Returns the sum of the counts of all smaller digits. Each thread has the count of its digit.
   Called by the whole block. */
template <typename S>
static __device__ __forceinline__ uint32_t below_digit(const long_sorter<S> &sorter, uint32_t count)
{
    uint32_t through = 0;
    __syncthreads();
    if (threadIdx.x < SORT_DIGITS)
        through = prefix_in_warp(count, sorter.shared.warp_sums, threadIdx.x / 32, sorter.lane());
    __syncthreads();
    if (threadIdx.x < SORT_DIGITS)
        through = with_warps_before(through, sorter.shared.warp_sums, threadIdx.x / 32);
    return through - count;
}

/* Returns where the elements of this thread's digit in the part go: after those of smaller digits
   in the segment, and after those of earlier blocks. */
template <typename S>
static __device__ __forceinline__ uint32_t begin_of_digit(const long_sorter<S> &sorter,
                                                          const long_part &part)
{
    const unsigned FOUR = 4, QUADS = SORT_DIGITS / FOUR, GROUPS = S::THREADS / QUADS;
    const unsigned quad = threadIdx.x % QUADS, group = threadIdx.x / QUADS;
    static_assert(sizeof sorter.shared.sums / sizeof *sorter.shared.sums == GROUPS,
                  "a row of sums for each group of threads");
    uint4 all = make_uint4(0, 0, 0, 0), before = all;
#pragma unroll 4
    for (unsigned block = part.from + group; block <= part.to; block += GROUPS) {
        const uint4 row =
            ((const uint4 *)(sorter.params.counts + part.row(block) * SORT_DIGITS))[quad];
        all.x += row.x, all.y += row.y, all.z += row.z, all.w += row.w;
        if (block < blockIdx.x)
            before.x += row.x, before.y += row.y, before.z += row.z, before.w += row.w;
    }
    __syncthreads();
    ((uint4 *)sorter.shared.sums[group][0])[quad] = all;
    ((uint4 *)sorter.shared.sums[group][1])[quad] = before;
    __syncthreads();
    uint32_t count = 0, earlier = 0;
    if (threadIdx.x < SORT_DIGITS)
        for (unsigned g = 0; g < GROUPS; g++) {
            count += sorter.shared.sums[g][0][threadIdx.x];
            earlier += sorter.shared.sums[g][1][threadIdx.x];
        }
    return below_digit(sorter, count) + earlier;
}

/* Leaves the counts of a part, if it is not the whole segment. */
template <typename S>
static __device__ __forceinline__ void leave_counts(const long_sorter<S> &sorter,
                                                    const long_part &part)
{
    if (part.is_whole())
        return;
    const uint32_t count = count_part(sorter, part);
    if (threadIdx.x < SORT_DIGITS)
        sorter.params.counts[part.row(blockIdx.x) * SORT_DIGITS + threadIdx.x] = count;
}

template <typename S>
static __device__ __forceinline__ void put_element(const long_sorter<S> &sorter,
                                                   const long_part &part, unsigned to,
                                                   typename S::Bits key, uint32_t index)
{
    const segment_params<typename S::Key> &params = sorter.params;
    if (to >= part.length || index >= part.length)
        return; /* segments overlap: their offsets are wrong */
    if (sorter.pass + 1 < params.passes) {
        sorter.keys(part, sorter.pass + 1)[to] = key;
        if (params.value_size != 0)
            sorter.indices(part, sorter.pass + 1)[to] = index;
        return;
    }
    const size_t at = part.begin + to, from = part.begin + index;
    const void *const values = params.spare_values != NULL ? params.spare_values : params.values_in;
    params.keys_out[at] = S::Key::decode(key, params.flip);
    if (params.value_size == 4)
        ((uint32_t *)params.values_out)[at] =
            values == NULL ? (uint32_t)from : ((const uint32_t *)values)[from];
    else if (params.value_size == 8)
        ((uint64_t *)params.values_out)[at] =
            values == NULL ? from : ((const uint64_t *)values)[from];
}

/* Moves the part's elements from `chunk` on, ITEMS a lane. Returns where the next elements of this
   thread's digit go. */
template <unsigned ITEMS, typename S>
static __device__ __forceinline__ uint32_t move_chunk(const long_sorter<S> &sorter,
                                                      const long_part &part, unsigned chunk,
                                                      uint32_t begin)
{
    const unsigned lane = sorter.lane(), digit = threadIdx.x;
    const unsigned first = chunk + threadIdx.x / 32 * 32 * ITEMS + lane;
    uint32_t *const starts = sorter.shared.digit_starts;
    typename S::Bits keys[ITEMS];
    uint32_t indices[ITEMS];
    unsigned digits[ITEMS], ranks[ITEMS];
    clear_row(sorter.row(), lane);
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned at = first + i * 32;
        const bool here = at < part.last;
        keys[i] = here ? sorter.keys(part, sorter.pass)[at] : 0;
        indices[i] =
            here && sorter.params.value_size != 0 ? sorter.indices(part, sorter.pass)[at] : 0;
        digits[i] = here ? sorter.digit(keys[i]) : SORT_DIGITS - 1;
    }
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i += S::MATCHED) {
        unsigned four[S::MATCHED], places[S::MATCHED];
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++)
            four[k] = digits[i + k];
        rank_by_votes<S>(sorter.row(), NULL, lane, four, places);
#pragma unroll
        for (unsigned k = 0; k < S::MATCHED; k++)
            ranks[i + k] = places[k];
    }
    __syncthreads();
    place_digits<S>(sorter.shared);
    __syncthreads();
    if (digit < SORT_DIGITS) {
        const uint32_t here = sorter.shared.rows[0][digit];
        const uint32_t next =
            digit + 1 < SORT_DIGITS ? sorter.shared.rows[0][digit + 1] : ITEMS * S::THREADS;
        starts[digit] = begin - here;
        begin += next - here;
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++)
        if (first + i * 32 < part.last)
            put_element(sorter, part, starts[digits[i]] + sorter.row()[digits[i]] + ranks[i],
                        keys[i], indices[i]);
    __syncthreads();
    return begin;
}

template <typename S>
static __device__ __forceinline__ void move_part(const long_sorter<S> &sorter,
                                                 const long_part &part)
{
    const unsigned ITEMS = 8;
    uint32_t begin = part.is_whole() ? below_digit(sorter, count_part(sorter, part))
                                     : begin_of_digit(sorter, part);
    __syncthreads();
    for (unsigned chunk = part.first; chunk < part.last; chunk += ITEMS * S::THREADS)
        begin = move_chunk<ITEMS>(sorter, part, chunk, begin);
}

/* Sorts the long segment that the block has found. */
template <typename S>
static __device__ __noinline__ void sort_long_segment(const segment_params<typename S::Key> &params,
                                                      long_segments_shared<S> &shared,
                                                      uint64_t begin, uint64_t length)
{
    const long_part part = {begin, (unsigned)length, 0, (unsigned)length, 0, 0, false};
    long_sorter<S> sorter = {params, shared};
    collect_part(sorter, part);
    for (; sorter.pass < params.passes; sorter.pass++)
        move_part(sorter, part);
}

/* Writes the numbers of long elements through each block, and returns the number of all. Called by
   the whole block. */
template <typename S>
static __device__ __forceinline__ uint64_t sum_blocks(const segment_params<typename S::Key> &params,
                                                      long_segments_shared<S> &shared)
{
    const unsigned EACH = SORT_BLOCKS_TOGETHER / S::THREADS, first = threadIdx.x * EACH;
    static_assert(S::THREADS * EACH == SORT_BLOCKS_TOGETHER, "blocks for each thread");
    uint64_t *const sums = (uint64_t *)shared.rows;
    uint64_t elements[EACH], sum = 0, total = 0;
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        elements[k] = first + k < gridDim.x
                          ? params.list.taken[first + k] & (((uint64_t)1 << SORT_COUNT_BITS) - 1)
                          : 0;
        sum += elements[k];
    }
    /* Not by block_prefix.cuh: with the scan after the barrier, kernels have up to 62 instructions more. */
    uint64_t before = warp_scan(parscan_operator_SUM(), sum, threadIdx.x % 32);
    __syncthreads();
    if (threadIdx.x % 32 == 31)
        sums[threadIdx.x / 32] = before;
    __syncthreads();
    before -= sum;
    for (unsigned w = 0; w < S::WARPS; w++) {
        before += w < threadIdx.x / 32 ? sums[w] : 0;
        total += sums[w];
    }
#pragma unroll
    for (unsigned k = 0; k < EACH; k++) {
        before += elements[k];
        shared.ends[first + k] = (uint32_t)before;
    }
    __syncthreads();
    return total;
}

/* Called by all blocks, which a cooperative launch holds at once, after the last of them has listed
   its long segments. */
template <typename S>
static __device__ __forceinline__ void
sort_long_segments(const segment_params<typename S::Key> &params, long_segments_shared<S> &shared)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const uint64_t total = sum_blocks(params, shared);
    if (total == 0 || total > params.n)
        return; /* more than n: segments overlap, since their offsets are wrong */
    const unsigned each = (unsigned)(total + gridDim.x - 1) / gridDim.x, round = 32;
    long_sorter<S> sorter = {params, shared, (each + round - 1) / round * round, (unsigned)total};
    hold_parts(sorter);
    for_each_part(sorter, [&](const long_part &part) { collect_part(sorter, part); });
    for (; sorter.pass < params.passes; sorter.pass++) {
        if (sorter.pass > 0)
            grid.sync();
        for_each_part(sorter, [&](const long_part &part) { leave_counts(sorter, part); });
        grid.sync();
        for_each_part(sorter, [&](const long_part &part) { move_part(sorter, part); });
    }
}

#endif
