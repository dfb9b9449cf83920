/* Compaction on the CPU that only counts: no tile waits for another. */
#include "apps/compact/compact_tile_cpu.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum { COUNT_TILES = 16 /* that a thread takes at once */ };

typedef struct count_pass {
    const compact_pass *pass;
    atomic_uint_least64_t kept;
} count_pass;

static void count_tile(void *state, size_t number, unsigned worker)
{
    count_pass *const c = state;
    uint64_t keep[COMPACT_TILE_BYTES / KEEP_BITS];
    (void)worker;
    const compact_tile tile = parscan_compact_tile_at(c->pass, number, keep);
    size_t kept = parscan_compact_find(c->pass, &tile, keep, (compact_ahead){NULL, 0});
    if (c->pass->runs && tile.begin > 0) { /* the first element may go on with a run */
        const char *const first = c->pass->tested + tile.begin * c->pass->tested_size;
        kept -= c->pass->test->same(first - c->pass->tested_size, first);
    }
    atomic_fetch_add_explicit(&c->kept, kept, memory_order_relaxed);
}

uint64_t parscan_compact_count(compact_pass *pass)
{
    count_pass c = {.pass = pass};
    atomic_init(&c.kept, 0);
    pass->tile_bytes = COMPACT_TILE_BYTES;
    pass->tile = parscan_compact_tile_elements(pass);
    parscan_team_for(pass->context, parscan_threads_for(pass->context, pass->n * pass->size),
                     parscan_compact_tiles(pass), COUNT_TILES, count_tile, &c);
    return atomic_load_explicit(&c.kept, memory_order_relaxed);
}
