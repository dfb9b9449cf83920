#include "apps/histogram/counters.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { LINE = 64, PAGE = 4096, SAMPLE = 256, SKEWED = SAMPLE / 16 };

size_t parscan_counter_stride(size_t bins, size_t counter_size)
{
    const size_t size = (bins * counter_size + LINE - 1) / LINE * LINE;
    return size % PAGE < 2 * LINE ? size + 2 * LINE : size;
}

ALWAYS_INLINE uint32_t index_at(const void *tile, size_t i, size_t index_size)
{
    uint16_t narrow;
    uint32_t index;
    if (index_size == sizeof index) {
        memcpy(&index, (const char *)tile + i * sizeof index, sizeof index);
        return index;
    }
    memcpy(&narrow, (const char *)tile + i * sizeof narrow, sizeof narrow);
    return narrow;
}

/* Whether many neighbours are equal, from the beginning of a tile. */
ALWAYS_INLINE bool is_skewed(const void *tile, size_t n, size_t index_size)
{
    unsigned same = 0;
    if (n <= SAMPLE)
        return false;
    for (size_t i = 0; i < SAMPLE; i++)
        same += index_at(tile, i, index_size) == index_at(tile, i + 1, index_size);
    return same > SKEWED;
}

/* The tables that a tile is dealt out over begin at `stride`, 0 for one table. */
ALWAYS_INLINE void count(byte_counters *counters, const void *tile, size_t n, size_t index_size)
{
    const bool skewed = is_skewed(tile, n, index_size);
    if (skewed && counters->used == 1) {
        memset(counters->tables + counters->stride, 0, (TABLES - 1) * counters->stride);
        counters->used = TABLES;
    }
    uint32_t *carry = counters->carries + counters->carried;
    uint8_t *table[TABLES];
    for (size_t t = 0; t < TABLES; t++)
        table[t] = counters->tables + (skewed ? t * counters->stride : 0);
    size_t i = 0;
    for (; i + TABLES <= n; i += TABLES) {
        for (size_t t = 0; t < TABLES; t++) {
            const uint32_t index = index_at(tile, i + t, index_size);
            if (__builtin_expect(++table[t][index] == 0, 0))
                *carry++ = index;
        }
    }
    for (; i < n; i++) {
        const uint32_t index = index_at(tile, i, index_size);
        if (++table[0][index] == 0)
            *carry++ = index;
    }
    counters->carried = (size_t)(carry - counters->carries);
}

void parscan_count_in_bytes(byte_counters *counters, const uint32_t *tile, size_t n)
{
    count(counters, tile, n, sizeof *tile);
}

void parscan_count_pairs(byte_counters *counters, const void *tile, size_t n)
{
    count(counters, tile, n, sizeof(uint16_t));
}

void parscan_count_in_words(uint32_t *tables, size_t stride, const uint32_t *tile, size_t n)
{
    uint32_t *const a = tables, *const b = a + stride, *const c = b + stride, *const d = c + stride;
    size_t i = 0;
    for (; i + TABLES <= n; i += TABLES) {
        a[tile[i]]++;
        b[tile[i + 1]]++;
        c[tile[i + 2]]++;
        d[tile[i + 3]]++;
    }
    for (; i < n; i++)
        a[tile[i]]++;
}

void parscan_add_bytes(const byte_counters *counters, size_t first, size_t bins, uint32_t *sums)
{
    for (size_t t = 0; t < counters->used; t++) {
        const uint8_t *const table = counters->tables + t * counters->stride + first;
        for (size_t bin = 0; bin < bins; bin++)
            sums[bin] += table[bin];
    }
}
