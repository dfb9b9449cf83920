/*
 * Words of few different values on the CPU: strings of cities, codes, measured steps. In keys the numbers of
 * the values, in their order, stand for them, which have fewer bits.
 */
#ifndef PARSCAN_APPS_SORT_COLUMN_VALUES_H
#define PARSCAN_APPS_SORT_COLUMN_VALUES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NUMBERED_FROM = 1 << 20, /* rows from which on values are looked for, */
    NUMBERED_BITS = 28,      /* in words of which so many bits vary */
    NUMBERED_WORDS = 4,      /* in so many words at most, */
    VALUES_MOST = 4096       /* of so many values each */
};

/* A slot of a hash table. An empty one has the word of the first row, and its number. */
typedef struct value_slot {
    atomic_uint_least64_t word;
    uint64_t number;
} value_slot;

typedef struct numbered_word {
    unsigned column, word;
    uint64_t first;
    value_slot *slots;
} numbered_word;

typedef struct column_values {
    numbered_word words[NUMBERED_WORDS];
    unsigned count;
    char *memory; /* of parscan_values_bytes() bytes; NULL: values are not looked for */
} column_values;

typedef struct columns_sort columns_sort;

size_t parscan_values_bytes(void);

/* Looks whether the cursor's word, in which so many bits vary, has few values, and has their numbers stand for
   them from now on. Returns the bits that vary then; else those that were given. s->first is the first row's. */
uint64_t parscan_number_values(columns_sort *s, uint64_t varying);

/* Puts the numbers in place of the values of a word, if they have any. A word that has been changed since gets
   that of the first row. */
void parscan_values_to_numbers(const column_values *values, unsigned column, unsigned word,
                               size_t n, uint64_t *words);

#endif
