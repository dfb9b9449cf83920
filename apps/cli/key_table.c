#include "apps/cli/key_table.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

/* The part of a hash that a slot has. Its lowest bits also choose the slot, so that a table grows without its keys. */
#define HASH_BITS 0xffffffff00000000u
#define MOST_KEYS ((size_t)1 << 31)

void key_table_release(key_table *table)
{
    array_release(&table->slots);
    array_release(&table->entries);
    array_release(&table->bytes);
}

static inline uint64_t word_at(const char *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

/* All bytes of a key of less than 8. */
static inline uint64_t short_word(const char *key, size_t size)
{
    uint32_t first, last;
    if (size >= sizeof first) {
        memcpy(&first, key, sizeof first);
        memcpy(&last, key + size - sizeof last, sizeof last);
        return (uint64_t)last << 32 | first;
    }
    const unsigned char *const bytes = (const unsigned char *)key;
    return size == 0 ? 0
                     : bytes[0] | (uint64_t)bytes[size / 2] << 8 | (uint64_t)bytes[size - 1] << 16;
}

/* Whether two keys of that size are equal. */
static inline bool are_equal(const char *a, const char *b, size_t size)
{
    enum { WORD = sizeof(uint64_t) };
    if (size < WORD)
        return short_word(a, size) == short_word(b, size);
    for (; size > WORD; size -= WORD, a += WORD, b += WORD)
        if (word_at(a) != word_at(b))
            return false;
    return word_at(a + size - WORD) == word_at(b + size - WORD);
}

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static inline uint64_t hash_key(const char *key, size_t size)
{
    enum { WORD = sizeof(uint64_t) };
    uint64_t hash = size;
    if (size < WORD)
        return mix(mix(hash, short_word(key, size)), 0x632be59bd9b4e019u);
    for (; size > WORD; size -= WORD, key += WORD)
        hash = mix(hash, word_at(key));
    return mix(mix(hash, word_at(key + size - WORD)), 0x632be59bd9b4e019u);
}

const char *key_table_key(const key_table *table, uint32_t number, size_t *size)
{
    const uint64_t *const entry =
        (const uint64_t *)table->entries.data + (size_t)number * KEY_WORDS;
    *size = (size_t)entry[0];
    return *size <= SHORT_KEY ? (const char *)(entry + 1)
                              : (const char *)table->bytes.data + entry[1];
}

static inline size_t first_slot(const key_table *table, uint64_t hash)
{
    return (size_t)(hash >> 32) & (table->slots.n - 1);
}

/* The slot of the key, or the empty one where it belongs. */
static uint64_t *find_slot(const key_table *table, uint64_t hash, const char *key, size_t size)
{
    uint64_t *const slots = table->slots.data;
    const size_t mask = table->slots.n - 1;
    for (size_t i = first_slot(table, hash);; i = (i + 1) & mask) {
        if (slots[i] == 0)
            return &slots[i];
        if (((slots[i] ^ hash) & HASH_BITS) != 0)
            continue;
        size_t found_size;
        const char *const found = key_table_key(table, (uint32_t)slots[i] - 1, &found_size);
        if (found_size == size && are_equal(found, key, size))
            return &slots[i];
    }
}

/* Twice as many slots. */
static bool grow(key_table *table)
{
    key_table larger = {.slots = {.type = PARSCAN_U64}};
    const size_t count = table->slots.n > 0 ? 2 * table->slots.n : FIRST_SLOTS;
    if (!array_reserve(&larger.slots, count))
        return false;
    uint64_t *const slots = larger.slots.data;
    const uint64_t *const were = table->slots.data;
    memset(slots, 0, count * sizeof *slots);
    larger.slots.n = count;
    for (size_t i = 0; i < table->slots.n; i++) {
        size_t at = first_slot(&larger, were[i]);
        while (were[i] != 0 && slots[at] != 0)
            at = (at + 1) & (count - 1);
        if (were[i] != 0)
            slots[at] = were[i];
    }
    array_release(&table->slots);
    table->slots = larger.slots;
    return true;
}

static bool add_key(key_table *table, uint64_t *slot, uint64_t hash, const char *key, size_t size)
{
    const size_t n = key_table_count(table);
    const bool is_long = size > SHORT_KEY;
    if (n >= MOST_KEYS || !array_reserve(&table->entries, (n + 1) * KEY_WORDS) ||
        (is_long && !array_reserve(&table->bytes, table->bytes.n + size)))
        return false;
    uint64_t *const entry = array_end(&table->entries);
    entry[0] = size;
    entry[1] = table->bytes.n;
    memcpy(is_long ? array_end(&table->bytes) : (void *)(entry + 1), key, size);
    table->bytes.n += is_long ? size : 0;
    table->entries.n += KEY_WORDS;
    *slot = (hash & HASH_BITS) | (n + 1);
    return true;
}

static bool find_key(void *visited, uint64_t hash, text_span key, uint32_t *number)
{
    *number = (uint32_t)*find_slot(visited, hash, key.begin, (size_t)(key.end - key.begin)) - 1;
    return true;
}

static bool number_key(void *visited, uint64_t hash, text_span key, uint32_t *number)
{
    key_table *const table = visited;
    if (2 * key_table_count(table) >= table->slots.n && !grow(table))
        return false;
    const size_t size = (size_t)(key.end - key.begin);
    uint64_t *const slot = find_slot(table, hash, key.begin, size);
    if (*slot == 0 && !add_key(table, slot, hash, key.begin, size))
        return false;
    *number = (uint32_t)*slot - 1;
    return true;
}

/* The memory that a key needs is fetched in two steps while those before it are numbered: its slot; the entry of that
   slot. A hint: the table may change until then. */
static inline const uint64_t *likely_slot(const key_table *table, uint64_t hash)
{
    return (const uint64_t *)table->slots.data + first_slot(table, hash);
}

static inline void fetch_entry(const key_table *table, uint64_t hash)
{
    const uint32_t number = (uint32_t)*likely_slot(table, hash);
    if (number > 0)
        __builtin_prefetch((const uint64_t *)table->entries.data +
                           (size_t)(number - 1) * KEY_WORDS);
}

typedef bool key_visit(void *table, uint64_t hash, text_span key, uint32_t *number);

static bool visit_keys(void *visited, key_visit *visit, key_list *list, const void *user, size_t n,
                       uint32_t *numbers)
{
    enum { AHEAD = 24, STEP = AHEAD / 2, RING = 32 };
    uint64_t hashes[RING] = {0};
    const key_table *const table = visited;
    for (size_t i = 0; i < n + AHEAD; i++) {
        if (i < n) {
            const text_span key = list(user, i);
            hashes[i % RING] = hash_key(key.begin, (size_t)(key.end - key.begin));
            __builtin_prefetch(likely_slot(table, hashes[i % RING]));
        }
        if (i >= STEP && i - STEP < n)
            fetch_entry(table, hashes[(i - STEP) % RING]);
        if (i < AHEAD)
            continue;
        const size_t at = i - AHEAD;
        if (!visit(visited, hashes[at % RING], list(user, at), &numbers[at]))
            return false;
    }
    return true;
}

bool key_table_number(key_table *table, key_list *list, const void *user, size_t n,
                      uint32_t *numbers)
{
    return (table->slots.n > 0 || grow(table)) &&
           visit_keys(table, number_key, list, user, n, numbers);
}

void key_table_find(const key_table *table, key_list *list, const void *user, size_t n,
                    uint32_t *numbers)
{
    for (size_t i = 0; i < n && table->slots.n == 0; i++)
        numbers[i] = UINT32_MAX;
    if (table->slots.n > 0)
        visit_keys((void *)(uintptr_t)table, find_key, list, user, n, numbers);
}
