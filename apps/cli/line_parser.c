#include "apps/cli/line_parser.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/number_text.h"
#include "apps/cli/parallel.h"
#include "apps/cli/text_hints.h"
#include "apps/cli/text_lines.h"

enum { LEAST_PIECE = 32 * 1024, THREAD_PIECES = 4 };

/* A thread's part of a text: whole lines. */
typedef struct line_piece {
    const char *begin, *end;
    size_t newlines, taken; /* lines, and elements */
    size_t room;            /* there are not more elements */
    char *out;              /* the place of its first element */
    uint64_t *spans[4];     /* the same of what is kept, or NULL */
    line_verdict verdict;   /* of the last line */
    text_span wrong;        /* the field of the last line, which is wrong */
} line_piece;

struct line_parser {
    const element_traits *traits;
    field_rules rules;
    kept_part keep;
    unsigned threads;
    uint64_t newlines; /* before the text */
    bool begun;        /* the header has been read, or there is none */
    bool looked;       /* for the head of a Matrix Market file */
    matrix_market matrix;
    char *head;         /* the header, or the one that is expected */
    bool expects;       /* the header is one that another file had */
    const char *origin; /* where the text of the store begins that holds the current text */
    line_piece *pieces;
};

static size_t cut_lines(const char *begin, const char *end, line_piece *pieces, size_t most)
{
    const size_t share = (size_t)(end - begin) / most + 1;
    const size_t size = share > LEAST_PIECE ? share : LEAST_PIECE;
    size_t count = 0;
    for (const char *p = begin; p < end; count++) {
        pieces[count] = (line_piece){.begin = p};
        p = (size_t)(end - p) > size ? p + size : end;
        if (p[-1] != '\n')
            p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
        pieces[count].end = p;
    }
    return count;
}

static void count_line_piece(size_t index, unsigned thread, void *user)
{
    (void)thread;
    line_piece *const part = &((line_parser *)user)->pieces[index];
    const bool words = ((line_parser *)user)->rules.every_word;
    part->newlines = text_count_newlines(part->begin, part->end);
    part->room = words ? text_count_words(part->begin, part->end) : part->newlines;
}

static void keep_span(const line_parser *parser, const line_piece *part, int first, text_span span)
{
    part->spans[first][part->taken] = (uint64_t)(span.begin - parser->origin);
    part->spans[first + 1][part->taken] = (uint64_t)(span.end - span.begin);
}

/* Keeps a part of the line [line, next). */
static void keep_part(const line_parser *parser, const line_piece *part, const char *line,
                      const char *next, text_span value, text_span key)
{
    const bool keeps_line = parser->keep == KEEP_LINES || parser->keep == KEEP_LINES_AND_VALUES;
    keep_span(parser, part, 0,
              keeps_line                  ? (text_span){line, next}
              : parser->keep == KEEP_KEYS ? key
                                          : value);
    if (parser->keep == KEEP_LINES_AND_VALUES)
        keep_span(parser, part, 2, value);
}

/* Keeps every word. */
static void keep_words(const line_parser *parser, line_piece *part)
{
    for (const char *p = part->begin; p < part->end; p++) {
        const char *const begin = p;
        while (!is_space(*p))
            p++;
        if (p == begin)
            continue;
        keep_part(parser, part, begin, p, (text_span){begin, p}, (text_span){begin, p});
        part->taken++;
    }
}

static void parse_line_piece(size_t index, unsigned thread, void *user)
{
    (void)thread;
    const line_parser *const parser = user;
    line_piece *const part = &parser->pieces[index];
    const element_traits traits = *parser->traits;
    const field_rules rules = parser->rules;
    const bool quoted =
        rules.quotes && memchr(part->begin, '"', (size_t)(part->end - part->begin)) != NULL;
    const char *next;
    if (rules.every_word)
        keep_words(parser, part);
    for (const char *line = part->begin; line < part->end && !rules.every_word; line = next) {
        text_span value, key = {0};
        part->verdict = field_line_read(&rules, &traits, quoted, line, part->end,
                                        part->out + part->taken * traits.size, &value, &key, &next);
        if (part->verdict == LINE_IS_LEFT_OUT)
            continue;
        if (part->verdict != LINE_IS_TAKEN) {
            part->end = line;
            part->wrong = value;
            return;
        }
        if (part->spans[0] != NULL)
            keep_part(parser, part, line, next, value, key);
        part->taken++;
    }
    part->verdict = LINE_IS_TAKEN;
}

static bool fail_on_line(uint64_t number, failure *why)
{
    char line[32];
    snprintf(line, sizeof line, "line %" PRIu64, number);
    return fail_in(why, line);
}

/* Names the first line that is wrong. */
static bool check_line_pieces(line_parser *parser, size_t count, failure *why)
{
    for (size_t i = 0; i < count; i++) {
        const line_piece *const part = &parser->pieces[i];
        if (part->verdict != LINE_IS_TAKEN) {
            if (part->begin < part->end)
                parser->newlines += text_count_newlines(part->begin, part->end);
            fail_field(why, &parser->rules, parser->traits, part->verdict, part->wrong);
            fail_with_hint(why, part->end, part->wrong, parser->newlines + 1);
            return fail_on_line(parser->newlines + 1, why);
        }
        parser->newlines += part->newlines;
    }
    return true;
}

/* The arrays of a store that are used. */
static int span_arrays(const line_parser *parser, const line_store *lines)
{
    return lines == NULL ? 0 : parser->keep == KEEP_LINES_AND_VALUES ? 4 : 2;
}

static void close_gap(array *elements, const void *part, size_t taken)
{
    char *const to = array_end(elements);
    if (to != part)
        memmove(to, part, taken * parscan_type_size(elements->type));
    elements->n += taken;
}

/* Closes the gaps that lines without elements have left. */
static void close_gaps(const line_parser *parser, size_t count, array *elements, line_store *lines)
{
    for (size_t i = 0; i < count; i++) {
        const line_piece *const part = &parser->pieces[i];
        close_gap(elements, part->out, part->taken);
        for (int k = 0; k < span_arrays(parser, lines); k++)
            close_gap(&lines->spans[k], part->spans[k], part->taken);
    }
}

/* Makes room for all elements that there may be, and gives each piece its own. */
static bool place_pieces(line_parser *parser, size_t count, array *elements, line_store *lines)
{
    const int arrays = span_arrays(parser, lines);
    size_t room = elements->n;
    for (size_t i = 0; i < count; i++)
        room += parser->pieces[i].room;
    if (!array_reserve(elements, room))
        return false;
    for (int k = 0; k < arrays; k++)
        if (!array_reserve(&lines->spans[k], room))
            return false;
    room = elements->n;
    for (size_t i = 0; i < count; i++) {
        line_piece *const part = &parser->pieces[i];
        part->out = (char *)elements->data + room * parser->traits->size;
        for (int k = 0; k < arrays; k++)
            part->spans[k] = (uint64_t *)lines->spans[k].data + room;
        room += part->room;
    }
    return true;
}

/* Whether the line at p is none of the data: empty, or a comment. */
static bool is_left_out(const line_parser *parser, const char *p, const char *end)
{
    while (p < end && is_space(*p))
        p++;
    return p == end || field_line_is_none(&parser->rules, p);
}

/* The text begins with the banner of a Matrix Market file: its other lines of this kind are comments, and the first
   line that is none has sizes. */
static bool take_banner(line_parser *parser, const char *text, size_t size, failure *why)
{
    const char *const end = memchr(text, '\n', size);
    if (parser->rules.header || parser->rules.separator != 0) {
        fail(why, "%s: a Matrix Market file has its own",
             parser->rules.header ? "--header" : "--separator");
        return fail_on_line(1, why);
    }
    parser->rules.comments[0] = "%";
    parser->rules.comment_count = 1;
    parser->begun = false;
    return matrix_read_banner(&parser->matrix, text, end, why) || fail_on_line(1, why);
}

/* Whether the header is the one that is expected, but for what ends the line. */
static bool is_expected(const line_parser *parser, const char *line, const char *next)
{
    size_t size = (size_t)(next - line), expected = strlen(parser->head);
    while (size > 0 && is_space(line[size - 1]))
        size--;
    while (expected > 0 && is_space(parser->head[expected - 1]))
        expected--;
    return size == expected && memcmp(parser->head, line, size) == 0;
}

/* Takes the line [line, next) for the header. */
static bool take_header(line_parser *parser, const char *line, const char *next, line_store *lines,
                        failure *why)
{
    const size_t size = (size_t)(next - line);
    if (parser->matrix.is_there)
        return matrix_read_sizes(&parser->matrix, line, next - 1, why) ||
               fail_on_line(parser->newlines + 1, why);
    if (!field_names_find(&parser->rules, line, next - 1, why))
        return fail_on_line(parser->newlines + 1, why);
    if (parser->expects) {
        if (is_expected(parser, line, next))
            return true;
        fail(why, "the header is another one than that of the first file");
        return fail_on_line(parser->newlines + 1, why);
    }
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

/* Reads the header, the first line that is not left out. *used: the bytes up to its end. */
static bool read_header(line_parser *parser, const char *text, size_t size, line_store *lines,
                        size_t *used, failure *why)
{
    const char *const end = text + size;
    const char *line = text;
    while (line < end && !parser->begun) {
        const char *const newline = memchr(line, '\n', (size_t)(end - line));
        parser->begun = !is_left_out(parser, line, newline);
        if (parser->begun && !take_header(parser, line, newline + 1, lines, why))
            return false;
        parser->newlines++;
        line = newline + 1;
    }
    *used = (size_t)(line - text);
    return true;
}

bool line_parser_add(line_parser *parser, const char *text, size_t size, array *elements,
                     line_store *lines, failure *why)
{
    size_t used = 0;
    const bool banner = !parser->looked && matrix_begins(text, size);
    parser->looked = true;
    if (banner && !take_banner(parser, text, size, why))
        return false;
    if (!parser->begun && !read_header(parser, text, size, lines, &used, why))
        return false;
    text += used;
    size -= used;
    parser->origin = text;
    if (lines != NULL) {
        const size_t before = lines->text.n;
        if (before == lines->head)
            lines->first_line = parser->newlines + 1;
        if (!line_store_add_text(lines, text, size))
            return fail_out_of_memory(why);
        if (size > 0)
            text = (const char *)lines->text.data + before;
        parser->origin = lines->text.data;
    }
    const size_t count =
        cut_lines(text, text + size, parser->pieces, (size_t)parser->threads * THREAD_PIECES);
    parallel_for(parser->threads, count, count_line_piece, parser);
    if (!place_pieces(parser, count, elements, lines))
        return fail_out_of_memory(why);
    parallel_for(parser->threads, count, parse_line_piece, parser);
    if (!check_line_pieces(parser, count, why))
        return false;
    close_gaps(parser, count, elements, lines);
    return true;
}

const matrix_market *line_parser_matrix(const line_parser *parser)
{
    return parser->matrix.is_there ? &parser->matrix : NULL;
}

const char *line_parser_head(const line_parser *parser)
{
    return parser->head;
}

bool line_parser_expect(line_parser *parser, const char *head)
{
    parser->head = malloc(strlen(head) + 1);
    parser->expects = parser->head != NULL;
    if (parser->expects)
        memcpy(parser->head, head, strlen(head) + 1);
    return parser->expects;
}

uint64_t line_parser_line(const line_parser *parser)
{
    return parser->newlines + 1;
}

line_parser *line_parser_open(const element_traits *traits, const field_rules *rules,
                              kept_part keep, unsigned threads)
{
    line_parser *const parser = malloc(sizeof *parser);
    if (parser == NULL)
        return NULL;
    *parser = (line_parser){.traits = traits,
                            .rules = *rules,
                            .keep = keep,
                            .threads = threads,
                            .begun = !rules->header,
                            .pieces = calloc((size_t)threads * THREAD_PIECES, sizeof(line_piece))};
    if (parser->pieces != NULL)
        return parser;
    line_parser_close(parser);
    return NULL;
}

void line_parser_close(line_parser *parser)
{
    if (parser == NULL)
        return;
    free(parser->head);
    free(parser->pieces);
    free(parser);
}
