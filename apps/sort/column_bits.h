/*
 * The bits of rows, for both engines. A column is one word, the rank of its element, or for strings
 * words of 8 bytes, the first byte on top. All words one after another are a row's bits, which compare as
 * the rows do. Of these only the bits count that vary from row to row. A key takes so many of them as it
 * has room for, run by run: a run is bits that lie together in a word.
 */
#ifndef PARSCAN_APPS_SORT_COLUMN_BITS_H
#define PARSCAN_APPS_SORT_COLUMN_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "scan/type_traits.h"

#ifdef __CUDACC__
#define COLUMN_FUNCTION static inline __host__ __device__
#else
#define COLUMN_FUNCTION static inline
#endif

enum {
    COLUMNS_MOST = 64,
    COLUMN_WIDTH_MOST = 64, /* bytes of a string */
    COLUMN_WORDS = 8,       /* of a string */
    KEY_RUNS = 64,          /* of a key, each of a bit or more */
    COLUMN_LISTERS = 8192,  /* the most warps that list rows on CUDA */
    COLUMN_SAMPLE = 512     /* rows that are compared with each other there */
};

typedef struct sorted_column {
    const char *data;
    uint64_t flip; /* inverts bits of ranks, for signed and descending order */
    uint32_t size; /* bytes of an element */
    uint32_t key;  /* its key_class; KEY_CLASSES: strings */
} sorted_column;

/* A word's bits low to low + bits - 1. They go below the first `before` bits of the key. */
typedef struct column_run {
    uint16_t column;
    uint8_t word; /* of the column */
    uint8_t low, bits, before;
} column_run;

typedef struct column_key {
    unsigned runs, bits;
    column_run run[KEY_RUNS];
} column_key;

/* Where the next key goes on: in which word, and which of its bits are left. */
typedef struct column_cursor {
    unsigned column, word;
    bool known; /* whether `left` has been set for this word */
    uint64_t left;
} column_cursor;

COLUMN_FUNCTION unsigned column_words(const sorted_column *column)
{
    return (column->size + 7) / 8;
}

/* The bytes of a word, 1 to 8. */
COLUMN_FUNCTION unsigned column_word_bytes(const sorted_column *column, unsigned word)
{
    const unsigned left = column->size - 8 * word;
    return left < 8 ? left : 8;
}

COLUMN_FUNCTION unsigned highest_bit(uint64_t bits)
{
#ifdef __CUDA_ARCH__
    return 63u - (unsigned)__clzll((long long)bits);
#else
    return 63u - (unsigned)__builtin_clzll(bits);
#endif
}

COLUMN_FUNCTION uint64_t bits_below(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* How many bits numbers below `count` have; 0 for one number. */
COLUMN_FUNCTION unsigned bits_of_numbers(uint64_t count)
{
    return count <= 1 ? 0 : highest_bit(count - 1) + 1;
}

/* Moves bits that are left of the cursor's word to the key, until it has `room` bits. */
COLUMN_FUNCTION void take_runs(column_key *key, column_cursor *cursor, unsigned room)
{
    while (cursor->left != 0 && key->bits < room) {
        const unsigned top = highest_bit(cursor->left) + 1;
        const uint64_t gaps = ~cursor->left & bits_below(top);
        const unsigned bottom = gaps == 0 ? 0 : highest_bit(gaps) + 1;
        const unsigned length = top - bottom;
        const unsigned bits = length < room - key->bits ? length : room - key->bits;
        column_run *const run = &key->run[key->runs++];
        run->column = (uint16_t)cursor->column;
        run->word = (uint8_t)cursor->word;
        run->low = (uint8_t)(top - bits);
        run->bits = (uint8_t)bits;
        run->before = (uint8_t)key->bits;
        key->bits += bits;
        cursor->left &= bits_below(top - bits);
    }
}

/* The cursor goes to the next word, whose bits are not known yet. */
COLUMN_FUNCTION void next_word(column_cursor *cursor, const sorted_column *columns)
{
    cursor->known = false;
    if (++cursor->word < column_words(&columns[cursor->column]))
        return;
    cursor->word = 0;
    cursor->column++;
}

/* How far a run of a complete key is shifted. */
COLUMN_FUNCTION unsigned run_shift(const column_key *key, const column_run *run)
{
    return key->bits - run->before - run->bits;
}

#endif
