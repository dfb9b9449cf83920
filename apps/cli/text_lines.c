#include "apps/cli/text_lines.h"

#include <string.h>

#include "apps/cli/number_text.h"

/* What is counted: places that count as 1, others as 0. */
static inline unsigned begins_word(const char *p)
{
    return (unsigned)is_space(p[-1]) & (unsigned)!is_space(p[0]);
}

static inline unsigned begins_line_with_word(const char *p)
{
    return (unsigned)(p[-1] == '\n') & (unsigned)!is_space(p[0]);
}

static inline unsigned is_newline(const char *p)
{
    return *p == '\n';
}

/* Counts in bytes first, so that the compiler adds vectors of them: a byte holds the count of a block. */
__attribute__((always_inline)) static inline size_t count_places(const char *begin, const char *end,
                                                                 unsigned (*counts)(const char *p))
{
    enum { BLOCK = 240 };
    size_t count = 0;
    while (begin < end) {
        const size_t size = end - begin < BLOCK ? (size_t)(end - begin) : BLOCK;
        unsigned char part = 0;
        for (size_t i = 0; i < size; i++)
            part = (unsigned char)(part + counts(begin + i));
        count += part;
        begin += size;
    }
    return count;
}

size_t text_count_words(const char *begin, const char *end)
{
    return !is_space(begin[0]) + count_places(begin + 1, end, begins_word);
}

size_t text_count_newlines(const char *begin, const char *end)
{
    return count_places(begin, end, is_newline);
}

/* Words that are the first character of their line. */
static size_t count_line_starts(const char *begin, const char *end)
{
    return !is_space(begin[0]) + count_places(begin + 1, end, begins_line_with_word);
}

/* Counts lines one by one. */
static void look_at_lines(const char *begin, const char *end, line_counts *counts)
{
    size_t number = 1;
    for (const char *line = begin; line < end; number++) {
        const char *const next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
        const size_t words = text_count_words(line, next);
        counts->filled += words > 0;
        if (words == 0 && counts->empty == 0)
            counts->empty = number;
        if (words > 1 && counts->several == 0)
            counts->several = number;
        line = next;
    }
}

line_counts text_count_lines(const char *begin, const char *end, size_t words)
{
    line_counts counts = {.newlines = text_count_newlines(begin, end), .first_words = words};
    if (counts.newlines == 0)
        return counts;
    const char *const inner = (const char *)memchr(begin, '\n', (size_t)(end - begin)) + 1;
    const char *inner_end = end;
    while (inner_end[-1] != '\n')
        inner_end--;
    counts.first_words = text_count_words(begin, inner);
    counts.last_words = inner_end < end ? text_count_words(inner_end, end) : 0;
    if (inner == inner_end)
        return counts;
    /* Most texts have one word on each line, at its start. */
    const size_t inner_words = words - counts.first_words - counts.last_words;
    const size_t inner_lines = counts.newlines - 1;
    if (inner_words == inner_lines && count_line_starts(inner, inner_end) == inner_lines)
        counts.filled = inner_lines;
    else
        look_at_lines(inner, inner_end, &counts);
    return counts;
}

static void add_words(text_lines *lines, size_t words)
{
    lines->filled += lines->words == 0 && words > 0;
    lines->words += words;
    if (lines->words > 1 && lines->several == 0)
        lines->several = lines->newlines + 1;
}

static void end_line(text_lines *lines)
{
    if (lines->words == 0 && lines->empty == 0)
        lines->empty = lines->newlines + 1;
    lines->words = 0;
    lines->newlines++;
}

void text_lines_add(text_lines *lines, const line_counts *piece)
{
    add_words(lines, piece->first_words);
    if (piece->newlines == 0)
        return;
    end_line(lines);
    if (piece->empty != 0 && lines->empty == 0)
        lines->empty = lines->newlines + piece->empty;
    if (piece->several != 0 && lines->several == 0)
        lines->several = lines->newlines + piece->several;
    lines->filled += piece->filled;
    lines->newlines += piece->newlines - 1;
    add_words(lines, piece->last_words);
}

uint64_t text_lines_several(const text_lines *lines)
{
    return lines->filled > 1 ? lines->several : 0;
}
