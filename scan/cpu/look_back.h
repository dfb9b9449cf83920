/*
 * The look-back of tiles on the CPU: it tells a tile its prefix, what comes before it.
 *
 * A thread claims the next tile, reduces it and publishes the tile's summary. Then it looks back:
 * from its own tile to the nearest tile before whose prefix is published, and from there forward
 * again, adding the summaries of the tiles between. It publishes its own prefix, and then scans the
 * tile. Every tile has a cache line of its own, so threads do not wait for each other at one line.
 *
 * A thread waits for the reduction of an earlier tile, not for its scan. If an earlier tile is not
 * reduced soon, since its thread has lost its processor, the thread that waits reduces that tile
 * itself and goes on. So a late thread holds up only its own tiles. Where a pass cannot allow that,
 * it waits (tile_functions).
 *
 * Summaries are added in the order of tiles, one after another: prefix(t + 1) =
 * add(prefix(t), summary(t)). So the prefixes do not depend on time, nor on which thread takes which
 * tile, for floats either.
 *
 * Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back,
 * NVIDIA, 2016. Reducing a late tile: T. Smith, R. Levien, J. Owens, Decoupled Fallback, SPAA 2025.
 *
 * Before this file: define SUMMARY, the type of what a tile contributes, and PREFIX, the type of
 * what a tile must know of all tiles before it.
 */
#ifndef PARSCAN_SCAN_CPU_LOOK_BACK_H
#define PARSCAN_SCAN_CPU_LOOK_BACK_H

#include <assert.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "scan/cpu/stream_fence.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum tile_state { TILE_CLAIMED, TILE_SUMMED, TILE_PASSED };

typedef struct tile_slot {
    alignas(64) atomic_uint state; /* of enum tile_state */
    SUMMARY summary;               /* valid from TILE_SUMMED on */
    PREFIX through;                /* valid from TILE_PASSED on: the prefix of the next tile */
} tile_slot;

/* What a pass over tiles gives to the look-back. */
typedef struct tile_functions {
    /* Returns the prefix of the tile after one with this prefix and summary. */
    PREFIX (*add)(const void *pass, const PREFIX *prefix, const SUMMARY *summary);
    /* Reduces a tile that another thread has claimed, in `work`, a second work area of this thread.
       NULL: a tile must not be read by another thread, since the pass overwrites it. */
    SUMMARY (*summarise)(const void *pass, void *work, size_t tile);
    /* Whether only the tile's own thread can add the tile to this prefix. NULL: never. */
    bool (*is_opaque)(const void *pass, const PREFIX *prefix, const SUMMARY *summary);
} tile_functions;

typedef struct look_back {
    tile_slot *slots;
    size_t tiles;
    PREFIX first;      /* the prefix of the first tile */
    bool in_place;     /* the pass overwrites a tile after it has published the tile's summary */
    unsigned patience; /* how often a thread looks at a tile before it reduces it itself */
    bool ahead;        /* a thread claims its next tile before it has finished this one */
    alignas(64) atomic_size_t next;
} look_back;

/* The plan has room for the slots. tile_bytes: what a thread reads to reduce a tile. in_place: the
   pass overwrites its input. */
static inline void look_back_begin(look_back *l, const tile_plan *plan, size_t tiles,
                                   size_t tile_bytes, PREFIX first, bool in_place)
{
    assert(tiles * sizeof(tile_slot) <= plan->slots_bytes);
    l->slots = plan->slots;
    l->tiles = tiles;
    l->first = first;
    l->in_place = in_place;
    l->patience = parscan_tile_patience(tile_bytes);
    l->ahead = plan->ahead;
    for (size_t tile = 0; tile < tiles; tile++)
        atomic_init(&l->slots[tile].state, TILE_CLAIMED);
    atomic_init(&l->next, 0);
}

/* Returns the next tile; if it is not below l->tiles, there is none. */
static inline size_t look_back_claim(look_back *l)
{
    return atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
}

/* With few threads, a thread claims its next tile early, so that it can prefetch it. With many, later
   tiles would wait for a tile that is claimed and not started. Returns the next tile, for the kernels
   to prefetch; if it is not below l->tiles, none is known. */
static inline size_t look_back_early(look_back *l)
{
    return l->ahead ? look_back_claim(l) : l->tiles;
}

/* Returns the next tile of a thread that has finished one. early: what look_back_early() gave. */
static inline size_t look_back_next(look_back *l, size_t early)
{
    return l->ahead ? early : look_back_claim(l);
}

/* Whether a thread reduces a tile that is late. In place, it may read elements while the tile's own
   thread overwrites them; then it throws the result away (look_back_add). ThreadSanitizer cannot
   know that and would report a race, so there it waits. */
static inline bool look_back_takes_over(const look_back *l, const tile_functions *f)
{
#if defined __SANITIZE_THREAD__
    return f->summarise != NULL && !l->in_place;
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
    return f->summarise != NULL && !l->in_place;
#endif
#endif
    (void)l;
    return f->summarise != NULL;
}

/* In place, no store to the tile may be seen before its new state: a thread that reduces the tile
   relies on that. A release orders only what is before it. Streaming stores need a fence of their
   own. */
static inline void look_back_publish(look_back *l, size_t tile, const SUMMARY *summary)
{
    l->slots[tile].summary = *summary;
    atomic_store_explicit(&l->slots[tile].state, TILE_SUMMED, memory_order_release);
    if (l->in_place) {
        atomic_thread_fence(memory_order_release);
        stream_fence();
    }
}

/* Waits until a tile has this state or a later one. Returns its state; if it is late, and it is not
   to be waited for in any case, an earlier one. */
static inline unsigned look_back_wait(const look_back *l, size_t tile, unsigned wanted,
                                      bool in_any_case)
{
    for (unsigned looks = 0;; looks++) {
        const unsigned state = atomic_load_explicit(&l->slots[tile].state, memory_order_acquire);
        if (state >= wanted || (looks >= l->patience && !in_any_case))
            return state;
        if (looks < l->patience)
            parscan_relax();
        else
            sched_yield(); /* the thread that has the tile may need this processor */
    }
}

/* Returns the prefix of the tile after this one, whoever reduces this one. */
static inline PREFIX look_back_add(const look_back *l, size_t tile, const PREFIX *prefix,
                                   const tile_functions *f, const void *pass, void *work)
{
    const tile_slot *const slot = &l->slots[tile];
    unsigned state = look_back_wait(l, tile, TILE_SUMMED, !look_back_takes_over(l, f));
    SUMMARY summary = {0};
    if (state == TILE_CLAIMED) {
        summary = f->summarise(pass, work, tile);
        /* In place, the tile may be overwritten as soon as it is published. If it still is not,
           everything that was read here was the input (look_back_publish). */
        atomic_thread_fence(memory_order_acquire);
        state = atomic_load_explicit(&slot->state, memory_order_acquire);
    }
    if (state == TILE_SUMMED)
        summary = slot->summary;
    if (state != TILE_PASSED && f->is_opaque != NULL && f->is_opaque(pass, prefix, &summary))
        state = look_back_wait(l, tile, TILE_PASSED, true);
    return state == TILE_PASSED ? slot->through : f->add(pass, prefix, &summary);
}

/* Returns the prefix of a tile. */
static inline PREFIX look_back_prefix(const look_back *l, size_t tile, const tile_functions *f,
                                      const void *pass, void *work)
{
    size_t k = tile;
    PREFIX prefix = l->first;
    for (; k > 0; k--) {
        const tile_slot *const slot = &l->slots[k - 1];
        if (atomic_load_explicit(&slot->state, memory_order_acquire) == TILE_PASSED) {
            prefix = slot->through;
            break;
        }
    }
    for (; k < tile; k++)
        prefix = look_back_add(l, k, &prefix, f, pass, work);
    return prefix;
}

static inline void look_back_pass(look_back *l, size_t tile, const PREFIX *through)
{
    l->slots[tile].through = *through;
    atomic_store_explicit(&l->slots[tile].state, TILE_PASSED, memory_order_release);
}

/* Returns the prefix after the last tile. Called when all tiles have passed. */
static inline PREFIX look_back_end(const look_back *l)
{
    return l->tiles == 0 ? l->first : l->slots[l->tiles - 1].through;
}

#endif
