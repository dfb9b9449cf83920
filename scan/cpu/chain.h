/*
 * The chain of tiles on the CPU. The prefix of a tile is known when the tile before it has been
 * reduced.
 *
 * A core reduces its tile at once. Then it waits for the tile's turn, reads the sum of all tiles
 * before, adds its own sum and passes the turn on. Then it scans the tile. So a core waits for
 * reductions only, never for a scan. A core takes its tiles in increasing order, and the core whose
 * turn it is never waits: so there is always progress, however slow a core may be.
 *
 * Core `me` of `team` begins with the tiles me and me + team. In the turn of each tile it claims
 * one more. So it always knows its next tile early enough to prefetch it, and a slow core takes
 * fewer tiles.
 *
 * `claimed` and `before` belong to the core whose turn it is: `turn` is stored with release and
 * loaded with acquire. All three lie in one cache line, so a turn moves one cache line from core to
 * core.
 *
 * Before this file: define T (scan/cpu/element.h), or CHAIN_T if something else goes from tile to
 * tile, such as a count, or a sum with a flag that a segment began.
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
    CHAIN_T before;                 /* the sum of all tiles before that tile */
} chain;

static inline void chain_begin(chain *c, CHAIN_T before)
{
    atomic_init(&c->turn, 0);
    c->claimed = 0;
    c->before = before;
}

static inline void chain_wait(chain *c, size_t tile)
{
    /* With more threads than cores, the thread whose turn it is may need this core: yield it. */
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

/* Claims one more tile for this core. Called in the turn of a tile that the core has. */
static inline size_t chain_claim(chain *c, size_t team)
{
    return 2 * team + c->claimed++;
}

static inline void chain_pass(chain *c, size_t tile)
{
    atomic_store_explicit(&c->turn, tile + 1, memory_order_release);
}

#endif
