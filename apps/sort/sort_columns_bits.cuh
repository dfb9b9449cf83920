/*
 * The bits of rows in a sort by columns on CUDA (apps/sort/column_bits.h): which of them vary, which of
 * these a key has, and the keys of all rows.
 *
 * Keys begin with the first bits, and later ones tell apart what is still equal. Where a sample says that most
 * rows would be equal through all of that, a sort by the last bits, and then by those before, moves less.
 */
#ifndef PARSCAN_APPS_SORT_COLUMNS_BITS_CUH
#define PARSCAN_APPS_SORT_COLUMNS_BITS_CUH

#include "apps/radix/digit_keys.cuh"
#include "apps/sort/sort_columns_cuda.h"
#include "scan/cuda/launch.cuh"
#include "scan/cuda/length.cuh"
#include "scan/cuda/pipeline.cuh"

enum { COLUMN_THREADS = 256, ROWS_AT_ONCE = 4 };

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

/* Those of the bits that are in no key yet which come last. By one thread. */
static __device__ void choose_last_bits(const columns_params &params, unsigned room)
{
    columns_state *const state = params.state;
    const unsigned bits = state->left < room ? state->left : room;
    state->left -= bits;
    state->cursor = column_cursor{};
    for (unsigned before = state->left; before > 0; before -= state->key.bits)
        choose_bits(params, before < 64 ? before : 64);
    choose_bits(params, bits);
}

static __device__ __forceinline__ unsigned count_varying(const columns_params &params)
{
    unsigned bits = 0;
    for (unsigned c = 0; c < params.count; c++)
        for (unsigned w = 0; w < column_words(&params.columns[c]); w++)
            bits += (unsigned)__popcll((long long)params.state->varying[c * COLUMN_WORDS + w]);
    return bits;
}

/* How many of COLUMN_SAMPLE rows have the same bits in the key as another one of them. By the block. */
static __device__ __forceinline__ unsigned equal_in_sample(const columns_params &params, size_t n,
                                                           uint64_t *sampled)
{
    const size_t row[1] = {n / COLUMN_SAMPLE * threadIdx.x};
    uint64_t own[1] = {0};
    keys_of_rows(params, params.state->key, row, own);
    sampled[threadIdx.x] = own[0];
    __syncthreads();
    bool equal = false;
    for (unsigned k = 0; k < COLUMN_SAMPLE; k++)
        equal |= k != threadIdx.x && sampled[k] == own[0];
    return (unsigned)__syncthreads_count(equal);
}

/* Whether keys take the last bits first: if there is more than the first two keys tell apart, and most rows
   would be equal in those. By the block. */
static __device__ __forceinline__ bool begins_with_last(const columns_params &params, size_t n,
                                                        unsigned bits, uint64_t *sampled)
{
    if (params.sampled_equal == 0 || n < COLUMN_SAMPLE ||
        bits <= params.room + 64 - bits_of_numbers(n / 2))
        return false;
    if (threadIdx.x == 0)
        choose_bits(params, 64);
    __syncthreads();
    return equal_in_sample(params, n, sampled) >= params.sampled_equal;
}

/* One block of COLUMN_SAMPLE threads. */
static __global__ void __launch_bounds__(COLUMN_SAMPLE)
    begin_rounds(const __grid_constant__ columns_at_length params)
{
    __shared__ uint64_t sampled[COLUMN_SAMPLE];
    wait_for_previous_kernel();
    columns_state *const state = params.state;
    const size_t n = length_of(params.length, params.n);
    const unsigned bits = count_varying(params);
    if (threadIdx.x == 0)
        state->cursor = column_cursor{};
    const bool last_first = begins_with_last(params, n, bits, sampled);
    if (threadIdx.x != 0)
        return;
    state->last_first = last_first;
    state->n = n;
    state->left = bits;
    state->cursor = column_cursor{};
    if (state->last_first)
        choose_last_bits(params, params.room);
    else
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

#endif
