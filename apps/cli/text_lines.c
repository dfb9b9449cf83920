#include "apps/cli/text_lines.h"

#include <string.h>

#include "apps/cli/integer_bits.h"
#include "apps/cli/number_text.h"

/* What is counted: places that count as 1, others as 0. */
static inline unsigned begins_word(const char *p, char c)
{
    (void)c;
    return (unsigned)is_space(p[-1]) & (unsigned)!is_space(p[0]);
}

static inline unsigned begins_line_with_word(const char *p, char c)
{
    (void)c;
    return (unsigned)(p[-1] == '\n') & (unsigned)!is_space(p[0]);
}

static inline unsigned is_character(const char *p, char c)
{
    return *p == c;
}

static inline unsigned follows_return(const char *p, char c)
{
    (void)c;
    return (unsigned)(p[-1] == '\r') & (unsigned)(p[0] != '\n');
}

/* Counts in bytes first, so that the compiler adds vectors of them: a byte holds the count of a block. */
__attribute__((always_inline)) static inline size_t
count_places(const char *begin, const char *end, unsigned (*counts)(const char *p, char c), char c)
{
    enum { BLOCK = 240 };
    size_t count = 0;
    while (begin < end) {
        const size_t size = end - begin < BLOCK ? (size_t)(end - begin) : BLOCK;
        unsigned char part = 0;
        for (size_t i = 0; i < size; i++)
            part = (unsigned char)(part + counts(begin + i, c));
        count += part;
        begin += size;
    }
    return count;
}

size_t text_count_words(const char *begin, const char *end)
{
    return !is_space(begin[0]) + count_places(begin + 1, end, begins_word, 0);
}

size_t text_count_newlines(const char *begin, const char *end)
{
    return count_places(begin, end, is_character, '\n');
}

size_t text_count_character(const char *begin, const char *end, char c)
{
    return count_places(begin, end, is_character, c);
}

bool text_has_returns(const char *begin, const char *end)
{
    const char *const first = memchr(begin, '\r', (size_t)(end - begin));
    return first != NULL && count_places(first + 1, end, follows_return, 0) > 0;
}

#define EACH_BYTE (UINT64_MAX / 255)
#define TOP_BITS (EACH_BYTE * 128)

/* The top bit of each byte of eight that is c. Source: Warren, Hacker's Delight, 6-1. */
static inline uint64_t matches(uint64_t bytes, char c)
{
    const uint64_t others = bytes ^ EACH_BYTE * (unsigned char)c;
    return ~(((others & ~TOP_BITS) + ~TOP_BITS) | others | ~TOP_BITS);
}

/* Their sum, which is less than 256. */
static inline size_t sum_bytes(uint64_t bytes)
{
    return (size_t)(bytes * EACH_BYTE >> 56);
}

typedef uint8_t byte_block __attribute__((vector_size(16)));
typedef uint64_t half_blocks __attribute__((vector_size(16)));

/* The bits below the top one of the first byte that is c; all if there is none. */
static inline uint64_t below_match(uint64_t bytes, char c)
{
    const uint64_t others = bytes ^ EACH_BYTE * (unsigned char)c;
    const uint64_t zeros = (others - EACH_BYTE) & ~others & TOP_BITS; /* and false ones above */
    return (zeros - 1) & ~zeros;
}

const char *text_skip(const char *p, const char *limit, char c, size_t n)
{
    enum { BYTES = 8 };
    for (; limit - p >= BYTES; p += BYTES) {
        const uint64_t bytes = load_unsigned(p, BYTES), below = below_match(bytes, '\n');
        uint64_t found = matches(bytes, c) & below;
        const size_t count = sum_bytes(found >> 7);
        if (count >= n) {
            while (--n > 0)
                found &= found - 1;
            return p + sum_bytes(((found - 1) & ~found & TOP_BITS) >> 7) + 1;
        }
        if (below != UINT64_MAX)
            return NULL;
        n -= count;
    }
    for (; *p != '\n'; p++)
        if (*p == c && --n == 0)
            return p + 1;
    return NULL;
}

/* Counts the characters c of blocks without a newline from p on, before which the first other one may be. Returns
   the end of those that are counted. */
static const char *skip_blocks(const char *p, const char *limit, char c, size_t *count)
{
    enum { MOST = 31 }; /* eight sums fit a byte */
    half_blocks sums;
    byte_block bytes, counts = {0};
    for (int i = 0; i < MOST && limit - p >= (ptrdiff_t)sizeof bytes; i++, p += sizeof bytes) {
        memcpy(&bytes, p, sizeof bytes);
        const half_blocks ends = (half_blocks)(bytes == '\n');
        if ((ends[0] | ends[1]) != 0)
            break;
        counts -= (byte_block)(bytes == (uint8_t)c);
    }
    memcpy(&sums, &counts, sizeof sums);
    *count += sum_bytes(sums[0]) + sum_bytes(sums[1]);
    return p;
}

/* Counts the characters c before the newline, or before `most` bytes or the last few of the text. *p: where that ends.
   Returns whether it is the newline. */
static inline bool count_near(const char **p, const char *limit, int most, char c, size_t *count)
{
    enum { BYTES = 8 };
    for (int i = 0; i < most && limit - *p >= BYTES; i += BYTES, *p += BYTES) {
        const uint64_t bytes = load_unsigned(*p, BYTES), found = matches(bytes, c);
        const uint64_t below = below_match(bytes, '\n');
        *count += sum_bytes((found & below) >> 7);
        if (below != UINT64_MAX) {
            *p += sum_bytes((below & TOP_BITS) >> 7);
            return true;
        }
    }
    return false;
}

/* text_line_end() for a line that goes on far. */
__attribute__((noinline)) static const char *far_line_end(const char *p, const char *limit, char c,
                                                          size_t *count)
{
    const char *from;
    do {
        from = p;
        p = skip_blocks(p, limit, c, count);
    } while (p > from);
    if (!count_near(&p, limit, sizeof(byte_block), c, count))
        for (; *p != '\n'; p++)
            *count += *p == c;
    return p;
}

/* Eight bytes at a time, since most lines are short. */
const char *text_line_end(const char *p, const char *limit, char c, size_t *count)
{
    enum { NEAR = 32 };
    return count_near(&p, limit, NEAR, c, count) ? p : far_line_end(p, limit, c, count);
}

/* Words that are the first character of their line. */
static size_t count_line_starts(const char *begin, const char *end)
{
    return !is_space(begin[0]) + count_places(begin + 1, end, begins_line_with_word, 0);
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
