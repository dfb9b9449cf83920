#include "apps/cli/held_keys.h"

#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/parallel.h"
#include "apps/cli/word_order.h"
#include "parscan/sort.h"

enum { BLOCK_LINES = 64 * 1024 };

static text_span key_of_word(const void *words, size_t i)
{
    return ((const text_span *)words)[i];
}

static bool is_word(const held_keys *held, size_t key)
{
    return held->reader.keys->keys[key].word;
}

static bool add_column(held_keys *held, size_t key)
{
    array *const column = &held->columns[key];
    const key_columns *const read = &held->read;
    column->type = is_word(held, key) ? PARSCAN_U32 : PARSCAN_U64;
    if (!array_reserve(column, column->n + read->n))
        return false;
    if (is_word(held, key) && !key_table_number(&held->words, key_of_word, key_words(read, key),
                                                read->n, array_end(column)))
        return false;
    if (!is_word(held, key) && read->n > 0)
        memcpy(array_end(column), key_orders(read, key), read->n * sizeof(uint64_t));
    column->n += read->n;
    return true;
}

bool held_keys_add(held_keys *held, const input_reader *input, line_store *lines, size_t first,
                   failure *why)
{
    if (!key_columns_read(&held->reader, input, lines, first, &held->read, why))
        return false;
    for (size_t k = 0; k < held->reader.keys->count; k++)
        if (!add_column(held, k))
            return session_out_of_memory(held->reader.job, why);
    held->n += held->read.n;
    return true;
}

/* A column that is put in the order of the lines so far. */
typedef struct ordering {
    const held_keys *held;
    size_t key;
} ordering;

static void order_block(size_t block, unsigned thread, void *user)
{
    (void)thread;
    const ordering *const work = user;
    const held_keys *const held = work->held;
    const bool descends = key_reader_descends(&held->reader, work->key);
    const uint32_t *const order = held->order.data, *const ranks = held->ranks.data;
    const size_t begin = block * BLOCK_LINES, left = held->n - begin;
    const size_t end = begin + (left < BLOCK_LINES ? left : BLOCK_LINES);
    if (is_word(held, work->key)) {
        const uint32_t *const numbers = held->columns[work->key].data;
        for (size_t i = begin; i < end; i++) {
            const uint32_t rank = ranks[numbers[order[i]]];
            ((uint32_t *)held->sorted.data)[i] = descends ? ~rank : rank;
        }
        return;
    }
    const uint64_t *const orders = held->columns[work->key].data;
    for (size_t i = begin; i < end; i++)
        ((uint64_t *)held->sorted.data)[i] = orders[order[i]];
}

/* Sorts the lines, which are in some order, by one more key. */
static parscan_status sort_by(held_keys *held, size_t key)
{
    const ordering work = {held, key};
    const size_t blocks = (held->n + BLOCK_LINES - 1) / BLOCK_LINES;
    session *const job = held->reader.job;
    parallel_for(session_threads(job), blocks, order_block, (void *)(uintptr_t)&work);
    return parscan_sort_pairs(job->context, is_word(held, key) ? PARSCAN_U32 : PARSCAN_U64,
                              held->sorted.data, held->sorted.data, sizeof(uint32_t),
                              held->order.data, held->order.data, held->n, NULL);
}

/* The ranks of all words. */
static parscan_status rank_words(held_keys *held)
{
    const size_t count = key_table_count(&held->words);
    if (!array_reserve(&held->ranks, 2 * count))
        return PARSCAN_ERROR_OUT_OF_MEMORY;
    uint32_t *const ranks = held->ranks.data, *const numbers = ranks + count;
    const parscan_status status =
        count > 0 ? word_order(held->reader.job->context, &held->words, numbers) : PARSCAN_OK;
    for (size_t i = 0; i < count && status == PARSCAN_OK; i++)
        ranks[numbers[i]] = (uint32_t)i;
    return status;
}

static bool are_equal(const held_keys *held, size_t i, size_t j)
{
    bool equal = true;
    for (size_t k = 0; k < held->reader.keys->count && equal; k++) {
        const void *const column = held->columns[k].data;
        equal = is_word(held, k) ? ((const uint32_t *)column)[i] == ((const uint32_t *)column)[j]
                                 : ((const uint64_t *)column)[i] == ((const uint64_t *)column)[j];
    }
    return equal;
}

/* Puts the places in order: in the memory of a column, and back. */
static void move_places(held_keys *held, line_store *lines, bool unique)
{
    const uint32_t *const order = held->order.data;
    uint64_t *const places = lines->places[0].data, *const moved = held->sorted.data;
    size_t kept = 0;
    for (size_t i = 0; i < held->n; i++)
        if (!unique || i == 0 || !are_equal(held, order[i - 1], order[i]))
            moved[kept++] = places[order[i]];
    if (kept > 0)
        memcpy(places, moved, kept * sizeof *places);
    lines->places[0].n = kept;
}

int held_keys_sort(held_keys *held, line_store *lines, bool unique, failure *why)
{
    session *const job = held->reader.job;
    if (held->n >= UINT32_MAX) {
        fail(why, "%zu lines are too many to be sorted at once by several fields (--memory)",
             held->n);
        return STATUS_FAILED;
    }
    if (!array_reserve(&held->order, held->n) || !array_reserve(&held->sorted, held->n)) {
        session_out_of_memory(job, why);
        return STATUS_FAILED;
    }
    for (size_t i = 0; i < held->n; i++)
        ((uint32_t *)held->order.data)[i] = (uint32_t)i;
    parscan_status called = rank_words(held);
    for (size_t k = held->reader.keys->count; k > 0 && called == PARSCAN_OK; k--)
        called = sort_by(held, k - 1);
    if (called == PARSCAN_OK)
        move_places(held, lines, unique);
    return session_check_result(job, called, why);
}

uint64_t held_keys_bytes(const held_keys *held)
{
    const key_table *const words = &held->words;
    uint64_t bytes = words->bytes.n + (words->slots.n + words->entries.n) * sizeof(uint64_t) +
                     2 * key_table_count(words) * sizeof(uint32_t);
    for (size_t k = 0; k < held->reader.keys->count; k++)
        bytes += held->n * (is_word(held, k) ? sizeof(uint32_t) : sizeof(uint64_t));
    return bytes + held->n * (2 * sizeof(uint64_t) + 2 * sizeof(uint32_t));
}

void held_keys_clear(held_keys *held)
{
    key_table_release(&held->words);
    held->words = KEY_TABLE;
    for (size_t k = 0; k < MOST_SORT_KEYS; k++)
        held->columns[k].n = 0;
    held->n = 0;
}

void held_keys_release(held_keys *held)
{
    for (size_t k = 0; k < MOST_SORT_KEYS; k++)
        array_release(&held->columns[k]);
    key_columns_release(&held->read);
    key_table_release(&held->words);
    array_release(&held->ranks);
    array_release(&held->order);
    array_release(&held->sorted);
}
