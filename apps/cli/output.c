#define _POSIX_C_SOURCE 200809L
#include "apps/cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "apps/cli/draft_guard.h"
#include "apps/cli/gzip_block.h"
#include "apps/cli/gzip_writer.h"
#include "apps/cli/output_file.h"
#include "apps/cli/output_name.h"
#include "apps/cli/output_text.h"

/* A gzip member that holds the npy header as it is. */
enum { MEMBER_SIZE = GZIP_BLOCK_HEAD + GZIP_BLOCK_STORING + NPY_WRITTEN_SIZE + GZIP_BLOCK_TAIL };
enum { PART_BYTES = 8 * 1024 * 1024 };

struct output_writer {
    output_request request;
    output_file file;
    file_format format;
    parscan_type type;
    bool compress, blocks; /* blocks: to those of BGZF */
    byte_sink *sink;       /* NULL: nothing has been written */
    text_writer *text;     /* of text */
    bool counted;          /* n is known */
    uint64_t n, written;
    off_t header; /* where the npy header goes at the end, if n is not known */
};

static file_format format_of(const output_request *request, bool *compress, bool *blocks)
{
    const file_format named =
        output_name_format(request->path != NULL ? request->path : "-", compress, blocks);
    if (request->format != FORMAT_UNKNOWN || named != FORMAT_UNKNOWN)
        return request->format != FORMAT_UNKNOWN ? request->format : named;
    return request->input_format != FORMAT_UNKNOWN ? request->input_format : FORMAT_TEXT;
}

/* Whether bytes that have been skipped can be written later. *at: where the next one goes. */
static bool can_write_back(int fd, off_t *at)
{
    struct stat status;
    const int flags = fcntl(fd, F_GETFL);
    *at = lseek(fd, 0, SEEK_CUR);
    return *at >= 0 && flags >= 0 && (flags & O_APPEND) == 0 && fstat(fd, &status) == 0 &&
           S_ISREG(status.st_mode);
}

static bool open_writer(output_writer *writer, failure *why)
{
    if (!output_file_open(&writer->file, writer->request.path, why))
        return false;
    if (writer->format != FORMAT_NPY || writer->counted ||
        can_write_back(writer->file.fd, &writer->header))
        return true;
    return fail(why,
                "%s: an npy file begins with its number of elements, which is not known before the "
                "end of the input: write to a file, or another format",
                output_file_name(writer->request.path));
}

output_writer *output_open(const output_request *request, parscan_type type, const uint64_t *n,
                           failure *why)
{
    output_writer *const writer = malloc(sizeof *writer);
    if (writer == NULL) {
        fail_out_of_memory(why);
        fail_in(why, output_file_name(request->path));
        return NULL;
    }
    *writer = (output_writer){.request = *request,
                              .file = {.fd = -1},
                              .type = type,
                              .counted = n != NULL,
                              .n = n != NULL ? *n : 0};
    writer->format = format_of(request, &writer->compress, &writer->blocks);
    if (open_writer(writer, why))
        return writer;
    output_close(writer);
    return NULL;
}

void output_set_length(output_writer *writer, uint64_t n)
{
    writer->n = n;
}

bool output_is_file_of(const output_writer *writer, int fd)
{
    return output_file_is_file_of(&writer->file, fd);
}

file_format output_format(const output_request *request)
{
    bool compress, blocks;
    return format_of(request, &compress, &blocks);
}

bool output_is_elsewhere(const output_writer *writer, const output_writer *other, failure *why)
{
    return !output_file_same_place(&writer->file, &other->file) ||
           fail(why, "%s: two outputs cannot be one file", output_file_name(writer->request.path));
}

void output_close(output_writer *writer)
{
    if (writer == NULL)
        return;
    text_writer_close(writer->text);
    sink_close(writer->sink);
    output_file_discard(&writer->file);
    free(writer);
}

/* The npy header goes first, or leaves its room. */
static bool begin_npy(output_writer *writer, failure *why)
{
    char header[NPY_WRITTEN_SIZE];
    const npy_shape list = npy_list(writer->n), *const given = writer->request.shape;
    if (writer->counted) {
        npy_header_write(writer->type, given != NULL ? given : &list, header);
        return sink_write(writer->sink, header, sizeof header, why);
    }
    const off_t size = writer->compress ? MEMBER_SIZE : NPY_WRITTEN_SIZE;
    return lseek(writer->file.fd, writer->header + size, SEEK_SET) >= 0 ||
           fail(why, "%s", strerror(errno));
}

static bool begin_output(output_writer *writer, failure *why)
{
    const sink_compression compression = {
        .blocks = writer->blocks, .level = GZIP_DEFAULT_LEVEL, .threads = writer->request.threads};
    writer->sink = sink_open(writer->file.fd, writer->compress ? &compression : NULL);
    if (writer->sink == NULL)
        return fail_out_of_memory(why);
    if (writer->format == FORMAT_NPY)
        return begin_npy(writer, why);
    if (writer->format == FORMAT_TEXT)
        writer->text = text_writer_open(writer->sink, writer->type, writer->request.point,
                                        writer->request.threads, writer->request.progress);
    return writer->format != FORMAT_TEXT || writer->text != NULL || fail_out_of_memory(why);
}

static bool write_elements(output_writer *writer, const array *elements, failure *why)
{
    progress *const bar = writer->request.progress;
    const size_t size = parscan_type_size(elements->type) * elements->n;
    progress_begin(bar, "writing", size);
    for (size_t done = 0; done < size; done += PART_BYTES) {
        const size_t left = size - done;
        if (!sink_write(writer->sink, (const char *)elements->data + done,
                        left < PART_BYTES ? left : PART_BYTES, why))
            return false;
        progress_update(bar, done);
    }
    return true;
}

bool output_add(output_writer *writer, const array *elements, failure *why)
{
    bool done = writer->sink != NULL || begin_output(writer, why);
    if (done && elements->n > 0)
        done = writer->text != NULL ? text_writer_add(writer->text, elements, why)
                                    : write_elements(writer, elements, why);
    writer->written += elements->n;
    return done || fail_in(why, output_file_name(writer->request.path));
}

/* Writes the npy header into the room that was left for it. */
static bool write_back(output_writer *writer, failure *why)
{
    char header[NPY_WRITTEN_SIZE];
    unsigned char member[MEMBER_SIZE];
    const npy_shape shape = npy_list(writer->written);
    npy_header_write(writer->type, &shape, header);
    const void *const bytes = writer->compress ? (const void *)member : header;
    const size_t size = writer->compress ? MEMBER_SIZE : NPY_WRITTEN_SIZE;
    if (writer->compress)
        gzip_block_store(
            member, header, NPY_WRITTEN_SIZE,
            (uint32_t)crc32(crc32(0, NULL, 0), (const Bytef *)header, NPY_WRITTEN_SIZE));
    for (size_t done = 0; done < size;) {
        const ssize_t count = pwrite(writer->file.fd, (const char *)bytes + done, size - done,
                                     writer->header + (off_t)done);
        if (count < 0 && errno != EINTR)
            return fail(why, "%s", strerror(errno));
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool complete_output(output_writer *writer, failure *why)
{
    if ((writer->sink == NULL && !begin_output(writer, why)) || !sink_finish(writer->sink, why))
        return false;
    if (!writer->counted)
        return writer->format != FORMAT_NPY || write_back(writer, why);
    return writer->format != FORMAT_NPY || writer->written == writer->n ||
           fail(why, "there are %" PRIu64 " elements, not %" PRIu64 ": the input has changed",
                writer->written, writer->n);
}

bool output_complete(output_writer *writer, failure *why)
{
    if (!complete_output(writer, why))
        return fail_in(why, output_file_name(writer->request.path));
    return output_file_complete(&writer->file, writer->request.path, why);
}

bool output_commit(output_writer *writer, failure *why)
{
    return output_file_commit(&writer->file, writer->request.path, why);
}

static output_writer *open_another(output_writer *const *writers, size_t opened,
                                   const output_request *request, const array *elements,
                                   failure *why)
{
    const uint64_t n = elements->n;
    output_writer *const another = output_open(request, elements->type, &n, why);
    for (size_t i = 0; another != NULL && i < opened; i++) {
        if (!output_is_elsewhere(another, writers[i], why)) {
            output_close(another);
            return NULL;
        }
    }
    return another;
}

bool output_write_all(const output_request *requests, const array *const *elements, size_t count,
                      failure *why)
{
    output_writer *writers[MOST_DRAFTS];
    size_t opened = 0;
    bool done = true;
    for (; done && opened < count; opened += done) {
        writers[opened] = open_another(writers, opened, &requests[opened], elements[opened], why);
        done = writers[opened] != NULL;
    }
    /* Drafts come first: what is written directly, as to a pipe, cannot be taken back. */
    for (int direct = 0; direct <= 1; direct++)
        for (size_t i = 0; done && i < count; i++)
            if (output_file_is_direct(&writers[i]->file) == (direct == 1))
                done = output_add(writers[i], elements[i], why) && output_complete(writers[i], why);
    for (size_t i = 0; done && i < count; i++)
        done = output_commit(writers[i], why);
    while (opened > 0)
        output_close(writers[--opened]);
    return done;
}

bool output_write(const output_request *request, const array *elements, failure *why)
{
    return output_write_all(request, &elements, 1, why);
}
