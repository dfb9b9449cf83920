#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "apps/cli/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY_BYTES = 1024 * 1024 };

const char *temporary_folder(void)
{
    const char *const named = getenv("TMPDIR");
    return named != NULL && named[0] != '\0' ? named : "/tmp";
}

static bool fail_folder(failure *why, const char *folder, const char *what)
{
    const bool named = folder == getenv("TMPDIR");
    return fail(why, "folder %.200s%s: %s: %s", folder, named ? ", which TMPDIR names" : "", what,
                strerror(errno));
}

/* Where the file system has no files without a name, one loses it as soon as it is created. */
static int open_unnamed(const char *folder)
{
    char *path;
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    if (asprintf(&path, "%s/parscan-XXXXXX", folder) < 0) {
        errno = ENOMEM;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

int temporary_file(const char *folder, failure *why)
{
    const int fd = open_unnamed(folder);
    if (fd < 0)
        fail_folder(why, folder, "a file cannot be created");
    return fd;
}

static bool write_at(int fd, uint64_t at, const char *from, size_t size, failure *why)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = pwrite(fd, from + done, size - done, (off_t)(at + done));
        if (count < 0 && errno != EINTR)
            return fail_folder(why, temporary_folder(), "a temporary file cannot be written");
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool move_to_file(spool *bytes, failure *why)
{
    bytes->fd = temporary_file(temporary_folder(), why);
    if (bytes->fd < 0)
        return false;
    const bool moved =
        bytes->size == 0 || write_at(bytes->fd, 0, bytes->memory, (size_t)bytes->size, why);
    free(bytes->memory);
    bytes->memory = NULL;
    return moved;
}

bool spool_add(spool *bytes, const void *from, size_t size, failure *why)
{
    if (size == 0)
        return true;
    if (bytes->fd < 0 && size > MEMORY_BYTES - bytes->size && !move_to_file(bytes, why))
        return false;
    if (bytes->fd < 0 && bytes->memory == NULL) {
        bytes->memory = malloc(MEMORY_BYTES);
        if (bytes->memory == NULL)
            return fail_out_of_memory(why);
    }
    if (bytes->fd < 0)
        memcpy(bytes->memory + bytes->size, from, size);
    else if (!write_at(bytes->fd, bytes->size, from, size, why))
        return false;
    bytes->size += size;
    return true;
}

bool file_read_at(int fd, uint64_t at, void *to, size_t size, failure *why)
{
    for (size_t done = 0; done < size;) {
        const ssize_t count = pread(fd, (char *)to + done, size - done, (off_t)(at + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail(why, "%s", strerror(errno));
        if (count == 0)
            return fail(why, "the file has become shorter");
        done += (size_t)count;
    }
    return true;
}

bool spool_read(const spool *bytes, uint64_t at, void *to, size_t size, failure *why)
{
    if (bytes->fd < 0) {
        if (size > 0)
            memcpy(to, bytes->memory + at, size);
        return true;
    }
    return file_read_at(bytes->fd, at, to, size, why) || fail_in(why, temporary_folder());
}

void spool_close(spool *bytes)
{
    if (bytes->fd >= 0)
        close(bytes->fd);
    free(bytes->memory);
    *bytes = (spool){.fd = -1};
}
