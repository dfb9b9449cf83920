/*
 * Rows in the order of several columns, on the CPU. Keys are made of the first bits that vary, and sorted
 * with the rows' indices. If bits are left, then in each round the rows whose keys are equal to a
 * neighbour's are listed, with their places and the number of their group; keys are made of that number
 * and the next bits; they are sorted with the rows, and these go back to the places, group by group.
 *
 * Columns are read while their bits are looked for, and again while keys are made. Bits that vary only by
 * the second read, since another thread writes to a column, are left out; all else is private memory.
 */
#include <stdatomic.h>
#include <string.h>

#include "apps/sort/column_bits_kernels.h"
#include "apps/sort/sort_call.h"
#include "apps/sort/sort_columns_call.h"
#include "apps/sort/sort_kernels.h"
#include "scan/context/size_math.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum {
    KEY_BITS = 64,
    NARROW_BITS = 32, /* keys of so many bits have 4 bytes */
    ALL_FROM = 4      /* from a part of this on, all rows are asked for the bits that vary */
};

/* Of a tile of keys: the rows that are equal to a neighbour, and their groups; then how many are before. */
typedef struct tie_count {
    size_t rows, groups;
} tie_count;

typedef struct columns_sort {
    const columns_call *call;
    sort_call sort;
    const bit_kernels *kernels;
    column_key key;
    column_cursor cursor;
    unsigned threads;
    size_t n;        /* rows of this round: all, or the listed ones */
    bool listed;     /* they are listed */
    size_t groups;   /* of the listed rows */
    char *keys;      /* of n rows, sort.key_size each */
    char *places[2]; /* of the listed rows in the order, and room for those of the next round */
    char *rows;      /* their groups, until their keys are made, then the rows themselves */
    tie_count *counts;
    atomic_uint_least64_t varying;
    uint64_t first; /* the word of the first row */
} columns_sort;

static const bit_kernels *bit_kernels_of(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &parscan_bit_kernels_portable, &parscan_bit_kernels_avx2,
                          &parscan_bit_kernels_avx512);
}

static size_t number_at(const char *numbers, size_t size, size_t i)
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

static void put_number(char *numbers, size_t size, size_t i, size_t number)
{
    const uint64_t wide = number;
    const uint32_t narrow = (uint32_t)number;
    if (size == sizeof wide)
        memcpy(numbers + i * sizeof wide, &wide, sizeof wide);
    else
        memcpy(numbers + i * sizeof narrow, &narrow, sizeof narrow);
}

static size_t tiles_of(size_t n)
{
    return n / ROW_TILE + (n % ROW_TILE != 0);
}

static size_t tile_length(size_t n, size_t tile)
{
    return size_min(n - tile * ROW_TILE, ROW_TILE);
}

static void each_tile(columns_sort *s, parscan_team_index *run, size_t n)
{
    enum { TILES_AT_ONCE = 16 };
    parscan_team_for(s->call->context, s->threads, tiles_of(n), TILES_AT_ONCE, run, s);
}

static size_t listed_row(const columns_sort *s, size_t i)
{
    const size_t size = s->call->index_size;
    return number_at(s->call->order, size, number_at(s->places[0], size, i));
}

/* The rows of a tile of the list. */
static void read_rows(const columns_sort *s, size_t tile, size_t n, uint64_t *rows)
{
    for (size_t i = 0; i < n; i++)
        rows[i] = listed_row(s, tile * ROW_TILE + i);
}

/* ---- the bits that vary ---- */

/* A word of so many rows from `begin` on; of the rows of a list, if there is one. */
static void read_words(const columns_sort *s, unsigned column, unsigned word, const uint64_t *list,
                       size_t begin, size_t n, uint64_t *words)
{
    const sorted_column *const from = &s->call->columns[column];
    const column_kernels *const kernels = &s->kernels->of[from->key];
    if (list != NULL)
        kernels->words_of(from, word, list, n, words);
    else
        kernels->words(from, word, begin, n, words);
}

static void vary_in(columns_sort *s, const uint64_t *list, size_t begin, size_t n)
{
    uint64_t words[ROW_TILE];
    read_words(s, s->cursor.column, s->cursor.word, list, begin, n, words);
    atomic_fetch_or(&s->varying, s->kernels->varying(words, n, s->first));
}

static void vary_in_tile(void *state, size_t tile, unsigned worker)
{
    columns_sort *const s = state;
    (void)worker;
    vary_in(s, NULL, tile * ROW_TILE, tile_length(s->call->n, tile));
}

static void vary_in_rows(void *state, size_t tile, unsigned worker)
{
    columns_sort *const s = state;
    const size_t n = tile_length(s->n, tile);
    uint64_t rows[ROW_TILE] = {0};
    (void)worker;
    read_rows(s, tile, n, rows);
    vary_in(s, rows, 0, n);
}

/* The bits in which the cursor's word varies; of few listed rows, those in which it does there. */
static uint64_t find_varying(columns_sort *s)
{
    const bool few = s->listed && s->n < s->call->n / ALL_FROM;
    read_words(s, s->cursor.column, s->cursor.word, NULL, few ? listed_row(s, 0) : 0, 1, &s->first);
    atomic_init(&s->varying, 0);
    if (few)
        each_tile(s, vary_in_rows, s->n);
    else
        each_tile(s, vary_in_tile, s->call->n);
    return atomic_load(&s->varying);
}

/* Whether bits are left for another key. */
static bool has_bits(const columns_sort *s)
{
    return s->cursor.column < s->call->count;
}

/* Chooses the next bits for a key, at most `room`. */
static void choose_bits(columns_sort *s, unsigned room)
{
    s->key.runs = s->key.bits = 0;
    while (has_bits(s) && s->key.bits < room) {
        if (!s->cursor.known) {
            s->cursor.left = find_varying(s);
            s->cursor.known = true;
        }
        take_runs(&s->key, &s->cursor, room);
        if (s->cursor.left == 0)
            next_word(&s->cursor, s->call->columns);
    }
}

/* ---- keys ---- */

static void put_keys(const columns_sort *s, size_t tile, size_t n, const uint64_t *keys)
{
    if (s->sort.key_size == sizeof *keys)
        memcpy(s->keys + tile * ROW_TILE * sizeof *keys, keys, n * sizeof *keys);
    else
        for (size_t i = 0; i < n; i++)
            put_number(s->keys, sizeof(uint32_t), tile * ROW_TILE + i, keys[i]);
}

/* Runs of one word follow each other: it is read once. */
static void add_runs(const columns_sort *s, const uint64_t *list, size_t begin, size_t n,
                     uint64_t *keys)
{
    uint64_t words[ROW_TILE];
    for (unsigned k = 0; k < s->key.runs; k++) {
        const column_run *const run = &s->key.run[k];
        if (k == 0 || run->column != run[-1].column || run->word != run[-1].word)
            read_words(s, run->column, run->word, list, begin, n, words);
        s->kernels->add(words, run, run_shift(&s->key, run), n, keys);
    }
}

static void make_keys(void *state, size_t tile, unsigned worker)
{
    const columns_sort *const s = state;
    const size_t n = tile_length(s->n, tile);
    uint64_t keys[ROW_TILE] = {0};
    (void)worker;
    add_runs(s, NULL, tile * ROW_TILE, n, keys);
    put_keys(s, tile, n, keys);
}

static void make_keys_of_rows(void *state, size_t tile, unsigned worker)
{
    const columns_sort *const s = state;
    const size_t n = tile_length(s->n, tile), size = s->call->index_size;
    uint64_t keys[ROW_TILE], rows[ROW_TILE] = {0};
    (void)worker;
    read_rows(s, tile, n, rows);
    for (size_t i = 0; i < n; i++) {
        const uint64_t group = number_at(s->rows, size, tile * ROW_TILE + i);
        keys[i] = s->key.bits == KEY_BITS ? 0 : group << s->key.bits;
        put_number(s->rows, size, tile * ROW_TILE + i, rows[i]);
    }
    add_runs(s, rows, 0, n, keys);
    put_keys(s, tile, n, keys);
}

/* ---- rows with equal keys ---- */

/* Calls a key that is equal to a neighbour tied; the first of a group is its head. */
typedef struct tie {
    bool tied, head;
} tie;

static tie tie_at(const columns_sort *s, size_t i)
{
    const size_t size = s->sort.key_size, key = number_at(s->keys, size, i);
    const bool before = i > 0 && number_at(s->keys, size, i - 1) == key;
    const bool after = i + 1 < s->n && number_at(s->keys, size, i + 1) == key;
    return (tie){before || after, after && !before};
}

static void count_ties(void *state, size_t tile, unsigned worker)
{
    columns_sort *const s = state;
    const size_t begin = tile * ROW_TILE, end = begin + tile_length(s->n, tile);
    tie_count count = {0, 0};
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const tie at = tie_at(s, i);
        count.rows += at.tied;
        count.groups += at.head;
    }
    s->counts[tile] = count;
}

/* Lists the tied rows of a tile. The first of a tile may belong to the group of the tile before. */
static void list_ties(void *state, size_t tile, unsigned worker)
{
    const columns_sort *const s = state;
    const size_t begin = tile * ROW_TILE, end = begin + tile_length(s->n, tile);
    const size_t size = s->call->index_size;
    tie_count at = s->counts[tile];
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const tie found = tie_at(s, i);
        if (!found.tied)
            continue;
        at.groups += found.head;
        put_number(s->places[1], size, at.rows, s->listed ? number_at(s->places[0], size, i) : i);
        put_number(s->rows, size, at.rows, at.groups - 1);
        at.rows++;
    }
}

static void write_order(void *state, size_t tile, unsigned worker)
{
    const columns_sort *const s = state;
    const size_t begin = tile * ROW_TILE, end = begin + tile_length(s->n, tile);
    const size_t size = s->call->index_size;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        put_number(s->call->order, size, number_at(s->places[0], size, i),
                   number_at(s->rows, size, i));
}

/* Replaces counts by what is before. */
static tie_count scan_ties(columns_sort *s)
{
    tie_count all = {0, 0};
    for (size_t tile = 0; tile < tiles_of(s->n); tile++) {
        const tie_count count = s->counts[tile];
        s->counts[tile] = all;
        all.rows += count.rows;
        all.groups += count.groups;
    }
    return all;
}

/* Lists the rows whose keys are equal. Returns false if there are none. */
static bool find_ties(columns_sort *s)
{
    each_tile(s, count_ties, s->n);
    const tie_count all = scan_ties(s);
    if (all.rows == 0)
        return false;
    each_tile(s, list_ties, s->n);
    char *const places = s->places[1];
    s->places[1] = s->places[0];
    s->places[0] = places;
    s->n = all.rows;
    s->groups = all.groups;
    s->listed = true;
    return true;
}

/* ---- rounds ---- */

static void number_rows(void *state, size_t tile, unsigned worker)
{
    const columns_sort *const s = state;
    const size_t begin = tile * ROW_TILE, size = s->call->index_size;
    (void)worker;
    s->sort.kernels->indices(s->call->order + begin * size, begin, tile_length(s->n, tile));
}

static void sort_keys(columns_sort *s, char *values_in, char *values_out)
{
    const sort_range all = {.from = {s->keys, values_in}, .n = s->n};
    s->sort.out = (elements){s->keys, values_out};
    if (!parscan_sort_ordered(&s->sort, all, s->sort.threads))
        parscan_sort_range(&s->sort, all, s->sort.threads, 0);
}

/* Sorts the listed rows by their groups and the next bits. */
static void sort_ties(columns_sort *s)
{
    each_tile(s, make_keys_of_rows, s->n);
    sort_keys(s, s->rows, s->rows);
    each_tile(s, write_order, s->n);
}

static void sort_rounds(columns_sort *s)
{
    if (s->key.bits == 0) {
        each_tile(s, number_rows, s->n);
        return;
    }
    each_tile(s, make_keys, s->n);
    sort_keys(s, NULL, s->call->order);
    while (has_bits(s) && find_ties(s)) {
        choose_bits(s, KEY_BITS - bits_of_numbers(s->groups));
        if (s->key.bits == 0)
            return;
        sort_ties(s);
    }
}

/* ---- memory ---- */

static size_t ties_need(const void *state, unsigned threads)
{
    const sort_call *const sort = state;
    (void)threads;
    if (sort->extra_bytes == 0)
        return 0;
    return 3 * whole_lines(sort->n * sort->value_size) + tiles_of(sort->n) * sizeof(tie_count);
}

static void place_ties(columns_sort *s, char *memory)
{
    char **const pieces[] = {&s->rows, &s->places[0], &s->places[1]};
    for (unsigned k = 0; k < 3; k++) {
        *pieces[k] = memory;
        memory += whole_lines(s->n * s->call->index_size);
    }
    s->counts = (tie_count *)(void *)memory;
}

/* Takes the memory for keys of so many bytes, and for ties. */
static parscan_status prepare(columns_sort *s, size_t key_size, bool ties)
{
    const columns_call *const call = s->call;
    char *memory = NULL;
    parscan_status status =
        parscan_sort_begin(&s->sort, call->context, key_size == 4 ? PARSCAN_U32 : PARSCAN_U64,
                           call->index_size, call->n, NULL);
    s->sort.extra_bytes = ties;
    s->sort.out.values = call->order;
    if (status == PARSCAN_OK)
        status = parscan_sort_prepare(&s->sort, ties_need, &memory);
    if (status != PARSCAN_OK || call->context->measures)
        return status;
    s->keys = s->sort.out.keys;
    if (ties)
        place_ties(s, memory);
    return PARSCAN_OK;
}

/* What any rows may need. */
static parscan_status measure(columns_sort *s)
{
    const parscan_status status = prepare(s, 4, false);
    if (status != PARSCAN_OK || s->call->bits <= NARROW_BITS)
        return status;
    return prepare(s, 8, s->call->bits > KEY_BITS);
}

parscan_status parscan_sort_columns_cpu(columns_call *call)
{
    columns_sort s = {.call = call,
                      .kernels = bit_kernels_of(call->context->isa),
                      .n = call->n,
                      .threads = parscan_threads_for(call->context, call->n * sizeof(uint64_t))};
    if (call->context->measures)
        return measure(&s);
    choose_bits(&s, KEY_BITS);
    const parscan_status status = prepare(&s, s.key.bits <= NARROW_BITS ? 4 : 8, has_bits(&s));
    if (status == PARSCAN_OK)
        sort_rounds(&s);
    return status;
}
