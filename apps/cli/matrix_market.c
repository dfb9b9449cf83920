#include "apps/cli/matrix_market.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "apps/cli/usage.h"

/* Source: R. Boisvert, R. Pozo, K. Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996. */

bool matrix_begins(const char *text, size_t size)
{
    const size_t length = strlen(MATRIX_BANNER);
    return size > length && memcmp(text, MATRIX_BANNER, length) == 0;
}

/* Copies a line, so that it ends in a zero. */
static bool copy_line(const char *line, const char *end, char to[256])
{
    const size_t size = (size_t)(end - line);
    if (size >= 256)
        return false;
    memcpy(to, line, size);
    to[size] = '\0';
    return true;
}

bool matrix_read_banner(matrix_market *matrix, const char *line, const char *end, failure *why)
{
    char text[256], object[16], format[16], more;
    if (!copy_line(line, end, text) ||
        sscanf(text, "%%%%MatrixMarket %15s %15s %15s %15s %c", object, format, matrix->field,
               matrix->symmetry, &more) != 4 ||
        strcasecmp(object, "matrix") != 0)
        return fail(
            why, "the line of a Matrix Market file names a matrix, its format, field and symmetry");
    matrix->is_array = strcasecmp(format, "array") == 0;
    matrix->is_there = true;
    return matrix->is_array || strcasecmp(format, "coordinate") == 0 ||
           fail(why, "a Matrix Market file is coordinate or array, not %s", format);
}

/* Reads one of the sizes. */
static bool read_size(const char *word, uint64_t *size, failure *why)
{
    return take_size(word, 0, size, why) || fail_in(why, "the line of sizes");
}

bool matrix_read_sizes(matrix_market *matrix, const char *line, const char *end, failure *why)
{
    char text[256], rows[256], columns[256], entries[256], more;
    const int wanted = matrix->is_array ? 2 : 3;
    int found = 0;
    if (copy_line(line, end, text))
        found = matrix->is_array
                    ? sscanf(text, "%255s %255s %c", rows, columns, &more)
                    : sscanf(text, "%255s %255s %255s %c", rows, columns, entries, &more);
    if (found != wanted)
        return fail(why,
                    "the line of sizes of a Matrix Market file has %d numbers: rows, columns%s",
                    wanted, matrix->is_array ? "" : ", entries");
    if (!read_size(rows, &matrix->rows, why) || !read_size(columns, &matrix->columns, why) ||
        (!matrix->is_array && !read_size(entries, &matrix->entries, why)))
        return false;
    return !matrix->is_array || matrix->columns == 0 ||
           matrix->rows < UINT64_MAX / matrix->columns ||
           fail(why, "a matrix of %" PRIu64 " x %" PRIu64 " is too large", matrix->rows,
                matrix->columns);
}

uint64_t matrix_entries(const matrix_market *matrix)
{
    const uint64_t n = matrix->rows;
    const bool skew = strcasecmp(matrix->symmetry, "skew-symmetric") == 0;
    if (!matrix->is_array)
        return matrix->entries;
    if (strcasecmp(matrix->symmetry, "general") == 0)
        return n * matrix->columns;
    const uint64_t even = n % 2 == 0 ? n : skew ? n - 1 : n + 1;
    return even / 2 * (n % 2 == 0 ? (skew ? n - 1 : n + 1) : n);
}

static bool is_of_field(const matrix_market *matrix, const char *field)
{
    return strcasecmp(matrix->field, field) == 0;
}

const char *matrix_options(const matrix_market *matrix)
{
    const bool complex = is_of_field(matrix, "complex");
    if (matrix->is_array)
        return complex ? "-k 1 and -k 2 read the values, column after column"
                       : "-k 1 reads the values, column after column";
    return is_of_field(matrix, "pattern") ? "-k 1 reads rows, -k 2 columns"
           : complex                      ? "-k 1 reads rows, -k 2 columns, -k 3 and -k 4 values"
                                          : "-k 1 reads rows, -k 2 columns, -k 3 values";
}

bool matrix_check_field(const matrix_market *matrix, unsigned number, failure *why)
{
    const unsigned of_value = is_of_field(matrix, "complex")   ? 2
                              : is_of_field(matrix, "pattern") ? 0
                                                               : 1;
    const unsigned fields = matrix->is_array ? (of_value > 0 ? of_value : 1) : 2 + of_value;
    return number <= fields ||
           fail(why, "field %u: the lines of this Matrix Market file (%s, %s) have %u field%s: %s",
                number, matrix->is_array ? "array" : "coordinate", matrix->field, fields,
                fields == 1 ? "" : "s", matrix_options(matrix));
}

void matrix_describe(const matrix_market *matrix, char words[MATRIX_WORDS])
{
    const bool pattern = is_of_field(matrix, "pattern"), complex = is_of_field(matrix, "complex");
    const bool half = strcasecmp(matrix->symmetry, "general") != 0;
    char entries[80] = "";
    if (!matrix->is_array)
        snprintf(entries, sizeof entries, ", %" PRIu64 " entries", matrix->entries);
    snprintf(
        words, MATRIX_WORDS, "a Matrix Market file, %s, %" PRIu64 " x %" PRIu64 "%s, %s: %s%s%s",
        matrix->field, matrix->rows, matrix->columns, entries, matrix->symmetry,
        !matrix->is_array ? "field 1 is the row, 2 the column, counted from 1"
        : complex         ? "fields 1 and 2 are the value, column after column"
                          : "field 1 is the value, column after column",
        matrix->is_array || pattern ? ""
        : complex                   ? ", 3 and 4 the value"
                                    : ", 3 the value",
        !half ? ""
        : matrix->is_mirrored
            ? "; of two entries that mirror each other, one is there, and both are read"
        : matrix->is_array ? "; of two entries that mirror each other, one is there and is read"
                           : "; of two entries that mirror each other, one is there and is read "
                             "(--mirror of sort, bin, group and others: both)");
}
