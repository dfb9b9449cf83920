/*
 * The chain of tiles: what comes before a tile is known when the tile before it has been reduced.
 *
 * Cores claim tiles in the order of the array and reduce them at once; then each waits for its
 * turn, reads the sum of all tiles before its own, adds its own and passes the turn on, before it
 * scans. So a core waits for reductions only, never for a scan. A core's own claims come to their
 * turn in the order in which it made them: however late a core may be, the one whose turn it is
 * never waits.
 *
 * The state that goes from turn to turn belongs to the one core whose turn it is: `turn` is
 * published with release and read with acquire.
 */
#ifndef PARSCAN_SCAN_CHAIN_H
#define PARSCAN_SCAN_CHAIN_H

#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct chain {
    alignas(64) atomic_size_t claimed; /* tiles given out */
    alignas(64) atomic_size_t turn;    /* the tile whose turn it is */
} chain;

static inline void chain_begin(chain *c)
{
    atomic_init(&c->claimed, 0);
    atomic_init(&c->turn, 0);
}

static inline size_t chain_claim(chain *c)
{
    return atomic_fetch_add_explicit(&c->claimed, 1, memory_order_relaxed);
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

static inline void chain_pass(chain *c, size_t tile)
{
    atomic_store_explicit(&c->turn, tile + 1, memory_order_release);
}

#endif
