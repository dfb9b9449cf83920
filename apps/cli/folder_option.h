/* The values of --temporary: folders for what memory does not hold. */
#ifndef PARSCAN_CLI_FOLDER_OPTION_H
#define PARSCAN_CLI_FOLDER_OPTION_H

#include "apps/cli/failure.h"

enum { MOST_FOLDERS = 64 };

typedef struct temporary_folders {
    const char *names[MOST_FOLDERS];
    unsigned count; /* 0: none is given */
} temporary_folders;

bool folders_take(temporary_folders *folders, const char *value, failure *why);

/* Whether those that were given are there: files go to them only when elements spill. Returns an exit status. */
int folders_check(const temporary_folders *folders, failure *why);

#endif
