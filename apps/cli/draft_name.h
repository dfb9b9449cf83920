/*
 * Drafts that have a name from the start (output_file.h), where the file system has no files
 * without names, or processes of several machines write one. The name is
 *
 *     .parscan-HOST-PID-NUMBER.tmp
 *
 * and its writer holds a lock on it. So what SIGKILL has left can be told from what is being written: it
 * is of this host, its process is gone, and nobody holds the lock.
 */
#ifndef PARSCAN_CLI_DRAFT_NAME_H
#define PARSCAN_CLI_DRAFT_NAME_H

#include <stdbool.h>

/* The name of draft number `number` of this process, in a folder (the first `length` characters of
   place); to be freed. NULL and errno when there is no memory. */
char *draft_name(const char *place, int length, unsigned number);

/* Marks an open draft as being written, until it and its copies are closed. Not where the file system
   has no locks. */
void draft_lock(int fd);

/* Removes the drafts in that folder whose writers were killed. */
void drafts_remove_left(const char *folder);

#endif
