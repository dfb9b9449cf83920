/*
 * Expansion for one index type T, or type of values, and instruction set. Items are written one after another to a tile
 * in the first-level cache, in whole vectors. The next item overwrites what a vector holds beyond
 * the item's slots, so a small item costs two stores and no branch on its size. Full tiles are
 * written to memory.
 */
#include <stdalign.h>

#include "apps/allocate/expand_kernels.h"
#include "scan/context/context_state.h"
#include "scan/cpu/simd.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tile_kernels.h"
#include "scan/cpu/tiles.h"

#define TILE (TILE_BYTES / 4 / sizeof(T))

/* The least work of a share, and the most shares of a thread. There are several for each thread,
   since the cost of work differs. */
#define SHARE_FROM 65536u
#define SHARES_OF_THREAD 16u

typedef struct expand_pass {
    const load_balance *shared;
    const tile_kernels *kernels;
    const char *values; /* of any alignment; NULL: slots receive the index of their item */
    VIEW owner, rank;   /* have any alignment; may be NULL */
    bool stream;
    uint64_t count, share; /* the number of shares, and the work of one */
} expand_pass;

/* A tile, with room for what its last vectors hold beyond it. */
typedef struct slots {
    alignas(64) T owner[TILE + LANES];
    alignas(64) T rank[TILE + LANES];
} slots;

/* The item of the next slot, and how many slots of the tile are filled. They may end beyond the
   tile, by the rest of the last item. */
typedef struct expand_cursor {
    size_t item;
    uint64_t rank; /* slots of the item that are filled */
    uint64_t filled;
} expand_cursor;

#define LANE_INDEX(k, x) k

/* What the slots of an item receive. */
VECTOR_FUNCTION V value_of(const bool decodes, const char *values, size_t item)
{
    T value = (T)item;
    if (decodes)
        memcpy(&value, values + item * sizeof value, sizeof value);
    return vector_splat(value);
}

/* Fills a tile from the items before item_end. decodes: without ranks. */
VECTOR_FUNCTION expand_cursor fill(const parscan_type size_type, const bool decodes,
                                   const expand_pass *pass, expand_cursor at, size_t item_end,
                                   size_t length, slots *tile)
{
    const void *const sizes = pass->shared->sizes;
    const V lanes = {EVERY_LANE(LANE_INDEX, 0)};
    V first = lanes + vector_splat((T)at.rank);
    uint64_t filled = at.filled, done = at.rank;
    size_t item = at.item;
    while (filled < length && item < item_end) {
        const V owner = value_of(decodes, pass->values, item);
        V rank = first;
        size_t to = filled;
        filled += size_at(size_type, sizes, item) - done;
        const size_t end = filled < length ? filled : length;
        do {
            vector_store(tile->owner + to, owner);
            if (!decodes)
                vector_store(tile->rank + to, rank);
            rank += LANES;
            to += LANES;
        } while (to < end);
        first = lanes;
        done = 0;
        item++;
    }
    return (expand_cursor){item, done, filled};
}

/* Sizes may have become less since they were summed, so that there are not enough slots. */
static void clear_from(size_t begin, size_t length, slots *tile)
{
    memset(tile->owner + begin, 0, (length - begin) * sizeof *tile->owner);
    memset(tile->rank + begin, 0, (length - begin) * sizeof *tile->rank);
}

/* Fills a tile from all items, and skips empty chunks. */
static expand_cursor fill_tile(const expand_pass *pass, expand_cursor at, size_t length,
                               slots *tile)
{
    const load_balance *const shared = pass->shared;
    at.filled = 0;
    while (at.filled < length) {
        if (at.item >= shared->n) {
            clear_from(at.filled, length, tile);
            return at;
        }
        const size_t chunk = at.item / BALANCE_CHUNK;
        const uint64_t *const around = shared->chunk_slots + chunk;
        size_t chunk_end = (chunk + 1) * BALANCE_CHUNK;
        if (chunk_end > shared->n)
            chunk_end = shared->n;
        if (around[0] == around[1])
            at = (expand_cursor){chunk_end, 0, at.filled};
        else if (pass->values != NULL)
            WITH_SIZE_TYPE(shared->size_type,
                           at = fill(SIZE, true, pass, at, chunk_end, length, tile))
        else
            WITH_SIZE_TYPE(shared->size_type,
                           at = fill(SIZE, false, pass, at, chunk_end, length, tile))
    }
    if (at.filled > length) {
        at.item--;
        WITH_SIZE_TYPE(shared->size_type, at.rank = size_at(SIZE, shared->sizes, at.item))
        at.rank -= at.filled - length;
    }
    return at;
}

static void expand_share(const expand_pass *pass, balance_point from, uint64_t end, slots *tile)
{
    expand_cursor at = {from.item, from.rank, 0};
    /* Tiles end at multiples of their length, so that streaming stores stay aligned. */
    for (uint64_t slot = from.slot; slot < end;) {
        const uint64_t tile_end = (slot / TILE + 1) * TILE;
        const size_t length = (size_t)((tile_end < end ? tile_end : end) - slot);
        at = fill_tile(pass, at, length, tile);
        if (pass->owner.data != NULL)
            pass->kernels->scatter(&pass->owner, (size_t)slot, length, tile->owner, pass->stream);
        if (pass->rank.data != NULL)
            pass->kernels->scatter(&pass->rank, (size_t)slot, length, tile->rank, pass->stream);
        slot += length;
    }
    if (pass->stream)
        pass->kernels->fence();
}

/* Fills share k. */
static void expand_next_share(void *state, size_t k, unsigned worker)
{
    const expand_pass *const pass = state;
    const load_balance *const shared = pass->shared;
    slots tile;
    (void)worker;
    expand_share(pass, parscan_load_balance_at(shared, k * pass->share),
                 k + 1 < pass->count ? parscan_load_balance_at(shared, (k + 1) * pass->share).slot
                                     : shared->total,
                 &tile);
}

void PARSCAN_PASTE(NAMED(parscan_expand), PARSCAN_PASTE(_, PARSCAN_ISA))(parscan_context *context,
                                                                         const load_balance *shared,
                                                                         const void *values,
                                                                         void *owner, void *rank)
{
    const uint64_t work = parscan_load_balance_work(shared);
    expand_pass pass = {
        .shared = shared,
        .kernels = NAMED(parscan_tile_kernels)(context->isa),
        .values = values,
        .owner = {.data = owner},
        .rank = {.data = rank},
        /* Streaming needs arrays whose elements are aligned, so that they reach an aligned
           address. */
        .stream = shared->total >= STREAM_FROM_BYTES / sizeof(T) &&
                  (uintptr_t)owner % sizeof(T) == 0 && (uintptr_t)rank % sizeof(T) == 0,
    };
    const uint64_t most = work / SHARE_FROM + 1;
    const unsigned threads = most > 1 ? context->threads : 1;
    pass.count = most < threads * SHARES_OF_THREAD ? most : threads * SHARES_OF_THREAD;
    pass.share = work / pass.count;
    parscan_team_for(context, threads, pass.count, 1, expand_next_share, &pass);
}
