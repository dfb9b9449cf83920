#define _GNU_SOURCE
#include "tests/fuzz/fuzz_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/cli/byte_sink.h"
#include "apps/cli/gzip_writer.h"
#include "apps/cli/input.h"
#include "apps/cli/output.h"
#include "apps/cli/unzip.h"

enum { PIPE_BYTES = 64 * 1024, THREADS = 2, FEW = 7 };

const char program_name[] = "fuzz";

void fuzz_abort(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

/* A file in memory. */
typedef struct memory_file {
    int fd;
    char path[32];
} memory_file;

static memory_file input, output;

static void empty(memory_file *file)
{
    if (file->path[0] == '\0') {
        file->fd = memfd_create("parscan-fuzz", 0);
        MUST(file->fd > STDERR_FILENO);
        snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    }
    MUST(ftruncate(file->fd, 0) == 0);
    MUST(lseek(file->fd, 0, SEEK_SET) == 0);
}

const char *file_of(const void *bytes, size_t size)
{
    empty(&input);
    MUST(size == 0 || write(input.fd, bytes, size) == (ssize_t)size);
    return input.path;
}

/* The bytes, which fit a pipe, on standard input. */
static void put_on_standard_input(const void *bytes, size_t size)
{
    int ends[2];
    MUST(pipe(ends) == 0);
    MUST(size == 0 || write(ends[1], bytes, size) == (ssize_t)size);
    close(ends[1]);
    MUST(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    close(ends[0]);
}

bool same_words(const failure *a, const failure *b)
{
    const char *const a_words = strstr(a->text, ": "), *const b_words = strstr(b->text, ": ");
    return a_words != NULL && b_words != NULL && strcmp(a_words, b_words) == 0;
}

static bool same_bits(const array *a, const array *b)
{
    return a->type == b->type && a->n == b->n &&
           (a->n == 0 || memcmp(a->data, b->data, a->n * parscan_type_size(a->type)) == 0);
}

static bool read_from(const char *path, file_format format, parscan_type type, array *elements,
                      file_format *found, failure *why)
{
    progress bar = {.quiet = true};
    const input_request request = {
        .path = path, .format = format, .type = type, .threads = THREADS, .progress = &bar};
    const bool done = input_read(&request, elements, found, why);
    MUST(done || (elements->data == NULL && elements->n == 0));
    return done;
}

/* Whether a file has these elements from byte `at` on. */
static bool has_at(const input_reader *reader, int fd, uint64_t at, const array *elements)
{
    const size_t size = elements->n * parscan_type_size(elements->type);
    array read = {.type = elements->type, .n = elements->n};
    MUST(array_reserve(&read, elements->n + 1) &&
         pread(fd, read.data, size, (off_t)at) == (ssize_t)size);
    input_convert(reader, &read, 0);
    const bool same = size == 0 || memcmp(read.data, elements->data, size) == 0;
    array_release(&read);
    return same;
}

/* The same, a few elements at a time. What the reader says of the rest must hold. */
static bool read_in_pieces(const char *path, file_format format, parscan_type type, array *elements,
                           file_format *found, failure *why)
{
    progress bar = {.quiet = true};
    const input_request request = {
        .path = path, .format = format, .type = type, .threads = THREADS, .progress = &bar};
    *elements = (array){.type = type};
    input_reader *const reader = input_open(&request, why);
    *found = reader != NULL ? input_format(reader) : format;
    if (reader == NULL)
        return false;
    elements->type = input_type(reader);
    uint64_t most, at, n;
    int fd;
    const bool is_bounded = input_most(reader, &most);
    const bool is_placed = input_place(reader, &fd, &at, &n);
    size_t before;
    bool done, at_end;
    do {
        before = elements->n;
        at_end = input_at_end(reader);
        done = input_next(reader, FEW, elements, why);
        MUST(!done || elements->n - before <= (at_end ? 0 : FEW));
    } while (done && elements->n > before);
    MUST(!done || !is_bounded || elements->n <= most);
    MUST(!is_placed || (done && elements->n == n && has_at(reader, fd, at, elements)));
    input_close(reader);
    if (!done)
        array_release(elements);
    return done;
}

bool read_file(const void *bytes, size_t size, file_format format, parscan_type type,
               array *elements, failure *why)
{
    return read_from(file_of(bytes, size), format, type, elements, NULL, why);
}

bool read_file_and_pipe(const void *bytes, size_t size, file_format format, parscan_type type,
                        array *elements, failure *why)
{
    file_format found = FORMAT_UNKNOWN, found_in_pieces = FORMAT_UNKNOWN;
    const bool done = read_from(file_of(bytes, size), format, type, elements, &found, why);
    if (size > PIPE_BYTES)
        return done;
    /* A zip file's end says that it has several members before the first is read. A pipe's end is not seen. */
    const bool says_several = unzip_recognises(bytes, size) && unzip_has_several(bytes, size);
    put_on_standard_input(bytes, size);
    const char *const paths[] = {file_of(bytes, size), "-"};
    for (int k = 0; k < (says_several ? 1 : 2); k++) {
        array pieces;
        failure why_pieces;
        MUST(read_in_pieces(paths[k], format, type, &pieces, &found_in_pieces, &why_pieces) ==
             done);
        MUST(found == found_in_pieces);
        MUST(done ? same_bits(elements, &pieces) : same_words(why, &why_pieces));
        array_release(&pieces);
    }
    return done;
}

static bool both_nan(parscan_type type, const void *a, const void *b)
{
    double x = 0, y = 0;
    float narrow;
    uint16_t halves[2];
    if (type == PARSCAN_F16 || type == PARSCAN_BF16) {
        const unsigned infinity = type == PARSCAN_F16 ? 0x7c00 : 0x7f80;
        memcpy(&halves[0], a, sizeof halves[0]);
        memcpy(&halves[1], b, sizeof halves[1]);
        return (halves[0] & 0x7fffu) > infinity && (halves[1] & 0x7fffu) > infinity;
    }
    if (type == PARSCAN_F64) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
    } else if (type == PARSCAN_F32) {
        memcpy(&narrow, a, sizeof narrow);
        x = narrow;
        memcpy(&narrow, b, sizeof narrow);
        y = narrow;
    }
    return isnan(x) && isnan(y);
}

static bool same_numbers(const array *a, const array *b)
{
    const size_t size = parscan_type_size(a->type);
    if (a->type != b->type || a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const char *const x = (const char *)a->data + i * size;
        const char *const y = (const char *)b->data + i * size;
        if (memcmp(x, y, size) != 0 && !both_nan(a->type, x, y))
            return false;
    }
    return true;
}

/* What has been written to the output file; for free(). */
static void *written(size_t *size)
{
    const off_t end = lseek(output.fd, 0, SEEK_END);
    MUST(end >= 0);
    *size = (size_t)end;
    void *const bytes = malloc(*size + 1);
    MUST(bytes != NULL && pread(output.fd, bytes, *size, 0) == end);
    return bytes;
}

void expect_round_trip(const array *elements, file_format format)
{
    progress bar = {.quiet = true};
    failure why;
    empty(&output);
    MUST(dup2(output.fd, STDOUT_FILENO) == STDOUT_FILENO);
    const output_request request = {.format = format, .threads = THREADS, .progress = &bar};
    MUST(output_write(&request, elements, &why));
    size_t size;
    void *const bytes = written(&size);
    array again;
    /* An npy file tells its type, but that of bfloat16. */
    const bool tells = format == FORMAT_NPY && elements->type != PARSCAN_BF16;
    const parscan_type type = tells ? (parscan_type)0 : elements->type;
    MUST(read_file(bytes, size, format, type, &again, &why));
    MUST(format == FORMAT_TEXT ? same_numbers(elements, &again) : same_bits(elements, &again));
    array_release(&again);
    free(bytes);
}

static void expect_gzip(const void *bytes, size_t size, bool blocks)
{
    failure why;
    empty(&output);
    byte_sink *const sink = sink_open(
        output.fd,
        &(sink_compression){.blocks = blocks, .level = GZIP_DEFAULT_LEVEL, .threads = THREADS});
    MUST(sink != NULL && sink_write(sink, bytes, size, &why) && sink_finish(sink, &why));
    sink_close(sink);
    size_t packed_size;
    void *const packed = written(&packed_size);
    array again;
    MUST(read_file(packed, packed_size, FORMAT_RAW, PARSCAN_U8, &again, &why));
    MUST(again.n == size && (size == 0 || memcmp(again.data, bytes, size) == 0));
    array_release(&again);
    free(packed);
}

void expect_gzip_round_trip(const void *bytes, size_t size)
{
    for (int blocks = 0; blocks <= 1; blocks++)
        expect_gzip(bytes, size, blocks == 1);
}
