/*
 * The keys of a sort by columns: of the bits that vary, as many as fit.
 *
 * Columns are read while their bits are looked for, and again while keys are made. Bits that vary only by
 * the second read, since another thread writes to a column, are left out; all else is private memory.
 */
#include "apps/sort/sort_columns_state.h"

enum { ALL_FROM = 4 /* from a part of this on, all rows are asked for the bits that vary */ };

/* The rows of a tile of the list. */
static void read_rows(const columns_sort *s, size_t tile, size_t n, uint64_t *rows)
{
    for (size_t i = 0; i < n; i++)
        rows[i] = listed_row(s, tile * ROW_TILE + i);
}

/* ---- the bits that vary ---- */

void parscan_read_words(const columns_sort *s, unsigned column, unsigned word, const uint64_t *list,
                        size_t begin, size_t n, uint64_t *words)
{
    const sorted_column *const from = &s->call->columns[column];
    const column_kernels *const kernels = &s->kernels->of[from->key];
    if (list != NULL)
        kernels->words_of(from, word, list, n, words);
    else
        kernels->words(from, word, begin, n, words);
    parscan_values_to_numbers(&s->values, column, word, n, words);
}

static void vary_in(columns_sort *s, const uint64_t *list, size_t begin, size_t n)
{
    uint64_t words[ROW_TILE];
    parscan_read_words(s, s->cursor.column, s->cursor.word, list, begin, n, words);
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
    parscan_read_words(s, s->cursor.column, s->cursor.word, NULL, few ? listed_row(s, 0) : 0, 1,
                       &s->first);
    atomic_init(&s->varying, 0);
    if (few)
        each_tile(s, vary_in_rows, s->n);
    else
        each_tile(s, vary_in_tile, s->call->n);
    const uint64_t varying = atomic_load(&s->varying);
    return few ? varying : parscan_number_values(s, varying);
}

void parscan_choose_column_bits(columns_sort *s, unsigned room)
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
            parscan_read_words(s, run->column, run->word, list, begin, n, words);
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
    for (size_t i = 0; s->row_bits > 0 && i < n; i++)
        keys[i] = keys[i] << s->row_bits | (tile * ROW_TILE + i);
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

void parscan_make_column_keys(columns_sort *s)
{
    each_tile(s, s->listed ? make_keys_of_rows : make_keys, s->n);
}
