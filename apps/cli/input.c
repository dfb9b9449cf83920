#include "apps/cli/input.h"

#include <string.h>

#include "apps/cli/input_formats.h"
#include "apps/cli/npy_header.h"

static file_format recognise(const byte_source *source)
{
    const unsigned char *head;
    const size_t size = source_head(source, &head);
    const bool npy = size >= NPY_MAGIC_SIZE && memcmp(head, NPY_MAGIC, NPY_MAGIC_SIZE) == 0;
    return npy ? FORMAT_NPY : FORMAT_TEXT;
}

static bool read_format(byte_source *source, file_format format, const input_request *request,
                        array *elements, failure *why)
{
    elements->type = request->type;
    switch (format) {
    case FORMAT_NPY:
        return input_npy(source, elements, why);
    case FORMAT_RAW:
        if (elements->type == 0)
            return fail(why, "raw data need --type");
        return input_raw(source, elements, why);
    default:
        if (elements->type == 0)
            elements->type = PARSCAN_I64;
        return input_text(source, request->threads, elements, why);
    }
}

bool input_read(const input_request *request, array *elements, file_format *found, failure *why)
{
    memset(elements, 0, sizeof *elements);
    byte_source *const source = source_open(request->path, request->progress, why);
    bool done = source != NULL;
    if (done) {
        const file_format format =
            request->format != FORMAT_UNKNOWN ? request->format : recognise(source);
        if (found != NULL)
            *found = format;
        done = read_format(source, format, request, elements, why);
    }
    source_close(source);
    if (!done) {
        array_release(elements);
        fail_in(why, request->path != NULL ? request->path : "-");
    }
    return done;
}
