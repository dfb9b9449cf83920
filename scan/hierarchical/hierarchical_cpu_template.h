/*
 * The hierarchical scan on the CPU: a scan of any length with any block algorithm.
 *
 *     scan every tile by the block algorithm and keep its sum
 *     scan the sums in the same way, on as many levels as it takes
 *     add to every tile the sum of the tiles before it
 *
 * Where elements of the output are rounded when they are stored, or mapped, sums cannot be added to them. Then
 * every tile is scanned once more, and the sum of the tiles before it added, before it is stored.
 *
 * At most 4n - 3 operations with Brent-Kung. The scratch is the sums of all levels. The tiles
 * are distributed over the cores; one core runs all threads of a block.
 *
 * Before this file: define what scan/cpu/element.h defines (T, OPERATOR, combine, identity,
 * DO_BY_OPERATOR, VIEW, load, store); SHOW_LEVEL(op, what, array, n) if levels are to be shown;
 * STORES_LOSE(level), whether what is stored in the output may be other than the result; and
 * EACH_TILE(count, function, level) if not this thread alone is to run function(level, k, worker)
 * for each k < count.
 * This file defines scan_level() and scan_levels_scratch().
 *
 * Source: G. Blelloch, Prefix Sums and Their Applications, 1990; M. Harris, S. Sengupta, J. Owens,
 * Parallel Prefix Sum (Scan) with CUDA, GPU Gems 3, 2007.
 */
#include "scan/block/block_scan.h"
#include "scan/type_traits.h"

#ifndef SHOW_LEVEL
#define SHOW_LEVEL(op, what, array, n) ((void)0)
#endif
#ifndef STORES_LOSE
#define STORES_LOSE(level) false
#endif
#ifndef EACH_TILE
#define EACH_TILE(count, function, level)  \
    for (size_t k = 0; k < (count); k++) { \
        function(level, k, 0);             \
    }
#endif

/* One level of the scan. It owns no memory. */
typedef struct level {
    OPERATOR op;
    parscan_block_shape shape;
    VIEW in, out; /* out.data is NULL for a reduction: then only the sums are stored */
    size_t n;
    bool exclusive;
    const T *init; /* combined before element 0; NULL: none */
    T *sums;       /* out: one for each tile; room for scan_levels_scratch() elements */
    T *blocks;     /* for each worker, scan_level_block() elements */
    /* For EACH_TILE: the context, and the most threads. */
    struct parscan_context *context;
    unsigned workers;
} level;

static inline size_t tile_elements(parscan_block_shape shape)
{
    return (size_t)shape.threads * shape.items;
}

static inline size_t tiles_of(size_t n, parscan_block_shape shape)
{
    const size_t tile = tile_elements(shape);
    return n / tile + (n % tile != 0);
}

/* The number of sums of all levels of a scan of n elements. */
static inline size_t scan_levels_scratch(size_t n, parscan_block_shape shape)
{
    size_t all = 0;
    for (size_t tiles = tiles_of(n, shape);; tiles = tiles_of(tiles, shape)) {
        all += tiles;
        if (tiles <= 1)
            return all;
    }
}

/* The elements of a block's memory; workers share no cache line. */
static inline size_t scan_level_block(parscan_block_shape shape)
{
    return block_shared_size(shape) + 64;
}

static inline unsigned length_of_tile(const level *l, size_t k)
{
    const size_t tile = tile_elements(l->shape), left = l->n - k * tile;
    return (unsigned)(left < tile ? left : tile);
}

/* Scans tile k, and init before it, in the memory of the worker's block. Returns where. */
BLOCK_FUNCTION const T *scan_in_block(const OPERATOR op, const level *l, size_t k, unsigned worker)
{
    T *const shared = l->blocks + worker * scan_level_block(l->shape);
    const size_t begin = k * tile_elements(l->shape);
    const unsigned n = length_of_tile(l, k);
    const bool starts = k == 0 && l->init != NULL;
    block_load(l->shape.threads, &l->in, begin, n, l->exclusive,
               starts && l->exclusive ? *l->init : identity(op), shared);
    if (starts && !l->exclusive)
        shared[PADDED_INDEX(0)] = combine(op, *l->init, shared[PADDED_INDEX(0)]);
    return block_scan(op, l->shape, shared, n);
}

BLOCK_FUNCTION void scan_tile(const OPERATOR op, const level *l, size_t k, unsigned worker)
{
    const size_t begin = k * tile_elements(l->shape);
    const unsigned n = length_of_tile(l, k);
    const T *const result = scan_in_block(op, l, k, worker);
    /* The result of an exclusive scan does not include the last element. Load it before the store,
       which may overwrite it. */
    const T last = load(&l->in, begin + n - 1);
    l->sums[k] =
        l->exclusive ? combine(op, result[PADDED_INDEX(n - 1)], last) : result[PADDED_INDEX(n - 1)];
    if (l->out.data != NULL && (n == l->n || !STORES_LOSE(l)))
        block_store(l->shape.threads, &l->out, begin, n, result);
}

/* Adds to tile k the sum of all tiles before it. */
BLOCK_FUNCTION void add_back_tile(const OPERATOR op, const level *l, size_t k)
{
    const size_t begin = k * tile_elements(l->shape), end = begin + length_of_tile(l, k);
    const T before = l->sums[k - 1];
    for (size_t i = begin; i < end; i++)
        store(&l->out, i, combine(op, before, load(&l->out, i)));
}

/* Scans tile k once more and stores it with the sum of all tiles before it. */
BLOCK_FUNCTION void scan_tile_again(const OPERATOR op, const level *l, size_t k, unsigned worker)
{
    const size_t begin = k * tile_elements(l->shape);
    const unsigned n = length_of_tile(l, k);
    const T *const local = scan_in_block(op, l, k, worker);
    for (unsigned i = 0; i < n; i++) {
        const T result = local[PADDED_INDEX(i)];
        store(&l->out, begin + i, k == 0 ? result : combine(op, l->sums[k - 1], result));
    }
}

static void scan_tile_specialised(void *state, size_t k, unsigned worker)
{
    const level *const l = state;
    DO_BY_OPERATOR(l->op, scan_tile, l, k, worker);
}

static void add_back_tile_specialised(void *state, size_t k, unsigned worker)
{
    const level *const l = state;
    (void)worker;
    DO_BY_OPERATOR(l->op, add_back_tile, l, k + 1);
}

static void scan_tile_again_specialised(void *state, size_t k, unsigned worker)
{
    const level *const l = state;
    DO_BY_OPERATOR(l->op, scan_tile_again, l, k, worker);
}

/* Scans a level of n > 0 elements and the levels above it, which are in l->sums. Afterwards
   l->sums[tiles - 1] is the sum of all elements, init included. */
static void scan_level(level *l)
{
    const size_t tiles = tiles_of(l->n, l->shape);
    EACH_TILE(tiles, scan_tile_specialised, l);
    SHOW_LEVEL(l->op, "each block scanned", l->out.data, l->n);
    if (tiles == 1)
        return;
    const VIEW sums = {.data = l->sums, .type = parscan_compute_type(l->out.type), .n = tiles};
    level above = {
        .op = l->op,
        .shape = l->shape,
        .in = sums,
        .out = sums,
        .n = tiles,
        .sums = l->sums + tiles,
        .blocks = l->blocks,
        .context = l->context,
        .workers = l->workers,
    };
    SHOW_LEVEL(l->op, "sums of the blocks", l->sums, tiles);
    scan_level(&above);
    SHOW_LEVEL(l->op, "sums of the blocks, scanned", l->sums, tiles);
    if (l->out.data == NULL)
        return;
    if (STORES_LOSE(l)) {
        EACH_TILE(tiles, scan_tile_again_specialised, l);
    } else {
        EACH_TILE(tiles - 1, add_back_tile_specialised, l);
    }
    SHOW_LEVEL(l->op, "sums added back", l->out.data, l->n);
}
