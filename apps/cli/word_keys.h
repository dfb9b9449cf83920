/* Keys that are words of a text: which of them differ from the word before. */
#ifndef PARSCAN_CLI_WORD_KEYS_H
#define PARSCAN_CLI_WORD_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is compared of a word: all its characters. Of an integer that is compared by its value: its
   sign, and its digits without the zeros before them. */
typedef struct word_key {
    const char *begin; /* NULL: there is no word */
    size_t length;
    bool negative;
} word_key;

bool word_keys_equal(const word_key *a, const word_key *b);

/* Writes a flag for each word of [text, end), which ends in white space: 1 if the word differs from
   the one before it in the range, else 0. The first word's flag is 1. by_value compares integers of
   any length by their values: 7, +7 and 007 are equal. *first and *last are the first and the last
   word; they point into the text. */
void word_keys_mark(const char *text, const char *end, bool by_value, uint8_t *flags,
                    word_key *first, word_key *last);

#endif
