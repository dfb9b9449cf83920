#define _POSIX_C_SOURCE 200809L
#include "apps/cli/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/cli/gunzip.h"

struct byte_source {
    int fd;
    uint64_t file_size; /* 0: not known */
    uint64_t taken;     /* bytes read from the file */
    bool at_end;        /* nothing more is read: a terminal would wait for input */
    progress *progress;
    unsigned char start[SOURCE_HEAD_SIZE]; /* the file's first bytes, read ahead */
    size_t start_size, start_used;
    unsigned char head[SOURCE_HEAD_SIZE]; /* the data's first bytes, read ahead */
    size_t head_size, head_used;
    gunzipper *gunzip; /* NULL: the data are the file's bytes */
};

static bool read_file(byte_source *source, void *to, size_t size, size_t *got, failure *why)
{
    *got = 0;
    while (*got < size && !source->at_end) {
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
    return true;
}

/* Reads the file's bytes from the beginning, with those that were read ahead. */
static bool read_raw(void *user, void *to, size_t size, size_t *got, failure *why)
{
    byte_source *const source = user;
    const size_t left = source->start_size - source->start_used;
    const size_t first = size < left ? size : left;
    memcpy(to, source->start + source->start_used, first);
    source->start_used += first;
    *got = 0;
    if (first < size && !read_file(source, (char *)to + first, size - first, got, why))
        return false;
    *got += first;
    return true;
}

static bool read_data(byte_source *source, void *to, size_t size, size_t *got, failure *why)
{
    if (source->gunzip != NULL)
        return gunzip_read(source->gunzip, to, size, got, why);
    return read_raw(source, to, size, got, why);
}

static bool open_file(byte_source *source, const char *path, failure *why)
{
    const bool standard = path == NULL || strcmp(path, "-") == 0;
    source->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (source->fd < 0)
        return fail(why, "%s", strerror(errno));
    struct stat status;
    if (fstat(source->fd, &status) != 0)
        return fail(why, "%s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fail(why, "%s", strerror(EISDIR));
    if (S_ISREG(status.st_mode) && status.st_size > 0) {
        const off_t at = standard ? lseek(source->fd, 0, SEEK_CUR) : 0;
        source->file_size = at >= 0 && at < status.st_size ? (uint64_t)(status.st_size - at) : 0;
    }
    return true;
}

static bool open_data(byte_source *source, const char *path, bool as_is, failure *why)
{
    if (!open_file(source, path, why) ||
        !read_file(source, source->start, sizeof source->start, &source->start_size, why))
        return false;
    if (!as_is && gunzip_recognises(source->start, source->start_size)) {
        source->gunzip = gunzip_open(read_raw, source);
        if (source->gunzip == NULL)
            return fail_out_of_memory(why);
    }
    return read_data(source, source->head, sizeof source->head, &source->head_size, why);
}

static byte_source *open_source(const char *path, bool as_is, progress *bar, failure *why)
{
    byte_source *const source = calloc(1, sizeof *source);
    if (source == NULL) {
        fail_out_of_memory(why);
        return NULL;
    }
    source->fd = -1;
    source->progress = bar;
    progress_begin(bar, "reading", 0);
    if (!open_data(source, path, as_is, why)) {
        source_close(source);
        return NULL;
    }
    progress_begin(bar, "reading", source->file_size);
    return source;
}

byte_source *source_open(const char *path, progress *bar, failure *why)
{
    return open_source(path, false, bar, why);
}

byte_source *source_open_as_is(const char *path, progress *bar, failure *why)
{
    return open_source(path, true, bar, why);
}

void source_close(byte_source *source)
{
    if (source == NULL)
        return;
    gunzip_close(source->gunzip);
    if (source->fd > STDIN_FILENO)
        close(source->fd);
    free(source);
}

bool source_read(byte_source *source, void *to, size_t size, size_t *got, failure *why)
{
    const size_t left = source->head_size - source->head_used;
    const size_t first = size < left ? size : left;
    memcpy(to, source->head + source->head_used, first);
    source->head_used += first;
    *got = 0;
    if (first < size && !read_data(source, (char *)to + first, size - first, got, why))
        return false;
    *got += first;
    return true;
}

size_t source_head(const byte_source *source, const unsigned char **head)
{
    *head = source->head;
    return source->head_size;
}

uint64_t source_remaining(const byte_source *source)
{
    if (source->gunzip != NULL || source->file_size < source->taken)
        return 0;
    return source->file_size - source->taken + (source->head_size - source->head_used);
}
