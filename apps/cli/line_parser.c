#include "apps/cli/line_parser.h"

#include <stdlib.h>
#include <string.h>

#include "apps/cli/line_parser_state.h"
#include "apps/cli/matrix_mirror.h"
#include "apps/cli/number_text.h"
#include "apps/cli/parallel.h"
#include "apps/cli/text_hints.h"
#include "apps/cli/text_lines.h"

enum { LEAST_PIECE = 32 * 1024, THREAD_PIECES = 4 };

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
    part->returns = !words && text_has_returns(part->begin, part->end);
    part->room = words ? text_count_words(part->begin, part->end) : part->newlines;
}

static void keep_span(const line_parser *parser, const line_piece *part, int which, text_span span)
{
    part->places[which][part->taken] =
        line_place((uint64_t)(span.begin - parser->origin), (uint64_t)(span.end - span.begin));
}

/* Which of the places that are kept are words'; -1: none. */
static int word_places(const line_parser *parser)
{
    return parser->keep == KEEP_LINES ? -1 : parser->keep == KEEP_LINES_AND_VALUES;
}

/* Keeps a part of the line [line, next). */
static void keep_part(const line_parser *parser, line_piece *part, const char *line,
                      const char *next, text_span value, text_span key)
{
    const text_span word = parser->keep == KEEP_KEYS ? key : value;
    const int words = word_places(parser);
    if (words != 0)
        keep_span(parser, part, 0, (text_span){line, next});
    if (words >= 0)
        keep_span(parser, part, words, word);
    part->quoted |= words >= 0 && field_word_is_quoted(&parser->rules, word);
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
    const matrix_market *const matrix =
        line_parser_has_places(parser) && !rules.mirrors ? &parser->matrix : NULL;
    const char *next;
    failure unused;
    if (rules.every_word)
        keep_words(parser, part);
    for (const char *line = part->begin; line < part->end && !rules.every_word; line = next) {
        text_span value, key = {0};
        part->verdict = field_line_read(&rules, &traits, quoted, line, part->end,
                                        part->out + part->taken * traits.size, &value, &key, &next);
        if (matrix != NULL && !matrix_check_indices(matrix, line, next - 1, &unused))
            part->verdict = LINE_IS_OUTSIDE;
        if (part->returns && field_line_is_cut(&rules, line, next - 1))
            part->verdict = LINE_IS_CUT;
        if (part->verdict == LINE_IS_LEFT_OUT) {
            part->none += field_line_is_none(&rules, value.begin);
            continue;
        }
        if (part->verdict != LINE_IS_TAKEN) {
            part->end = line;
            part->wrong = value;
            return;
        }
        if (part->places[0] != NULL)
            keep_part(parser, part, line, next, value, key);
        part->taken++;
    }
    part->verdict = LINE_IS_TAKEN;
}

/* The lines of the file, if there are so many of the text. */
static uint64_t lines_of_file(const line_parser *parser, uint64_t lines)
{
    const text_span text = parser->original;
    return text.begin == NULL
               ? lines
               : matrix_mirrored_line(text.begin, (size_t)(text.end - text.begin), lines);
}

/* Says what is wrong with the line of that number, at which the piece ends. */
static bool fail_line(const line_parser *parser, const line_piece *part, uint64_t number,
                      failure *why)
{
    const char *end = part->end;
    while (*end != '\n')
        end++;
    if (part->verdict == LINE_IS_OUTSIDE)
        return matrix_check_indices(&parser->matrix, part->end, end, why);
    /* A part of a field with a line end is no line without a value. */
    const bool is_short = part->verdict == LINE_IS_SHORT || part->verdict == LINE_HAS_NO_KEY;
    const bool part_of_field = is_short && parser->rules.separator != 0 &&
                               field_line_is_open(&parser->rules, part->end, end);
    fail_field(why, &parser->rules, parser->traits, part_of_field ? LINE_IS_OPEN : part->verdict,
               part->wrong);
    return fail_with_hint(why, &parser->rules, part->end, part->wrong, end + 1, number);
}

/* Names the first line that is wrong. */
static bool check_line_pieces(line_parser *parser, size_t count, failure *why)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < count; i++) {
        const line_piece *const part = &parser->pieces[i];
        if (part->verdict != LINE_IS_TAKEN) {
            if (part->begin < part->end)
                lines += text_count_newlines(part->begin, part->end);
            const uint64_t number = parser->newlines + lines_of_file(parser, lines) + 1;
            fail_line(parser, part, number, why);
            return line_parser_fail(number, why);
        }
        lines += part->newlines;
        parser->entries += part->newlines - part->none;
    }
    parser->newlines += lines_of_file(parser, lines);
    return true;
}

/* The arrays of a store that are used. */
static int place_arrays(const line_parser *parser, const line_store *lines)
{
    return lines == NULL ? 0 : parser->keep == KEEP_LINES_AND_VALUES ? 2 : 1;
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
        for (int k = 0; k < place_arrays(parser, lines); k++)
            close_gap(&lines->places[k], part->places[k], part->taken);
    }
}

/* Adds the words that stand for others to the text of the store, as those, from number `first` of them on. */
static bool copy_quoted_words(const line_parser *parser, size_t first, line_store *lines)
{
    const array *const places = &lines->places[word_places(parser)];
    uint64_t *const of = places->data;
    size_t room = 0;
    for (size_t i = first; i < places->n; i++)
        if (field_word_is_quoted(&parser->rules, line_store_at(lines, of[i])))
            room += line_place_size(of[i]);
    if (!array_reserve(&lines->text, lines->text.n + room))
        return false;
    for (size_t i = first; i < places->n; i++) {
        const text_span word = line_store_at(lines, of[i]);
        if (!field_word_is_quoted(&parser->rules, word))
            continue;
        const size_t size = field_word_copy(&parser->rules, word, array_end(&lines->text));
        of[i] = line_place(lines->text.n, size);
        lines->text.n += size;
    }
    return true;
}

/* Whether a word that is kept of a piece stands for another one. */
static bool has_quoted_words(const line_parser *parser, size_t count)
{
    bool quoted = false;
    for (size_t i = 0; i < count; i++)
        quoted |= parser->pieces[i].quoted;
    return quoted;
}

/* Makes room for all elements that there may be, and gives each piece its own. */
static bool place_pieces(line_parser *parser, size_t count, array *elements, line_store *lines)
{
    const int arrays = place_arrays(parser, lines);
    size_t room = elements->n;
    for (size_t i = 0; i < count; i++)
        room += parser->pieces[i].room;
    if (!array_reserve(elements, room))
        return false;
    for (int k = 0; k < arrays; k++)
        if (!array_reserve(&lines->places[k], room))
            return false;
    room = elements->n;
    for (size_t i = 0; i < count; i++) {
        line_piece *const part = &parser->pieces[i];
        part->out = (char *)elements->data + room * parser->traits->size;
        for (int k = 0; k < arrays; k++)
            part->places[k] = (uint64_t *)lines->places[k].data + room;
        room += part->room;
    }
    return true;
}

bool line_parser_add(line_parser *parser, const char *text, size_t size, array *elements,
                     line_store *lines, failure *why)
{
    size_t used = 0;
    const bool banner = !parser->looked && matrix_begins(text, size);
    if (parser->rules.mirrors && !parser->looked && !banner)
        return fail(why, "--mirror is for Matrix Market files, which begin with %s", MATRIX_BANNER);
    parser->looked = true;
    if (banner && !line_parser_banner(parser, text, size, why))
        return false;
    if (!parser->begun && !line_parser_header(parser, text, size, lines, &used, why))
        return false;
    text += used;
    size -= used;
    if (!line_parser_mirror(parser, &text, &size, why))
        return false;
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
    const uint64_t line = parser->newlines, entries = parser->entries;
    if (!check_line_pieces(parser, count, why) ||
        !line_parser_check_entries(parser, (text_span){text, text + size}, line, entries, why))
        return false;
    const size_t first = lines != NULL ? lines->places[0].n : 0;
    close_gaps(parser, count, elements, lines);
    return lines == NULL || !has_quoted_words(parser, count) ||
           copy_quoted_words(parser, first, lines) || fail_out_of_memory(why);
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

void line_parser_expect_matrix(line_parser *parser, const matrix_market *matrix, const char *path)
{
    parser->beside = *matrix;
    parser->beside_path = path;
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
                            .mirrored = {.type = PARSCAN_U8},
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
    array_release(&parser->mirrored);
    free(parser->pieces);
    free(parser);
}
