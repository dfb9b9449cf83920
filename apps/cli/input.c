#include "apps/cli/input.h"

#include <string.h>

#include "apps/cli/input_formats.h"
#include "apps/cli/npy_header.h"

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
static bool read_type(byte_source *source, file_format format, const input_request *request,
                      array *elements, size_t *n, failure *why)
{
    if (format != FORMAT_TEXT && request->words == WORDS_ARE_EXACT_KEYS)
        return fail(why, "%s files hold numbers, not words", file_format_name(format));
    if (format == FORMAT_NPY)
        return input_npy_header(source, elements, n, why);
    if (format == FORMAT_RAW && elements->type == 0)
        return fail(why, "raw data need --type");
    if (request->words != WORDS_ARE_NUMBERS)
        elements->type = PARSCAN_U8;
    if (elements->type == 0)
        elements->type = request->text_type != 0 ? request->text_type : PARSCAN_I64;
    return true;
}

static bool read_elements(byte_source *source, file_format format, const input_request *request,
                          size_t n, array *elements, failure *why)
{
    switch (format) {
    case FORMAT_NPY:
        return input_npy(source, n, elements, why);
    case FORMAT_RAW:
        return input_raw(source, elements, why);
    default:
        return input_text(source, request->words, request->threads, elements, why);
    }
}

static bool refuses(const input_request *request, parscan_type type, failure *why)
{
    return type != 0 && request->check != NULL && !request->check(request->user, type, why);
}

/* *refused: the request's check has refused the type, and the file is not at fault. */
static bool read_source(byte_source *source, const input_request *request, array *elements,
                        file_format *format, bool *refused, failure *why)
{
    size_t n = 0;
    *format =
        request->format != FORMAT_UNKNOWN ? request->format : recognise(source, request->otherwise);
    if (!read_type(source, *format, request, elements, &n, why))
        return false;
    *refused = refuses(request, elements->type, why);
    return !*refused && read_elements(source, *format, request, n, elements, why);
}

const char *input_name(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 ? "standard input" : path;
}

bool input_read(const input_request *request, array *elements, file_format *found, failure *why)
{
    *elements = (array){.type = request->type};
    /* A type that is given is checked before the file is opened: reading a terminal would wait for
       input. */
    bool refused = refuses(request, elements->type, why), done = false;
    file_format format = request->format;
    byte_source *const source = refused ? NULL : source_open(request->path, request->progress, why);
    if (source != NULL)
        done = read_source(source, request, elements, &format, &refused, why);
    source_close(source);
    if (found != NULL)
        *found = format;
    if (!done) {
        array_release(elements);
        if (!refused)
            fail_in(why, input_name(request->path));
    }
    return done;
}
