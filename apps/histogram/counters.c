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

/* Whether many near neighbours at the start of a tile are equal. */
ALWAYS_INLINE bool is_skewed(const void *tile, size_t n, size_t index_size)
{
    unsigned same = 0;
    if (n < SAMPLE + 2)
        return false;
    for (size_t i = 0; i < SAMPLE; i++) {
        same += index_at(tile, i, index_size) == index_at(tile, i + 1, index_size);
        same += index_at(tile, i, index_size) == index_at(tile, i + 2, index_size);
    }
    return same > SKEWED;
}

bool parscan_bins_are_skewed(const uint32_t *tile, size_t n)
{
    return is_skewed(tile, n, sizeof *tile);
}

bool parscan_pairs_are_skewed(const void *tile, size_t n)
{
    return is_skewed(tile, n, sizeof(uint16_t));
}

/* Counts in the tables that start at table[0..TABLES), in rotation. Returns the end of the
   carries. */
static uint32_t *count(uint8_t *const *table, const uint32_t *tile, size_t n, uint32_t *carry,
                       count_ahead ahead)
{
    uint8_t *const a = table[0], *const b = table[1], *const c = table[2], *const d = table[3];
    size_t i = 0;
    for (; i + AHEAD_STEP <= n; i += AHEAD_STEP) {
        count_fetch(ahead, i);
        for (size_t k = i; k < i + AHEAD_STEP; k += TABLES) {
            uint8_t *const counter[TABLES] = {a + tile[k], b + tile[k + 1], c + tile[k + 2],
                                              d + tile[k + 3]};
            /* The index is computed again from its counter, so that it occupies no register. */
            for (size_t t = 0; t < TABLES; t++)
                if (__builtin_expect(++*counter[t] == 0, 0))
                    *carry++ = (uint32_t)(counter[t] - table[t]);
        }
    }
    for (; i < n; i++)
        if (++a[tile[i]] == 0)
            *carry++ = tile[i];
    return carry;
}

/* Spreads a skewed tile over the tables. The tables beyond the first are cleared at the first
   such tile. */
void parscan_count_in_bytes(byte_counters *counters, const uint32_t *tile, size_t n,
                            count_ahead ahead)
{
    const bool skewed = parscan_bins_are_skewed(tile, n);
    if (skewed && counters->used == 1) {
        memset(counters->tables + counters->stride, 0, (TABLES - 1) * counters->stride);
        counters->used = TABLES;
    }
    uint8_t *const first = counters->tables;
    const size_t stride = skewed ? counters->stride : 0;
    uint8_t *const tables[TABLES] = {first, first + stride, first + 2 * stride, first + 3 * stride};
    uint32_t *const end = count(tables, tile, n, counters->carries + counters->carried, ahead);
    counters->carried = (size_t)(end - counters->carries);
}

/* Adds to the counters of four pairs, one in each table. */
#define ADD_FOUR(four, amount, a, b, c, d)         \
    {                                              \
        (a)[(uint16_t)(four)] += (amount);         \
        (b)[(uint16_t)((four) >> 16)] += (amount); \
        (c)[(uint16_t)((four) >> 32)] += (amount); \
        (d)[(four) >> 48] += (amount);             \
    }

ALWAYS_INLINE uint64_t four_at(const void *tile, size_t i)
{
    uint64_t four;
    memcpy(&four, (const char *)tile + i * sizeof(uint16_t), sizeof four);
    return four;
}

void parscan_count_pairs(uint8_t *table, const void *tile, size_t n, count_ahead ahead)
{
    size_t i = 0;
    for (; i + AHEAD_STEP <= n; i += AHEAD_STEP) {
        count_fetch(ahead, i);
        for (size_t k = i; k < i + AHEAD_STEP; k += TABLES) {
            const uint64_t four = four_at(tile, k);
            ADD_FOUR(four, 1, table, table, table, table)
        }
    }
    for (; i < n; i++)
        table[index_at(tile, i, sizeof(uint16_t))]++;
}

/* Whether the AHEAD_STEP pairs from i on are the same four again and again, as in a run. */
ALWAYS_INLINE bool is_repeated(const void *tile, size_t i)
{
    const char *const pairs = (const char *)tile + i * sizeof(uint16_t);
    return four_at(tile, i) == four_at(tile, i + 4) &&
           memcmp(pairs, pairs + sizeof(uint64_t),
                  AHEAD_STEP * sizeof(uint16_t) - sizeof(uint64_t)) == 0;
}

void parscan_count_pairs_in_words(uint32_t *const tables[TABLES], const void *tile, size_t n,
                                  count_ahead ahead)
{
    uint32_t *const a = tables[0], *const b = tables[1], *const c = tables[2], *const d = tables[3];
    size_t i = 0;
    for (; i + AHEAD_STEP <= n; i += AHEAD_STEP) {
        const bool repeated = is_repeated(tile, i);
        count_fetch(ahead, i);
        for (size_t k = i; k < i + AHEAD_STEP; k += repeated ? AHEAD_STEP : TABLES) {
            const uint64_t four = four_at(tile, k);
            const uint32_t times = repeated ? AHEAD_STEP / TABLES : 1;
            ADD_FOUR(four, times, a, b, c, d)
        }
    }
    for (; i < n; i++)
        a[index_at(tile, i, sizeof(uint16_t))]++;
}

/* Two indices are read at once, since each counter takes a load and a store besides. */
void parscan_count_unchecked(byte_counters *counters, const uint32_t *tile, size_t n,
                             count_ahead ahead)
{
    uint8_t *const table = counters->tables;
    size_t i = 0;
    for (; i + AHEAD_STEP <= n; i += AHEAD_STEP) {
        count_fetch(ahead, i);
        for (size_t k = i; k < i + AHEAD_STEP; k += 2) {
            uint64_t two;
            memcpy(&two, tile + k, sizeof two);
            table[(uint32_t)two]++;
            table[two >> 32]++;
        }
    }
    for (; i < n; i++)
        table[tile[i]]++;
}

void parscan_count_in_words(uint32_t *tables, size_t stride, const uint32_t *tile, size_t n,
                            count_ahead ahead)
{
    uint32_t *const a = tables, *const b = a + stride, *const c = b + stride, *const d = c + stride;
    size_t i = 0;
    for (; i + AHEAD_STEP <= n; i += AHEAD_STEP) {
        count_fetch(ahead, i);
        for (size_t k = i; k < i + AHEAD_STEP; k += TABLES) {
            a[tile[k]]++;
            b[tile[k + 1]]++;
            c[tile[k + 2]]++;
            d[tile[k + 3]]++;
        }
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

void parscan_clear_bytes(byte_counters *counters)
{
    memset(counters->tables, 0, counters->used * counters->stride);
    counters->used = 1;
}

bool parscan_take_bytes(byte_counters *counters, size_t bins, size_t expected, uint32_t *sums)
{
    size_t sum = 0;
    for (size_t t = 0; t < counters->used; t++) {
        const uint8_t *const table = counters->tables + t * counters->stride;
        for (size_t bin = 0; bin < bins; bin++)
            sum += table[bin];
    }
    if (sum == expected)
        parscan_add_bytes(counters, 0, bins, sums);
    parscan_clear_bytes(counters);
    return sum == expected;
}
