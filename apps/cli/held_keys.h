/* The keys of lines that are sorted in memory by several fields, or by words. */
#ifndef PARSCAN_CLI_HELD_KEYS_H
#define PARSCAN_CLI_HELD_KEYS_H

#include "apps/cli/key_columns.h"
#include "apps/cli/key_table.h"

/* Start with HELD_KEYS, and begin the reader. */
typedef struct held_keys {
    key_reader reader;
    key_columns read;              /* of the lines that were read last */
    key_table words;               /* of all lines */
    array columns[MOST_SORT_KEYS]; /* of a key: u64, orders; or u32, numbers of words */
    array ranks;                   /* u32: of the words, and room for as many numbers */
    array order, sorted;           /* u32: of the lines; u64 or u32: a column in that order */
    size_t n;
} held_keys;

#define HELD_KEYS                                \
    ((held_keys){.read = KEY_COLUMNS,            \
                 .words = KEY_TABLE,             \
                 .ranks = {.type = PARSCAN_U32}, \
                 .order = {.type = PARSCAN_U32}, \
                 .sorted = {.type = PARSCAN_U64}})

/* Reads the keys of the lines of a store from number `first` on, which were read last from that input. */
bool held_keys_add(held_keys *held, const input_reader *input, line_store *lines, size_t first,
                   failure *why);

/* Puts the places of the store in the order of the keys; unique: of lines of equal keys only the first. Returns an exit
   status. */
int held_keys_sort(held_keys *held, line_store *lines, bool unique, failure *why);

/* The bytes that they take where they are sorted. */
uint64_t held_keys_bytes(const held_keys *held);

/* Forgets the lines. */
void held_keys_clear(held_keys *held);
void held_keys_release(held_keys *held);

#endif
