/* The lines of a text that is counted in pieces, which are cut anywhere in white space: whether one is
   empty, or has several words. */
#ifndef PARSCAN_CLI_TEXT_LINES_H
#define PARSCAN_CLI_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The lines of a piece. Its first and its last one may be parts of lines. */
typedef struct line_counts {
    size_t newlines;
    size_t first_words, last_words; /* before the first newline, after the last one; without a
                                       newline all are first_words */
    size_t filled;                  /* lines between these two that have a word */
    size_t empty, several;          /* the first of them without a word, with several: its number,
                                       counted from 1, or 0 */
} line_counts;

/* All lines so far. Start with {0}. */
typedef struct text_lines {
    uint64_t newlines;
    uint64_t words;          /* of the line that is not complete */
    uint64_t filled;         /* lines that have a word */
    uint64_t empty, several; /* the first without a word, with several: its number, or 0 */
} text_lines;

/* [begin, end) is not empty and ends in white space. */
size_t text_count_words(const char *begin, const char *end);
size_t text_count_newlines(const char *begin, const char *end);
size_t text_count_character(const char *begin, const char *end, char c);

/* Whether a carriage return is not directly before a newline. */
bool text_has_returns(const char *begin, const char *end);

/* The place behind the nth character c from p on, where limit[-1] is a newline; NULL: one is before it. */
const char *text_skip(const char *p, const char *limit, char c, size_t n);

/* The newline at p or after it, where limit[-1] is one. *count: grows by the characters c before it. */
const char *text_line_end(const char *p, const char *limit, char c, size_t *count);

/* `words`: as text_count_words() gives it. */
line_counts text_count_lines(const char *begin, const char *end, size_t words);

/* The text goes on with that piece. */
void text_lines_add(text_lines *lines, const line_counts *piece);

/* The number of the first line that has several words, where other lines have some too; else 0: a text of
   one line is a list. */
uint64_t text_lines_several(const text_lines *lines);

#endif
