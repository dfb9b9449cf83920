/*
 * What parscan_bin() does with one tile of entries, in the first-level cache.
 *
 * A bin is split into a bucket and a row in it: bin = bucket << shift | row, with shift <= 16.
 */
#ifndef PARSCAN_APPS_HISTOGRAM_BIN_TILE_H
#define PARSCAN_APPS_HISTOGRAM_BIN_TILE_H

#include "apps/histogram/bin_call.h"
#include "apps/histogram/counters.h"
#include "apps/histogram/write_combine.h"

enum { BIN_TILE = 1024, MAX_ROW_BITS = 16 };

typedef struct bin_tile {
    size_t n;
    unsigned shift;
    uint32_t bucket[BIN_TILE]; /* `buckets` for an entry that is left out */
    uint16_t row[BIN_TILE];    /* unused if shift = 0 */
    const char *values;
    count_ahead bins_ahead, values_ahead;
    uint64_t indices[BIN_TILE]; /* the values, if the caller gives none */
} bin_tile;

/* The number of buckets that hold the bins of a call. */
static inline size_t bin_buckets(const bin_call *call, unsigned shift)
{
    return (call->bins >> shift) + ((call->bins & (((size_t)1 << shift) - 1)) != 0);
}

/* Returns the offset at `offset`, which may have any alignment. */
static inline __attribute__((always_inline)) uint64_t bin_offset_at(const char *offset,
                                                                    size_t offset_size)
{
    uint32_t narrow;
    uint64_t wide;
    if (offset_size == sizeof wide) {
        memcpy(&wide, offset, sizeof wide);
        return wide;
    }
    memcpy(&narrow, offset, sizeof narrow);
    return narrow;
}

/* Splits the bins of the tile that starts at entry `begin` into buckets, and rows if with_rows. Notes
   the bins of the next tile, to be prefetched. */
void parscan_bin_split(const bin_call *call, unsigned shift, size_t begin, bool with_rows,
                       bin_tile *tile);

/* Finds the values of the tile, and notes those of the next tile. */
void parscan_bin_values(const bin_call *call, size_t begin, bin_tile *tile);

/* Where a core's share of the entries of each bucket goes. */
typedef struct bin_places {
    size_t buckets, value_size;
    uint64_t *begins, *ends; /* for each bucket; ends advance */
    bool whole;     /* lines hold whole values, so values go through write-combining buffers */
    uint64_t limit; /* nothing is written at this index or beyond */
    combined values, rows;
    bool with_rows;
} bin_places;

/* Moves the values of a tile to the ends of their buckets, and the rows likewise. */
void parscan_bin_scatter(const bin_tile *tile, const bin_places *places);

/* Writes what is still in the lines. */
void parscan_bin_scatter_end(const bin_places *places);

/* For the entries of a tile, except those whose bucket is left_out: the first adds 1 to
   offsets[bin + 1], the second moves values to to[offsets[bin + 1]++], where that is below `limit`. */
void parscan_bin_count_tile(const bin_tile *tile, size_t left_out, char *offsets,
                            size_t offset_size);
void parscan_bin_place_tile(const bin_tile *tile, size_t left_out, size_t value_size, char *offsets,
                            size_t offset_size, char *to, uint64_t limit);

/* For the rows of one bucket, whose offsets start at `offsets`: the first adds 1 to offsets[row
   + 1], the second moves values to to[offsets[row + 1]++]. If `fetch`, it fetches the lines of `to`
   before it writes them. */
void parscan_bin_count_rows(const uint16_t *rows, size_t n, char *offsets, size_t offset_size);
void parscan_bin_place_rows(const uint16_t *rows, const char *values, size_t n, size_t value_size,
                            char *offsets, size_t offset_size, char *to, bool fetch);

#endif
