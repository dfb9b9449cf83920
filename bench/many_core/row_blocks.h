/* Work on blocks of a row's elements, by all threads of its team. */
#ifndef PARSCAN_BENCH_ROW_BLOCKS_H
#define PARSCAN_BENCH_ROW_BLOCKS_H

#include "many_core.h"

enum { ROW_BLOCK = 1 << 16 };

static inline size_t blocks_of(size_t n)
{
    return (n + ROW_BLOCK - 1) / ROW_BLOCK;
}

static inline size_t block_end(size_t block, size_t n)
{
    return n - block * ROW_BLOCK < ROW_BLOCK ? n : (block + 1) * ROW_BLOCK;
}

/* Calls work(data, block) for the blocks of n elements. */
static inline void each_block(row_data *data, size_t n, void (*work)(void *data, size_t block))
{
    workers_each(data->team, blocks_of(n), work, data);
}

/* The exclusive prefix of data->blocks, in place. Returns the sum of all. */
static inline uint64_t prefix_of_blocks(row_data *data, size_t n)
{
    uint64_t sum = 0;
    for (size_t block = 0; block < blocks_of(n); block++) {
        const uint64_t own = data->blocks[block];
        data->blocks[block] = sum;
        sum += own;
    }
    return sum;
}

/* Calls the work with data->wrong cleared. Returns whether it stayed so. */
static inline bool none_wrong(row_data *data, size_t n, void (*work)(void *data, size_t block))
{
    atomic_store(&data->wrong, false);
    each_block(data, n, work);
    return !atomic_load(&data->wrong);
}

/* SplitMix64 (Steele, Lea, Flood 2014) at position i. */
static inline uint64_t random_at(uint64_t seed, size_t i)
{
    uint64_t state = (seed << 40) + i * 0x9e3779b97f4a7c15u;
    return bench_random(&state);
}

/* Whether a segment, or a run, begins at element i. One in `every` does, wherever it is, so that
   lengths are geometric. */
static inline bool head_at(const row_data *data, size_t i, uint32_t every)
{
    return i == 0 || (uint32_t)random_at(data->seed, i) < UINT32_MAX / every;
}

/* A float whose sums are exact in any order: a multiple of 1/16 with a mean of 0. */
static inline int sixteenths_at(uint64_t seed, size_t i)
{
    const uint64_t bits = random_at(seed, i);
    return (int)(bits & 127) - (int)(bits >> 7 & 127);
}

#endif
