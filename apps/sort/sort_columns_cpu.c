/*
 * Rows in the order of several columns, on the CPU. Keys are made of the first bits that vary, and sorted
 * with the rows' indices. If bits are left, then in each round the rows whose keys are equal to a
 * neighbour's are listed, with their places and the number of their group; keys are made of that number
 * and the next bits; they are sorted with the rows, and these go back to the places, group by group.
 */
#include "apps/sort/sort_columns_state.h"
#include "apps/sort/sort_kernels.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/tiles.h"

enum { NARROW_BITS = 32 /* keys of so many bits have 4 bytes */ };

static const bit_kernels *bit_kernels_of(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &parscan_bit_kernels_portable, &parscan_bit_kernels_avx2,
                          &parscan_bit_kernels_avx512);
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
    parscan_make_column_keys(s);
    sort_keys(s, s->rows, s->rows);
    each_tile(s, write_order, s->n);
}

static void sort_rounds(columns_sort *s)
{
    if (s->key.bits == 0) {
        each_tile(s, number_rows, s->n);
        return;
    }
    parscan_make_column_keys(s);
    sort_keys(s, NULL, s->call->order);
    while (has_bits(s) && find_ties(s)) {
        parscan_choose_column_bits(s, KEY_BITS - bits_of_numbers(s->groups));
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
    parscan_choose_column_bits(&s, KEY_BITS);
    const parscan_status status = prepare(&s, s.key.bits <= NARROW_BITS ? 4 : 8, has_bits(&s));
    if (status == PARSCAN_OK)
        sort_rounds(&s);
    return status;
}
