#include "apps/cli/matrix_mirror.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "apps/cli/field_lines.h"
#include "apps/cli/number_text.h"
#include "apps/cli/text_lines.h"

enum { SIGNS = 2 /* that a mirrored line may have more */ };

static bool is_kind(const matrix_market *matrix, const char *symmetry)
{
    return strcasecmp(matrix->symmetry, symmetry) == 0;
}

bool matrix_has_half(const matrix_market *matrix)
{
    return !is_kind(matrix, "general");
}

bool matrix_can_mirror(const matrix_market *matrix, failure *why)
{
    if (!matrix_has_half(matrix))
        return true;
    if (matrix->is_array)
        return fail(why, "--mirror is for entries with coordinates: this matrix is an array");
    return is_kind(matrix, "symmetric") || is_kind(matrix, "skew-symmetric") ||
           is_kind(matrix, "hermitian") ||
           fail(why,
                "--mirror: a matrix is general, symmetric, skew-symmetric or hermitian, not %s",
                matrix->symmetry);
}

/* The word at p, behind white space, on a line that ends at `end`. */
static text_span next_word(const char *p, const char *end)
{
    while (p < end && is_space(*p))
        p++;
    text_span word = {p, p};
    while (word.end < end && !is_space(*word.end))
        word.end++;
    return word;
}

/* The digits of an index, without what does not count; of another word the word. */
static text_span index_digits(text_span word)
{
    const char *p = word.begin + (word.begin < word.end && *word.begin == '+');
    while (p + 1 < word.end && *p == '0')
        p++;
    return (text_span){p, word.end};
}

/* Whether the line [line, end) is an entry that has another one: its row and column. */
static bool is_off_diagonal(const char *line, const char *end, text_span *row, text_span *column)
{
    *row = next_word(line, end);
    *column = next_word(row->end, end);
    if (column->begin == column->end || *row->begin == '%')
        return false;
    const text_span a = index_digits(*row), b = index_digits(*column);
    const size_t size = (size_t)(a.end - a.begin);
    return size != (size_t)(b.end - b.begin) || memcmp(a.begin, b.begin, size) != 0;
}

/* Whether a word is an index from 1 to n. */
static bool is_within(text_span word, uint64_t n)
{
    const text_span digits = index_digits(word);
    uint64_t index = 0;
    for (const char *p = digits.begin; p < digits.end; p++) {
        if (*p < '0' || *p > '9' || index > UINT64_MAX / 10 - 1)
            return false;
        index = 10 * index + (uint64_t)(*p - '0');
    }
    return index >= 1 && index <= n;
}

bool matrix_check_indices(const matrix_market *matrix, const char *line, const char *end,
                          failure *why)
{
    const text_span row = next_word(line, end), column = next_word(row.end, end);
    const bool row_is = is_within(row, matrix->rows),
               column_is = is_within(column, matrix->columns);
    const text_span word = row_is ? column : row;
    if (row.begin == row.end || *row.begin == '%' || (row_is && column_is))
        return true;
    if (word.begin == word.end)
        return fail(why, "an entry has a row and a column");
    return fail(why, "%s %.*s is not one of 1 to %" PRIu64, row_is ? "column" : "row",
                (int)(word.end - word.begin < 40 ? word.end - word.begin : 40), word.begin,
                row_is ? matrix->columns : matrix->rows);
}

static char *put(char *to, const char *begin, const char *end)
{
    memcpy(to, begin, (size_t)(end - begin));
    return to + (end - begin);
}

/* Whether the word, without its sign, is a NaN, or a number whose digits are all 0: neither has a negative. */
static bool is_nan_or_zero(text_span word)
{
    bool zero = false;
    if (word.end - word.begin >= 3 && strncasecmp(word.begin, "nan", 3) == 0)
        return true;
    for (const char *p = word.begin; p < word.end && *p != 'e' && *p != 'E'; p++) {
        zero |= *p == '0';
        if (isalnum((unsigned char)*p) && *p != '0')
            return false;
    }
    return zero;
}

/* Writes the negative of a number; a word that has none, since it is missing, as it is. */
static char *put_negative(char *to, text_span number)
{
    const bool has_sign =
        number.begin < number.end && (*number.begin == '-' || *number.begin == '+');
    const text_span word = {number.begin + has_sign, number.end};
    if (field_is_missing(number) || is_nan_or_zero(word))
        return put(to, number.begin, number.end);
    if (*number.begin != '-')
        *to++ = '-';
    return put(to, word.begin, word.end);
}

/* Writes the entry that mirrors [line, end), whose newline is at end. */
static char *put_mirrored(const matrix_market *matrix, const char *line, const char *end,
                          text_span row, text_span column, char *to)
{
    const bool negated[] = {is_kind(matrix, "skew-symmetric"), !is_kind(matrix, "symmetric")};
    const char *p = column.end;
    to = put(to, line, row.begin);
    to = put(to, column.begin, column.end);
    to = put(to, row.end, column.begin);
    to = put(to, row.begin, row.end);
    for (int i = 0; i < 2; i++) {
        const text_span number = next_word(p, end);
        to = put(to, p, number.begin);
        to = negated[i] ? put_negative(to, number) : put(to, number.begin, number.end);
        p = number.end;
    }
    return put(to, p, end + 1);
}

bool matrix_mirror(const matrix_market *matrix, const char *text, size_t size, array *to,
                   size_t *made)
{
    const size_t lines = size > 0 ? text_count_newlines(text, text + size) : 0;
    text_span row, column;
    if (lines == 0)
        return true;
    if (!array_reserve(to, to->n + 2 * size + SIGNS * lines))
        return false;
    char *out = array_end(to);
    const char *end;
    for (const char *line = text; line < text + size; line = end + 1) {
        end = memchr(line, '\n', size - (size_t)(line - text));
        out = put(out, line, end + 1);
        if (!is_off_diagonal(line, end, &row, &column))
            continue;
        out = put_mirrored(matrix, line, end, row, column, out);
        ++*made;
    }
    to->n = (size_t)(out - (char *)to->data);
    return true;
}

uint64_t matrix_mirrored_line(const char *text, size_t size, uint64_t line)
{
    text_span row, column;
    uint64_t number = 0;
    const char *end;
    for (const char *p = text; p < text + size; p = end + 1, number++) {
        end = memchr(p, '\n', size - (size_t)(p - text));
        const uint64_t made = 1 + is_off_diagonal(p, end, &row, &column);
        if (line < made)
            break;
        line -= made;
    }
    return number;
}
