#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/sorter/spill_file.h"

/* The name that a file has for a moment where the file system has no files without names. */
static const char run_name[] = ".parscan-run-XXXXXX";

/* Removes what processes left that were killed between mkostemp() and unlink(): empty files of this
   user with such a name. A process that is between the two calls at this moment loses nothing, since
   it only wants the name removed. */
static void remove_left_names(const char *path)
{
    DIR *const folder = opendir(path);
    if (folder == NULL)
        return;
    const size_t prefix = strcspn(run_name, "X");
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        struct stat found;
        if (strlen(entry->d_name) == sizeof run_name - 1 &&
            strncmp(entry->d_name, run_name, prefix) == 0 &&
            fstatat(dirfd(folder), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(found.st_mode) && found.st_size == 0 && found.st_uid == geteuid())
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
}

/* A file with a name, which is removed at once. */
static int create_and_remove(const char *folder)
{
    const size_t length = strlen(folder);
    char path[4096];
    if (length + 1 + sizeof run_name > sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    remove_left_names(folder);
    memcpy(path, folder, length);
    path[length] = '/';
    memcpy(path + length + 1, run_name, sizeof run_name);
    const int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

bool parscan_spill_open(spill_folder *folder, spill_failure *failure)
{
    if (folder->file >= 0)
        return true;
#ifdef O_TMPFILE
    do
        folder->file = open(folder->path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    while (folder->file < 0 && errno == EINTR);
    /* EISDIR: a kernel that does not know the flag. EOPNOTSUPP: a file system that does not. */
    if (folder->file < 0 && (errno == EISDIR || errno == EOPNOTSUPP || errno == EINVAL))
        folder->file = create_and_remove(folder->path);
#else
    folder->file = create_and_remove(folder->path);
#endif
    if (folder->file < 0)
        parscan_spill_fail(failure, folder, "a file cannot be created", errno);
    return folder->file >= 0;
}

void parscan_spill_close(spill_folder *folder)
{
    if (folder->file >= 0)
        close(folder->file);
    folder->file = -1;
}
