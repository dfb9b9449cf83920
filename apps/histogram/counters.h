/*
 * The counters of one thread, for bins that come as tiles of indices.
 *
 * A core can add to at most one counter in each cycle, and waits about five cycles if it adds to
 * the counter that it has just added to. The tables are designed for that:
 *
 *   bytes   A counter is a byte: four times as many bins fit a cache level as with 32 bits. A
 *           counter that reaches 256 wraps to zero, and its bin is noted in a list of carries, each
 *           worth 256. That takes one test, which is nearly never true.
 *   words   Where even several tables of 32 bits fit the first level, the test is saved; so it is where
 *           most of the input falls into few of many bins, which are then in the first level.
 *
 * A tile in which neighbours are often equal is spread over TABLES tables in rotation; any other
 * tile is counted in the first table.
 */
#ifndef PARSCAN_APPS_HISTOGRAM_COUNTERS_H
#define PARSCAN_APPS_HISTOGRAM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TABLES = 4,
    CARRY = 256, /* the value of a carry */
    COUNTER_TILE = 2048,
    COUNTER_CARRIES = 2 * COUNTER_TILE /* a tile makes at most one carry an element */
};

typedef struct byte_counters {
    uint8_t *tables; /* TABLES tables at distances of `stride` */
    size_t stride, used;
    uint32_t *carries; /* room for COUNTER_CARRIES */
    size_t carried;
} byte_counters;

/* What a core reads next: `size` bytes for each index of a tile. It is prefetched while the core
   counts, when the memory would be idle. next == NULL: nothing. */
typedef struct count_ahead {
    const char *next;
    size_t size;
} count_ahead;

enum { AHEAD_STEP = 64 };

/* Prefetches what belongs to the AHEAD_STEP indices from i on into the second-level cache. */
static inline void count_fetch(count_ahead ahead, size_t i)
{
    if (ahead.next != NULL)
        for (size_t byte = 0; byte < AHEAD_STEP * ahead.size; byte += 64)
            __builtin_prefetch(ahead.next + i * ahead.size + byte, 0, 2);
}

/* The distance between tables of `bins` counters, in bytes. It is no multiple of a page, since a
   load would then wait for an earlier store to the same offset in another page. */
size_t parscan_counter_stride(size_t bins, size_t counter_size);

/* Counts a tile of up to COUNTER_TILE indices. */
void parscan_count_in_bytes(byte_counters *counters, const uint32_t *tile, size_t n,
                            count_ahead ahead);

/* The same in one table, without carries. It is right if the sum of the counters is n. */
void parscan_count_unchecked(byte_counters *counters, const uint32_t *tile, size_t n,
                             count_ahead ahead);

/* Whether neighbours in a tile are often equal. */
bool parscan_bins_are_skewed(const uint32_t *tile, size_t n);

/* Counts a tile of indices of 16 bits, of any alignment, in one table of bytes, without carries. It is
   right if the sum of the counters is n. */
void parscan_count_pairs(uint8_t *table, const void *tile, size_t n, count_ahead ahead);

/* The same in tables of 32 bits, in rotation; several of them may be the same table. */
void parscan_count_pairs_in_words(uint32_t *const tables[TABLES], const void *tile, size_t n,
                                  count_ahead ahead);

/* Whether neighbours in a tile of indices of 16 bits are often equal. */
bool parscan_pairs_are_skewed(const void *tile, size_t n);

/* Counts in TABLES tables of 32-bit counters, at distances of `stride` counters. */
void parscan_count_in_words(uint32_t *tables, size_t stride, const uint32_t *tile, size_t n,
                            count_ahead ahead);

/* Adds the counters of bin first + k, of all tables in use, to sums[k], for each k < bins. */
void parscan_add_bytes(const byte_counters *counters, size_t first, size_t bins, uint32_t *sums);

/* Clears all counters. */
void parscan_clear_bytes(byte_counters *counters);

/* Adds the counters of all bins to sums and clears them, if their sum is `expected`. Otherwise it
   only clears them, and returns false. */
bool parscan_take_bytes(byte_counters *counters, size_t bins, size_t expected, uint32_t *sums);

#endif
