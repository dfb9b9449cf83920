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

bool key_table_number(key_table *table, const void *key, size_t size, uint32_t *number)
{
    if (2 * table->ends.n >= table->slots.n && !grow(table))
        return false;
    const uint64_t hash = hash_key(key, size);
    uint64_t *const slot = find_slot(table, hash, key, size);
    if (*slot == 0 && !add_key(table, slot, hash, key, size))
        return false;
    *number = (uint32_t)*slot - 1;
    return true;
}
