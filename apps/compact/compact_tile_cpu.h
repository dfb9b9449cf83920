/* What a thread does with one tile of compaction on the CPU. */
#ifndef PARSCAN_APPS_COMPACT_TILE_CPU_H
#define PARSCAN_APPS_COMPACT_TILE_CPU_H

#include "apps/compact/compact_summary.h"

/* The parts of the next tile that are prefetched while this tile is tested, packed and written.
   Spread like this, a core always has reads of main memory in flight, but never so many that its
   own loads wait for them. */
typedef struct read_ahead {
    compact_ahead test, pack, place;
    const char *write;
    size_t write_bytes;
} read_ahead;

/* The buffers of a tile. */
typedef struct tile_buffers {
    char *elements, *beside;
} tile_buffers;

enum { COMPACT_LARGE_RECORD = 256 }; /* bytes */

static inline size_t parscan_compact_tiles(const compact_pass *pass)
{
    return pass->n / pass->tile + (pass->n % pass->tile != 0);
}

static inline compact_tile parscan_compact_tile_at(const compact_pass *pass, size_t number,
                                                   const uint64_t *keep)
{
    const size_t begin = number * pass->tile, left = pass->n - begin;
    return (compact_tile){.begin = begin, .n = left < pass->tile ? left : pass->tile, .keep = keep};
}

/* Records too large for a buffer are written directly to their place. */
static inline bool parscan_compact_is_large(const compact_pass *pass, size_t size)
{
    return pass->tile * size > pass->tile_bytes;
}

static inline bool parscan_compact_is_in_place(const compact_pass *pass)
{
    return pass->values == pass->in ||
           (pass->beside.out != NULL && pass->beside.out == pass->beside.in);
}

/* So are those for which a second copy takes longer than the calls of a copy each; but in place they would be
   overwritten by another thread. */
static inline bool parscan_compact_is_straight(const compact_pass *pass)
{
    return pass->values != NULL &&
           (parscan_compact_is_large(pass, pass->size) ||
            (pass->size >= COMPACT_LARGE_RECORD && !parscan_compact_is_in_place(pass)));
}

/* What of the tile with this number is prefetched. last: the tile that the thread took before, or NULL. */
read_ahead parscan_compact_ahead_of(const compact_pass *pass, size_t number,
                                    const compact_tile *last);

/* Sets the bits of a tile's elements that are kept. Returns their number. */
size_t parscan_compact_find(const compact_pass *pass, const compact_tile *tile, uint64_t *keep,
                            compact_ahead ahead);

/* Tests a tile and packs it. Returns what it contributes. */
compact_summary parscan_compact_take_tile(const compact_pass *pass, compact_tile *tile,
                                          uint64_t *keep, const tile_buffers *buffers,
                                          const read_ahead *ahead);

/* Tells a tile its prefix, and writes its results. */
void parscan_compact_put_tile(const compact_pass *pass, compact_tile *tile,
                              const compact_summary *summary, const compact_before *before,
                              uint64_t *keep, const tile_buffers *buffers, const read_ahead *ahead);

#endif
