#define _POSIX_C_SOURCE 200809L /* access, stat */
#include "apps/cli/folder_option.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/cli/command.h"

bool folders_take(temporary_folders *folders, const char *value, failure *why)
{
    if (value[0] == '\0')
        return fail(why, "the name of a folder is empty");
    if (folders->count == MOST_FOLDERS)
        return fail(why, "there are more than %d folders", MOST_FOLDERS);
    folders->names[folders->count++] = value;
    return true;
}

int folders_check(const temporary_folders *folders, failure *why)
{
    for (unsigned i = 0; i < folders->count; i++) {
        struct stat found;
        if (stat(folders->names[i], &found) == 0 && !S_ISDIR(found.st_mode))
            errno = ENOTDIR;
        else if (access(folders->names[i], W_OK | X_OK) == 0)
            continue;
        fail(why, "--temporary: folder %.100s: %s", folders->names[i], strerror(errno));
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}
