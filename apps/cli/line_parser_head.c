/* What comes before the lines of a text: a header, or the head of a Matrix Market file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/field_names.h"
#include "apps/cli/line_parser_state.h"
#include "apps/cli/matrix_mirror.h"
#include "apps/cli/number_text.h"

bool line_parser_fail(uint64_t number, failure *why)
{
    char line[32];
    snprintf(line, sizeof line, "line %" PRIu64, number);
    return fail_in(why, line);
}

/* Whether the line at p is none of the data: empty, or a comment. */
static bool is_left_out(const line_parser *parser, const char *p, const char *end)
{
    while (p < end && is_space(*p))
        p++;
    return p == end || field_line_is_none(&parser->rules, p);
}

/* Checks that no carriage return is within the line. */
static bool check_is_whole(const line_parser *parser, const char *line, const char *end,
                           failure *why)
{
    if (!field_line_is_cut(&parser->rules, line, end))
        return true;
    fail_field(why, &parser->rules, parser->traits, LINE_IS_CUT, (text_span){0});
    return line_parser_fail(parser->newlines + 1, why);
}

/* Checks that fields are what they are in the file beside this one. */
static bool check_beside(const line_parser *parser, failure *why)
{
    const bool listed = parser->matrix.is_array;
    return parser->beside_path == NULL || listed == parser->beside.is_array ||
           fail(why,
                "this Matrix Market file is %s, %.300s is %s: field 1 is %s here, %s there "
                "(read them one by one)",
                listed ? "an array" : "coordinate", parser->beside_path,
                listed ? "coordinate" : "an array", listed ? "the value" : "the row",
                listed ? "the row" : "the value");
}

bool line_parser_banner(line_parser *parser, const char *text, size_t size, failure *why)
{
    const char *const end = memchr(text, '\n', size);
    if (!check_is_whole(parser, text, end, why))
        return false;
    if (parser->rules.header || parser->rules.separator != 0) {
        fail(why, "%s: a Matrix Market file has its own",
             parser->rules.header ? "--header" : "--separator");
        return line_parser_fail(1, why);
    }
    parser->rules.comments[0] = "%";
    parser->rules.comment_count = 1;
    parser->begun = false;
    parser->matrix.is_mirrored = parser->rules.mirrors;
    return (matrix_read_banner(&parser->matrix, text, end, why) && check_beside(parser, why) &&
            matrix_check_field(&parser->matrix, parser->rules.value.number, why) &&
            matrix_check_field(&parser->matrix, parser->rules.key.number, why) &&
            (!parser->rules.mirrors || matrix_can_mirror(&parser->matrix, why))) ||
           line_parser_fail(1, why);
}

/* Checks the rows and columns of a text of entries. */
static bool check_indices(const line_parser *parser, text_span text, failure *why)
{
    uint64_t number = parser->newlines + 1;
    for (const char *line = text.begin; line < text.end; number++) {
        const char *const end = memchr(line, '\n', (size_t)(text.end - line));
        if (!matrix_check_indices(&parser->matrix, line, end, why))
            return line_parser_fail(number, why);
        line = end + 1;
    }
    return true;
}

bool line_parser_mirror(line_parser *parser, const char **text, size_t *size, failure *why)
{
    parser->original = (text_span){0};
    parser->made = 0;
    if (!parser->rules.mirrors || !line_parser_has_places(parser) || *size == 0)
        return true;
    if (!check_indices(parser, (text_span){*text, *text + *size}, why))
        return false;
    if (!matrix_has_half(&parser->matrix))
        return true;
    parser->original = (text_span){*text, *text + *size};
    parser->mirrored.n = 0;
    if (!matrix_mirror(&parser->matrix, *text, *size, &parser->mirrored, &parser->made))
        return fail_out_of_memory(why);
    *text = parser->mirrored.data;
    *size = parser->mirrored.n;
    return true;
}

/* Whether the entries of the text are counted. */
static bool counts_entries(const line_parser *parser)
{
    return parser->matrix.is_there && !parser->rules.every_word;
}

/* The index of the line of the text that has entry i. */
static uint64_t line_of_entry(const line_parser *parser, text_span text, uint64_t i)
{
    uint64_t line = 0;
    for (const char *p = text.begin; p < text.end; line++) {
        const char *const newline = memchr(p, '\n', (size_t)(text.end - p));
        if (!is_left_out(parser, p, newline) && i-- == 0)
            break;
        p = newline + 1;
    }
    return line;
}

bool line_parser_check_entries(line_parser *parser, text_span text, uint64_t line, uint64_t entries,
                               failure *why)
{
    const uint64_t promised = matrix_entries(&parser->matrix);
    if (!counts_entries(parser))
        return true;
    parser->entries -= parser->made;
    if (parser->entries <= promised)
        return true;
    if (parser->original.begin != NULL)
        text = parser->original;
    fail(why, "more entries than the %" PRIu64 " of the line of sizes", promised);
    return line_parser_fail(line + line_of_entry(parser, text, promised - entries) + 1, why);
}

bool line_parser_check_first(const line_parser *parser, const char *text, size_t size, failure *why)
{
    return parser->newlines > 0 || parser->rules.every_word || memchr(text, '\n', size) != NULL ||
           check_is_whole(parser, text, text + size, why);
}

bool line_parser_end(const line_parser *parser, failure *why)
{
    const uint64_t promised = matrix_entries(&parser->matrix);
    if (!parser->begun && parser->rules.header && field_is_named(&parser->rules))
        return fail(why, "there is no header: the input has no line");
    if (!counts_entries(parser) || (parser->begun && parser->entries >= promised))
        return true;
    if (parser->begun)
        fail(why, "the file ends after %" PRIu64 " entries, its line of sizes has %" PRIu64,
             parser->entries, promised);
    else
        fail(why, "the file ends before its line of sizes");
    return line_parser_fail(parser->newlines, why);
}

static bool is_number(const field_rules *rules, text_span field)
{
    char text[LONGEST_FIELD];
    double number;
    failure unused;
    return field.begin < field.end && field_copy_number(rules, field, text) &&
           number_parse(element_traits_of(PARSCAN_F64), text, &number, &unused);
}

/* Whether the line has a number where the header has a name. */
static bool looks_like_data(const field_rules *rules, const char *line, const char *head)
{
    text_span field, name;
    for (unsigned i = 1; field_find(rules, line, i, &field) && field_find(rules, head, i, &name);
         i++)
        if (is_number(rules, field) && !is_number(rules, name))
            return true;
    return false;
}

/* Writes "field 2 is 'x'". field.begin NULL: it is not there. */
static void describe_field(unsigned number, text_span field, char words[FIELD_WORDS])
{
    const size_t size = (size_t)(field.end - field.begin);
    if (field.begin != NULL)
        snprintf(words, FIELD_WORDS, "field %u is '%.*s'", number, size < 60 ? (int)size : 60,
                 field.begin);
    else
        snprintf(words, FIELD_WORDS, "there is no field %u", number);
}

/* Checks that the header has the names of the one that is expected, which may be written otherwise: in quotes, or with
   white space around them. Both end in a newline. */
static bool check_names(const line_parser *parser, const char *line, failure *why)
{
    const field_rules *const rules = &parser->rules;
    text_span field, expected;
    unsigned number = 0;
    do {
        number++;
        if (!field_find(rules, line, number, &field))
            field = (text_span){NULL, NULL};
        if (!field_find(rules, parser->head, number, &expected))
            expected = (text_span){NULL, NULL};
        if (field.begin == NULL && expected.begin == NULL)
            return true;
    } while (field.begin != NULL && expected.begin != NULL &&
             field_words_equal(rules, field, expected));
    char words[FIELD_WORDS], wanted[FIELD_WORDS];
    describe_field(number, field, words);
    describe_field(number, expected, wanted);
    return fail(why,
                "the header is another one than that of the first file: %s, in the first file %s%s",
                words, wanted,
                looks_like_data(rules, line, parser->head)
                    ? " (a file without a header? every file needs the same one)"
                    : "");
}

/* Takes the line [line, next) for the header. */
static bool take_header(line_parser *parser, const char *line, const char *next, line_store *lines,
                        failure *why)
{
    const size_t size = (size_t)(next - line);
    if (parser->matrix.is_there)
        return matrix_read_sizes(&parser->matrix, line, next - 1, why) ||
               line_parser_fail(parser->newlines + 1, why);
    if (parser->rules.quotes && field_line_is_open(&parser->rules, line, next - 1)) {
        fail_field(why, &parser->rules, parser->traits, LINE_IS_OPEN, (text_span){0});
        return line_parser_fail(parser->newlines + 1, why);
    }
    if (parser->expects && !check_names(parser, line, why))
        return line_parser_fail(parser->newlines + 1, why);
    if (!field_names_find(&parser->rules, line, next - 1, why))
        return line_parser_fail(parser->newlines + 1, why);
    if (parser->rules.separator != 0)
        parser->rules.width = field_count(&parser->rules, (text_span){line, next});
    if (parser->expects)
        return true;
    parser->head = malloc(size + 1);
    if (parser->head == NULL)
        return fail_out_of_memory(why);
    memcpy(parser->head, line, size);
    parser->head[size] = '\0';
    if (lines == NULL)
        return true;
    lines->head = size;
    return line_store_add_text(lines, line, size) || fail_out_of_memory(why);
}

bool line_parser_header(line_parser *parser, const char *text, size_t size, line_store *lines,
                        size_t *used, failure *why)
{
    const char *const end = text + size;
    const char *line = text;
    while (line < end && !parser->begun) {
        const char *const newline = memchr(line, '\n', (size_t)(end - line));
        parser->begun = !is_left_out(parser, line, newline);
        if (!check_is_whole(parser, line, newline, why))
            return false;
        if (parser->begun && !take_header(parser, line, newline + 1, lines, why))
            return false;
        parser->newlines++;
        line = newline + 1;
    }
    *used = (size_t)(line - text);
    return true;
}
