/*
 * Rows in the order of several columns, on the CPU. Keys are made of the first bits that vary, and sorted
 * with the rows' indices; where there is room, these are the lowest bits of the keys, and values move with
 * them. If bits are left, then in each round the rows whose keys are equal to a neighbour's are listed, with
 * their places and the number of their group; keys are made of that number and the next bits; they are sorted
 * with the rows, and these go back to the places, group by group.
 */
#include "apps/sort/sort_columns_state.h"
#include "apps/sort/sort_kernels.h"
#include "parscan/gather.h"
#include "scan/context/held_scratch.h"
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

/* Whether a row is not equal to the one before, as far as keys tell. */
static bool is_head(const columns_sort *s, size_t i)
{
    const size_t size = s->sort.key_size;
    return i == 0 ||
           (number_at(s->keys, size, i) ^ number_at(s->keys, size, i - 1)) >> s->row_bits != 0;
}

static void write_order(void *state, size_t tile, unsigned worker)
{
    const columns_sort *const s = state;
    const size_t begin = tile * ROW_TILE, end = begin + tile_length(s->n, tile);
    const size_t size = s->call->index_size;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const size_t place = number_at(s->places[0], size, i);
        put_number(s->call->order, size, place, number_at(s->rows, size, i));
        if (s->call->heads != NULL)
            s->call->heads[place] = is_head(s, i);
    }
}

static void mark_heads(void *state, size_t tile, unsigned worker)
{
    const columns_sort *const s = state;
    const size_t begin = tile * ROW_TILE, end = begin + tile_length(s->n, tile);
    (void)worker;
    for (size_t i = begin; i < end; i++)
        s->call->heads[i] = is_head(s, i);
}

/* Writes the rows that are the lowest bits of keys. */
static void split_keys(void *state, size_t tile, unsigned worker)
{
    const columns_sort *const s = state;
    const size_t begin = tile * ROW_TILE, end = begin + tile_length(s->n, tile);
    const uint64_t row = bits_below(s->row_bits);
    (void)worker;
    for (size_t i = begin; i < end; i++)
        put_number(s->call->order, s->call->index_size, i,
                   number_at(s->keys, sizeof(uint64_t), i) & row);
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

/* Sorts all rows by the first keys. */
static void sort_first(columns_sort *s)
{
    const columns_call *const call = s->call;
    const bool values = s->row_bits > 0 && s->sort.value_size > 0;
    parscan_make_column_keys(s);
    if (s->row_bits > 0) {
        s->sort.order.keep = bits_below(s->key.bits) << s->row_bits;
        s->sort.whole_keys = false;
        sort_keys(s, values ? (char *)call->values_in : NULL, values ? call->values_out : NULL);
        each_tile(s, split_keys, s->n);
    } else {
        sort_keys(s, NULL, call->order);
    }
    if (call->heads != NULL)
        each_tile(s, mark_heads, s->n);
}

static void leave_rows(columns_sort *s)
{
    each_tile(s, number_rows, s->n);
    if (s->call->heads != NULL) {
        memset(s->call->heads, 0, s->n);
        s->call->heads[0] = 1;
    }
}

static void sort_rounds(columns_sort *s)
{
    if (s->key.bits == 0) {
        leave_rows(s);
        return;
    }
    sort_first(s);
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

/* Whether values move with keys that have the rows' numbers, where there is room for these. */
static bool values_move(const columns_call *call)
{
    return call->value_size == sizeof(uint32_t) || call->value_size == sizeof(uint64_t);
}

/* Takes the memory for keys and what moves with them, both of so many bytes, and for ties. */
static parscan_status prepare(columns_sort *s, size_t key_size, size_t value_size, bool ties)
{
    const columns_call *const call = s->call;
    char *memory = NULL;
    parscan_status status =
        parscan_sort_begin(&s->sort, call->context, key_size == 4 ? PARSCAN_U32 : PARSCAN_U64,
                           value_size, call->n, NULL);
    s->sort.extra_bytes = ties;
    if (status == PARSCAN_OK)
        status = parscan_sort_prepare(&s->sort, ties_need, &memory);
    if (status != PARSCAN_OK || call->context->measures)
        return status;
    s->keys = s->sort.out.keys;
    if (ties)
        place_ties(s, memory);
    return PARSCAN_OK;
}

/* The same, for the first keys that have been chosen. */
static parscan_status prepare_chosen(columns_sort *s)
{
    const columns_call *const call = s->call;
    const unsigned row_bits = bits_of_numbers(call->n);
    const bool narrow = s->key.bits <= NARROW_BITS, moves = values_move(call);
    const bool fits = !has_bits(s) && s->key.bits + row_bits <= KEY_BITS;
    if (fits && s->key.bits > (moves ? 0 : NARROW_BITS)) {
        s->row_bits = row_bits;
        return prepare(s, sizeof(uint64_t), moves ? call->value_size : 0, false);
    }
    return prepare(s, narrow ? 4 : 8, call->index_size, has_bits(s));
}

/* What any rows may need. */
static parscan_status measure(columns_sort *s)
{
    const columns_call *const call = s->call;
    parscan_status status = prepare(s, 4, call->index_size, false);
    if (status == PARSCAN_OK && values_move(call))
        status = prepare(s, 8, call->value_size, false);
    if (status == PARSCAN_OK && call->bits > NARROW_BITS)
        status = prepare(s, 8, call->index_size, call->bits > KEY_BITS);
    return status;
}

static parscan_status sort_all(columns_sort *s)
{
    const columns_call *const call = s->call;
    if (call->context->measures)
        return measure(s);
    parscan_choose_column_bits(s, KEY_BITS);
    const parscan_status status = prepare_chosen(s);
    if (status != PARSCAN_OK)
        return status;
    sort_rounds(s);
    return call->value_size == 0 || (s->row_bits > 0 && values_move(call))
               ? PARSCAN_OK
               : parscan_gather(call->context, call->value_size, call->values_in, call->n,
                                call->index_type, call->order, call->values_out, call->n);
}

static size_t values_need(const void *state, unsigned threads)
{
    (void)state;
    (void)threads;
    return parscan_values_bytes();
}

/* Values are numbered if there is memory for that; a limit leaves it to the sort. */
parscan_status parscan_sort_columns_cpu(columns_call *call)
{
    parscan_context *const context = call->context;
    columns_sort s = {.call = call,
                      .kernels = bit_kernels_of(context->isa),
                      .n = call->n,
                      .threads = parscan_threads_for(context, call->n * sizeof(uint64_t))};
    held_scratch held;
    unsigned one = 1;
    const bool numbers =
        call->n >= NUMBERED_FROM && call->bits >= NUMBERED_BITS && context->scratch_limit == 0 &&
        parscan_hold_scratch(context, &one, values_need, NULL, 0, &held) == PARSCAN_OK;
    if (numbers)
        s.values.memory = held.memory.data;
    const parscan_status status = sort_all(&s);
    if (numbers)
        parscan_let_scratch(context, &held);
    return status;
}
