/* A sort of rows by columns on the CPU (sort_columns_cpu.c): what its files share. */
#ifndef PARSCAN_APPS_SORT_COLUMNS_STATE_H
#define PARSCAN_APPS_SORT_COLUMNS_STATE_H

#include <stdatomic.h>
#include <string.h>

#include "apps/sort/column_bits_kernels.h"
#include "apps/sort/column_values.h"
#include "apps/sort/sort_call.h"
#include "apps/sort/sort_columns_call.h"
#include "scan/context/size_math.h"
#include "scan/cpu/team.h"

enum { KEY_BITS = 64 };

/* Of a tile of keys: the rows that are equal to a neighbour, and their groups; then how many are before. */
typedef struct tie_count {
    size_t rows, groups;
} tie_count;

struct columns_sort {
    const columns_call *call;
    sort_call sort;
    const bit_kernels *kernels;
    column_key key;
    column_cursor cursor;
    unsigned threads;
    size_t n;          /* rows of this round: all, or the listed ones */
    bool listed;       /* they are listed */
    size_t groups;     /* of the listed rows */
    char *keys;        /* of n rows, sort.key_size each */
    unsigned row_bits; /* of the row's number below each key, with which no indices move; 0: none */
    char *places[2];   /* of the listed rows in the order, and room for those of the next round */
    char *rows;        /* their groups, until their keys are made, then the rows themselves */
    tie_count *counts;
    atomic_uint_least64_t varying;
    uint64_t first; /* the word of the first row */
    column_values values;
};

static inline size_t number_at(const char *numbers, size_t size, size_t i)
{
    uint64_t wide;
    uint32_t narrow;
    if (size == sizeof wide) {
        memcpy(&wide, numbers + i * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, numbers + i * sizeof narrow, sizeof narrow);
    return narrow;
}

static inline void put_number(char *numbers, size_t size, size_t i, size_t number)
{
    const uint64_t wide = number;
    const uint32_t narrow = (uint32_t)number;
    if (size == sizeof wide)
        memcpy(numbers + i * sizeof wide, &wide, sizeof wide);
    else
        memcpy(numbers + i * sizeof narrow, &narrow, sizeof narrow);
}

static inline size_t tiles_of(size_t n)
{
    return n / ROW_TILE + (n % ROW_TILE != 0);
}

static inline size_t tile_length(size_t n, size_t tile)
{
    return size_min(n - tile * ROW_TILE, ROW_TILE);
}

/* Runs a function with a state on each tile of n rows. */
static inline void each_tile_with(const columns_sort *s, parscan_team_index *run, size_t n,
                                  void *state)
{
    enum { TILES_AT_ONCE = 16 };
    parscan_team_for(s->call->context, s->threads, tiles_of(n), TILES_AT_ONCE, run, state);
}

static inline void each_tile(columns_sort *s, parscan_team_index *run, size_t n)
{
    each_tile_with(s, run, n, s);
}

static inline size_t listed_row(const columns_sort *s, size_t i)
{
    const size_t size = s->call->index_size;
    return number_at(s->call->order, size, number_at(s->places[0], size, i));
}

/* Whether bits are left for another key. */
static inline bool has_bits(const columns_sort *s)
{
    return s->cursor.column < s->call->count;
}

/* A word of so many rows from `begin` on; of the rows of a list, if there is one. */
void parscan_read_words(const columns_sort *s, unsigned column, unsigned word, const uint64_t *list,
                        size_t begin, size_t n, uint64_t *words);

/* Chooses the next bits for a key, at most `room`: of those that vary. */
void parscan_choose_column_bits(columns_sort *s, unsigned room);

/* Makes the keys of all rows; of the listed ones, whose groups are in `rows`, which becomes the rows. */
void parscan_make_column_keys(columns_sort *s);

#endif
