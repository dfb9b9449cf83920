/* Numbers the different keys of a stream, in the order of their first appearance. */
#ifndef PARSCAN_CLI_KEY_TABLE_H
#define PARSCAN_CLI_KEY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/cli/array.h"
#include "apps/cli/field_lines.h"

/* Start with KEY_TABLE. */
typedef struct key_table {
    array slots; /* u64: a part of a key's hash, and its number plus 1; 0: empty */
    array
        entries; /* u64, KEY_WORDS for each key: its size, and the key; of a long one its place in the bytes */
    array bytes; /* u8: all long keys */
} key_table;

enum { KEY_WORDS = 4, SHORT_KEY = (KEY_WORDS - 1) * sizeof(uint64_t) };

#define KEY_TABLE ((key_table){{.type = PARSCAN_U64}, {.type = PARSCAN_U64}, {.type = PARSCAN_U8}})

void key_table_release(key_table *table);

/* The bytes of key i of a list. */
typedef text_span key_list(const void *user, size_t i);

/* numbers[i]: of key i of a list of n, of which those that are not there become new ones. False: memory ran out,
   or there are 2^31 keys. */
bool key_table_number(key_table *table, key_list *list, const void *user, size_t n,
                      uint32_t *numbers);

/* The same of keys that are looked up only: UINT32_MAX where one is not there. */
void key_table_find(const key_table *table, key_list *list, const void *user, size_t n,
                    uint32_t *numbers);

static inline size_t key_table_count(const key_table *table)
{
    return table->entries.n / KEY_WORDS;
}

/* The bytes of key `number`; *size of them. They stay until the next key is added. */
const char *key_table_key(const key_table *table, uint32_t number, size_t *size);

#endif
