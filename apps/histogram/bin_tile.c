#include "apps/histogram/bin_tile.h"

#include <string.h>

#include "apps/histogram/bin_map.h"
#include "scan/cpu/read_once.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* How many entries ahead a line is fetched in which an entry will be stored. */
enum { FETCHED = 32 };

#define ROWS(NAME, type)                                     \
    case PARSCAN_##NAME:                                     \
        for (size_t i = 0; i < tile->n; i++) {               \
            type bin;                                        \
            memcpy(&bin, bins + i * sizeof bin, sizeof bin); \
            tile->row[i] = (uint16_t)(bin & mask);           \
        }                                                    \
        break;

static void split_rows(parscan_type type, uint16_t mask, const char *bins, bin_tile *tile)
{
    switch ((int)type) {
        ROWS(U8, uint8_t)
        ROWS(U16, uint16_t)
        ROWS(U32, uint32_t)
        ROWS(U64, uint64_t)
    default:
        break;
    }
}

/* The next tile of an array, if it is a whole tile; it will be prefetched. */
static count_ahead ahead_of(const bin_call *call, const char *array, size_t size, size_t begin)
{
    if (array == NULL || call->n - begin < 2 * BIN_TILE)
        return (count_ahead){NULL, 0};
    return (count_ahead){array + (begin + BIN_TILE) * size, size};
}

void parscan_bin_split(const bin_call *call, unsigned shift, size_t begin, bool with_rows,
                       bin_tile *tile)
{
    const bin_map_type *const type = parscan_bin_map_of(call->bin_type);
    const size_t size = parscan_type_size(call->bin_type);
    const bin_map buckets = {.kind = BIN_MAP_SHIFT,
                             .shift = shift,
                             .width = call->bins,
                             .bins = (uint32_t)bin_buckets(call, shift)};
    tile->shift = shift;
    tile->n = call->n - begin < BIN_TILE ? call->n - begin : BIN_TILE;
    tile->bins_ahead = ahead_of(call, call->bin_of, size, begin);
    bin_map_kernel *const kernel = type->kernel(call->context->isa);
    if (shift == 0 || !with_rows) {
        kernel(&buckets, call->bin_of + begin * size, tile->n, tile->bucket);
        return;
    }
    /* The bucket and the row must be those of one bin, whoever changes it meanwhile. */
    uint64_t bins[BIN_TILE];
    read_once(bins, call->bin_of + begin * size, tile->n * size);
    kernel(&buckets, bins, tile->n, tile->bucket);
    split_rows(call->bin_type, (uint16_t)((1u << shift) - 1), (const char *)bins, tile);
}

void parscan_bin_values(const bin_call *call, size_t begin, bin_tile *tile)
{
    tile->values_ahead = ahead_of(call, call->values, call->value_size, begin);
    if (call->values != NULL) {
        tile->values = call->values + begin * call->value_size;
        return;
    }
    tile->values = (const char *)tile->indices;
    for (size_t i = 0; i < tile->n; i++) {
        const uint64_t index = begin + i;
        const uint32_t narrow = (uint32_t)index;
        if (call->value_size == sizeof index)
            tile->indices[i] = index;
        else
            memcpy((char *)tile->indices + i * sizeof narrow, &narrow, sizeof narrow);
    }
}

/* Calls function(..., size, ...) with a constant size, if the size is a common one. */
#define WITH_SIZE(size, function) \
    switch (size) {               \
    case 1:                       \
        function(1);              \
        break;                    \
    case 2:                       \
        function(2);              \
        break;                    \
    case 4:                       \
        function(4);              \
        break;                    \
    case 8:                       \
        function(8);              \
        break;                    \
    case 16:                      \
        function(16);             \
        break;                    \
    default:                      \
        function(size);           \
    }

ALWAYS_INLINE void scatter(const bin_tile *tile, const bin_places *p, size_t size, bool whole,
                           bool with_rows)
{
    const combined values = p->values, rows = p->rows;
    const size_t buckets = p->buckets;
    uint64_t *const ends = p->ends;
    for (size_t i = 0; i < tile->n; i++) {
        const uint32_t bucket = tile->bucket[i];
        if (i % AHEAD_STEP == 0) {
            count_fetch(tile->bins_ahead, i);
            count_fetch(tile->values_ahead, i);
        }
        if (bucket == buckets)
            continue;
        const uint64_t end = ends[bucket]++;
        if (whole)
            combine_put(&values, bucket, p->begins, end, tile->values + i * size, size);
        else if (end < p->limit)
            memcpy(values.to + end * size, tile->values + i * size, size);
        if (with_rows)
            combine_put(&rows, bucket, p->begins, end, &tile->row[i], sizeof tile->row[i]);
    }
}

void parscan_bin_scatter(const bin_tile *tile, const bin_places *places)
{
#define SCATTER_ROWS(size) scatter(tile, places, size, ((size) & ((size)-1)) == 0, true)
#define SCATTER(size) scatter(tile, places, size, ((size) & ((size)-1)) == 0, false)
    if (places->with_rows) {
        WITH_SIZE(places->value_size, SCATTER_ROWS)
    } else {
        WITH_SIZE(places->value_size, SCATTER)
    }
}

void parscan_bin_scatter_end(const bin_places *p)
{
    for (size_t bucket = 0; bucket < p->buckets; bucket++) {
        const uint64_t begin = p->begins[bucket], end = p->ends[bucket];
        if (end > begin && p->whole)
            combine_end_of_place(&p->values, bucket, begin, end, p->value_size);
        if (end > begin && p->with_rows)
            combine_end_of_place(&p->rows, bucket, begin, end, sizeof(uint16_t));
    }
    combine_end();
}

/* Returns the offset at `offset`, and increments it in memory. */
ALWAYS_INLINE uint64_t advance(char *offset, size_t offset_size)
{
    const uint64_t old = bin_offset_at(offset, offset_size), next = old + 1;
    const uint32_t narrow = (uint32_t)next;
    if (offset_size == sizeof next)
        memcpy(offset, &next, sizeof next);
    else
        memcpy(offset, &narrow, sizeof narrow);
    return old;
}

void parscan_bin_count_rows(const uint16_t *rows, size_t n, char *offsets, size_t offset_size)
{
    for (size_t i = 0; i < n; i++)
        advance(offsets + ((size_t)rows[i] + 1) * offset_size, offset_size);
}

ALWAYS_INLINE void place(const uint16_t *rows, const char *values, size_t n, size_t size,
                         char *offsets, size_t offset_size, char *to, bool fetch)
{
    for (size_t i = 0; i < n; i++) {
        if (fetch && i + FETCHED < n) {
            const char *const offset = offsets + ((size_t)rows[i + FETCHED] + 1) * offset_size;
            __builtin_prefetch(to + bin_offset_at(offset, offset_size) * size, 1);
        }
        const uint64_t at = advance(offsets + ((size_t)rows[i] + 1) * offset_size, offset_size);
        memcpy(to + at * size, values + i * size, size);
    }
}

void parscan_bin_place_rows(const uint16_t *rows, const char *values, size_t n, size_t value_size,
                            char *offsets, size_t offset_size, char *to, bool fetch)
{
#define PLACE_32(size) place(rows, values, n, size, offsets, sizeof(uint32_t), to, fetch)
#define PLACE_64(size) place(rows, values, n, size, offsets, sizeof(uint64_t), to, fetch)
    if (offset_size == sizeof(uint32_t)) {
        WITH_SIZE(value_size, PLACE_32)
    } else {
        WITH_SIZE(value_size, PLACE_64)
    }
}

/* The offset that an entry of a tile advances. */
ALWAYS_INLINE char *offset_of(const bin_tile *tile, unsigned shift, size_t i, char *offsets,
                              size_t offset_size)
{
    size_t bin = tile->bucket[i];
    if (shift > 0)
        bin = bin << shift | tile->row[i];
    return offsets + (bin + 1) * offset_size;
}

ALWAYS_INLINE void count_tile(const bin_tile *tile, size_t left_out, char *offsets,
                              size_t offset_size)
{
    const size_t n = tile->n;
    const unsigned shift = tile->shift;
    for (size_t i = 0; i < n; i++)
        if (tile->bucket[i] != left_out)
            advance(offset_of(tile, shift, i, offsets, offset_size), offset_size);
}

void parscan_bin_count_tile(const bin_tile *tile, size_t left_out, char *offsets,
                            size_t offset_size)
{
    if (offset_size == sizeof(uint32_t))
        count_tile(tile, left_out, offsets, sizeof(uint32_t));
    else
        count_tile(tile, left_out, offsets, sizeof(uint64_t));
}

ALWAYS_INLINE void place_tile(const bin_tile *tile, size_t left_out, size_t size, char *offsets,
                              size_t offset_size, char *to, uint64_t limit)
{
    const size_t n = tile->n;
    const unsigned shift = tile->shift;
    const char *const values = tile->values;
    for (size_t i = 0; i < n; i++) {
        if (tile->bucket[i] == left_out)
            continue;
        const uint64_t at = advance(offset_of(tile, shift, i, offsets, offset_size), offset_size);
        if (at < limit)
            memcpy(to + at * size, values + i * size, size);
    }
}

void parscan_bin_place_tile(const bin_tile *tile, size_t left_out, size_t value_size, char *offsets,
                            size_t offset_size, char *to, uint64_t limit)
{
#define PLACE_TILE_32(size) place_tile(tile, left_out, size, offsets, sizeof(uint32_t), to, limit)
#define PLACE_TILE_64(size) place_tile(tile, left_out, size, offsets, sizeof(uint64_t), to, limit)
    if (offset_size == sizeof(uint32_t)) {
        WITH_SIZE(value_size, PLACE_TILE_32)
    } else {
        WITH_SIZE(value_size, PLACE_TILE_64)
    }
}
