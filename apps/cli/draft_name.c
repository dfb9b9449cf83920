#define _GNU_SOURCE
#include "apps/cli/draft_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ".parscan-HOST-" */
static int prefix_of_host(char *prefix, size_t size)
{
    struct utsname system;
    if (uname(&system) != 0)
        strcpy(system.nodename, "localhost");
    for (char *p = system.nodename; *p != '\0'; p++)
        *p = *p == '/' ? '_' : *p;
    return snprintf(prefix, size, ".parscan-%.64s-", system.nodename);
}

char *draft_name(const char *place, int length, unsigned number)
{
    char prefix[96], *name;
    prefix_of_host(prefix, sizeof prefix);
    if (asprintf(&name, "%.*s%s%ld-%u.tmp", length, place, prefix, (long)getpid(), number) >= 0)
        return name;
    errno = ENOMEM;
    return NULL;
}

void draft_lock(int fd)
{
    const int error = errno;
    flock(fd, LOCK_EX | LOCK_NB);
    errno = error;
}

/* The process that made a draft of this host; 0: it is no such name. */
static long writer_of(const char *name, const char *prefix, int length)
{
    long process;
    unsigned number;
    int end = 0;
    if (strncmp(name, prefix, (size_t)length) != 0 ||
        sscanf(name + length, "%ld-%u.tmp%n", &process, &number, &end) != 2 || end == 0 ||
        name[length + end] != '\0')
        return 0;
    return process;
}

/* A process of another container may have a number that nobody has here: it holds the lock. */
static bool is_left(int folder, const char *name, long writer)
{
    struct stat status;
    if (writer <= 0 || kill((pid_t)writer, 0) == 0 || errno != ESRCH ||
        fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid())
        return false;
    const int fd = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool left = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return left;
}

void drafts_remove_left(const char *path)
{
    char prefix[96];
    const int length = prefix_of_host(prefix, sizeof prefix);
    DIR *const folder = opendir(path);
    if (folder == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        if (is_left(dirfd(folder), entry->d_name, writer_of(entry->d_name, prefix, length)))
            unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
}
