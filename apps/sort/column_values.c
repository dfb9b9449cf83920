#include "apps/sort/column_values.h"

#include "apps/sort/sort_columns_state.h"

enum {
    SLOT_BITS = 13, /* at most half of the slots are taken */
    SLOTS = 1 << SLOT_BITS,
    SAMPLE = 4096,      /* rows that are looked at first. If they have more values than this, */
    SAMPLE_MOST = 2700, /* which VALUES_MOST equally frequent ones have, there are too many */
    LEAST_GAIN = 16     /* bits that numbers must have less */
};

/* How the values of a word are found. */
typedef struct value_search {
    columns_sort *sort;
    numbered_word word;
    size_t count;     /* of values that are not the first row's */
    atomic_flag lock; /* of `count` and of slots that become taken */
    atomic_bool many; /* there are too many values */
} value_search;

size_t parscan_values_bytes(void)
{
    return NUMBERED_WORDS * SLOTS * sizeof(value_slot) + (VALUES_MOST + 1) * sizeof(uint64_t);
}

/* The slot of a word: one that has it, or the empty one where it belongs. */
static inline value_slot *slot_of(const numbered_word *values, uint64_t word)
{
    size_t at = (size_t)(word * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS));
    for (;; at = (at + 1) % SLOTS) {
        value_slot *const slot = &values->slots[at];
        const uint64_t there = atomic_load_explicit(&slot->word, memory_order_relaxed);
        if (there == word || there == values->first)
            return slot;
    }
}

static void add_value(value_search *search, uint64_t word)
{
    while (atomic_flag_test_and_set_explicit(&search->lock, memory_order_acquire))
        parscan_relax();
    value_slot *const slot = slot_of(&search->word, word);
    if (atomic_load_explicit(&slot->word, memory_order_relaxed) != word) {
        if (search->count + 1 < VALUES_MOST) {
            atomic_store_explicit(&slot->word, word, memory_order_relaxed);
            search->count++;
        } else {
            atomic_store_explicit(&search->many, true, memory_order_relaxed);
        }
    }
    atomic_flag_clear_explicit(&search->lock, memory_order_release);
}

static void add_values(value_search *search, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (atomic_load_explicit(&slot_of(&search->word, words[i])->word, memory_order_relaxed) !=
            words[i])
            add_value(search, words[i]);
}

static void add_tile(void *state, size_t tile, unsigned worker)
{
    value_search *const search = state;
    const columns_sort *const s = search->sort;
    const size_t n = tile_length(s->call->n, tile);
    uint64_t words[ROW_TILE];
    (void)worker;
    if (atomic_load_explicit(&search->many, memory_order_relaxed))
        return;
    parscan_read_words(s, search->word.column, search->word.word, NULL, tile * ROW_TILE, n, words);
    add_values(search, words, n);
}

/* Whether a sample has few values. */
static bool sample_has_few(value_search *search)
{
    const columns_sort *const s = search->sort;
    uint64_t rows[ROW_TILE], words[ROW_TILE];
    for (size_t k = 0; k < SAMPLE; k += ROW_TILE) {
        for (size_t i = 0; i < ROW_TILE; i++)
            rows[i] = s->call->n / SAMPLE * (k + i);
        parscan_read_words(s, search->word.column, search->word.word, rows, 0, ROW_TILE, words);
        add_values(search, words, ROW_TILE);
    }
    return search->count <= SAMPLE_MOST;
}

/* Shell's sort. */
static void sort_values(uint64_t *values, size_t n)
{
    for (size_t gap = n / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < n; i++) {
            const uint64_t value = values[i];
            size_t k = i;
            for (; k >= gap && values[k - gap] > value; k -= gap)
                values[k] = values[k - gap];
            values[k] = value;
        }
}

/* Numbers the values in their order. `list` has room for all. */
static void number_slots(const value_search *search, uint64_t *list)
{
    const numbered_word *const values = &search->word;
    const size_t count = search->count + 1;
    size_t found = 0, number = 0;
    list[found++] = values->first;
    for (size_t at = 0; at < SLOTS; at++)
        if (values->slots[at].word != values->first)
            list[found++] = values->slots[at].word;
    sort_values(list, count);
    for (size_t k = 0; k < count; k++)
        if (list[k] == values->first)
            number = k;
        else
            slot_of(values, list[k])->number = k;
    for (size_t at = 0; at < SLOTS; at++)
        if (values->slots[at].word == values->first)
            values->slots[at].number = number;
}

uint64_t parscan_number_values(columns_sort *s, uint64_t varying)
{
    column_values *const values = &s->values;
    if (values->memory == NULL || values->count == NUMBERED_WORDS ||
        __builtin_popcountll(varying) < NUMBERED_BITS)
        return varying;
    value_slot *const slots = (value_slot *)(void *)values->memory;
    value_search search = {.sort = s,
                           .word = {.column = s->cursor.column,
                                    .word = s->cursor.word,
                                    .first = s->first,
                                    .slots = slots + values->count * SLOTS},
                           .lock = ATOMIC_FLAG_INIT};
    for (size_t at = 0; at < SLOTS; at++)
        atomic_init(&search.word.slots[at].word, s->first);
    atomic_init(&search.many, false);
    if (!sample_has_few(&search))
        return varying;
    each_tile_with(s, add_tile, s->call->n, &search);
    const unsigned bits = bits_of_numbers(search.count + 1);
    if (search.many || bits + LEAST_GAIN > (unsigned)__builtin_popcountll(varying))
        return varying;
    number_slots(&search, (uint64_t *)(void *)(slots + NUMBERED_WORDS * SLOTS));
    values->words[values->count++] = search.word;
    return bits_below(bits);
}

void parscan_values_to_numbers(const column_values *values, unsigned column, unsigned word,
                               size_t n, uint64_t *words)
{
    for (unsigned k = 0; k < values->count; k++) {
        const numbered_word *const numbered = &values->words[k];
        if (numbered->column == column && numbered->word == word)
            for (size_t i = 0; i < n; i++)
                words[i] = slot_of(numbered, words[i])->number;
    }
}
