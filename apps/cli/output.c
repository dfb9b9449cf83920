#include "apps/cli/output.h"

#include <stdint.h>
#include <string.h>

#include "apps/cli/draft_guard.h"
#include "apps/cli/gzip_writer.h"
#include "apps/cli/npy_header.h"
#include "apps/cli/output_file.h"
#include "apps/cli/output_text.h"

/* Whether the first length characters of path end in ending. */
static bool ends_in(const char *path, size_t length, const char *ending)
{
    const size_t size = strlen(ending);
    return length > size && memcmp(path + length - size, ending, size) == 0;
}

static file_format format_of(const output_request *request, bool *compress)
{
    const char *const path = request->path != NULL ? request->path : "-";
    size_t length = strlen(path);
    *compress = ends_in(path, length, ".gz");
    if (*compress)
        length -= strlen(".gz");
    if (request->format != FORMAT_UNKNOWN)
        return request->format;
    if (ends_in(path, length, ".npy"))
        return FORMAT_NPY;
    if (ends_in(path, length, ".txt") || request->input_format == FORMAT_UNKNOWN)
        return FORMAT_TEXT;
    return request->input_format;
}

static bool write_elements(byte_sink *sink, const array *elements, progress *bar, failure *why)
{
    const size_t size = parscan_type_size(elements->type) * elements->n;
    const size_t part = 8 * 1024 * 1024;
    progress_begin(bar, "writing", size);
    for (size_t done = 0; done < size; done += part) {
        const size_t left = size - done;
        if (!sink_write(sink, (const char *)elements->data + done, left < part ? left : part, why))
            return false;
        progress_update(bar, done);
    }
    return true;
}

static bool write_format(byte_sink *sink, file_format format, const output_request *request,
                         const array *elements, failure *why)
{
    if (format == FORMAT_TEXT)
        return output_text(sink, elements, request->threads, request->progress, why);
    if (format == FORMAT_NPY) {
        char header[NPY_WRITTEN_SIZE];
        npy_header_write(elements->type, elements->n, header);
        if (!sink_write(sink, header, sizeof header, why))
            return false;
    }
    return write_elements(sink, elements, request->progress, why);
}

static bool write_file(const output_file *file, const output_request *request,
                       const array *elements, failure *why)
{
    bool compress;
    const file_format format = format_of(request, &compress);
    const sink_compression compression = {.level = GZIP_DEFAULT_LEVEL, .threads = request->threads};
    byte_sink *const sink = sink_open(file->fd, compress ? &compression : NULL);
    const bool written =
        sink != NULL ? write_format(sink, format, request, elements, why) && sink_finish(sink, why)
                     : fail_out_of_memory(why);
    sink_close(sink);
    return written || fail_in(why, output_file_name(request->path));
}

static bool open_another(output_file *files, size_t opened, const output_request *request,
                         failure *why)
{
    if (!output_file_open(&files[opened], request->path, why))
        return false;
    for (size_t i = 0; i < opened; i++) {
        if (output_file_same_place(&files[i], &files[opened])) {
            output_file_discard(&files[opened]);
            return fail(why, "%s: two outputs cannot be one file", request->path);
        }
    }
    return true;
}

bool output_write_all(const output_request *requests, const array *const *elements, size_t count,
                      failure *why)
{
    output_file files[MOST_DRAFTS];
    size_t opened = 0;
    while (opened < count && open_another(files, opened, &requests[opened], why))
        opened++;
    bool done = opened == count;
    /* Drafts come first: what is written directly, as to a pipe, cannot be taken back. */
    for (int direct = 0; direct <= 1; direct++)
        for (size_t i = 0; done && i < count; i++)
            if (output_file_is_direct(&files[i]) == (direct == 1))
                done = write_file(&files[i], &requests[i], elements[i], why) &&
                       output_file_complete(&files[i], requests[i].path, why);
    for (size_t i = 0; done && i < count; i++)
        done = output_file_commit(&files[i], requests[i].path, why);
    for (size_t i = 0; !done && i < opened; i++)
        output_file_discard(&files[i]);
    return done;
}

bool output_write(const output_request *request, const array *elements, failure *why)
{
    return output_write_all(request, &elements, 1, why);
}
