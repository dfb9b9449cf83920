/*
 * The kernels of a sort by columns (apps/sort/column_bits.h has the bits of rows). A warp has a share of
 * the rows, so that rows with equal keys are listed in their order without a barrier of the block: it
 * counts them, one block scans the counts of all warps, and the warp reads its share again.
 */
#ifndef PARSCAN_APPS_SORT_COLUMNS_KERNELS_CUH
#define PARSCAN_APPS_SORT_COLUMNS_KERNELS_CUH

#include "apps/radix/digit_keys.cuh"
#include "apps/sort/sort_columns_cuda.h"
#include "scan/cuda/block_prefix.cuh"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

enum { COLUMN_THREADS = 256, ROUND_THREADS = 1024, ROWS_AT_ONCE = 4 };

struct columns_at_length : columns_params {
    device_length length;
};

/* ---- the bits of a row ---- */

static __device__ __forceinline__ uint64_t first_on_top(uint32_t word)
{
    return __byte_perm(word, 0, 0x0123);
}

/* The bytes of a word of a string, in units to which it is aligned. */
static __device__ __forceinline__ uint64_t load_string_word(const char *at, unsigned bytes,
                                                            unsigned alignment)
{
    uint64_t word = 0;
    if (alignment % 4 == 0) {
        for (unsigned k = 0; k < bytes; k += 4)
            word = word << 32 | first_on_top(*(const uint32_t *)(at + k));
        return word;
    }
    for (unsigned k = 0; k < bytes; k++)
        word = word << 8 | (unsigned char)at[k];
    return word;
}

static __device__ __forceinline__ uint64_t word_of_string(const sorted_column &column,
                                                          unsigned word, size_t row)
{
    const unsigned bytes = column_word_bytes(&column, word);
    const unsigned alignment = ((unsigned)(uintptr_t)column.data | column.size) & 7;
    const char *const at = column.data + row * column.size + 8 * word;
    return (load_string_word(at, bytes, alignment) ^ column.flip) & bits_below(8 * bytes);
}

template <typename KEY>
static __device__ __forceinline__ uint64_t rank_of_element(const sorted_column &column, size_t row)
{
    typedef typename KEY::Bits Bits;
    const Bits flip = (Bits)column.flip;
    return KEY::rank(KEY::encode(((const Bits *)column.data)[row], flip), flip);
}

/* A word of several rows, which are read together. */
template <unsigned ROWS>
static __device__ __forceinline__ void words_of_rows(const sorted_column &column, unsigned word,
                                                     const size_t (&row)[ROWS],
                                                     uint64_t (&words)[ROWS])
{
    switch (column.key) {
#define X(ctx, NAME, bits, name, ...)                                    \
    case KEY_##NAME:                                                     \
        _Pragma("unroll") for (unsigned k = 0; k < ROWS; k++) words[k] = \
            rank_of_element<key_##name>(column, row[k]);                 \
        return;
        PARSCAN_KEY_CLASSES(X, )
#undef X
    default:
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++)
            words[k] = word_of_string(column, word, row[k]);
    }
}

/* The bits of rows in a key. Runs of one word follow each other: it is read once. */
template <unsigned ROWS>
static __device__ __forceinline__ void
keys_of_rows(const columns_params &params, const column_key &key, const size_t (&row)[ROWS],
             uint64_t (&keys)[ROWS])
{
    uint64_t words[ROWS];
    unsigned last = ~0u;
    for (unsigned r = 0; r < key.runs; r++) {
        const column_run run = key.run[r];
        const unsigned of = run.column * COLUMN_WORDS + run.word, shift = run_shift(&key, &run);
        const uint64_t mask = bits_below(run.bits);
        if (of != last)
            words_of_rows(params.columns[run.column], run.word, row, words);
        last = of;
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++)
            keys[k] |= (words[k] >> run.low & mask) << shift;
    }
}

/* The rows i, i + 1 * COLUMN_THREADS, ...; row 0 for those that are not there. */
static __device__ __forceinline__ void rows_from(size_t i, size_t n, size_t (&row)[ROWS_AT_ONCE])
{
#pragma unroll
    for (unsigned k = 0; k < ROWS_AT_ONCE; k++)
        row[k] = i + k * COLUMN_THREADS < n ? i + k * COLUMN_THREADS : 0;
}

/* ---- the bits that vary ---- */

static __device__ __forceinline__ uint64_t joined_bits(uint64_t bits)
{
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
        bits |= __shfl_xor_sync(~0u, (unsigned long long)bits, distance);
    return bits;
}

/* Of the rows first, first + step, ... and those after them. n > 0. */
static __device__ __forceinline__ uint64_t varying_of(const sorted_column &column, unsigned word,
                                                      size_t n, size_t first, size_t step)
{
    const size_t top[1] = {0};
    uint64_t varying = 0, given[1], words[ROWS_AT_ONCE];
    size_t row[ROWS_AT_ONCE];
    words_of_rows(column, word, top, given);
    for (size_t i = first; i < n; i += step) {
        rows_from(i, n, row);
        words_of_rows(column, word, row, words);
#pragma unroll
        for (unsigned k = 0; k < ROWS_AT_ONCE; k++)
            varying |= words[k] ^ given[0];
    }
    return joined_bits(varying);
}

static __global__ void __launch_bounds__(COLUMN_THREADS, BLOCKS_HELD(COLUMN_THREADS, 4))
    find_varying(const __grid_constant__ columns_at_length params)
{
    wait_for_previous_kernel();
    const size_t n = length_of(params.length, params.n);
    const size_t first = (size_t)blockIdx.x * COLUMN_THREADS * ROWS_AT_ONCE + threadIdx.x;
    const size_t step = (size_t)gridDim.x * COLUMN_THREADS * ROWS_AT_ONCE;
    if (n == 0)
        return;
    for (unsigned c = 0; c < params.count; c++)
        for (unsigned w = 0; w < column_words(&params.columns[c]); w++) {
            const uint64_t varying = varying_of(params.columns[c], w, n, first, step);
            if (threadIdx.x % 32 == 0 && varying != 0)
                atomicOr((unsigned long long *)&params.state->varying[c * COLUMN_WORDS + w],
                         (unsigned long long)varying);
        }
}

/* ---- the choice of bits ---- */

/* By one thread. */
static __device__ void choose_bits(const columns_params &params, unsigned room)
{
    columns_state *const state = params.state;
    column_cursor cursor = state->cursor;
    column_key *const key = &state->key;
    key->runs = key->bits = 0;
    while (cursor.column < params.count && key->bits < room) {
        if (!cursor.known)
            cursor.left = state->varying[cursor.column * COLUMN_WORDS + cursor.word];
        cursor.known = true;
        take_runs(key, &cursor, room);
        if (cursor.left == 0)
            next_word(&cursor, params.columns);
    }
    state->cursor = cursor;
}

static __global__ void begin_rounds(const __grid_constant__ columns_at_length params)
{
    wait_for_previous_kernel();
    params.state->n = length_of(params.length, params.n);
    params.state->cursor = column_cursor{};
    choose_bits(params, params.room);
}

/* The key of a round, in shared memory. By all threads. */
static __device__ __forceinline__ void load_key(column_key &key, const column_key &from)
{
    uint32_t *const to = (uint32_t *)&key;
    static_assert(sizeof key % sizeof *to == 0, "it is copied by words");
    for (unsigned k = threadIdx.x; k < sizeof key / sizeof *to; k += COLUMN_THREADS)
        to[k] = ((const uint32_t *)&from)[k];
    __syncthreads();
}

template <typename KEY>
static __global__ void __launch_bounds__(COLUMN_THREADS, BLOCKS_HELD(COLUMN_THREADS, 4))
    make_keys(const __grid_constant__ columns_at_length params)
{
    __shared__ column_key key;
    wait_for_previous_kernel();
    load_key(key, params.state->key);
    const size_t n = params.state->n, step = (size_t)gridDim.x * COLUMN_THREADS * ROWS_AT_ONCE;
    size_t i = (size_t)blockIdx.x * COLUMN_THREADS * ROWS_AT_ONCE + threadIdx.x;
    for (; i < n; i += step) {
        size_t row[ROWS_AT_ONCE];
        uint64_t keys[ROWS_AT_ONCE] = {};
        rows_from(i, n, row);
        keys_of_rows(params, key, row, keys);
#pragma unroll
        for (unsigned k = 0; k < ROWS_AT_ONCE; k++)
            if (i + k * COLUMN_THREADS < n)
                ((KEY *)params.keys)[row[k]] = (KEY)keys[k];
    }
}

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
    choose_bits(params, params.room - bits_of_numbers(groups));
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

#endif
