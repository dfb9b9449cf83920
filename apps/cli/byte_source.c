#define _POSIX_C_SOURCE 200809L
#include "apps/cli/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/cli/data_layer.h"

struct byte_source {
    int fd;
    bool regular;       /* reading never waits for another program */
    int wake[2];        /* a pipe; -1: none. A byte in it ends reads that wait */
    uint64_t file_size; /* 0: not known */
    uint64_t begin;     /* of a regular file: where reading started */
    uint64_t taken;     /* bytes read from the file */
    bool at_end;        /* nothing more is read: a terminal would wait for input */
    progress *progress;
    unsigned char start[SOURCE_HEAD_SIZE]; /* the file's first bytes, read ahead */
    size_t start_size, start_used;
    unsigned char head[SOURCE_HEAD_SIZE]; /* the data's first bytes, read ahead */
    size_t head_size, head_used;
    data_layer layer;
    const char *path;
    bool noted; /* that the data are cut */
};

const char *input_name(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 ? "standard input"
           : path[0] == '\0'                      ? "''"
                                                  : path;
}

/* Whether the next read of the file does not wait. */
static bool file_is_ready(const byte_source *source)
{
    struct pollfd file = {.fd = source->fd, .events = POLLIN};
    return source->regular || source->at_end || poll(&file, 1, 0) > 0;
}

/* Waits until there is something to read, or source_interrupt() is called. */
static bool wait_for_file(const byte_source *source, failure *why)
{
    struct pollfd files[] = {{.fd = source->fd, .events = POLLIN},
                             {.fd = source->wake[0], .events = POLLIN}};
    if (source->regular)
        return true;
    while (poll(files, 2, -1) < 0)
        if (errno != EINTR)
            return fail(why, "%s", strerror(errno));
    return files[1].revents == 0 || fail(why, "reading was interrupted");
}

/* At the end of a file: whether that is where it was when the file was opened, or after it. Files of
   the kernel's own are shorter than they say, and go on saying so. */
static bool check_size(const byte_source *source, failure *why)
{
    struct stat status;
    if (!source->regular || source->taken >= source->file_size)
        return true;
    if (fstat(source->fd, &status) != 0)
        return fail(why, "%s", strerror(errno));
    return status.st_size < 0 || (uint64_t)status.st_size >= source->begin + source->file_size ||
           fail(why, "the file has become shorter: %" PRIu64 " of %" PRIu64 " bytes were read",
                source->taken, source->file_size);
}

/* Reads size bytes, fewer only at the end; or, unless `whole`, where more would have to be waited
   for. */
static bool read_file(byte_source *source, void *to, size_t size, bool whole, size_t *got,
                      failure *why)
{
    *got = 0;
    while (*got < size && !source->at_end && (whole || *got == 0 || file_is_ready(source))) {
        if (!wait_for_file(source, why))
            return false;
        const ssize_t count = read(source->fd, (char *)to + *got, size - *got);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail(why, "%s", strerror(errno));
        source->at_end = count == 0;
        *got += (size_t)count;
    }
    source->taken += *got;
    progress_update(source->progress, source->taken);
    return !source->at_end || check_size(source, why);
}

/* Reads the file's bytes from the start, with those that were read ahead. */
static bool read_raw(void *user, void *to, size_t size, bool whole, size_t *got, failure *why)
{
    byte_source *const source = user;
    const size_t left = source->start_size - source->start_used;
    const size_t first = size < left ? size : left;
    memcpy(to, source->start + source->start_used, first);
    source->start_used += first;
    *got = 0;
    if (first < size && (whole || first == 0 || file_is_ready(source)) &&
        !read_file(source, (char *)to + first, size - first, whole, got, why))
        return false;
    *got += first;
    return true;
}

static bool raw_is_ready(void *user)
{
    const byte_source *const source = user;
    return source->start_used < source->start_size || file_is_ready(source);
}

/* Says once that the end of the data may be missing. */
static void note_cut(byte_source *source)
{
    progress *const bar = source->progress;
    if (source->noted || bar->quiet || !layer_is_cut(&source->layer))
        return;
    source->noted = true;
    progress_end(bar);
    fprintf(stderr,
            "%s: note: %.800s: the empty block that ends a BGZF file is not there: the file may be "
            "cut short\n",
            program_name, input_name(source->path));
}

static bool read_data(byte_source *source, void *to, size_t size, bool whole, size_t *got,
                      failure *why)
{
    if (source->layer.kind == NULL)
        return read_raw(source, to, size, whole, got, why);
    const bool done = layer_read(&source->layer, to, size, whole, got, why);
    if (done && *got < size)
        note_cut(source);
    return done;
}

static bool data_are_ready(byte_source *source)
{
    return source->layer.kind != NULL ? layer_is_ready(&source->layer) : raw_is_ready(source);
}

static bool open_file(byte_source *source, const char *path, failure *why)
{
    const bool given = source->fd >= 0;
    const bool standard = !given && (path == NULL || strcmp(path, "-") == 0);
    if (!given)
        source->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (source->fd < 0)
        return fail(why, "%s", strerror(errno));
    struct stat status;
    if (fstat(source->fd, &status) != 0)
        return fail(why, "%s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fail(why, "%s", strerror(EISDIR));
    source->regular = S_ISREG(status.st_mode);
    if (!source->regular && pipe(source->wake) != 0)
        return fail(why, "%s", strerror(errno));
    if (source->regular && status.st_size > 0) {
        const off_t at = standard || given ? lseek(source->fd, 0, SEEK_CUR) : 0;
        source->begin = at > 0 ? (uint64_t)at : 0;
        source->file_size = at >= 0 && at < status.st_size ? (uint64_t)(status.st_size - at) : 0;
    }
    return true;
}

/* Reads the first bytes: SOURCE_HEAD_SIZE, or fewer if there are no more, or if these cannot start a
   magic number and more would have to be waited for. */
static bool read_ahead(byte_source *source,
                       bool (*read)(byte_source *source, void *to, size_t size, bool whole,
                                    size_t *got, failure *why),
                       unsigned char *first, size_t *size, failure *why)
{
    size_t got;
    do {
        if (!read(source, first + *size, SOURCE_HEAD_SIZE - *size, false, &got, why))
            return false;
        *size += got;
    } while (got > 0 && *size < SOURCE_HEAD_SIZE &&
             (layer_may_begin(first[0]) || first[0] == 0x93));
    return true;
}

static bool open_data(byte_source *source, const char *path, bool as_is, const char *member,
                      unsigned threads, failure *why)
{
    if (!open_file(source, path, why) ||
        !read_ahead(source, read_file, source->start, &source->start_size, why))
        return false;
    const layer_file file = {.start = source->start,
                             .start_size = source->start_size,
                             .member = member,
                             .threads = threads,
                             .fd = source->regular ? source->fd : -1,
                             .read = read_raw,
                             .ready = raw_is_ready,
                             .user = source};
    if (!as_is && !layer_open(&source->layer, &file, why))
        return false;
    return read_ahead(source, read_data, source->head, &source->head_size, why);
}

/* fd: an open file; -1: path is opened. */
static byte_source *open_source(int fd, const char *path, bool as_is, const char *member,
                                unsigned threads, progress *bar, failure *why)
{
    byte_source *const source = calloc(1, sizeof *source);
    if (source == NULL) {
        fail_out_of_memory(why);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    source->fd = fd;
    source->path = path;
    source->wake[0] = source->wake[1] = -1;
    source->progress = bar;
    progress_begin(bar, "reading", 0);
    if (!open_data(source, path, as_is, member, threads, why)) {
        source_close(source);
        return NULL;
    }
    source_show(source, bar);
    return source;
}

byte_source *source_open(const char *path, const char *member, unsigned threads, progress *bar,
                         failure *why)
{
    return open_source(-1, path, false, member, threads, bar, why);
}

byte_source *source_open_as_is(const char *path, progress *bar, failure *why)
{
    return open_source(-1, path, true, NULL, 1, bar, why);
}

byte_source *source_open_descriptor(int fd, progress *bar, failure *why)
{
    return open_source(fd, NULL, true, NULL, 1, bar, why);
}

void source_close(byte_source *source)
{
    if (source == NULL)
        return;
    layer_close(&source->layer);
    const int opened[] = {source->fd, source->wake[0], source->wake[1]};
    for (size_t i = 0; i < sizeof opened / sizeof opened[0]; i++)
        if (opened[i] > STDIN_FILENO)
            close(opened[i]);
    free(source);
}

static bool read_source(byte_source *source, void *to, size_t size, bool whole, size_t *got,
                        failure *why)
{
    const size_t left = source->head_size - source->head_used;
    const size_t first = size < left ? size : left;
    memcpy(to, source->head + source->head_used, first);
    source->head_used += first;
    *got = 0;
    if (first < size && (whole || first == 0 || data_are_ready(source)) &&
        !read_data(source, (char *)to + first, size - first, whole, got, why))
        return false;
    *got += first;
    return true;
}

bool source_read(byte_source *source, void *to, size_t size, size_t *got, failure *why)
{
    return read_source(source, to, size, true, got, why);
}

bool source_read_some(byte_source *source, void *to, size_t size, size_t *got, failure *why)
{
    return read_source(source, to, size, false, got, why);
}

bool source_is_ready(byte_source *source)
{
    return source->head_used < source->head_size || data_are_ready(source);
}

void source_interrupt(byte_source *source)
{
    if (source->wake[1] >= 0)
        (void)!write(source->wake[1], "", 1);
}

size_t source_head(const byte_source *source, const unsigned char **head)
{
    *head = source->head;
    return source->head_size;
}

bool source_is_unpacked(const byte_source *source)
{
    return source->layer.kind != NULL;
}

void source_show(byte_source *source, progress *bar)
{
    source->progress = bar;
    progress_begin(bar, "reading", source->file_size);
}

bool source_place(const byte_source *source, int *fd, uint64_t *at, uint64_t *size)
{
    if (!source->regular || source->layer.kind != NULL || source->file_size < source->taken)
        return false;
    const size_t ahead =
        source->start_size - source->start_used + source->head_size - source->head_used;
    *fd = source->fd;
    *at = source->begin + source->taken - ahead;
    *size = source->file_size - source->taken + ahead;
    return true;
}

int source_descriptor(const byte_source *source)
{
    return source->regular && source->file_size > 0 ? source->fd : -1;
}

uint64_t source_remaining(const byte_source *source)
{
    if (source->layer.kind != NULL || source->file_size < source->taken)
        return 0;
    return source->file_size - source->taken + (source->head_size - source->head_used);
}
