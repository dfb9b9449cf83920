/*
 * The chain of tiles: what comes before a tile is known when the tile before it has been reduced.
 *
 * A core reduces a tile as soon as it has it, waits for the tile's turn, learns the sum of all tiles
 * before, adds its own and passes the turn on, and then scans. So a core waits for reductions only,
 * never for a scan. It comes to its tiles in their order: however late a core may be, the one whose
 * turn it is never waits.
 *
 * Core `me` of `team` begins with the tiles me and me + team. In the turn of each tile it claims one
 * more, so that it always knows its next tile early enough to prefetch it, and so that a slow core
 * takes fewer.
 *
 * What goes from turn to turn belongs to the core whose turn it is: `turn` is published with release
 * and read with acquire. All of it lies in one cache line, which is all that a turn moves from core
 * to core.
 *
 * Before: T (scan/cpu/element.h), or CHAIN_T where something else is carried from tile to tile: a count, a
 * sum and whether a segment began.
 */
#ifndef PARSCAN_SCAN_CHAIN_H
#define PARSCAN_SCAN_CHAIN_H

#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef CHAIN_T
#define CHAIN_T T
#endif

typedef struct chain {
    alignas(64) atomic_size_t turn; /* the tile whose turn it is */
    size_t claimed;                 /* tiles claimed beyond the first two of each core */
    CHAIN_T before;                 /* the sum of the tiles before */
} chain;

static inline void chain_begin(chain *c, CHAIN_T before)
{
    atomic_init(&c->turn, 0);
    c->claimed = 0;
    c->before = before;
}

static inline void chain_wait(chain *c, size_t tile)
{
    /* Where there are more threads than cores, the one that is waited for may need this core. */
    const unsigned patience = 128;
    for (unsigned spins = 0; atomic_load_explicit(&c->turn, memory_order_acquire) != tile;
         spins++) {
        if (spins >= patience)
            sched_yield();
#if defined __x86_64__
        else
            __builtin_ia32_pause();
#endif
    }
}

/* A further tile for this core, in the turn of one that it has. */
static inline size_t chain_claim(chain *c, size_t team)
{
    return 2 * team + c->claimed++;
}

static inline void chain_pass(chain *c, size_t tile)
{
    atomic_store_explicit(&c->turn, tile + 1, memory_order_release);
}

#endif
