/*
 * Expansion for one index type T, by two scans over tiles of slots. Where an item's slots begin, a
 * tile has
 *     owners   its index, 0 elsewhere: the maximum so far is the owner
 *     ranks    1 minus the slots of the item before, 1 elsewhere: the sum so far is the rank
 * Items are marked one after another, so an empty one's marks are overwritten by the next. The tiles
 * stay in the first-level cache, and the core's tile kernels scan them from there to memory: the cost
 * of a slot does not depend on the sizes.
 */
#include <stdalign.h>

#include "apps/allocate/expand_cpu.h"
#include "scan/context/context.h"
#include "scan/single_pass/tile_kernels.h"
#include "scan/single_pass/tuning.h"

#define TILE (TILE_BYTES / 2 / sizeof(T))

/* Work of a share, at least, and shares a thread, at most: the cost of work differs. */
#define SHARE_FROM 65536u
#define SHARES_OF_THREAD 16u

typedef struct expand_job {
    const shares *shared;
    const tile_kernels *kernels;
    T *owner, *rank; /* of any alignment; or NULL */
    bool stream;
} expand_job;

/* The item to be marked next and its first slot; where the slots of the last one marked begin. */
typedef struct marker {
    size_t item;
    uint64_t slot, last;
} marker;

typedef struct marks {
    alignas(64) T owners[TILE], ranks[TILE];
} marks;

/* Marks the items of one chunk that begin in the slots begin to end. */
SIZE_FUNCTION marker mark_chunk(const parscan_type size_type, const shares *shared, marker at,
                                uint64_t begin, uint64_t end, marks *tile)
{
    const size_t chunk_end = (at.item / SHARES_CHUNK + 1) * SHARES_CHUNK;
    while (at.slot < end && at.item < chunk_end) {
        tile->owners[at.slot - begin] = (T)at.item;
        tile->ranks[at.slot - begin] = (T)(1 - (at.slot - at.last));
        const uint64_t size = size_at(size_type, shared->sizes, at.item);
        at.last = size != 0 ? at.slot : at.last;
        at.slot += size;
        at.item++;
    }
    return at;
}

static marker mark(const shares *shared, marker at, uint64_t begin, uint64_t end, marks *tile)
{
    const size_t length = (size_t)(end - begin);
    memset(tile->owners, 0, length * sizeof(T));
    for (size_t i = 0; i < length; i++)
        tile->ranks[i] = 1;
    while (at.slot < end) {
        const size_t chunk = at.item / SHARES_CHUNK;
        if (at.item % SHARES_CHUNK == 0 && at.slot == shared->chunk_slots[chunk + 1])
            at.item += SHARES_CHUNK; /* all of it is empty */
        else
            WITH_SIZE_TYPE(shared->size_type, at = mark_chunk(SIZE, shared, at, begin, end, tile))
    }
    return at;
}

static T scan_marks(const expand_job *job, parscan_op op, const T *tile, T *out, uint64_t begin,
                    size_t n, T before)
{
    if (out == NULL)
        return before;
    const tile_scan scan = {
        .in = tile, .out = out + begin, .n = n, .before = before, .stream = job->stream};
    return job->kernels->scan(op, &scan);
}

static void expand_share(const expand_job *job, share_point from, uint64_t end, marks *tile)
{
    const shares *const shared = job->shared;
    if (from.slot >= end)
        return;
    /* What the first slot has if no item begins there: one more of the item before. */
    T owner = (T)from.item, rank = (T)(from.rank - 1);
    uint64_t size = 0;
    WITH_SIZE_TYPE(shared->size_type, size = size_at(SIZE, shared->sizes, from.item))
    const uint64_t first = from.slot - from.rank;
    marker at = {from.item + 1, first + size, first};
    for (uint64_t slot = from.slot; slot < end;) {
        /* Tiles end at multiples of their length, so that streams stay aligned. */
        const uint64_t tile_end = (slot / TILE + 1) * TILE < end ? (slot / TILE + 1) * TILE : end;
        at = mark(shared, at, slot, tile_end, tile);
        const size_t n = (size_t)(tile_end - slot);
        owner = scan_marks(job, PARSCAN_MAX, tile->owners, job->owner, slot, n, owner);
        rank = scan_marks(job, PARSCAN_SUM, tile->ranks, job->rank, slot, n, rank);
        slot = tile_end;
    }
    if (job->stream)
        job->kernels->fence();
}

void NAMED(parscan_expand_cpu)(parscan_context *context, const shares *shared, void *owner,
                               void *rank)
{
    const uint64_t work = parscan_shares_work(shared);
    const expand_job job = {
        .shared = shared,
        .kernels = NAMED(parscan_tile_kernels)(context->isa),
        .owner = owner,
        .rank = rank,
        /* Streams need whole elements up to an aligned address. */
        .stream = shared->total >= STREAM_FROM_BYTES / sizeof(T) &&
                  (uintptr_t)owner % sizeof(T) == 0 && (uintptr_t)rank % sizeof(T) == 0,
    };
    const uint64_t most = work / SHARE_FROM + 1;
    const unsigned threads = most > 1 ? context->threads : 1;
    const uint64_t count = most < threads * SHARES_OF_THREAD ? most : threads * SHARES_OF_THREAD;
    const uint64_t share = work / count;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        marks tile;
#pragma omp for schedule(dynamic)
        for (uint64_t k = 0; k < count; k++)
            expand_share(&job, parscan_shares_at(shared, k * share),
                         k + 1 < count ? parscan_shares_at(shared, (k + 1) * share).slot
                                       : shared->total,
                         &tile);
    }
}
