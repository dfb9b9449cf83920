#define _GNU_SOURCE
#include "apps/cli/descriptor_path.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The process and the descriptor of such a path. */
static bool parse(const char *path, long *process, int *descriptor)
{
    char folder[PATH_MAX], real[PATH_MAX];
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;
    const int length = slash != NULL ? (int)(slash - path) + 1 : 0;
    if (snprintf(folder, sizeof folder, "./%.*s", length, path) >= (int)sizeof folder)
        return false;
    if (realpath(length > 0 ? folder + 2 : folder, real) == NULL)
        return false;
    const char *const last = strrchr(real, '/');
    char end;
    return sscanf(real, "/proc/%ld/", process) == 1 && strcmp(last, "/fd") == 0 &&
           sscanf(name, "%d%c", descriptor, &end) == 1;
}

bool is_descriptor_path(const char *path)
{
    long process;
    int descriptor;
    return parse(path, &process, &descriptor);
}

int open_descriptor_path(const char *path)
{
    long process = 0;
    int descriptor = -1;
    if (parse(path, &process, &descriptor) && process == (long)getpid())
        return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    /* A descriptor of another process. Its position cannot be shared; appending overwrites nothing.
       */
    return open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
}

enum { LONGEST_NAME = 32 };

static const char *name_of_descriptor(int fd, char name[LONGEST_NAME])
{
    snprintf(name, LONGEST_NAME, "/proc/self/fd/%d", fd);
    return name;
}

bool link_descriptor(int fd, const char *path)
{
    char name[LONGEST_NAME];
    return linkat(AT_FDCWD, name_of_descriptor(fd, name), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

bool can_link_descriptor(int fd)
{
    char name[LONGEST_NAME];
    struct stat status;
    return lstat(name_of_descriptor(fd, name), &status) == 0;
}
