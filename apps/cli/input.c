#include "apps/cli/input.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/input_formats.h"
#include "apps/cli/text_hints.h"
#include "apps/cli/text_lines.h"

enum { PART_BYTES = 8 * 1024 * 1024 };

struct input_reader {
    input_request request;
    size_t next;             /* of the files that follow: the next one */
    const char *lists;       /* of the files before this one: the first one with lists, or NULL */
    const char *matrix_path; /* of the first Matrix Market file before this file; NULL: none was */
    matrix_market matrix;    /* what its head says */
    pthread_mutex_t lock;    /* guards source, which input_interrupt() uses, and interrupted */
    bool interrupted;
    byte_source *source;
    const char *path;
    file_format format;
    parscan_type type;
    text_reader *text; /* for text */
    npy_array npy;     /* of an npy file */
    size_t taken;      /* elements that have been read */
    bool ended;        /* of npy: its end has been checked */
};

static file_format recognise(const byte_source *source, file_format otherwise)
{
    const unsigned char *head;
    const size_t size = source_head(source, &head);
    const bool npy = size >= NPY_MAGIC_SIZE && memcmp(head, NPY_MAGIC, NPY_MAGIC_SIZE) == 0;
    if (npy)
        return FORMAT_NPY;
    return otherwise != FORMAT_UNKNOWN ? otherwise : FORMAT_TEXT;
}

/* Reads what is before the elements. Then their type is known, and in npy files their number. */
static bool read_type(input_reader *reader, const input_request *request, failure *why)
{
    reader->format = request->format != FORMAT_UNKNOWN
                         ? request->format
                         : recognise(reader->source, request->otherwise);
    if (reader->format != FORMAT_TEXT && request->words == WORDS_ARE_EXACT_KEYS)
        return fail(why, "%s files hold numbers, not words", file_format_name(reader->format));
    if (reader->format != FORMAT_TEXT && request->fields != NULL)
        return fail(
            why, "%s files have no lines and fields (-k, -t, --header and the like are for text%s)",
            file_format_name(reader->format),
            request->fields_hint != NULL ? request->fields_hint : "");
    const unsigned char *head;
    const size_t head_size = source_head(reader->source, &head);
    if (reader->format == FORMAT_TEXT && !check_is_text(head, head_size, why))
        return false;
    if (reader->format == FORMAT_NPY) {
        const bool done =
            input_npy_header(reader->source, reader->type, request->shapes, &reader->npy, why);
        reader->type = reader->npy.type;
        return done;
    }
    if (reader->format == FORMAT_RAW && reader->type == 0)
        reader->type = request->raw_type;
    if (reader->format == FORMAT_RAW && reader->type == 0)
        return fail(why, "raw data need --type");
    if (request->words != WORDS_ARE_NUMBERS)
        reader->type = PARSCAN_U8;
    if (reader->type == 0)
        reader->type = request->text_type != 0 ? request->text_type : PARSCAN_I64;
    return true;
}

static bool refuses(const input_request *request, parscan_type type, failure *why)
{
    return type != 0 && request->check != NULL && !request->check(request->user, type, why);
}

static bool open_text(input_reader *reader, const input_request *request, failure *why)
{
    if (reader->format != FORMAT_TEXT)
        return true;
    reader->text = text_reader_open(reader->source, reader->type, request);
    return reader->text != NULL || fail_out_of_memory(why);
}

input_reader *input_open(const input_request *request, failure *why)
{
    /* A type that is given is checked before the file is opened: reading a terminal would wait for
       input. */
    bool refused = refuses(request, request->type, why), done = false;
    if (refused)
        return NULL;
    input_reader *const reader = malloc(sizeof *reader);
    if (reader != NULL) {
        *reader = (input_reader){.request = *request,
                                 .path = request->path,
                                 .type = request->type,
                                 .lock = PTHREAD_MUTEX_INITIALIZER};
        reader->source =
            request->descriptor != 0
                ? source_open_descriptor(request->descriptor, request->progress, why)
                : source_open(request->path, request->member, request->small ? 1 : request->threads,
                              request->progress, why);
        done = reader->source != NULL && read_type(reader, request, why);
        if (request->is_mask != NULL)
            *request->is_mask = reader->npy.is_mask;
        refused = done && refuses(request, reader->type, why);
        done = done && !refused && open_text(reader, request, why);
    } else {
        fail_out_of_memory(why);
    }
    if (done)
        return reader;
    if (!refused)
        fail_in(why, input_name(request->path));
    input_close(reader);
    return NULL;
}

void input_close(input_reader *reader)
{
    if (reader == NULL)
        return;
    text_reader_close(reader->text);
    source_close(reader->source);
    pthread_mutex_destroy(&reader->lock);
    free(reader);
}

/* Exchanges the files of two readers. */
static void exchange(input_reader *reader, input_reader *next)
{
    const input_reader was = *reader;
    const matrix_market *const matrix = input_matrix(reader, &reader->matrix_path);
    if (matrix != NULL)
        reader->matrix = *matrix;
    reader->lists = input_lists(reader);
    pthread_mutex_lock(&reader->lock);
    reader->source = next->source;
    if (reader->interrupted)
        source_interrupt(reader->source);
    pthread_mutex_unlock(&reader->lock);
    reader->path = next->path;
    reader->format = next->format;
    reader->text = next->text;
    reader->npy = next->npy;
    reader->taken = 0;
    reader->ended = false;
    next->source = was.source;
    next->text = was.text;
}

/* At the end of a file: goes on with the one that follows it. */
static bool open_following(input_reader *reader, failure *why)
{
    input_request request = reader->request;
    request.path = request.more[reader->next++];
    request.more_count = 0;
    request.type = reader->type;
    request.beside = reader;
    request.is_mask = NULL;
    request.check = NULL;
    input_reader *const next = input_open(&request, why);
    if (next == NULL)
        return false;
    exchange(reader, next);
    input_close(next);
    return true;
}

/* Of the file that is being read. */
static const matrix_market *matrix_of_file(const input_reader *reader)
{
    return reader->text != NULL ? text_reader_matrix(reader->text) : NULL;
}

const matrix_market *input_matrix(const input_reader *reader, const char **path)
{
    const bool before = reader->matrix_path != NULL;
    const matrix_market *const matrix = before ? &reader->matrix : matrix_of_file(reader);
    if (matrix != NULL)
        *path = before ? reader->matrix_path : input_name(reader->path);
    return matrix;
}

bool input_check_field(const input_reader *reader, const field_choice *choice, failure *why)
{
    const matrix_market *const matrix = matrix_of_file(reader);
    return matrix == NULL || matrix_check_field(matrix, choice->number, why) ||
           fail_in(why, input_name(reader->path));
}

const char *input_head(const input_reader *reader)
{
    return reader->text != NULL ? text_reader_head(reader->text) : NULL;
}

file_format input_format(const input_reader *reader)
{
    return reader->format;
}

parscan_type input_type(const input_reader *reader)
{
    return reader->type;
}

const npy_shape *input_shape(const input_reader *reader)
{
    return reader->format == FORMAT_NPY ? &reader->npy.shape : NULL;
}

/* The number of elements that the rest of the file can hold; 0 if that is not known. */
static uint64_t elements_left(const input_reader *reader)
{
    return source_remaining(reader->source) / parscan_type_size(reader->type);
}

bool input_length(const input_reader *reader, uint64_t *n)
{
    const unsigned char *head;
    if (reader->request.more_count > 0)
        return false;
    *n = reader->format == FORMAT_NPY ? reader->npy.n : reader->taken + elements_left(reader);
    const bool empty = source_head(reader->source, &head) == 0;
    return reader->format == FORMAT_NPY || empty || (reader->format == FORMAT_RAW && *n > 0);
}

/* A word and the white space after it take two bytes of text. */
bool input_most(const input_reader *reader, uint64_t *n)
{
    if (reader->request.more_count > 0)
        return false;
    if (input_length(reader, n))
        return true;
    const uint64_t bytes = source_remaining(reader->source);
    *n = reader->taken + bytes / 2 + 1;
    return reader->format == FORMAT_TEXT && bytes > 0;
}

bool input_at_end(const input_reader *reader)
{
    if (reader->next < reader->request.more_count)
        return false;
    if (reader->format == FORMAT_TEXT)
        return text_reader_at_end(reader->text);
    int fd;
    uint64_t at, size;
    return source_place(reader->source, &fd, &at, &size) && size == 0;
}

bool input_place(const input_reader *reader, int *fd, uint64_t *at, uint64_t *n)
{
    uint64_t size;
    if (reader->request.more_count > 0 || reader->format == FORMAT_TEXT ||
        !source_place(reader->source, fd, at, &size) || size % parscan_type_size(reader->type) != 0)
        return false;
    *n = size / parscan_type_size(reader->type);
    return reader->format == FORMAT_RAW || *n == reader->npy.n - reader->taken;
}

void input_convert(const input_reader *reader, array *elements, size_t first)
{
    input_npy_convert(&reader->npy, elements, first);
}

int input_descriptor(const input_reader *reader)
{
    return source_descriptor(reader->source);
}

const char *input_lists(const input_reader *reader)
{
    const bool here =
        reader->lists == NULL && reader->text != NULL && text_reader_has_lists(reader->text);
    return here ? input_name(reader->path) : reader->lists;
}

void input_show(input_reader *reader, progress *bar)
{
    source_show(reader->source, bar);
}

static bool read_file_part(input_reader *reader, size_t most, source_reader *read, array *elements,
                           line_store *lines, failure *why)
{
    const size_t before = elements->n;
    bool done;
    switch (reader->format) {
    case FORMAT_NPY:
        done = input_npy(reader->source, &reader->npy, reader->taken, most, read, elements,
                         &reader->ended, why);
        break;
    case FORMAT_RAW:
        done = input_raw(reader->source, reader->taken, most, read, elements, why);
        break;
    default:
        done = text_reader_next(reader->text, most, read, elements, lines, why);
    }
    reader->taken += elements->n - before;
    return done || fail_in(why, input_name(reader->path));
}

static bool read_part(input_reader *reader, size_t most, source_reader *read, array *elements,
                      line_store *lines, failure *why)
{
    const size_t before = elements->n;
    for (;;) {
        if (!read_file_part(reader, most, read, elements, lines, why))
            return false;
        if (elements->n > before || reader->next == reader->request.more_count)
            return true;
        if (!open_following(reader, why))
            return false;
    }
}

bool input_next(input_reader *reader, size_t most, array *elements, failure *why)
{
    return read_part(reader, most, source_read_some, elements, NULL, why);
}

bool input_next_lines(input_reader *reader, size_t most, array *elements, line_store *lines,
                      failure *why)
{
    return read_part(reader, most, source_read_some, elements, lines, why);
}

bool input_fail_line(const input_reader *reader, const line_store *lines, size_t element,
                     failure *why)
{
    const char *const text = lines->text.data, *const line = line_store_part(lines, element).begin;
    const uint64_t after = text_count_newlines(line, text + lines->text.n);
    char words[32];
    snprintf(words, sizeof words, "line %" PRIu64, text_reader_line(reader->text) - after);
    fail_in(why, words);
    return fail_in(why, input_name(reader->path));
}

void input_interrupt(input_reader *reader)
{
    pthread_mutex_lock(&reader->lock);
    reader->interrupted = true;
    source_interrupt(reader->source);
    pthread_mutex_unlock(&reader->lock);
}

bool input_rest(input_reader *reader, array *elements, failure *why)
{
    /* What the header of an npy file promises may not be there. */
    uint64_t room = reader->format == FORMAT_TEXT ? 0 : elements_left(reader);
    if (reader->format == FORMAT_NPY && reader->npy.n < room)
        room = reader->npy.n;
    const size_t part = PART_BYTES / parscan_type_size(reader->type);
    if (!array_reserve(elements, (size_t)room)) {
        fail_out_of_memory(why);
        return fail_in(why, input_name(reader->path));
    }
    size_t before;
    do {
        before = elements->n;
        if (!read_part(reader, part, source_read, elements, NULL, why))
            return false;
    } while (elements->n > before);
    return true;
}

bool input_read(const input_request *request, array *elements, file_format *found, failure *why)
{
    *elements = (array){.type = request->type};
    input_reader *const reader = input_open(request, why);
    if (found != NULL)
        *found = reader != NULL ? reader->format : request->format;
    if (reader == NULL)
        return false;
    elements->type = reader->type;
    const bool done = input_rest(reader, elements, why);
    if (!done)
        array_release(elements);
    input_close(reader);
    return done;
}
