/*
 * Counters of one thread, for bins that come as a tile of indices.
 *
 * A core adds one to a counter a cycle at best, and waits about five cycles where it adds to the one
 * that it has just added to. The tables are made for that:
 *
 *   bytes   A counter is a byte: four times as many bins fit a level of the cache as with 32 bits.
 *           One that comes to 256 is zero again, and its bin is noted in a list of carries, worth
 *           256 each: one test that is nearly never true.
 *   words   Where even several tables of 32 bits fit the first level, the test is saved.
 *
 * A tile in which neighbours are often equal is dealt out over TABLES tables in turn, any other goes
 * to the first.
 */
#ifndef PARSCAN_APPS_HISTOGRAM_COUNTERS_H
#define PARSCAN_APPS_HISTOGRAM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TABLES = 4,
    CARRY = 256, /* what a carry stands for */
    COUNTER_TILE = 2048,
    COUNTER_CARRIES = 2 * COUNTER_TILE /* a tile makes one an element at most */
};

typedef struct byte_counters {
    uint8_t *tables; /* TABLES of them, `stride` apart */
    size_t stride, used;
    uint32_t *carries; /* COUNTER_CARRIES of them */
    size_t carried;
} byte_counters;

/* What a core reads next, `size` bytes of it for each index of a tile: fetched while it counts, when
   the memory would have nothing to do. NULL: nothing. */
typedef struct count_ahead {
    const char *next;
    size_t size;
} count_ahead;

enum { AHEAD_STEP = 64 };

/* Fetches what belongs to the indices from i, AHEAD_STEP of them, to the second-level cache. */
static inline void count_fetch(count_ahead ahead, size_t i)
{
    if (ahead.next != NULL)
        for (size_t byte = 0; byte < AHEAD_STEP * ahead.size; byte += 64)
            __builtin_prefetch(ahead.next + i * ahead.size + byte, 0, 2);
}

/* What the tables of `bins` counters take, and the bytes between them: not a multiple of a page, or
   a load would wait for an earlier store to the same offset in another page. */
size_t parscan_counter_stride(size_t bins, size_t counter_size);

/* Adds a tile of up to COUNTER_TILE indices. */
void parscan_count_in_bytes(byte_counters *counters, const uint32_t *tile, size_t n,
                            count_ahead ahead);

/* The same of indices of 16 bits, of any alignment. */
void parscan_count_pairs(byte_counters *counters, const void *tile, size_t n, count_ahead ahead);

/* The same in one table, without noting carries: right if the counters sum up to n. */
void parscan_count_pairs_unchecked(byte_counters *counters, const void *tile, size_t n,
                                   count_ahead ahead);

/* Whether neighbours in a tile of indices of 16 bits are often equal. */
bool parscan_pairs_are_skewed(const void *tile, size_t n);

/* The same with counters of 32 bits, TABLES tables, `stride` counters apart. */
void parscan_count_in_words(uint32_t *tables, size_t stride, const uint32_t *tile, size_t n,
                            count_ahead ahead);

/* sums[k] += the counters of bin first + k, over all tables in use. */
void parscan_add_bytes(const byte_counters *counters, size_t first, size_t bins, uint32_t *sums);

#endif
