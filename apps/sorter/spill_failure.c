/* In a file of its own, since with _GNU_SOURCE strerror_r() is another function. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>

#include "apps/sorter/spill_file.h"

void parscan_spill_fail(spill_failure *failure, const spill_folder *folder, const char *what,
                        int error)
{
    char reason[64];
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    failure->status = PARSCAN_ERROR_IO;
    snprintf(failure->words, sizeof failure->words, "folder %.96s: %s: %s", folder->path, what,
             reason);
}
