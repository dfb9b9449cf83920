#include "apps/cli/field_lines.h"

#include <string.h>

#include "apps/cli/number_text.h"
#include "apps/cli/text_lines.h"

/* White space within a line that does not separate fields. */
static inline bool is_blank(const field_rules *rules, char c)
{
    return is_space(c) && c != '\n' && c != rules->separator;
}

static inline const char *skip_blanks(const field_rules *rules, const char *p)
{
    while (is_blank(rules, *p))
        p++;
    return p;
}

/* Whether a field ends at *p. */
static inline bool ends_field(const field_rules *rules, const char *p)
{
    return *p == '\n' || (rules->separator != 0 ? *p == rules->separator : is_space(*p));
}

/* The end of the quoted field whose quote is at p: its closing quote, or the newline that it has none
   before. Two quotes stand for one. */
static const char *closing_quote(const char *p)
{
    for (p++; *p != '\n'; p++) {
        if (*p != '"')
            continue;
        if (p[1] != '"')
            return p;
        p++;
    }
    return p;
}

/* The end of the field at p: what separates it from the next one, or the newline. */
static inline const char *field_end(const field_rules *rules, bool quoted, const char *p)
{
    if (quoted && *p == '"') {
        p = closing_quote(p);
        p += *p == '"';
    }
    while (!ends_field(rules, p))
        p++;
    return p;
}

/* The first character of the field of that number; NULL if the line has fewer. */
static inline const char *field_begin(const field_rules *rules, bool quoted, const char *line,
                                      unsigned number)
{
    const char *p = skip_blanks(rules, line);
    while (--number > 0) {
        p = field_end(rules, quoted, p);
        if (*p == '\n')
            return NULL;
        p = skip_blanks(rules, p + (rules->separator != 0));
    }
    /* White space before the newline begins no field. */
    return *p == '\n' && rules->separator == 0 ? NULL : p;
}

/* The field at p, without white space and quotes around it. One that has quotes between its quotes keeps them all:
   field_word_copy() reads it. */
static text_span span_at(const field_rules *rules, bool quoted, const char *p)
{
    const char *end = field_end(rules, quoted, p);
    while (end > p && is_blank(rules, end[-1]))
        end--;
    const bool in_quotes = quoted && end - p >= 2 && *p == '"' && end[-1] == '"' &&
                           memchr(p + 1, '"', (size_t)(end - p - 1)) == end - 1;
    return (text_span){p + in_quotes, end - in_quotes};
}

/* Reads the characters that a word stands for. */
typedef struct word_cursor {
    const char *p, *end;
    bool quoted; /* it is between quotes */
} word_cursor;

static word_cursor word_begin(const field_rules *rules, text_span word)
{
    const bool quoted = field_word_is_quoted(rules, word);
    return (word_cursor){word.begin + quoted, word.end, quoted};
}

/* -1: the word has ended. */
static int word_next(word_cursor *cursor)
{
    if (cursor->quoted && cursor->p < cursor->end && *cursor->p == '"') {
        cursor->p++;
        cursor->quoted = cursor->p < cursor->end && *cursor->p == '"';
    }
    return cursor->p < cursor->end ? (unsigned char)*cursor->p++ : -1;
}

size_t field_word_copy(const field_rules *rules, text_span word, char *to)
{
    const char *const begin = to;
    word_cursor cursor = word_begin(rules, word);
    if (!cursor.quoted) {
        memcpy(to, word.begin, (size_t)(word.end - word.begin));
        return (size_t)(word.end - word.begin);
    }
    for (int c; (c = word_next(&cursor)) >= 0;)
        *to++ = (char)c;
    return (size_t)(to - begin);
}

bool field_words_equal(const field_rules *rules, text_span a, text_span b)
{
    word_cursor first = word_begin(rules, a), second = word_begin(rules, b);
    int c;
    while ((c = word_next(&first)) == word_next(&second))
        if (c < 0)
            return true;
    return false;
}

bool field_find(const field_rules *rules, const char *line, unsigned number, text_span *field)
{
    const char *const p = field_begin(rules, rules->quotes, line, number);
    if (p != NULL)
        *field = span_at(rules, rules->quotes, p);
    return p != NULL;
}

bool field_place(const field_rules *rules, const char *line, unsigned number, text_span *field)
{
    const char *const p = field_begin(rules, rules->quotes, line, number);
    if (p != NULL)
        *field = (text_span){p, field_end(rules, rules->quotes, p)};
    return p != NULL;
}

/* The number of fields of the rest of a line, at p. */
static size_t count_quoted(const field_rules *rules, const char *p)
{
    const bool separated = rules->separator != 0;
    size_t count = 1;
    while (*(p = field_end(rules, true, p)) != '\n') {
        p = skip_blanks(rules, p + separated);
        count += separated || *p != '\n';
    }
    return count;
}

size_t field_count(const field_rules *rules, text_span line)
{
    const size_t size = (size_t)(line.end - line.begin);
    const bool separated = rules->separator != 0;
    if (!rules->quotes || memchr(line.begin, '"', size) == NULL) {
        return separated ? text_count_character(line.begin, line.end, rules->separator) + 1
                         : text_count_words(line.begin, line.end);
    }
    return count_quoted(rules, skip_blanks(rules, line.begin));
}

/* A word that is not there. */
static line_verdict miss_word(const field_rules *rules, const char *line, text_span *field)
{
    *field = (text_span){line, line};
    return rules->missing == MISSING_IS_ZERO      ? LINE_IS_TAKEN
           : rules->missing == MISSING_IS_SKIPPED ? LINE_IS_LEFT_OUT
                                                  : LINE_IS_SHORT;
}

/* Reads a number that is not simply one: in quotes, with thousands, missing. */
static line_verdict read_slowly(const field_rules *rules, const element_traits *traits,
                                text_span field, void *out)
{
    char number[LONGEST_FIELD];
    failure unused;
    if (field_copy_number(rules, field, number) && number_parse(traits, number, out, &unused))
        return LINE_IS_TAKEN;
    memset(out, 0, traits->size);
    return field_is_missing(field) ? miss_word(rules, field.begin, &field) : LINE_IS_WRONG;
}

/* The value of a line that has no such field. */
static line_verdict miss(const field_rules *rules, const element_traits *traits, const char *line,
                         void *out, text_span *field)
{
    const line_verdict verdict = miss_word(rules, line, field);
    if (!rules->worded)
        memset(out, 0, traits->size);
    return verdict;
}

/* Reads the value at p. *after: where it ends, or before that. */
static inline line_verdict read_value(const field_rules *rules, const element_traits *traits,
                                      bool quoted, const char *p, void *out, text_span *value,
                                      const char **after)
{
    if (!rules->worded && !rules->copied) {
        const char *const end = number_read(traits, p, out);
        if (end != NULL) {
            *after = rules->separator != 0 ? skip_blanks(rules, end) : end;
            *value = (text_span){p, end};
            if (ends_field(rules, *after))
                return LINE_IS_TAKEN;
        }
    }
    *value = span_at(rules, quoted, p);
    *after = field_end(rules, quoted, p);
    return rules->worded ? LINE_IS_TAKEN : read_slowly(rules, traits, *value, out);
}

/* Whether a field begins at the quote, outside of quotes. */
static inline bool begins_field(const field_rules *rules, const char *line, const char *quote)
{
    const char *p = quote;
    while (p > line && is_blank(rules, p[-1]))
        p--;
    return p == line || (rules->separator != 0 ? p[-1] == rules->separator : p < quote);
}

static inline const char *find_quote(const char *p, const char *end)
{
    return memchr(p, '"', (size_t)(end - p));
}

bool field_line_is_open(const field_rules *rules, const char *line, const char *end)
{
    for (const char *p = line; (p = find_quote(p, end)) != NULL; p++) {
        if (!begins_field(rules, line, p))
            continue;
        while ((p = find_quote(p + 1, end)) != NULL && p[1] == '"')
            p++;
        if (p == NULL)
            return true;
    }
    return false;
}

bool field_line_is_cut(const field_rules *rules, const char *line, const char *end)
{
    const bool quotes = rules->quotes && !field_line_is_none(rules, skip_blanks(rules, line));
    if (rules->separator == '\r' || memchr(line, '\r', (size_t)(end - line)) == NULL)
        return false;
    while (end > line && is_space(end[-1]))
        end--;
    for (const char *p = line; p < end; p++) {
        if (*p == '\r')
            return true;
        if (quotes && *p == '"' && begins_field(rules, line, p))
            p = closing_quote(p);
    }
    return false;
}

/* Whether there is another field after the first one, which ends at p. */
static bool goes_on(const field_rules *rules, const char *p)
{
    p = skip_blanks(rules, p);
    return *p != '\n';
}

/* The newline at p or after it; limit[-1] is one. */
static inline const char *newline_after(const char *p, const char *limit)
{
    return *p == '\n' ? p : (const char *)memchr(p, '\n', (size_t)(limit - p));
}

static line_verdict read_word(const field_rules *rules, bool quoted, const char *line,
                              unsigned number, text_span *word)
{
    const char *const p = field_begin(rules, quoted, line, number);
    if (p == NULL)
        return miss_word(rules, line, word);
    *word = span_at(rules, quoted, p);
    return LINE_IS_TAKEN;
}

/* Reads the number at p; NULL: there is none. */
static inline line_verdict read_number(const field_rules *rules, const element_traits *traits,
                                       bool quoted, const char *line, const char *p, void *out,
                                       text_span *value, const char **after)
{
    return p != NULL ? read_value(rules, traits, quoted, p, out, value, after)
                     : miss(rules, traits, line, out, value);
}

line_verdict field_read_word(const field_rules *rules, const char *line, unsigned number,
                             text_span *word)
{
    return read_word(rules, rules->quotes, line, number, word);
}

line_verdict field_read_number(const field_rules *rules, const element_traits *traits,
                               const char *line, unsigned number, void *out, text_span *field)
{
    const char *after;
    const char *const p = field_begin(rules, rules->quotes, line, number);
    return read_number(rules, traits, rules->quotes, line, p, out, field, &after);
}

/* field_begin() in a text that ends in a newline before `limit`. */
static inline const char *find_begin(const field_rules *rules, bool quoted, const char *first,
                                     const char *limit, unsigned number)
{
    const char *p = first;
    if (quoted || rules->separator == 0)
        return field_begin(rules, quoted, first, number);
    if (number > 1)
        p = text_skip(p, limit, rules->separator, number - 1);
    return p != NULL ? skip_blanks(rules, p) : NULL;
}

/* Reads the fields of a line that is not left out, whose first character is at `first`. *after: any place of
   the line behind the value. */
static inline line_verdict read_fields(const field_rules *rules, const element_traits *traits,
                                       bool quoted, const char *first, const char *limit, void *out,
                                       text_span *value, text_span *key, const char **after)
{
    const unsigned number = rules->value.number > 0 ? rules->value.number : 1;
    const char *const p = find_begin(rules, quoted, first, limit, number);
    line_verdict verdict = read_number(rules, traits, quoted, first, p, out, value, after);
    if (verdict == LINE_IS_TAKEN && rules->value.number == 0 && goes_on(rules, *after))
        verdict = LINE_IS_LONG;
    if (verdict != LINE_IS_TAKEN || !rules->keyed)
        return verdict;
    verdict = read_word(rules, quoted, first, rules->key.number, key);
    return verdict == LINE_IS_SHORT ? LINE_HAS_NO_KEY : verdict;
}

/* Whether the line has more fields than the header. after: as read_fields() gives it. *end: its newline. */
static inline bool is_wide(const field_rules *rules, bool quoted, const char *first,
                           const char *after, const char *limit, const char **end)
{
    const unsigned number = rules->value.number;
    size_t count = number > 0 ? number : 1;
    /* A line without the value has fewer. */
    if (rules->width == 0 || (count > 1 && after == first)) {
        *end = newline_after(after, limit);
        return false;
    }
    *end = text_line_end(after, limit, rules->separator, &count);
    /* Separators in quotes count too far. */
    if (quoted && count > rules->width && find_quote(after, *end) != NULL)
        count = (number > 0 ? number : 1) + count_quoted(rules, after) - 1;
    return count > rules->width;
}

line_verdict field_line_read(const field_rules *rules, const element_traits *traits, bool quoted,
                             const char *line, const char *limit, void *out, text_span *value,
                             text_span *key, const char **next)
{
    const char *const first = skip_blanks(rules, line), *after = first;
    *value = (text_span){first, first};
    if (field_line_is_none(rules, first)) {
        *next = newline_after(first, limit) + 1;
        return LINE_IS_LEFT_OUT;
    }
    line_verdict verdict =
        read_fields(rules, traits, quoted, first, limit, out, value, key, &after);
    const char *end;
    const bool wide = is_wide(rules, quoted, first, after, limit, &end);
    *next = end + 1;
    /* Fields before another one have been seen to be closed. */
    const bool goes_on_behind = rules->separator != 0 && *after == rules->separator;
    if (quoted && field_line_is_open(rules, goes_on_behind ? after + 1 : line, end))
        return LINE_IS_OPEN;
    if (!wide || verdict == LINE_IS_LONG)
        return verdict;
    *value = (text_span){line, end + 1};
    return LINE_IS_WIDE;
}
