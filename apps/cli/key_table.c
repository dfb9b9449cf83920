#include "apps/cli/key_table.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };
#define HASH_BITS 0xffffffff00000000u

void key_table_release(key_table *table)
{
    array_release(&table->slots);
    array_release(&table->bytes);
    array_release(&table->ends);
}

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static inline uint64_t hash_key(const char *key, size_t size)
{
    uint64_t hash = size, word;
    for (; size >= sizeof word; size -= sizeof word, key += sizeof word) {
        memcpy(&word, key, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, key, size);
    return mix(mix(hash, word), 0x632be59bd9b4e019u);
}

const char *key_table_key(const key_table *table, uint32_t number, size_t *size)
{
    const uint64_t *const ends = table->ends.data;
    const uint64_t begin = number > 0 ? ends[number - 1] : 0;
    *size = (size_t)(ends[number] - begin);
    return (const char *)table->bytes.data + begin;
}

/* The slot of the key, or the empty one where it belongs. */
static uint64_t *find_slot(const key_table *table, uint64_t hash, const char *key, size_t size)
{
    uint64_t *const slots = table->slots.data;
    const size_t mask = table->slots.n - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        if (slots[i] == 0)
            return &slots[i];
        if (((slots[i] ^ hash) & HASH_BITS) != 0)
            continue;
        size_t found_size;
        const char *const found = key_table_key(table, (uint32_t)slots[i] - 1, &found_size);
        if (found_size == size && memcmp(found, key, size) == 0)
            return &slots[i];
    }
}

/* Twice as many slots. The keys are hashed again. */
static bool grow(key_table *table)
{
    array slots = {.type = PARSCAN_U64};
    const size_t count = table->slots.n > 0 ? 2 * table->slots.n : FIRST_SLOTS;
    if (!array_reserve(&slots, count))
        return false;
    memset(slots.data, 0, count * sizeof(uint64_t));
    slots.n = count;
    array_release(&table->slots);
    table->slots = slots;
    for (size_t i = 0; i < table->ends.n; i++) {
        size_t size;
        const char *const key = key_table_key(table, (uint32_t)i, &size);
        const uint64_t hash = hash_key(key, size);
        size_t at = (size_t)hash & (count - 1);
        while (((uint64_t *)slots.data)[at] != 0)
            at = (at + 1) & (count - 1);
        ((uint64_t *)slots.data)[at] = (hash & HASH_BITS) | (i + 1);
    }
    return true;
}

static bool add_key(key_table *table, uint64_t *slot, uint64_t hash, const char *key, size_t size)
{
    const size_t n = table->ends.n;
    if (n >= UINT32_MAX - 1 || !array_reserve(&table->ends, n + 1) ||
        !array_reserve(&table->bytes, table->bytes.n + size + 1))
        return false;
    memcpy(array_end(&table->bytes), key, size);
    table->bytes.n += size;
    ((uint64_t *)table->ends.data)[n] = table->bytes.n;
    table->ends.n++;
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
    if (2 * table->ends.n >= table->slots.n && !grow(table))
        return false;
    const size_t size = (size_t)(key.end - key.begin);
    uint64_t *const slot = find_slot(table, hash, key.begin, size);
    if (*slot == 0 && !add_key(table, slot, hash, key.begin, size))
        return false;
    *number = (uint32_t)*slot - 1;
    return true;
}

/* The memory that a key needs is fetched in three steps while those before it are numbered: its slot; where the
   key of that slot ends; the key. A hint: the table may change until then. */
static inline const uint64_t *likely_slot(const key_table *table, uint64_t hash)
{
    return (const uint64_t *)table->slots.data + ((size_t)hash & (table->slots.n - 1));
}

static inline void fetch_end(const key_table *table, uint64_t hash)
{
    const uint32_t number = (uint32_t)*likely_slot(table, hash);
    if (number > 0)
        __builtin_prefetch((const uint64_t *)table->ends.data + number - 1);
}

static inline void fetch_key(const key_table *table, uint64_t hash)
{
    const uint32_t number = (uint32_t)*likely_slot(table, hash);
    size_t size;
    if (number > 0)
        __builtin_prefetch(key_table_key(table, number - 1, &size));
}

typedef bool key_visit(void *table, uint64_t hash, text_span key, uint32_t *number);

static bool visit_keys(void *visited, key_visit *visit, key_list *list, const void *user, size_t n,
                       uint32_t *numbers)
{
    enum { AHEAD = 24, STEP = AHEAD / 3, RING = 32 };
    uint64_t hashes[RING] = {0};
    const key_table *const table = visited;
    for (size_t i = 0; i < n + AHEAD; i++) {
        if (i < n) {
            const text_span key = list(user, i);
            hashes[i % RING] = hash_key(key.begin, (size_t)(key.end - key.begin));
            __builtin_prefetch(likely_slot(table, hashes[i % RING]));
        }
        if (i >= STEP && i - STEP < n)
            fetch_end(table, hashes[(i - STEP) % RING]);
        if (i >= 2 * STEP && i - 2 * STEP < n)
            fetch_key(table, hashes[(i - 2 * STEP) % RING]);
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
