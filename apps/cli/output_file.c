#define _GNU_SOURCE
#include "apps/cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/cli/descriptor_path.h"
#include "apps/cli/draft_guard.h"
#include "apps/cli/draft_name.h"

enum { MOST_LINKS = 40 };

static bool is_standard(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

const char *output_file_name(const char *path)
{
    return is_standard(path) ? "standard output" : path[0] == '\0' ? "''" : path;
}

/* The length of the folder's part of a path, with its last '/'. */
static int folder_length(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? (int)(slash - path) + 1 : 0;
}

/* Follows a symbolic link one step: *path is replaced. False and errno when that fails. */
static bool follow(char **path)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(*path, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    char *next;
    const int folder = target[0] == '/' ? 0 : folder_length(*path);
    if (asprintf(&next, "%.*s%s", folder, *path, target) < 0) {
        errno = ENOMEM;
        return false;
    }
    free(*path);
    *path = next;
    return true;
}

/* Where a file of that name really is, or would be made, or the name in /proc of the descriptor
   that it stands for; NULL and errno when that fails. */
static char *resolve(const char *path)
{
    char *place = strdup(path);
    struct stat status;
    for (int links = 0; place != NULL; links++) {
        if (lstat(place, &status) != 0 || !S_ISLNK(status.st_mode) || is_descriptor_path(place))
            return place;
        if (links == MOST_LINKS)
            errno = ELOOP;
        if (links == MOST_LINKS || !follow(&place))
            break;
    }
    free(place);
    return NULL;
}

/* The folder that a path is in, to be freed: the path without its last part, and a point. NULL and
   errno when there is no memory. */
static char *folder_of(const char *path)
{
    char *folder;
    if (asprintf(&folder, "%.*s.", folder_length(path), path) >= 0)
        return folder;
    errno = ENOMEM;
    return NULL;
}

/* Opens a draft without a name. False if the file system cannot make one, or link it later. */
static bool open_unnamed(output_file *file)
{
    char *const folder = folder_of(file->place);
    if (folder == NULL)
        return false;
    file->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    if (file->fd >= 0 && !can_link_descriptor(file->fd)) {
        close(file->fd);
        file->fd = -1;
    }
    return file->fd >= 0;
}

/* Before a draft is there under its name: removes what others of this host have left. */
static void clean_folder(const output_file *file)
{
    char *const folder = folder_of(file->place);
    if (folder != NULL)
        drafts_remove_left(folder);
    free(folder);
}

/* Gives the draft a name beside file->place: creates it or, if it is open, links it. */
static bool name_draft(output_file *file)
{
    const int folder = folder_length(file->place);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        file->draft = draft_name(file->place, folder, attempt);
        if (file->draft == NULL)
            return false;
        if (file->fd >= 0 ? draft_guard_link(file->fd, file->draft)
                          : (file->fd = draft_guard_create(file->draft)) >= 0) {
            draft_lock(file->fd);
            return true;
        }
        const int error = errno;
        free(file->draft);
        file->draft = NULL;
        errno = error;
        if (error != EEXIST)
            return false;
    }
    return false;
}

/* If a draft without a name fails for another reason, one with a name fails for the same. */
static bool open_draft(output_file *file)
{
    if (getenv("PARSCAN_NAMED_DRAFTS") == NULL && open_unnamed(file))
        return true;
    clean_folder(file);
    return name_draft(file);
}

/* The new file gets the owner, where that is allowed, and the permissions of the old one. */
static bool copy_permissions(int fd, const struct stat *old)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    mode_t mode = old->st_mode & 07777;
    if ((status.st_uid != old->st_uid || status.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid) != 0)
        mode &= 0777; /* set-user-id must not pass to another owner */
    return fchmod(fd, mode) == 0;
}

/* The file is written directly, from the position of the descriptor: it may be a log. */
static bool open_directly(output_file *file, int fd)
{
    file->fd = fd;
    if (fd < 0)
        return false;
    free(file->place);
    file->place = NULL;
    return true;
}

static bool open_place(output_file *file, const char *path)
{
    struct stat old;
    file->place = resolve(path);
    if (file->place == NULL)
        return false;
    if (is_descriptor_path(file->place))
        return open_directly(file, open_descriptor_path(file->place));
    const bool exists = stat(path, &old) == 0;
    if (!exists && errno != ENOENT)
        return false;
    if (exists && !S_ISREG(old.st_mode))
        return open_directly(file, open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return false;
    return open_draft(file) && (!exists || copy_permissions(file->fd, &old));
}

bool output_file_open(output_file *file, const char *path, failure *why)
{
    *file = (output_file){.fd = -1};
    if (is_standard(path)) {
        file->fd = STDOUT_FILENO;
        return true;
    }
    if (open_place(file, path))
        return true;
    fail(why, "%s: %s", output_file_name(path), strerror(errno));
    output_file_discard(file);
    return false;
}

bool output_file_name_draft(output_file *file, const char *path, failure *why)
{
    if (file->draft != NULL)
        return true;
    clean_folder(file);
    return name_draft(file) || fail(why, "%s: %s", path, strerror(errno));
}

static bool folder_status(const char *path, struct stat *status)
{
    char *const folder = folder_of(path);
    const bool found = folder != NULL && stat(folder, status) == 0;
    free(folder);
    return found;
}

bool output_file_is_direct(const output_file *file)
{
    return file->place == NULL;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool output_file_is_file_of(const output_file *file, int fd)
{
    struct stat ours, other;
    return file->place == NULL && fd >= 0 && fstat(file->fd, &ours) == 0 &&
           fstat(fd, &other) == 0 && is_same(&ours, &other);
}

bool fail_output_is_input(const char *name, failure *why)
{
    return fail(why,
                "%s: the output is the input file, so results would be read again (use -o with its "
                "name to replace it)",
                name);
}

/* What is written as it comes, a pipe for one, is the same place if it is the same file. Devices may be
   named twice. */
bool output_file_same_place(const output_file *a, const output_file *b)
{
    struct stat a_folder, b_folder;
    if (a->place == NULL || b->place == NULL)
        return fstat(a->fd, &a_folder) == 0 && fstat(b->fd, &b_folder) == 0 &&
               !S_ISCHR(a_folder.st_mode) && is_same(&a_folder, &b_folder);
    return strcmp(a->place + folder_length(a->place), b->place + folder_length(b->place)) == 0 &&
           folder_status(a->place, &a_folder) && folder_status(b->place, &b_folder) &&
           is_same(&a_folder, &b_folder);
}

bool output_file_complete(output_file *file, const char *path, failure *why)
{
    /* A draft must stay open, since it may have no name, and its lock ends with it. Closing a second
       descriptor tells the same errors. */
    const bool keep = file->place != NULL;
    const int closing = keep ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : file->fd;
    if (!keep)
        file->fd = -1;
    return (closing >= 0 && close(closing) == 0) ||
           fail(why, "%s: %s", output_file_name(path), strerror(errno));
}

/* Puts the draft in its place. */
static bool place_draft(output_file *file)
{
    if (file->draft == NULL) {
        if (link_descriptor(file->fd, file->place))
            return true;
        if (errno != EEXIST || !name_draft(file))
            return false;
    }
    if (rename(file->draft, file->place) != 0)
        return false;
    draft_guard_end(file->draft);
    free(file->draft);
    file->draft = NULL;
    return true;
}

bool output_file_commit(output_file *file, const char *path, failure *why)
{
    bool done = file->fd < 0 || output_file_complete(file, path, why);
    if (done && file->place != NULL && !place_draft(file))
        done = fail(why, "%s: %s", output_file_name(path), strerror(errno));
    output_file_discard(file);
    return done;
}

void output_file_discard(output_file *file)
{
    if (file->fd > STDOUT_FILENO)
        close(file->fd);
    if (file->draft != NULL) {
        unlink(file->draft);
        draft_guard_end(file->draft);
    }
    free(file->draft);
    free(file->place);
    *file = (output_file){.fd = -1};
}
