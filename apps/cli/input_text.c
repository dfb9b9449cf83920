#include "apps/cli/input_formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/line_parser.h"
#include "apps/cli/number_text.h"
#include "apps/cli/parallel.h"
#include "apps/cli/text_hints.h"
#include "apps/cli/text_lines.h"
#include "apps/cli/word_keys.h"

/* Text is read in chunks that end in white space. All threads parse a chunk. */
enum {
    CHUNK_BYTES = 4 * 1024 * 1024,
    SMALL_CHUNK = 64 * 1024,
    LEAST_PIECE = 32 * 1024,
    THREAD_PIECES = 4
};

/* A thread's part of a chunk. */
typedef struct piece {
    const char *begin, *end;
    size_t words;
    line_counts lines;    /* as if each word had its line, unless looks_at_lines() */
    void *out;            /* the place of its first element */
    const char *wrong;    /* the first word that is not an element, or NULL */
    word_key first, last; /* where words are keys */
} piece;

struct text_reader {
    byte_source *source;
    const element_traits *traits;
    text_words words;
    line_rule rule;
    char *chunk;
    size_t room;       /* bytes of the chunk */
    size_t used, held; /* bytes in the chunk: that have been parsed, and all */
    bool begun, ended; /* of the data: something, everything has been read */
    text_lines lines;  /* before the chunk, or before the current piece */
    unsigned threads;
    piece *pieces;
    word_key last;       /* where words are keys: a copy of the last one before the chunk */
    line_parser *fields; /* of lines whose fields are elements, or NULL */
};

/* Whether the text may be cut after that character. */
static inline bool ends_unit(const text_reader *reader, char c)
{
    return reader->fields != NULL ? c == '\n' : is_space(c);
}

/* Cuts [begin, end) after white space, in which it ends. Returns the number of pieces. */
static size_t cut(const char *begin, const char *end, piece *pieces, size_t most)
{
    const size_t share = (size_t)(end - begin) / most + 1;
    const size_t size = share > LEAST_PIECE ? share : LEAST_PIECE;
    size_t count = 0;
    for (const char *p = begin; p < end; count++) {
        pieces[count].begin = p;
        p = (size_t)(end - p) > size ? p + size : end;
        while (!is_space(p[-1]))
            p++;
        pieces[count].end = p;
    }
    return count;
}

static void count_piece(size_t index, unsigned thread, void *user)
{
    (void)thread;
    piece *const part = &((text_reader *)user)->pieces[index];
    part->words = text_count_words(part->begin, part->end);
    part->lines = (line_counts){.newlines = text_count_newlines(part->begin, part->end),
                                .filled = part->words};
}

static void count_lines_of_piece(size_t index, unsigned thread, void *user)
{
    (void)thread;
    piece *const part = &((text_reader *)user)->pieces[index];
    part->lines = text_count_lines(part->begin, part->end, part->words);
}

/* Whether lines of a chunk are counted one by one. Where they are free, only the first line of several words counts, and
   in a long chunk not such a one beside as many empty lines: that costs no time. */
static bool looks_at_lines(const text_reader *reader, size_t size, size_t words, size_t newlines)
{
    if (reader->rule == LINES_ARE_ELEMENTS)
        return true;
    return !text_reader_has_lists(reader) &&
           (size <= SMALL_CHUNK || words > newlines + 1 || reader->lines.words > 1);
}

static void parse_piece(size_t index, unsigned thread, void *user)
{
    (void)thread;
    const text_reader *const reader = user;
    piece *const part = &reader->pieces[index];
    part->wrong = NULL;
    if (reader->words == WORDS_ARE_NUMBERS)
        part->wrong = numbers_parse(reader->traits, part->begin, part->end, part->out);
    else
        word_keys_mark(part->begin, part->end, reader->words == WORDS_ARE_KEYS, part->out,
                       &part->first, &part->last);
}

static bool fail_in_line(uint64_t number, failure *why)
{
    char line[32];
    snprintf(line, sizeof line, "line %" PRIu64, number);
    return fail_in(why, line);
}

/* Says which word of the piece is wrong. */
static bool fail_word(const text_reader *reader, const piece *part, uint64_t line, failure *why)
{
    const char *end = part->wrong;
    while (!is_space(*end))
        end++;
    fail_number(why, reader->traits, part->wrong, (size_t)(end - part->wrong));
    /* A file that is paired with another one has no fields. */
    return reader->rule == LINES_ARE_ELEMENTS
               ? false
               : fail_with_hint(why, NULL, part->wrong, (text_span){part->wrong, end},
                                reader->chunk + reader->held, line);
}

/* The first line that is not one element, where each must be; UINT64_MAX: there is none. */
static uint64_t wrong_line(const text_reader *reader)
{
    const uint64_t empty = reader->lines.empty, several = text_lines_several(&reader->lines);
    if (reader->rule != LINES_ARE_ELEMENTS || (empty == 0 && several == 0))
        return UINT64_MAX;
    return empty != 0 && (several == 0 || empty < several) ? empty : several;
}

static bool fail_line(const text_reader *reader, uint64_t line, failure *why)
{
    fail(why,
         line == reader->lines.empty
             ? "the line is empty, where each line is one element"
             : "several elements on a line: here each line is one element (or one line has all)");
    return fail_in_line(line, why);
}

/* Counts the lines of the pieces, up to the first wrong word, and says what is wrong first. */
static bool check_pieces(text_reader *reader, size_t count, failure *why)
{
    const piece *wrong = NULL;
    uint64_t word_line = UINT64_MAX;
    for (size_t i = 0; i < count && wrong == NULL; i++) {
        const piece *const part = &reader->pieces[i];
        if (part->wrong != NULL) {
            wrong = part;
            word_line = reader->lines.newlines + text_count_newlines(part->begin, part->wrong) + 1;
        }
        text_lines_add(&reader->lines, &part->lines);
    }
    const uint64_t line = wrong_line(reader);
    if (line < word_line)
        return fail_line(reader, line, why);
    return wrong == NULL || fail_word(reader, wrong, word_line, why) ||
           fail_in_line(word_line, why);
}

/* Compares the first word of each piece with the last one before it, and keeps the chunk's last. */
static bool join_keys(text_reader *reader, size_t count, failure *why)
{
    word_key last = reader->last;
    for (size_t i = 0; i < count; i++) {
        const piece *const part = &reader->pieces[i];
        if (part->words == 0)
            continue;
        *(uint8_t *)part->out = !word_keys_equal(&last, &part->first);
        last = part->last;
    }
    if (last.begin == reader->last.begin)
        return true;
    char *const copy = malloc(last.length);
    if (copy == NULL)
        return fail_out_of_memory(why);
    memcpy(copy, last.begin, last.length);
    free((char *)(uintptr_t)reader->last.begin);
    reader->last = last;
    reader->last.begin = copy;
    return true;
}

/* Parses the next size bytes of the chunk, which end in white space. The words are counted first,
   so that each thread knows where its elements go. */
static bool parse(text_reader *reader, size_t size, array *elements, failure *why)
{
    piece *const pieces = reader->pieces;
    const char *const text = reader->chunk + reader->used;
    const size_t count = cut(text, text + size, pieces, (size_t)reader->threads * THREAD_PIECES);
    parallel_for(reader->threads, count, count_piece, reader);
    size_t words = 0, newlines = 0;
    for (size_t i = 0; i < count; i++) {
        words += pieces[i].words;
        newlines += pieces[i].lines.newlines;
    }
    if (looks_at_lines(reader, size, words, newlines))
        parallel_for(reader->threads, count, count_lines_of_piece, reader);
    if (words > 0 && !array_reserve(elements, elements->n + words))
        return fail_out_of_memory(why);
    for (size_t i = 0; i < count; i++) {
        pieces[i].out = array_end(elements);
        elements->n += pieces[i].words;
    }
    parallel_for(reader->threads, count, parse_piece, reader);
    if (!check_pieces(reader, count, why))
        return false;
    return reader->words == WORDS_ARE_NUMBERS || join_keys(reader, count, why);
}

/* The length of the text that is parsed next: it ends in white space and has at most `most` words, of
   which each takes two bytes with the white space after it, or as many lines with an element. 0: the first
   word, or line, may go on. */
static size_t next_cut(const text_reader *reader, size_t most)
{
    const char *const text = reader->chunk + reader->used;
    const size_t held = reader->held - reader->used;
    const size_t limit = most < held / 2 ? 2 * most : held;
    size_t size = limit;
    while (size > 0 && !ends_unit(reader, text[size - 1]))
        size--;
    if (size > 0)
        return size;
    for (size = limit; size < held; size++)
        if (ends_unit(reader, text[size]))
            return size + 1;
    return 0;
}

/* Some editors put a byte order mark at the start; it is skipped. Returns whether there may be
   one that is not all there yet. */
static bool skip_byte_order_mark(text_reader *reader)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    const size_t size = reader->held < sizeof mark ? reader->held : sizeof mark;
    if (memcmp(reader->chunk, mark, size) != 0)
        return false;
    if (size < sizeof mark)
        return true;
    reader->held -= size;
    memmove(reader->chunk, reader->chunk + size, reader->held);
    return false;
}

static bool fail_too_long(const text_reader *reader, failure *why)
{
    const bool line = reader->fields != NULL;
    return fail(why, "line %" PRIu64 ": a %s of more than %zu bytes is too long",
                line ? line_parser_line(reader->fields) : reader->lines.newlines + 1,
                line ? "line" : "word", reader->room);
}

/* Reads on after the first word, which may go on, as long as there is something to read. The data's
   end ends the last word. */
static bool fill_text(text_reader *reader, source_reader *read, failure *why)
{
    size_t got;
    reader->held -= reader->used;
    memmove(reader->chunk, reader->chunk + reader->used, reader->held);
    reader->used = 0;
    if (reader->held == reader->room)
        return fail_too_long(reader, why);
    do {
        if (!read(reader->source, reader->chunk + reader->held, reader->room - reader->held, &got,
                  why))
            return false;
        reader->held += got;
        reader->ended = got == 0;
        if (!reader->begun)
            reader->begun = !skip_byte_order_mark(reader);
    } while (!reader->ended && reader->held < reader->room &&
             (!reader->begun || source_is_ready(reader->source)));
    if (reader->fields != NULL && reader->held == reader->room) {
        reader->chunk[reader->held] = '\n';
        if (!line_parser_check_first(reader->fields, reader->chunk, reader->held, why))
            return false;
    }
    if (reader->ended && reader->held > 0 && !ends_unit(reader, reader->chunk[reader->held - 1]))
        reader->chunk[reader->held++] = '\n';
    return true;
}

static bool parse_lines(text_reader *reader, size_t size, array *elements, line_store *lines,
                        failure *why)
{
    return line_parser_add(reader->fields, reader->chunk + reader->used, size, elements, lines,
                           why);
}

bool text_reader_next(text_reader *reader, size_t most, source_reader *read, array *elements,
                      line_store *lines, failure *why)
{
    const size_t before = elements->n;
    while (elements->n == before) {
        const size_t size = next_cut(reader, most);
        if (size == 0 && reader->ended)
            break;
        const bool done = size == 0                ? fill_text(reader, read, why)
                          : reader->fields != NULL ? parse_lines(reader, size, elements, lines, why)
                                                   : parse(reader, size, elements, why);
        if (!done)
            return false;
        reader->used += size;
    }
    return reader->fields == NULL || !text_reader_at_end(reader) ||
           line_parser_end(reader->fields, why);
}

bool text_reader_at_end(const text_reader *reader)
{
    return reader->ended && reader->used == reader->held;
}

bool text_reader_has_lists(const text_reader *reader)
{
    return text_lines_several(&reader->lines) != 0;
}

const matrix_market *text_reader_matrix(const text_reader *reader)
{
    return reader->fields != NULL ? line_parser_matrix(reader->fields) : NULL;
}

uint64_t text_reader_line(const text_reader *reader)
{
    return line_parser_line(reader->fields);
}

const char *text_reader_head(const text_reader *reader)
{
    return reader->fields != NULL ? line_parser_head(reader->fields) : NULL;
}

/* Gives the lines what they have of the file that is open beside them. False: memory ran out. */
static bool set_beside(line_parser *fields, const input_reader *beside)
{
    const char *const head = input_head(beside), *path;
    const matrix_market *const matrix = input_matrix(beside, &path);
    if (matrix != NULL)
        line_parser_expect_matrix(fields, matrix, path);
    return head == NULL || line_parser_expect(fields, head);
}

text_reader *text_reader_open(byte_source *source, parscan_type type, const input_request *request)
{
    text_reader *const reader = malloc(sizeof *reader);
    if (reader == NULL)
        return NULL;
    const unsigned threads = parallel_threads(request->threads, SIZE_MAX);
    const size_t room = request->small ? SMALL_CHUNK : CHUNK_BYTES;
    const field_rules *const fields = request->fields;
    *reader = (text_reader){.source = source,
                            .traits = element_traits_of(type),
                            .words = request->words,
                            .rule = request->lines,
                            .chunk = malloc(room + 1),
                            .room = room,
                            .threads = threads,
                            .pieces = calloc((size_t)threads * THREAD_PIECES, sizeof(piece))};
    if (fields != NULL)
        reader->fields = line_parser_open(reader->traits, fields, request->keep, threads);
    const bool opened = fields == NULL || reader->fields != NULL;
    const bool beside = opened && fields != NULL && request->beside != NULL;
    if (reader->chunk != NULL && reader->pieces != NULL && opened &&
        (!beside || set_beside(reader->fields, request->beside)))
        return reader;
    text_reader_close(reader);
    return NULL;
}

void text_reader_close(text_reader *reader)
{
    if (reader == NULL)
        return;
    line_parser_close(reader->fields);
    free((char *)(uintptr_t)reader->last.begin);
    free(reader->chunk);
    free(reader->pieces);
    free(reader);
}
