/*
 * The table of rows of the CPU: each row is one primitive on one kind of input, which fills its arrays and checks
 * its results with all processors, so that arrays of gigabytes cost seconds. Inputs are functions of their
 * positions, so blocks are checked independently.
 *
 *   bench_cpu    every row beside its peers and copies, with any numbers of threads
 *   bench_busy   every row beside spinning processes, or a spinning OpenMP team
 */
#ifndef PARSCAN_BENCH_ROWS_H
#define PARSCAN_BENCH_ROWS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness.h"
#include "workers.h"

typedef struct row_data row_data;
typedef parscan_status row_call(row_data *data, parscan_context *engine);

/* One more way to call parscan for the same result. */
typedef struct row_variant {
    const char *name;
    row_call *call;
    unsigned max_log2n; /* 0: any */
} row_variant;

typedef struct bench_row {
    const char *work, *type, *input;
    size_t parameter; /* what the input needs: bins, the mean length of segments, a share, ... */
    unsigned array_bytes;  /* of the arrays' bytes, how many an element takes */
    unsigned element_size; /* of the input */
    void (*fill)(row_data *data);
    double (*bytes)(const row_data *data); /* that a call must read and write */
    row_call *call;
    void (*plain)(row_data *data); /* the same by a plain loop or std::sort, on one thread */
    bool (*check)(row_data *data);
    bool in_place;               /* the call works on `out`, which holds a copy of `in` at first */
    const row_variant *variants; /* ended by an empty one; NULL: none */
} bench_row;

/* The arrays that all rows use in turn, and what a row remembers of its input. */
struct row_data {
    const bench_row *row;
    workers *team; /* for fill and check */
    size_t n;
    uint64_t seed;
    size_t room; /* of each array: bytes. more_out has half. */
    void *in, *more_in, *out, *more_out;
    size_t items;     /* of expand and pack: the sizes */
    uint64_t count;   /* of the input's heads, or what the output must count */
    uint64_t result;  /* a count, a total, or an element that the call returned */
    uint64_t *blocks; /* a number for each block of elements */
    bool *marks;      /* likewise */
    _Atomic bool wrong;
    _Atomic uint64_t sum;
};

extern const bench_row rows_scan[], rows_segmented[], rows_compact[], rows_histogram[], rows_sort[],
    rows_allocate[], rows_custom[];

/* The rows: NULL after the last one. */
const bench_row *bench_row_at(size_t k);

/* The rows that --rows and --type select, ended by NULL: room for MAX_ROWS + 1. With --list prints their names.
   Returns false if there are none. */
enum { MAX_ROWS = 128 };
bool rows_wanted(const bench_options *options, const bench_row **rows);

/* "work/type/input" of a row, in a static buffer. */
const char *bench_row_name(const bench_row *row);

/* Allocates arrays of `room` bytes for rows of up to `most` elements, each thread of the team a
   part of the pages. */
void row_data_create(row_data *data, workers *team, size_t room, size_t most, bool huge_pages,
                     uint64_t seed);
void row_data_destroy(row_data *data);

/* Overwrites the outputs, or for a row in place gives it its input again. */
void row_data_spoil(row_data *data);

/* Copies the input to `out`. */
void row_data_restore(row_data *data);

/* Makes one call of parscan (engine != NULL) or of the plain loop on spoiled outputs. Returns NULL
   if the result is right, else why not; the message lives until the engine is destroyed. */
const char *row_verify(row_data *data, row_call *call, parscan_context *engine);

/* ---- inputs and checks in blocks ---- */

enum { ROW_BLOCK = 1 << 16 };

static inline size_t blocks_of(size_t n)
{
    return (n + ROW_BLOCK - 1) / ROW_BLOCK;
}

static inline size_t block_end(size_t block, size_t n)
{
    return n - block * ROW_BLOCK < ROW_BLOCK ? n : (block + 1) * ROW_BLOCK;
}

/* For the elements of a block of d->n. */
#define EACH_OF_BLOCK(i, block, n) \
    for (size_t i = (block)*ROW_BLOCK, end_ = block_end(block, n); i < end_; i++)

/* Functions for each_block(): `before`, a declaration, then a statement for each of n elements i; the same
   without it; the sums of a term in d->blocks. */
#define PER_BLOCK(name, n, before, ...)           \
    static void name(void *context, size_t block) \
    {                                             \
        row_data *const d = context;              \
        before;                                   \
        EACH_OF_BLOCK(i, block, n) {              \
            __VA_ARGS__;                          \
        }                                         \
    }
#define PER_ELEMENT(name, n, ...) PER_BLOCK(name, n, (void)0, __VA_ARGS__)
#define PER_BLOCK_SUM(name, n, term)              \
    static void name(void *context, size_t block) \
    {                                             \
        row_data *const d = context;              \
        uint64_t sum = 0;                         \
        EACH_OF_BLOCK(i, block, n) {              \
            sum += term;                          \
        }                                         \
        d->blocks[block] = sum;                   \
    }

/* The functions of a row: an input and a check that are a statement, or a condition, for each element; the call;
   the bytes. */
#define ROW_FILL(name, ...)                      \
    PER_ELEMENT(name##_block, d->n, __VA_ARGS__) \
    static void name(row_data *d)                \
    {                                            \
        each_block(d, d->n, name##_block);       \
    }
#define ROW_CHECK(name, n, ...)                            \
    PER_ELEMENT(name##_block, n, expect(d, (__VA_ARGS__))) \
    static bool name(row_data *d)                          \
    {                                                      \
        return none_wrong(d, n, name##_block);             \
    }
#define ROW_CALL(name, ...)                                          \
    static parscan_status name(row_data *d, parscan_context *engine) \
    {                                                                \
        return __VA_ARGS__;                                          \
    }
#define ROW_BYTES(name, ...)              \
    static double name(const row_data *d) \
    {                                     \
        return __VA_ARGS__;               \
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

static inline void expect(row_data *data, bool right)
{
    if (!right)
        atomic_store(&data->wrong, true);
}

/* SplitMix64 (Steele, Lea, Flood 2014) at position i. */
static inline uint64_t random_at(uint64_t seed, size_t i)
{
    uint64_t state = (seed << 40) + i * 0x9e3779b97f4a7c15u;
    return bench_random(&state);
}

/* Whether a segment, or a run, starts at element i. One in `every` does, wherever it is, so that
   lengths are geometric. */
static inline bool head_at(const row_data *data, size_t i)
{
    return i == 0 || (uint32_t)random_at(data->seed, i) < UINT32_MAX / data->row->parameter;
}

/* In d->blocks, how many heads lie before each block; d->count: all. */
void rank_heads(row_data *data);

/* Fills more_in with the flags of the heads (u8), or with the indices of the elements (u32). */
void fill_flags(row_data *data);
void fill_indices(row_data *data);

/* A float whose sums are exact in any order: a multiple of 1/16 with a mean of 0. */
static inline int sixteenths_at(uint64_t seed, size_t i)
{
    const uint64_t bits = random_at(seed, i);
    return (int)(bits & 127) - (int)(bits >> 7 & 127);
}

/* The bytes of the input, and of an output as long. */
static inline double read_once(const row_data *d)
{
    return (double)d->row->element_size * (double)d->n;
}

static inline double read_and_written(const row_data *d)
{
    return 2 * read_once(d);
}

/* std::sort, and std::stable_sort of indices by their keys (peers_cpp.cpp). */
void std_sort_u32(uint32_t *keys, size_t n);
void std_sort_u64(uint64_t *keys, size_t n);
void std_sort_indices(const uint32_t *keys, uint32_t *indices, size_t n);

#endif
